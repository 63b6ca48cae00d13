// client: all-drivers
/* Command buffers of several queues: of one device, and of every device there is. Commands of the queues
 * wait for each other in both directions, and copies are made for other queues. */
#include "command_buffers.h"

enum { N = 4096, TURNS = 6 };

static const char *source =
    "kernel void step(global int *data, int add)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    data[i] = data[i] * 3 + add;\n"
    "}\n";

static cl_context context;
static cl_kernel kernel;

static int expected(int start, int add, int steps)
{
    while (steps--)
        start = start * 3 + add;
    return start;
}

static int word(cl_command_queue queue, cl_mem buffer, size_t index)
{
    int value = -1;
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, index * 4, 4, &value, 0, NULL, NULL));
    return value;
}

/* A ball that goes from queue to queue: each step waits for the one before by a sync point. */
static void turns(cl_uint count, cl_command_queue *queues)
{
    cl_int error = 0;
    int seven = 7, two = 2;
    size_t global = N;
    cl_mem data = clCreateBuffer(context, 0, N * 4, NULL, &error), side;
    MUST(error);
    side = MADE(clCreateBuffer, context, 0, N * 4, NULL);
    cl_ulong properties[] = {FLAGS, MUTABLE, 0};
    buffer_t buffer = MADE(create, count, queues, properties);
    point_t point;
    command_t last = NULL;
    MUST(fill_buffer(buffer, queues[0], NULL, data, &seven, 4, 0, N * 4, 0, NULL, &point, NULL));
    MUST(clSetKernelArg(kernel, 0, sizeof data, &data));
    MUST(clSetKernelArg(kernel, 1, sizeof two, &two));
    for (int turn = 0; turn < TURNS; turn++) {
        point_t before = point;
        MUST(ndrange(buffer, queues[(turn + 1) % count], NULL, kernel, 1, NULL, &global, NULL, 1, &before,
                     &point, &last));
    }
    /* A barrier holds back every queue. */
    MUST(barrier(buffer, queues[count - 1], NULL, ALONE));
    MUST(copy_buffer(buffer, queues[0], NULL, data, side, 0, 0, N * 4, ALONE));
    MUST(finalize(buffer));
    cl_event event;
    cl_command_queue there = queues[0];
    for (int round = 0; round < 3; round++) {
        MUST(enqueue(0, NULL, buffer, 0, NULL, &event));
        MUST(clWaitForEvents(1, &event));
        MUST(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof there, &there, NULL));
        CHECK(!there == (count > 1));
        MUST(clReleaseEvent(event));
        EQ(word(queues[0], side, N - 1), expected(7, 2, TURNS));
    }
    cl_uint queue_count = 0;
    MUST(buffer_info(buffer, INFO_NUM_QUEUES, sizeof queue_count, &queue_count, NULL));
    EQ(queue_count, count);

    /* The same for the queues in another order, and for one queue alone. */
    cl_command_queue turned[16];
    for (cl_uint i = 0; i < count; i++)
        turned[i] = queues[count - 1 - i];
    command_t copied[1];
    buffer_t copy = MADE(remap, buffer, CL_FALSE, count, turned, 1, &last, copied);
    EQ(state_of(copy), EXECUTABLE);
    int five = 5, zero = 0;
    arg_t arg = {1, sizeof five, &five};
    config_t config = {.command = copied[0], .num_args = 1, .args = &arg};
    EQ(update_one(buffer, &config), INVALID_MUTABLE_COMMAND);
    MUST(update_one(copy, &config));
    MUST(clEnqueueFillBuffer(queues[0], side, &zero, 4, 0, N * 4, 0, NULL, &event));
    MUST(clWaitForEvents(1, &event));
    MUST(clReleaseEvent(event));
    MUST(enqueue(0, NULL, copy, 0, NULL, &event));
    MUST(clWaitForEvents(1, &event));
    MUST(clReleaseEvent(event));
    EQ(word(queues[0], side, 3), expected(expected(7, 2, TURNS - 1), 5, 1));
    buffer_t alone = MADE(remap, buffer, CL_TRUE, 1, &queues[count - 1], 0, NULL, NULL);
    MUST(enqueue(0, NULL, alone, 0, NULL, &event));
    MUST(clWaitForEvents(1, &event));
    MUST(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof there, &there, NULL));
    CHECK(there == queues[count - 1]);
    MUST(clReleaseEvent(event));
    EQ(word(queues[0], side, 3), expected(7, 2, TURNS));
    MUST(release(alone));
    MUST(release(copy));
    MUST(release(buffer));

    /* A copy of one that still records takes more commands. */
    buffer = MADE(create, 1, queues, NULL);
    MUST(fill_buffer(PLAIN(buffer), side, &seven, 4, 0, N * 4, ALONE));
    copy = MADE(remap, buffer, CL_FALSE, 1, &queues[count - 1], 0, NULL, NULL);
    EQ(state_of(copy), RECORDING);
    MUST(barrier(PLAIN(copy), ALONE));
    MUST(fill_buffer(PLAIN(copy), side, &two, 4, 0, 4, ALONE));
    MUST(finalize(copy));
    MUST(enqueue(0, NULL, copy, 0, NULL, &event));
    MUST(clWaitForEvents(1, &event));
    MUST(clReleaseEvent(event));
    EQ(word(queues[0], side, 0), 2);
    EQ(word(queues[0], side, 1), 7);
    MUST(release(copy));
    MUST(release(buffer));
    clReleaseMemObject(data), clReleaseMemObject(side);
}

int main(void)
{
    load_functions();
    cl_int error = 0;
    cl_device_id devices[16];
    cl_uint count = 0;
    MUST(clGetDeviceIDs(pumice_platform(), CL_DEVICE_TYPE_ALL, 16, devices, &count));
    count = count < 16 ? count : 16;
    context = MADE(clCreateContext, NULL, count, devices, NULL, NULL);
    cl_program program = PROGRAM(context, source, NULL);
    kernel = MADE(clCreateKernel, program, "step");
    cl_command_queue queues[16];
    cl_ulong orders[] = {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE};
    /* Three queues of one device, then one of each device. */
    for (int kind = 0; kind < 2; kind++) {
        cl_ulong list[] = {CL_QUEUE_PROPERTIES, orders[kind], 0};
        for (int i = 0; i < 3; i++) {
            queues[i] = MADE(clCreateCommandQueueWithProperties, context, devices[0], list);
        }
        turns(1, queues);
        turns(3, queues);
        for (int i = 0; i < 3; i++)
            clReleaseCommandQueue(queues[i]);
        for (cl_uint i = 0; i < count; i++) {
            queues[i] = MADE(clCreateCommandQueueWithProperties, context, devices[i], list);
        }
        turns(count, queues);
        if (count > 1) {
            cl_ulong native[] = {FLAGS, DEVICE_SIDE_SYNC, 0};
            CHECK(!create(2, queues, native, &error));
            EQ(error, INCOMPATIBLE_QUEUE);
            buffer_t buffer = MADE(create, 1, queues, NULL);
            MUST(finalize(buffer));
            EQ(enqueue(1, &queues[1], buffer, 0, NULL, NULL), CL_INVALID_DEVICE);
            MUST(release(buffer));
        }
        for (cl_uint i = 0; i < count; i++)
            clReleaseCommandQueue(queues[i]);
    }
    clReleaseKernel(kernel), clReleaseProgram(program);
    release_last(context);
    return failures != 0;
}
