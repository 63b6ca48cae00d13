/* The errors of the functions of command buffers. */
#include "command_buffers.h"

enum { N = 256 };

static const char *source = "kernel void put(global int *to) { to[get_global_id(0)] = 1; }\n";

int main(void)
{
    load_functions();
    cl_int error = 0;
    cl_device_id device = pumice_device();
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_context foreign = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    cl_command_queue second = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    cl_command_queue outside = MADE(clCreateCommandQueueWithProperties, foreign, device, NULL);
    cl_program program = PROGRAM(context, source, NULL);
    cl_kernel put = MADE(clCreateKernel, program, "put");
    cl_mem a = clCreateBuffer(context, 0, N * 4, NULL, &error), b;
    MUST(error);
    b = MADE(clCreateBuffer, context, 0, N * 4, NULL);
    cl_mem strange = MADE(clCreateBuffer, foreign, 0, N * 4, NULL);

    /* Creation. */
    cl_command_queue pair[2] = {queue, outside}, wrong[1] = {(cl_command_queue)context};
    CHECK(!create(0, NULL, NULL, &error));
    EQ(error, CL_INVALID_VALUE);
    CHECK(!create(1, NULL, NULL, &error));
    EQ(error, CL_INVALID_VALUE);
    CHECK(!create(0, &queue, NULL, &error));
    EQ(error, CL_INVALID_VALUE);
    CHECK(!create(1, wrong, NULL, &error));
    EQ(error, CL_INVALID_COMMAND_QUEUE);
    CHECK(!create(2, pair, NULL, &error));
    EQ(error, CL_INVALID_CONTEXT);
    cl_ulong unknown[] = {0x1111, 1, 0}, bits[] = {FLAGS, 64, 0}, twice[] = {FLAGS, 2, FLAGS, 2, 0};
    cl_ulong asserts[] = {BUFFER_ASSERTS, 2, 0};
    CHECK(!create(1, &queue, unknown, &error));
    EQ(error, CL_INVALID_VALUE);
    CHECK(!create(1, &queue, bits, &error));
    EQ(error, CL_INVALID_VALUE);
    CHECK(!create(1, &queue, twice, &error));
    EQ(error, CL_INVALID_VALUE);
    CHECK(!create(1, &queue, asserts, &error));
    EQ(error, CL_INVALID_VALUE);

    /* Handles of other kinds. */
    cl_uint number = 0;
    buffer_t none = NULL, other = (buffer_t)context;
    size_t global = N, zero[3] = {0, 0, 0}, one[3] = {4, 1, 1}, no[3] = {4, 0, 1};
    int pattern = 3;
    EQ(retain(none), INVALID_COMMAND_BUFFER);
    EQ(release(other), INVALID_COMMAND_BUFFER);
    EQ(finalize(none), INVALID_COMMAND_BUFFER);
    EQ(enqueue(0, NULL, other, 0, NULL, NULL), INVALID_COMMAND_BUFFER);
    EQ(buffer_info(none, INFO_STATE, 4, &number, NULL), INVALID_COMMAND_BUFFER);
    EQ(barrier(PLAIN(none), ALONE), INVALID_COMMAND_BUFFER);
    EQ(copy_buffer(PLAIN(none), a, b, 0, 0, 4, ALONE), INVALID_COMMAND_BUFFER);
    EQ(ndrange(PLAIN(other), put, 1, NULL, &global, NULL, ALONE), INVALID_COMMAND_BUFFER);

    buffer_t buffer = MADE(create, 1, &queue, NULL);
    EQ(buffer_info(buffer, 0x1234, 4, &number, NULL), CL_INVALID_VALUE);
    EQ(buffer_info(buffer, INFO_STATE, 3, &number, NULL), CL_INVALID_VALUE);
    EQ(enqueue(0, NULL, buffer, 0, NULL, NULL), CL_INVALID_OPERATION);

    /* What all commands check: queue, properties, handle, sync points. */
    cl_ulong empty[] = {0};
    point_t point = 0, later = 50, nought = 0;
    command_t handle = NULL;
    EQ(fill_buffer(buffer, second, NULL, a, &pattern, 4, 0, 4, ALONE), CL_INVALID_COMMAND_QUEUE);
    EQ(fill_buffer(buffer, outside, NULL, a, &pattern, 4, 0, 4, ALONE), CL_INVALID_COMMAND_QUEUE);
    EQ(fill_buffer(buffer, (cl_command_queue)a, NULL, a, &pattern, 4, 0, 4, ALONE), CL_INVALID_COMMAND_QUEUE);
    EQ(fill_buffer(buffer, NULL, unknown, a, &pattern, 4, 0, 4, ALONE), CL_INVALID_VALUE);
    EQ(fill_buffer(PLAIN(buffer), a, &pattern, 4, 0, 4, 0, NULL, NULL, &handle), CL_INVALID_VALUE);
    EQ(fill_buffer(PLAIN(buffer), a, &pattern, 4, 0, 4, 1, NULL, NULL, NULL), INVALID_SYNC_POINTS);
    EQ(fill_buffer(PLAIN(buffer), a, &pattern, 4, 0, 4, 0, &later, NULL, NULL), INVALID_SYNC_POINTS);
    EQ(fill_buffer(PLAIN(buffer), a, &pattern, 4, 0, 4, 1, &later, NULL, NULL), INVALID_SYNC_POINTS);
    EQ(fill_buffer(PLAIN(buffer), a, &pattern, 4, 0, 4, 1, &nought, NULL, NULL), INVALID_SYNC_POINTS);
    EQ(barrier(PLAIN(buffer), 1, &later, NULL, NULL), INVALID_SYNC_POINTS);
    EQ(barrier(PLAIN(buffer), 0, NULL, NULL, &handle), CL_INVALID_VALUE);
    MUST(fill_buffer(buffer, queue, empty, a, &pattern, 4, 0, 4, 0, NULL, &point, NULL));
    MUST(barrier(PLAIN(buffer), 1, &point, NULL, NULL));

    /* What the commands check themselves, as in a queue. */
    EQ(fill_buffer(PLAIN(buffer), strange, &pattern, 4, 0, 4, ALONE), CL_INVALID_CONTEXT);
    EQ(fill_buffer(PLAIN(buffer), a, NULL, 4, 0, 4, ALONE), CL_INVALID_VALUE);
    EQ(fill_buffer(PLAIN(buffer), a, &pattern, 0, 0, 4, ALONE), CL_INVALID_VALUE);
    EQ(fill_buffer(PLAIN(buffer), a, &pattern, 4, 2, 4, ALONE), CL_INVALID_VALUE);
    EQ(fill_buffer(PLAIN(buffer), a, &pattern, 4, N * 4, 4, ALONE), CL_INVALID_VALUE);
    EQ(fill_buffer(PLAIN(buffer), (cl_mem)queue, &pattern, 4, 0, 4, ALONE), CL_INVALID_MEM_OBJECT);
    EQ(copy_buffer(PLAIN(buffer), a, strange, 0, 0, 4, ALONE), CL_INVALID_CONTEXT);
    EQ(copy_buffer(PLAIN(buffer), a, b, 0, N * 4, 4, ALONE), CL_INVALID_VALUE);
    EQ(copy_buffer(PLAIN(buffer), a, a, 0, 4, 16, ALONE), CL_MEM_COPY_OVERLAP);
    EQ(copy_rect(PLAIN(buffer), a, b, zero, zero, no, 0, 0, 0, 0, ALONE), CL_INVALID_VALUE);
    EQ(copy_rect(PLAIN(buffer), a, b, zero, zero, one, 3, 0, 0, 0, ALONE), CL_INVALID_VALUE);
    EQ(copy_rect(PLAIN(buffer), a, b, NULL, zero, one, 0, 0, 0, 0, ALONE), CL_INVALID_VALUE);
    EQ(copy_image(PLAIN(buffer), a, b, zero, zero, one, ALONE), CL_INVALID_MEM_OBJECT);
    EQ(fill_image(PLAIN(buffer), a, &pattern, zero, one, ALONE), CL_INVALID_MEM_OBJECT);
    EQ(image_to_buffer(PLAIN(buffer), a, b, zero, one, 0, ALONE), CL_INVALID_MEM_OBJECT);
    EQ(buffer_to_image(PLAIN(buffer), a, b, 0, zero, one, ALONE), CL_INVALID_MEM_OBJECT);
    EQ(ndrange(PLAIN(buffer), put, 1, NULL, &global, NULL, ALONE), CL_INVALID_KERNEL_ARGS);
    MUST(clSetKernelArg(put, 0, sizeof a, &a));
    EQ(ndrange(PLAIN(buffer), (cl_kernel)a, 1, NULL, &global, NULL, ALONE), CL_INVALID_KERNEL);
    EQ(ndrange(PLAIN(buffer), put, 4, NULL, &global, NULL, ALONE), CL_INVALID_WORK_DIMENSION);
    EQ(ndrange(PLAIN(buffer), put, 1, NULL, &global, zero, ALONE), CL_INVALID_WORK_GROUP_SIZE);
    cl_ulong fields[] = {UPDATABLE_FIELDS, 32, 0}, same[] = {UPDATABLE_FIELDS, 1, UPDATABLE_FIELDS, 1, 0};
    EQ(ndrange(buffer, NULL, fields, put, 1, NULL, &global, NULL, ALONE), CL_INVALID_VALUE);
    EQ(ndrange(buffer, NULL, same, put, 1, NULL, &global, NULL, ALONE), CL_INVALID_VALUE);
    EQ(ndrange(PLAIN(buffer), put, 1, NULL, &global, NULL, 1, &later, NULL, NULL), INVALID_SYNC_POINTS);
    MUST(ndrange(PLAIN(buffer), put, 1, NULL, &global, NULL, ALONE));

    /* After the end of recording. */
    MUST(finalize(buffer));
    EQ(finalize(buffer), CL_INVALID_OPERATION);
    EQ(barrier(PLAIN(buffer), ALONE), CL_INVALID_OPERATION);
    EQ(fill_buffer(PLAIN(buffer), a, &pattern, 4, 0, 4, ALONE), CL_INVALID_OPERATION);
    EQ(ndrange(PLAIN(buffer), put, 1, NULL, &global, NULL, ALONE), CL_INVALID_OPERATION);

    /* Enqueues. */
    cl_command_queue queues[2] = {second, queue};
    cl_event event = clCreateUserEvent(foreign, &error), bad = NULL;
    MUST(error);
    EQ(enqueue(1, NULL, buffer, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(enqueue(0, queues, buffer, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(enqueue(2, queues, buffer, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(enqueue(1, wrong, buffer, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    EQ(enqueue(1, &outside, buffer, 0, NULL, NULL), CL_INVALID_CONTEXT);
    EQ(enqueue(0, NULL, buffer, 1, &event, NULL), CL_INVALID_CONTEXT);
    EQ(enqueue(0, NULL, buffer, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    EQ(enqueue(0, NULL, buffer, 0, &event, NULL), CL_INVALID_EVENT_WAIT_LIST);
    EQ(enqueue(0, NULL, buffer, 1, &bad, NULL), CL_INVALID_EVENT_WAIT_LIST);
    MUST(enqueue(1, queues, buffer, 0, NULL, NULL));
    MUST(clFinish(second));

    /* Copies for other queues. */
    command_t handles[1] = {(command_t)context}, copies[1];
    CHECK(!remap(none, CL_FALSE, 1, queues, 0, NULL, NULL, &error));
    EQ(error, INVALID_COMMAND_BUFFER);
    CHECK(!remap(buffer, CL_FALSE, 0, queues, 0, NULL, NULL, &error));
    EQ(error, CL_INVALID_VALUE);
    CHECK(!remap(buffer, CL_FALSE, 1, NULL, 0, NULL, NULL, &error));
    EQ(error, CL_INVALID_VALUE);
    CHECK(!remap(buffer, CL_FALSE, 2, queues, 0, NULL, NULL, &error));
    EQ(error, CL_INVALID_VALUE);
    CHECK(!remap(buffer, CL_FALSE, 1, queues, 1, NULL, copies, &error));
    EQ(error, CL_INVALID_VALUE);
    CHECK(!remap(buffer, CL_FALSE, 1, queues, 1, handles, NULL, &error));
    EQ(error, CL_INVALID_VALUE);
    CHECK(!remap(buffer, CL_FALSE, 1, queues, 1, handles, copies, &error));
    EQ(error, CL_INVALID_VALUE);
    CHECK(!remap(buffer, CL_FALSE, 1, wrong, 0, NULL, NULL, &error));
    EQ(error, CL_INVALID_COMMAND_QUEUE);
    CHECK(!remap(buffer, CL_FALSE, 1, &outside, 0, NULL, NULL, &error));
    EQ(error, CL_INVALID_CONTEXT);

    /* Several queues must be named. */
    buffer_t both = MADE(create, 2, queues, NULL);
    EQ(barrier(PLAIN(both), ALONE), CL_INVALID_COMMAND_QUEUE);
    MUST(barrier(both, second, NULL, ALONE));
    MUST(release(both));
    MUST(clReleaseEvent(event));
    MUST(release(buffer));
    clReleaseMemObject(a), clReleaseMemObject(b), clReleaseMemObject(strange);
    clReleaseKernel(put), clReleaseProgram(program);
    clReleaseCommandQueue(queue), clReleaseCommandQueue(second), clReleaseCommandQueue(outside);
    MUST(clReleaseContext(foreign));
    release_last(context);
    return failures != 0;
}
