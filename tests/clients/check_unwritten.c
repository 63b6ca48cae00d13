/* Check mode with `uninit`: reads of buffers that neither the host, nor a command, nor a kernel has written. */
// client: env PUMICE_CHECK=uninit
// client: env PUMICE_LOG=off
#include "common.h"
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static char reports[10][1000];
static int count;

static void CL_CALLBACK on_notify(const char *text, const void *data, size_t size, void *user)
{
    (void)data, (void)size, (void)user;
    pthread_mutex_lock(&lock);
    if (count < 10)
        snprintf(reports[count], sizeof reports[0], "%s", text);
    count++;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
}

static cl_context context;
static cl_command_queue queue;
static cl_kernel more_of, set;

static const char *source = "kernel void more(global const int *in, global int *out)\n"
                            "{\n"
                            "    int i = get_global_id(0);\n"
                            "    out[i] = in[i] + 1;\n"
                            "}\n"
                            "kernel void set(global int *out) { out[get_global_id(0)] = 3; }\n";

static cl_mem buffer(cl_mem_flags flags, size_t size, void *data)
{
    return MADE(clCreateBuffer, context, flags, size, data);
}

static void launch(cl_kernel kernel, size_t items)
{
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    MUST(clFinish(queue));
}

/* Reads 4 integers. With an offset, a read of that byte by work-item offset / 4 must be all that is reported; without one
 * (-1) nothing. */
static void expect(cl_mem in, int offset, int times, const char *what)
{
    cl_mem out = buffer(0, 16, NULL), none = buffer(0, 4, NULL);
    MUST(clSetKernelArg(more_of, 0, sizeof in, &in));
    MUST(clSetKernelArg(more_of, 1, sizeof out, &out));
    launch(more_of, 4);
    /* A fault that is certain ends the texts of the launch before. */
    MUST(clSetKernelArg(more_of, 0, sizeof none, &none));
    launch(more_of, 1);
    char all[4][1000], more_times[100] = "";
    int texts = 0;
    if (times > 1)
        snprintf(more_times, sizeof more_times,
                 times == 2 ? "\nnote: once more at this place" : "\nnote: %d times more at this place", times - 1);
    if (offset >= 0) {
        snprintf(all[texts++], sizeof all[0],
                 "<source>:4:14: error: read of 4 bytes at byte %d of 'in' that nothing wrote\n"
                 "    out[i] = in[i] + 1;\n"
                 "             ^\n"
                 "note: by work-item %d of kernel 'more': number %d of work-group 0\n"
                 "note: argument 0 'in' is %s%s",
                 offset, offset / 4, offset / 4, what, more_times);
        snprintf(all[texts++], sizeof all[0], "kernel 'more': %d fault%s at 1 place", times, times == 1 ? "" : "s");
    }
    snprintf(all[texts++], sizeof all[0],
             "<source>:4:14: error: read of 4 bytes at byte 0 of 'in' that nothing wrote\n"
             "    out[i] = in[i] + 1;\n"
             "             ^\n"
             "note: by work-item 0 of kernel 'more': number 0 of work-group 0\n"
             "note: argument 0 'in' is a buffer of 4 bytes from clCreateBuffer");
    snprintf(all[texts++], sizeof all[0], "kernel 'more': 1 fault at 1 place");
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 60;
    pthread_mutex_lock(&lock);
    /* Where nothing executes, nothing is reported. */
    while (values_matter() && count < texts && pthread_cond_timedwait(&more, &lock, &end) == 0)
        ;
    EQ(count, texts);
    for (int i = 0; i < texts && i < count; i++)
        if (strcmp(reports[i], all[i]) != 0) {
            fprintf(stderr, "report %d is:\n%s\nexpected:\n%s\n", i, reports[i], all[i]);
            failures++;
        }
    count = 0;
    pthread_mutex_unlock(&lock);
    MUST(clReleaseMemObject(out));
    MUST(clReleaseMemObject(none));
}

int main(void)
{
    cl_device_id device = pumice_device();
    cl_device_svm_capabilities svm = 0;
    cl_uint bits = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
    MUST(clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL));
    /* Without addresses nothing is checked. */
    if (!svm)
        return finish();
    context = MADE(clCreateContext, NULL, 1, &device, on_notify, NULL);
    queue = MADE(clCreateCommandQueue, context, device, 0);
    cl_program program = PROGRAM(context, source, "-cl-kernel-arg-info");
    more_of = MADE(clCreateKernel, program, "more");
    set = MADE(clCreateKernel, program, "set");
    int data[256] = {0}, zero = 0;
    const char *small = "a buffer of 16 bytes from clCreateBuffer";

    cl_mem in = buffer(0, 16, NULL);
    expect(in, 0, 4, small);
    /* A read by the host writes nothing. */
    MUST(clEnqueueReadBuffer(queue, in, CL_TRUE, 0, 16, data, 0, NULL, NULL));
    expect(in, 0, 4, small);
    MUST(clEnqueueWriteBuffer(queue, in, CL_TRUE, 0, 12, data, 0, NULL, NULL));
    expect(in, 12, 1, small);
    /* What nothing wrote stays so in a copy. */
    cl_mem other = buffer(0, 16, NULL);
    MUST(clEnqueueCopyBuffer(queue, in, other, 0, 0, 16, 0, NULL, NULL));
    expect(other, 12, 1, small);
    MUST(clEnqueueFillBuffer(queue, in, &zero, sizeof zero, 12, 4, 0, NULL, NULL));
    expect(in, -1, 0, small);
    MUST(clEnqueueCopyBuffer(queue, in, other, 12, 12, 4, 0, NULL, NULL));
    expect(other, -1, 0, small);
    MUST(clReleaseMemObject(other));
    MUST(clReleaseMemObject(in));

    /* A map to read writes nothing, one to write does. */
    in = buffer(CL_MEM_ALLOC_HOST_PTR, 16, NULL);
    void *mapped = MADE(clEnqueueMapBuffer, queue, in, CL_TRUE, CL_MAP_READ, 0, 16, 0, NULL, NULL);
    MUST(clEnqueueUnmapMemObject(queue, in, mapped, 0, NULL, NULL));
    expect(in, 0, 4, small);
    mapped = MADE(clEnqueueMapBuffer, queue, in, CL_TRUE, CL_MAP_WRITE, 0, 8, 0, NULL, NULL);
    memset(mapped, 1, 8);
    MUST(clEnqueueUnmapMemObject(queue, in, mapped, 0, NULL, NULL));
    expect(in, 8, 2, small);
    MUST(clReleaseMemObject(in));

    /* A kernel writes. */
    in = buffer(0, 16, NULL);
    MUST(clSetKernelArg(set, 0, sizeof in, &in));
    launch(set, 2);
    expect(in, 8, 2, small);
    launch(set, 4);
    expect(in, -1, 0, small);
    MUST(clReleaseMemObject(in));

    /* What the buffer is made with counts. */
    in = buffer(CL_MEM_COPY_HOST_PTR, 16, data);
    expect(in, -1, 0, small);
    MUST(clReleaseMemObject(in));

    /* A part shares what was written with its buffer. */
    if (bits <= 256 * 8) {
        cl_mem whole = buffer(0, 1024, NULL);
        cl_buffer_region region = {256, 16};
        cl_mem part = MADE(clCreateSubBuffer, whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region);
        MUST(clEnqueueWriteBuffer(queue, whole, CL_TRUE, 0, 260, data, 0, NULL, NULL));
        expect(part, 4, 3, "a part of 16 bytes from clCreateSubBuffer, at byte 256 of a buffer of 1024 bytes");
        size_t origin[3] = {0, 0, 0}, at[3] = {4, 0, 0}, size[3] = {12, 1, 1};
        MUST(clEnqueueWriteBufferRect(queue, part, CL_TRUE, at, origin, size, 0, 0, 0, 0, data, 0, NULL, NULL));
        expect(part, -1, 0, small);
        MUST(clReleaseMemObject(part));
        MUST(clReleaseMemObject(whole));
    }
    MUST(clReleaseKernel(more_of));
    MUST(clReleaseKernel(set));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
