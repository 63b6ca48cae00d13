// client: all-drivers
/* cl_pocl_content_size: between devices only the bytes that mean something are copied. */
#include "common.h"

enum { N = 1024, MEANT = 16 };

int main(void)
{
    cl_device_id devices[8];
    cl_uint count = 0;
    MUST(clGetDeviceIDs(pumice_platform(), CL_DEVICE_TYPE_ALL, 8, devices, &count));
    if (count < 2) {
        puts("one device");
        return finish();
    }
    cl_context context = MADE(clCreateContext, NULL, 2, devices, NULL, NULL);
    cl_command_queue queues[2];
    for (int i = 0; i < 2; i++) {
        queues[i] = MADE(clCreateCommandQueue, context, devices[i], 0);
    }
    cl_int(CL_API_CALL * set)(cl_mem, cl_mem);
    load_function(&set, "clSetContentSizeBufferPoCL");
    cl_mem buffer = MADE(clCreateBuffer, context, 0, N * sizeof(int), NULL);
    cl_mem size = MADE(clCreateBuffer, context, 0, 8, NULL);
    static int got[N];
    int old = 11, new = 22;
    cl_ulong meant = MEANT * sizeof(int);
    /* Both devices have the old numbers. */
    MUST(clEnqueueFillBuffer(queues[0], buffer, &old, 4, 0, sizeof got, 0, NULL, NULL));
    MUST(clFinish(queues[0]));
    MUST(clEnqueueReadBuffer(queues[1], buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    EQ(got[N - 1], old);
    /* The first has new ones, of which a few mean something. */
    MUST(set(buffer, size));
    MUST(clEnqueueFillBuffer(queues[0], buffer, &new, 4, 0, sizeof got, 0, NULL, NULL));
    MUST(clEnqueueWriteBuffer(queues[0], size, CL_TRUE, 0, 8, &meant, 0, NULL, NULL));
    MUST(clFinish(queues[0]));
    MUST(clEnqueueMigrateMemObjects(queues[1], 1, &buffer, 0, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queues[1], buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        EQ(got[i], i < MEANT ? new : old);
    /* A size beyond the buffer is all of it; a buffer of the size that is gone limits nothing. */
    meant = ~(cl_ulong)0;
    MUST(clEnqueueFillBuffer(queues[0], buffer, &old, 4, 0, sizeof got, 0, NULL, NULL));
    MUST(clEnqueueWriteBuffer(queues[0], size, CL_TRUE, 0, 8, &meant, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queues[1], buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    EQ(got[N - 1], old);
    meant = 0;
    MUST(clEnqueueWriteBuffer(queues[0], size, CL_TRUE, 0, 8, &meant, 0, NULL, NULL));
    MUST(clReleaseMemObject(size));
    MUST(clEnqueueFillBuffer(queues[0], buffer, &new, 4, 0, sizeof got, 0, NULL, NULL));
    MUST(clFinish(queues[0]));
    MUST(clEnqueueReadBuffer(queues[1], buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    EQ(got[0], new);
    EQ(got[N - 1], new);
    MUST(clReleaseMemObject(buffer));
    for (int i = 0; i < 2; i++)
        MUST(clReleaseCommandQueue(queues[i]));
    release_last(context);
    return finish();
}
