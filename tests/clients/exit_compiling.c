// client: once-a-driver
// client: one-form
/* A process that ends while the driver still compiles in the background: a kernel has run for so long that its program gets
 * coarse copies, of which many kernels make much work. The compiling thread has the last reference to the program, and
 * lets it go behind the Vulkan driver's own exit handlers. */
#include "common.h"

enum { KERNELS = 80 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void wait_behind_all_others(void)
{
    sleep(2);
    puts("ok");
}

int main(void)
{
    /* Registered first, so it runs last. */
    atexit(wait_behind_all_others);
    cl_device_id device = pumice_device();
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    static char source[1 << 21];
    char *end = source + sprintf(source, "constant float table[4] = {1, 2, 3, 5};\n");
    for (int k = 0; k < KERNELS; k++) {
        end += sprintf(end, "kernel void k%d(global float *p, int n)\n{\n", k);
        end += sprintf(end, "    uint i = get_global_id(0), at = get_local_id(0);\n    float x = p[i];\n");
        /* One kernel has local memory, which is in a buffer of the program's on lavapipe 25.0. */
        if (k == 0)
            end += sprintf(end, "    local float tile[64];\n"
                                "    for (int round = 0; round < n; round++) {\n"
                                "        tile[at] = x * 0.5f + table[round & 3];\n"
                                "        barrier(CLK_LOCAL_MEM_FENCE);\n"
                                "        x = tile[63 - at];\n"
                                "        barrier(CLK_LOCAL_MEM_FENCE);\n"
                                "    }\n");
        for (int term = 0; term < 60; term++)
            end += sprintf(end, "    x = x * %d.5f + p[(i + %d) & 255] * x;\n", term % 7, term);
        end += sprintf(end, "    p[i] = x;\n}\n");
    }
    const char *text = source;
    cl_program program = PROGRAM(context, text, NULL);
    cl_kernel kernel = MADE(clCreateKernel, program, "k0");
    size_t global = 1 << 16, local = 64;
    cl_mem buffer = MADE(clCreateBuffer, context, 0, global * 4, NULL);
    cl_int rounds = 100;
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    MUST(clSetKernelArg(kernel, 1, sizeof rounds, &rounds));
    /* Copies take longer to make than this. The first launch waits for the Vulkan driver's compiler. */
    double start = seconds();
    for (int i = 0; (i < 30 && seconds() - start < 3) || seconds() - start < 0.5; i++) {
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
        MUST(clFinish(queue));
    }
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseCommandQueue(queue));
    MUST(clReleaseContext(context));
    return 0;
}
