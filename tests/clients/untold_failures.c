// client: once
/* Vulkan calls fail (PUMICE_FAULTS) under commands whose events nobody has. Whenever all calls of a round succeed, what
 * they wrote is there: a later call of the queue tells of a failure, be it a blocking one, one with an event, or clFinish.
 * The client runs itself again with each plan. */
#define _POSIX_C_SOURCE 200809L
#include "common.h"
#include <sys/wait.h>
#include <unistd.h>

enum { N = 4096, ROUNDS = 300 };

static const char *source =
    "kernel void put(global int *out, int value) { out[get_global_id(0)] = value; }\n";

/* The end of an event; releases it. */
static cl_int end_of(cl_event event)
{
    cl_int status = 0, error = clWaitForEvents(1, &event);
    MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    MUST(clReleaseEvent(event));
    return error == CL_SUCCESS ? status : error;
}

/* Reads a buffer in one of four ways; gives the first error that a call tells of. */
static cl_int read_back(cl_command_queue queue, cl_mem buffer, int *to, int way)
{
    cl_event event = NULL;
    cl_int error = CL_SUCCESS;
    switch (way) {
    case 0:
        return clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, N * 4, to, 0, NULL, NULL);
    case 1:
        error = clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, N * 4, to, 0, NULL, &event);
        return error == CL_SUCCESS ? end_of(event) : error;
    case 2:
        error = clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, N * 4, to, 0, NULL, NULL);
        return error == CL_SUCCESS ? clFinish(queue) : error;
    }
    int *p = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, N * 4, 0, NULL, NULL, &error);
    if (error != CL_SUCCESS)
        return error;
    memcpy(to, p, N * 4);
    error = clEnqueueUnmapMemObject(queue, buffer, p, 0, NULL, NULL);
    return error == CL_SUCCESS ? clFinish(queue) : error;
}

/* One round: gives the first error that a call tells of. */
static cl_int round_of(cl_command_queue queue, cl_kernel kernel, const cl_mem *buffers, int value, int *to)
{
    size_t global = N;
    cl_int error;
    MUST(clSetKernelArg(kernel, 0, sizeof *buffers, &buffers[0]));
    MUST(clSetKernelArg(kernel, 1, sizeof value, &value));
    if (value % 2)
        error = clEnqueueFillBuffer(queue, buffers[0], &value, 4, 0, N * 4, 0, NULL, NULL);
    else
        error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    if (error != CL_SUCCESS)
        return error;
    error = clEnqueueCopyBuffer(queue, buffers[0], buffers[1], 0, 0, N * 4, 0, NULL, NULL);
    return error == CL_SUCCESS ? read_back(queue, buffers[1], to, value / 2 % 4) : error;
}

static int worker(void)
{
    static int values[N];
    cl_device_id device = pumice_device();
    cl_int error;
    cl_context context = NULL;
    cl_command_queue queue = NULL;
    cl_program program = NULL;
    cl_kernel kernel = NULL;
    cl_mem buffers[2] = {NULL, NULL};
    for (int i = 0; i < 1000 && !context; i++)
        context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    for (int i = 0; i < 1000 && !queue; i++)
        queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    for (int i = 0; i < 1000 && !kernel; i++) {
        program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
        if (program && clBuildProgram(program, 0, NULL, NULL, NULL, NULL) == CL_SUCCESS)
            kernel = clCreateKernel(program, "put", &error);
        if (program && !kernel)
            MUST(clReleaseProgram(program));
    }
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < 1000 && !buffers[b]; i++)
            buffers[b] = clCreateBuffer(context, 0, N * 4, NULL, &error);
    CHECK(queue && kernel && buffers[0] && buffers[1]);
    int told = 0;
    for (int value = 1; value <= ROUNDS; value++) {
        error = round_of(queue, kernel, buffers, value, values);
        if (error != CL_SUCCESS) {
            told++;
            /* What is left of the round is not the next one's. */
            clFinish(queue);
            continue;
        }
        for (int i = 0; i < N; i++)
            EQ(values[i], value);
    }
    fprintf(stderr, "%d of %d rounds were told of a failure\n", told, ROUNDS);
    CHECK(told > 0 && told < ROUNDS);
    for (int b = 0; b < 2; b++)
        MUST(clReleaseMemObject(buffers[b]));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    MUST(clReleaseContext(context));
    return 0;
}

int main(int count, char **arguments)
{
    static const char *const plans[] = {"*:host:19", "*:device:31", "*:host:53"};
    if (count > 1)
        return worker();
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            setenv("PUMICE_FAULTS", plans[i], 1);
            execl(arguments[0], arguments[0], "worker", (char *)NULL);
            _exit(127);
        }
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status));
        EQ(WEXITSTATUS(status), 0);
    }
    return 0;
}
