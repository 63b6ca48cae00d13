// client: env PUMICE_STAGING_ONLY=1
// client: env PUMICE_MASK=bufferDeviceAddress
// client: once
/* A read that the host ends (its bytes come by staging memory), and commands of other queues, or in no order, that follow
 * it: when they have ended, the bytes are there. */
#include "common.h"

enum { ROUNDS = 60, N = 2 << 20, WAYS = 3 };

static cl_context context;
static cl_device_id device;

static cl_command_queue make_queue(cl_queue_properties bits)
{
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, bits, 0};
    return MADE(clCreateCommandQueueWithProperties, context, device, list);
}

static void fill(cl_command_queue queue, cl_mem buffer, size_t words, int value, cl_event after, cl_event *event)
{
    MUST(clEnqueueFillBuffer(queue, buffer, &value, sizeof value, 0, 4 * words, after ? 1 : 0, after ? &after : NULL, event));
}

int main(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue reads = make_queue(0), others = make_queue(0),
                     unordered = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_mem from = MADE(clCreateBuffer, context, 0, 4 * N, NULL);
    cl_mem other = MADE(clCreateBuffer, context, 0, 4, NULL);
    static int bytes[N];
    int wrong[WAYS] = {0};
    for (int round = 1; round <= rounds_of(ROUNDS); round++) {
        int way = round % WAYS;
        /* The third way has all three commands in the queue without order. */
        cl_command_queue first = way == 2 ? unordered : reads, second = way == 2 ? unordered : others;
        cl_event filled, read, last, end;
        memset(bytes, 0, sizeof bytes);
        fill(first, from, N, round, NULL, &filled);
        MUST(clEnqueueReadBuffer(first, from, CL_FALSE, 0, sizeof bytes, bytes, 1, &filled, &read));
        last = read;
        if (way == 1) /* what follows the read in its queue, and not the read itself, is waited for */
            fill(first, from, 1, -round, NULL, &last);
        MUST(clFlush(first));
        fill(second, other, 1, round, last, &end);
        MUST(clWaitForEvents(1, &end));
        wrong[way] += bytes[0] != round || bytes[N - 1] != round;
        if (last != read)
            MUST(clReleaseEvent(last));
        MUST(clReleaseEvent(filled));
        MUST(clReleaseEvent(read));
        MUST(clReleaseEvent(end));
        MUST(clFinish(first));
    }
    for (int way = 0; way < WAYS && values_matter(); way++)
        EQ(wrong[way], 0);
    MUST(clReleaseMemObject(from));
    MUST(clReleaseMemObject(other));
    MUST(clReleaseCommandQueue(reads));
    MUST(clReleaseCommandQueue(others));
    MUST(clReleaseCommandQueue(unordered));
    release_last(context);
    return finish();
}
