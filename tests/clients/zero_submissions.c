/* The clear of a new buffer costs no submission: every other one fails (PUMICE_FAULTS), and a kernel on a new
 * buffer needs one. Where it fails, the clear was not done either, and is done with the next command. */
// client: env PUMICE_FAULTS=vkQueueSubmit:device:2
// client: env PUMICE_STAGING_ONLY=on
// client: once
#include "common.h"

enum { SIZE = 300000, FIRST = 1000, COUNT = 64, STALE = 0xa5, ROUNDS = 4 };

static const char *source = "kernel void mark(global uchar *p, int first)\n"
                            "{\n"
                            "    p[first + get_global_id(0)] = 7;\n"
                            "}\n";

static cl_context context;
static cl_command_queue queue;
static cl_kernel mark;
static unsigned char bytes[SIZE];

/* Returns whether a command ended well. */
static int ended_well(cl_event event)
{
    (void)clWaitForEvents(1, &event);
    cl_int status = 1;
    MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    MUST(clReleaseEvent(event));
    return status == CL_COMPLETE;
}

/* One submission. */
static int fill(cl_mem buffer)
{
    cl_uchar full = STALE;
    cl_event event = NULL;
    MUST(clEnqueueFillBuffer(queue, buffer, &full, 1, 0, SIZE, 0, NULL, &event));
    return ended_well(event);
}

/* One submission, if a new buffer needs none of its own. */
static int mark_bytes(cl_mem buffer)
{
    cl_int first = FIRST;
    size_t count = COUNT;
    cl_event event = NULL;
    MUST(clSetKernelArg(mark, 0, sizeof buffer, &buffer));
    MUST(clSetKernelArg(mark, 1, sizeof first, &first));
    MUST(clEnqueueNDRangeKernel(queue, mark, 1, NULL, &count, NULL, 0, NULL, &event));
    return ended_well(event);
}

static cl_mem make(void)
{
    return MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, SIZE, NULL);
}

static void look(cl_mem buffer)
{
    int read = 0;
    for (int i = 0; i < 4 && !read; i++)
        read = clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, SIZE, bytes, 0, NULL, NULL) == CL_SUCCESS;
    CHECK(read);
    int wrong = 0;
    for (int i = 0; i < SIZE; i++)
        wrong += bytes[i] != (i >= FIRST && i < FIRST + COUNT ? 7 : 0);
    EQ(wrong, 0);
}

int main(void)
{
    cl_device_id device;
    MUST(clGetDeviceIDs(pumice_platform(), CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    cl_program program = PROGRAM(context, source, "");
    mark = MADE(clCreateKernel, program, "mark");
    for (int round = 0; round < ROUNDS; round++) {
        /* Memory that is left full, and a submission that fails: the next one does not. */
        cl_mem old[3] = {make(), make(), make()};
        for (int i = 0; i < 3; i++)
            while (!fill(old[i]))
                ;
        while (fill(old[0]))
            ;
        for (int i = 0; i < 3; i++)
            MUST(clReleaseMemObject(old[i]));
        cl_mem good = make(), bad = make();
        CHECK(mark_bytes(good));
        CHECK(!mark_bytes(bad));
        CHECK(mark_bytes(bad));
        look(bad);
        look(good);
        MUST(clReleaseMemObject(bad));
        MUST(clReleaseMemObject(good));
    }
    MUST(clReleaseKernel(mark));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    MUST(clReleaseContext(context));
    return finish();
}
