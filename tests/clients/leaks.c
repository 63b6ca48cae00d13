// client: once
/* Everything is made, used and released again and again, and the process grows no more.
 * `leaks ROUNDS` says how often (150 by default). */
#include "common.h"
#include "usage.h"

static const char *source =
    "constant int table[4] = {1, 2, 3, 4};\n"
    "kernel void step(global int *p, local int *l, int k) { l[get_local_id(0)] = k;\n"
    "  p[get_global_id(0)] = l[get_local_id(0)] + table[get_global_id(0) % 4]; }\n"
    "kernel void says(global int *p) { if (p[0] == -12345) printf(\"%d\\n\", p[0]); }\n";

static void CL_CALLBACK ignore(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
}

static void one_round(cl_device_id device, int round)
{
    cl_int error = 0;
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, (cl_queue_properties)(round % 4), 0};
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, list);
    cl_program program = PROGRAM(context, source, round % 2 ? "-cl-mad-enable" : "");
    cl_kernel kernels[2];
    MUST(clCreateKernelsInProgram(program, 2, kernels, NULL));
    cl_kernel step = clCreateKernel(program, "step", &error), says = clCreateKernel(program, "says", &error);
    cl_mem buffer = MADE(clCreateBuffer, context, 0, 4096, NULL);
    cl_buffer_region region = {256, 256};
    cl_mem part = MADE(clCreateSubBuffer, buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region);
    size_t global = 64, local = 8;
    MUST(clSetKernelArg(step, 0, sizeof part, &part));
    MUST(clSetKernelArg(step, 1, 64, NULL));
    MUST(clSetKernelArg(step, 2, sizeof round, &round));
    cl_event gate = clCreateUserEvent(context, &error), ran, said;
    MUST(error);
    MUST(clEnqueueNDRangeKernel(queue, step, 1, NULL, &global, &local, 1, &gate, &ran));
    MUST(clSetKernelArg(says, 0, sizeof buffer, &buffer));
    MUST(clEnqueueNDRangeKernel(queue, says, 1, NULL, &local, NULL, 1, &ran, &said));
    MUST(clSetEventCallback(said, CL_COMPLETE, ignore, NULL));
    MUST(clSetUserEventStatus(gate, CL_COMPLETE));
    int out[64];
    MUST(clEnqueueReadBuffer(queue, part, CL_TRUE, 0, sizeof out, out, 1, &said, NULL));
    EQ(out[5], round + 2);
    int *mapped = MADE(clEnqueueMapBuffer, queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, 64, 0, NULL, NULL);
    mapped[0] = round;
    MUST(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
    void *svm = clSVMAlloc(context, 0, 4096, 0);
    if (svm && round % 2)
        MUST(clEnqueueSVMFree(queue, 1, &svm, NULL, NULL, 0, NULL, NULL));
    else
        clSVMFree(context, svm);
    if (round % 3)
        MUST(clFinish(queue));
    MUST(clReleaseEvent(gate));
    MUST(clReleaseEvent(ran));
    MUST(clReleaseEvent(said));
    MUST(clReleaseMemObject(part));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseKernel(kernels[0]));
    MUST(clReleaseKernel(kernels[1]));
    MUST(clReleaseKernel(step));
    MUST(clReleaseKernel(says));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 150;
    cl_device_id device = pumice_device();
    long first = 0;
    for (int round = 0; round < rounds; round++) {
        one_round(device, round);
        context_gone = 0;
        if (round == rounds / 3)
            first = resident();
        if (rounds > 1000 && round % 1000 == 0)
            printf("%d rounds: %ld KiB\n", round, resident());
    }
    long last = resident();
    printf("%ld KiB after a third, %ld at the end\n", first, last);
    /* The device's driver may keep a little memory for reasons of its own. */
    CHECK(last - first < 2048 + rounds / 2);
    return finish();
}
