/* Rectangles of many rows go to and from the device in few submissions, whatever their pitches. LAYER_QUEUES names the file
 * in which the layer `gpu_like` writes the batches; without it only the bytes count. */
#include "common.h"
#include "queue_log.h"

enum { ROW = 5, ROWS = 1500, SLICES = 5, BUFFER_PITCH = 9, HOST_PITCH = 7, MOST_BATCHES = 40 };
enum { BUFFER = BUFFER_PITCH * (ROWS + 2) * SLICES, HOST = HOST_PITCH * (ROWS + 1) * SLICES };

static unsigned char bytes[BUFFER], want[BUFFER], host[HOST], back[HOST], want_back[HOST];

int main(void)
{
    cl_int error = 0;
    cl_device_id device = pumice_device();
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    for (int i = 0; i < BUFFER; i++)
        bytes[i] = want[i] = (unsigned char)(i * 7 + i / 251);
    for (int i = 0; i < HOST; i++)
        host[i] = (unsigned char)(i * 13 + i / 241);
    cl_mem buffer =
        clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof bytes, bytes, &error);
    MUST(error);
    MUST(clFinish(queue));
    int before = batches();

    size_t region[3] = {ROW, ROWS, SLICES}, in_buffer[3] = {3, 1, 0}, in_host[3] = {1, 0, 0};
    size_t slice = BUFFER_PITCH * (ROWS + 2), host_slice = HOST_PITCH * (ROWS + 1);
    MUST(clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, in_buffer, in_host, region, BUFFER_PITCH,
                                  slice, HOST_PITCH, host_slice, host, 0, NULL, NULL));
    MUST(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, in_buffer, in_host, region, BUFFER_PITCH,
                                 slice, HOST_PITCH, host_slice, back, 0, NULL, NULL));
    MUST(clFinish(queue));
    CHECK(batches() - before <= MOST_BATCHES);
    for (size_t z = 0; z < SLICES; z++)
        for (size_t y = 0; y < ROWS; y++) {
            size_t from = z * host_slice + y * HOST_PITCH + 1;
            memcpy(want + z * slice + (y + 1) * BUFFER_PITCH + 3, host + from, ROW);
            memcpy(want_back + from, host + from, ROW);
        }
    CHECK(memcmp(back, want_back, sizeof back) == 0);
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof bytes, bytes, 0, NULL, NULL));
    CHECK(memcmp(bytes, want, sizeof bytes) == 0);
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
