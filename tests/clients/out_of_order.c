/* An out-of-order queue: commands without events between them may overlap, and those ordered by
 * events, barriers and markers never do, within a batch and across batches. */
#include "common.h"

enum { LANES = 16, STEPS = 40, N = 4096 };

int main(void)
{
    cl_device_id device = pumice_device();
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, list);
    const char *source = "kernel void step(global uint *to, global const uint *from)\n"
                         "{\n"
                         "    size_t i = get_global_id(0);\n"
                         "    to[i] = from[get_global_size(0) - 1 - i] * 3 + 1;\n"
                         "}\n";
    cl_program program = PROGRAM(context, source, NULL);
    cl_kernel kernel = MADE(clCreateKernel, program, "step");
    cl_mem memory[LANES][2];
    cl_event last[LANES];
    cl_uint want[LANES];
    size_t global = N;
    for (int lane = 0; lane < LANES; lane++) {
        want[lane] = lane;
        for (int side = 0; side < 2; side++) {
            memory[lane][side] = MADE(clCreateBuffer, context, 0, N * 4, NULL);
        }
        cl_uint word = lane;
        MUST(clEnqueueFillBuffer(queue, memory[lane][0], &word, 4, 0, N * 4, 0, NULL,
                                 &last[lane]));
    }
    /* Chains side by side: each step hangs on its own lane's step before alone. */
    for (int step = 0; step < STEPS; step++) {
        for (int lane = 0; lane < LANES; lane++) {
            cl_mem from = memory[lane][step & 1], to = memory[lane][~step & 1];
            cl_event next;
            MUST(clSetKernelArg(kernel, 0, sizeof to, &to));
            MUST(clSetKernelArg(kernel, 1, sizeof from, &from));
            MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 1, &last[lane],
                                        &next));
            MUST(clReleaseEvent(last[lane]));
            last[lane] = next;
            want[lane] = want[lane] * 3 + 1;
        }
        if (step % 16 == 7)
            MUST(clFlush(queue));
        if (step % 16 == 11)
            MUST(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
    }
    /* Lane 0 becomes the sum of copies behind all lanes: everything through one wait list. */
    cl_mem gathered = MADE(clCreateBuffer, context, 0, LANES * N * 4, NULL);
    cl_event marker;
    MUST(clEnqueueMarkerWithWaitList(queue, LANES, last, &marker));
    for (int lane = 0; lane < LANES; lane++)
        MUST(clEnqueueCopyBuffer(queue, memory[lane][STEPS & 1], gathered, 0, lane * N * 4, N * 4,
                                 1, &marker, NULL));
    MUST(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
    static cl_uint got[LANES * N];
    MUST(clEnqueueReadBuffer(queue, gathered, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int lane = 0; lane < LANES; lane++)
        for (int i = 0; i < N; i++)
            if (got[lane * N + i] != want[lane]) {
                fprintf(stderr, "lane %d, item %d: %u, not %u\n", lane, i, got[lane * N + i],
                        want[lane]);
                failures++;
                break;
            }
    MUST(clReleaseEvent(marker));
    MUST(clReleaseMemObject(gathered));
    for (int lane = 0; lane < LANES; lane++) {
        MUST(clReleaseEvent(last[lane]));
        MUST(clReleaseMemObject(memory[lane][0]));
        MUST(clReleaseMemObject(memory[lane][1]));
    }
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
