/* Large private arrays: launches of several queues that nobody waits for each have their own, ranges
 * that need gigabytes run in parts, and work-groups are limited by what their work-items need. */
#include "common.h"

enum { ITEMS = 4096, QUEUES = 2, LAUNCHES = 12 };

static const char *source =
    "kernel void sums(global int *out, int seed) {\n"
    "    int a[8192];\n"
    "    int id = get_global_id(0);\n"
    "    for (int i = 0; i < 16; i++) a[(i * 511 + id) & 8191] = i + id + seed;\n"
    "    int s = 0;\n"
    "    for (int i = 0; i < 16; i++) s += a[(i * 511 + id) & 8191];\n"
    "    out[id & 4095] = s;\n"
    "}\n"
    "kernel void huge(global int *out) {\n"
    "    int a[1 << 28];\n"
    "    a[out[0]] = 1;\n"
    "    out[0] = a[out[1]];\n"
    "}\n";

int main(void)
{
    cl_device_id device = pumice_device();
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_program program = PROGRAM(context, source, "");
    cl_kernel kernel = MADE(clCreateKernel, program, "sums");
    cl_ulong bytes = 0;
    MUST(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof bytes, &bytes, NULL));
    cl_uint count = 0;
    MUST(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL));
    EQ(count, 2);

    cl_command_queue queues[QUEUES];
    cl_mem outs[QUEUES][LAUNCHES];
    size_t items = ITEMS;
    for (int q = 0; q < QUEUES; q++) {
        cl_queue_properties out_of_order[] = {
            CL_QUEUE_PROPERTIES, q ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, 0};
        queues[q] = MADE(clCreateCommandQueueWithProperties, context, device, out_of_order);
    }
    for (int l = 0; l < LAUNCHES; l++)
        for (int q = 0; q < QUEUES; q++) {
            outs[q][l] = MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, ITEMS * 4, NULL);
            cl_int seed = q * 1000 + l;
            MUST(clSetKernelArg(kernel, 0, sizeof outs[q][l], &outs[q][l]));
            MUST(clSetKernelArg(kernel, 1, sizeof seed, &seed));
            MUST(clEnqueueNDRangeKernel(queues[q], kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
        }
    static int result[ITEMS];
    for (int q = 0; q < QUEUES; q++) {
        MUST(clFinish(queues[q]));
        for (int l = 0; l < LAUNCHES; l++) {
            MUST(clEnqueueReadBuffer(queues[q], outs[q][l], CL_TRUE, 0, sizeof result, result, 0, NULL,
                                     NULL));
            int wrong = 0;
            for (int i = 0; i < ITEMS; i++)
                wrong += result[i] != 16 * (i + q * 1000 + l) + 120;
            EQ(wrong, 0);
        }
    }
    if (bytes == 0) {
        puts("private arrays are the driver's");
    } else {
        EQ(bytes, 32768);
        /* Four gigabytes in all; the last work-items are the ones whose results stay. */
        cl_int seed = 5;
        size_t most = 32 * ITEMS;
        MUST(clSetKernelArg(kernel, 1, sizeof seed, &seed));
        MUST(clSetKernelArg(kernel, 0, sizeof outs[0][0], &outs[0][0]));
        MUST(clEnqueueNDRangeKernel(queues[0], kernel, 1, NULL, &most, NULL, 0, NULL, NULL));
        MUST(clEnqueueReadBuffer(queues[0], outs[0][0], CL_TRUE, 0, sizeof result, result, 0, NULL, NULL));
        int wrong = 0;
        for (int i = 0; i < ITEMS; i++)
            wrong += (result[i] - 16 * (i + seed) - 120) % (16 * ITEMS) != 0;
        EQ(wrong, 0);

        cl_kernel huge = MADE(clCreateKernel, program, "huge");
        MUST(clSetKernelArg(huge, 0, sizeof outs[0][0], &outs[0][0]));
        size_t group = 64;
        EQ(clEnqueueNDRangeKernel(queues[0], huge, 1, NULL, &group, &group, 0, NULL, NULL),
           CL_INVALID_WORK_GROUP_SIZE);
        MUST(clReleaseKernel(huge));
    }
    for (int q = 0; q < QUEUES; q++) {
        for (int l = 0; l < LAUNCHES; l++)
            MUST(clReleaseMemObject(outs[q][l]));
        MUST(clReleaseCommandQueue(queues[q]));
    }
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    release_last(context);
    puts(failures ? "FAILED" : "ok");
    return failures != 0;
}
