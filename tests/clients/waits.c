/* What waits holds up nothing else: queues behind a user event, threads in clFinish of each other's
 * queues, another context's events; and a child process that was forked from all this can end.
 *
 * With glibc 2.43 Mesa's exit handler waits in a forked child for threads that only the parent has, with
 * a layer or without. */
// client: without-newest-layer
#define _GNU_SOURCE
#include "common.h"
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 256 };

static cl_device_id device;
static cl_context context;
static cl_program program;
static const char *source = "kernel void add(global int *p, int k) { p[get_global_id(0)] += k; }";

struct lane {
    cl_command_queue queue;
    cl_kernel kernel;
    cl_mem buffer;
};

static struct lane make_lane(cl_queue_properties bits)
{
    cl_int zero = 0, one = 1;
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, bits, 0};
    struct lane lane;
    lane.queue = MADE(clCreateCommandQueueWithProperties, context, device, list);
    lane.kernel = MADE(clCreateKernel, program, "add");
    lane.buffer = MADE(clCreateBuffer, context, 0, N * 4, NULL);
    MUST(clEnqueueFillBuffer(lane.queue, lane.buffer, &zero, 4, 0, N * 4, 0, NULL, NULL));
    MUST(clFinish(lane.queue));
    MUST(clSetKernelArg(lane.kernel, 0, sizeof lane.buffer, &lane.buffer));
    MUST(clSetKernelArg(lane.kernel, 1, sizeof one, &one));
    return lane;
}

static void drop_lane(struct lane *lane)
{
    MUST(clReleaseMemObject(lane->buffer));
    MUST(clReleaseKernel(lane->kernel));
    MUST(clReleaseCommandQueue(lane->queue));
}

static void launch(struct lane *lane, cl_uint count, const cl_event *wait, cl_event *event)
{
    size_t global = N;
    MUST(clEnqueueNDRangeKernel(lane->queue, lane->kernel, 1, NULL, &global, NULL, count, wait, event));
}

static void holds(struct lane *lane, int want)
{
    int data[N] = {0};
    MUST(clEnqueueReadBuffer(lane->queue, lane->buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    CHECK(data[0] == want && data[N - 1] == want);
}

/* One queue has a hundred commands behind a user event; every other one goes on. */
static void gates(void)
{
    cl_int error = 0;
    struct lane shut = make_lane(0), open[3] = {make_lane(0), make_lane(1), make_lane(2)};
    cl_event gate = clCreateUserEvent(context, &error), last = NULL;
    MUST(error);
    for (int i = 0; i < 100; i++)
        launch(&shut, i == 0, i == 0 ? &gate : NULL, i == 99 ? &last : NULL);
    MUST(clFlush(shut.queue));
    for (int round = 1; round <= 5; round++)
        for (int i = 0; i < 3; i++) {
            launch(&open[i], 0, NULL, NULL);
            MUST(clFinish(open[i].queue));
            holds(&open[i], round);
        }
    /* A command of an open queue that waits for the shut one holds back what follows it in order,
     * and in an out-of-order queue nothing. */
    cl_event behind[2];
    launch(&open[0], 1, &last, &behind[0]);
    launch(&open[1], 1, &last, &behind[1]);
    MUST(clFlush(open[0].queue));
    cl_event free_one;
    launch(&open[1], 0, NULL, &free_one);
    MUST(clWaitForEvents(1, &free_one));
    cl_int status = 0;
    MUST(clGetEventInfo(behind[1], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    CHECK(status > CL_COMPLETE);
    holds(&open[2], 5);
    MUST(clSetUserEventStatus(gate, CL_COMPLETE));
    MUST(clWaitForEvents(2, behind));
    holds(&shut, 100);
    holds(&open[0], 6);
    for (int i = 0; i < 2; i++)
        MUST(clReleaseEvent(behind[i]));
    MUST(clReleaseEvent(free_one));
    MUST(clReleaseEvent(last));
    MUST(clReleaseEvent(gate));
    drop_lane(&shut);
    for (int i = 0; i < 3; i++)
        drop_lane(&open[i]);
}

static int native_stage;

/* Runs until the rest of the client has gone past it. */
static void CL_CALLBACK stay(void *args)
{
    (void)args;
    __atomic_store_n(&native_stage, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&native_stage, __ATOMIC_SEQ_CST) < 2)
        usleep(1000);
}

static void CL_CALLBACK pass(void *args)
{
    (void)args;
}

/* The event ends while everything that this test holds back is held back. */
static void ends(cl_event event)
{
    MUST(clWaitForEvents(1, &event));
    MUST(clReleaseEvent(event));
}

/* An out-of-order queue whose first commands of every kind wait for a user event, and a native
 * kernel that does not end: commands of every kind that are independent of them go past. */
static void past_a_gate(cl_queue_properties more)
{
    cl_int error = 0, data[N], seven = 7;
    struct lane held = make_lane(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | more);
    struct lane open = held;
    open.buffer = MADE(clCreateBuffer, context, 0, N * 4, NULL);
    open.kernel = MADE(clCreateKernel, program, "add");
    MUST(clSetKernelArg(open.kernel, 0, sizeof open.buffer, &open.buffer));
    MUST(clSetKernelArg(open.kernel, 1, sizeof seven, &seven));
    cl_mem other = MADE(clCreateBuffer, context, 0, N * 4, NULL);
    cl_command_queue q = held.queue;
    cl_event gate = clCreateUserEvent(context, &error), event, behind[8];
    MUST(error);
    const size_t zero[3] = {0, 0, 0}, region[3] = {64, 4, 1};
    static int held_data[N];
    launch(&held, 1, &gate, &behind[0]);
    MUST(clEnqueueFillBuffer(q, held.buffer, &seven, 4, 0, 4, 1, &behind[0], &behind[1]));
    MUST(clEnqueueReadBuffer(q, held.buffer, CL_FALSE, 0, N * 4, held_data, 1, &behind[1], &behind[2]));
    MUST(clEnqueueNativeKernel(q, pass, NULL, 0, 0, NULL, NULL, 1, &gate, &behind[3]));
    MUST(clEnqueueMarkerWithWaitList(q, 1, &gate, &behind[4]));
    MUST(clEnqueueMarkerWithWaitList(q, 0, NULL, &behind[5]));
    /* Behind the gate too, and not beside the commands that write the buffer. */
    void *held_map = MADE(clEnqueueMapBuffer, q, held.buffer, CL_FALSE, CL_MAP_READ, 0, 4, 1, &behind[2], &behind[6]);
    MUST(clEnqueueNativeKernel(q, stay, NULL, 0, 0, NULL, NULL, 0, NULL, &behind[7]));
    MUST(clFlush(q));
    while (__atomic_load_n(&native_stage, __ATOMIC_SEQ_CST) < 1)
        usleep(1000);
    for (int round = 0; round < 3; round++) {
        cl_event before;
        MUST(clEnqueueFillBuffer(q, open.buffer, &round, 4, 0, N * 4, 0, NULL, &before));
        launch(&open, 1, &before, &event);
        MUST(clReleaseEvent(before));
        /* Ready only when the device is through: no thread of the runtime may be stuck. */
        MUST(clEnqueueReadBuffer(q, open.buffer, CL_FALSE, 0, sizeof data, data, 1, &event, &before));
        MUST(clReleaseEvent(event));
        ends(before);
        CHECK(data[0] == round + 7 && data[N - 1] == round + 7);
        MUST(clEnqueueWriteBuffer(q, open.buffer, CL_FALSE, 0, sizeof data, data, 0, NULL, &event));
        ends(event);
        MUST(clEnqueueWriteBuffer(q, open.buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
        MUST(clEnqueueCopyBuffer(q, open.buffer, other, 0, 0, N * 4, 0, NULL, &event));
        ends(event);
        MUST(clEnqueueCopyBufferRect(q, open.buffer, other, zero, zero, region, 64, 0, 64, 0, 0, NULL, &event));
        ends(event);
        MUST(clEnqueueReadBufferRect(q, other, CL_TRUE, zero, zero, region, 64, 0, 64, 0, data, 0, NULL, NULL));
        CHECK(data[0] == round + 7);
        int *map = clEnqueueMapBuffer(q, other, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, N * 4, 0, NULL, NULL,
                                      &error);
        MUST(error);
        CHECK(map[N - 1] == round + 7);
        MUST(clEnqueueUnmapMemObject(q, other, map, 0, NULL, &event));
        ends(event);
        MUST(clEnqueueMigrateMemObjects(q, 1, &other, 0, 0, NULL, &event));
        ends(event);
        MUST(clEnqueueNativeKernel(q, pass, NULL, 0, 0, NULL, NULL, 0, NULL, &event));
        MUST(clEnqueueBarrierWithWaitList(q, 1, &event, &before));
        MUST(clReleaseEvent(event));
        ends(before);
    }
    for (int i = 0; i < 8; i++) {
        cl_int status = 0;
        MUST(clGetEventInfo(behind[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        CHECK(status > CL_COMPLETE);
    }
    __atomic_store_n(&native_stage, 2, __ATOMIC_SEQ_CST);
    MUST(clWaitForEvents(1, &behind[7]));
    MUST(clSetUserEventStatus(gate, CL_COMPLETE));
    MUST(clFinish(q));
    CHECK(held_data[0] == 7 && held_data[N - 1] == 1);
    MUST(clEnqueueUnmapMemObject(q, held.buffer, held_map, 0, NULL, NULL));
    MUST(clFinish(q));
    native_stage = 0;
    for (int i = 0; i < 8; i++)
        MUST(clReleaseEvent(behind[i]));
    MUST(clReleaseEvent(gate));
    MUST(clReleaseMemObject(other));
    MUST(clReleaseMemObject(open.buffer));
    MUST(clReleaseKernel(open.kernel));
    drop_lane(&held);
}

static int finished;
static void *finish_it(void *queue)
{
    MUST(clFinish(queue));
    __atomic_fetch_add(&finished, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

/* Two queues wait for each other's commands, crosswise, and for a gate; two threads are in
 * clFinish of them meanwhile, and a third queue works. */
static void crosswise(void)
{
    cl_int error = 0;
    struct lane a = make_lane(0), b = make_lane(0), c = make_lane(0);
    cl_event gate = clCreateUserEvent(context, &error), from_a, from_b;
    MUST(error);
    launch(&a, 1, &gate, &from_a);
    launch(&b, 1, &from_a, &from_b);
    launch(&a, 1, &from_b, NULL);
    launch(&b, 0, NULL, NULL);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, finish_it, a.queue);
    pthread_create(&threads[1], NULL, finish_it, b.queue);
    for (int i = 1; i <= 20; i++) {
        launch(&c, 0, NULL, NULL);
        holds(&c, i);
    }
    EQ(__atomic_load_n(&finished, __ATOMIC_SEQ_CST), 0);
    MUST(clSetUserEventStatus(gate, CL_COMPLETE));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    holds(&a, 2);
    holds(&b, 2);
    /* A ring that a failure breaks: everything behind it ends with the error. */
    cl_event broken = clCreateUserEvent(context, &error), next, tail;
    MUST(error);
    launch(&a, 1, &broken, &next);
    launch(&b, 1, &next, &tail);
    MUST(clSetUserEventStatus(broken, -7));
    EQ(clWaitForEvents(1, &tail), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_int status = 0;
    MUST(clGetEventInfo(tail, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    CHECK(status < 0);
    holds(&c, 20);
    cl_event all[] = {gate, from_a, from_b, broken, next, tail};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        MUST(clReleaseEvent(all[i]));
    drop_lane(&a);
    drop_lane(&b);
    drop_lane(&c);
}

/* Contexts do not wait for each other's events at all: the specification's error. */
static void contexts(void)
{
    cl_context other = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_event theirs = MADE(clCreateUserEvent, other), ours = MADE(clCreateUserEvent, context);
    struct lane a = make_lane(0);
    size_t global = N;
    EQ(clEnqueueNDRangeKernel(a.queue, a.kernel, 1, NULL, &global, NULL, 1, &theirs, NULL),
       CL_INVALID_CONTEXT);
    EQ(clEnqueueMarkerWithWaitList(a.queue, 1, &theirs, NULL), CL_INVALID_CONTEXT);
    cl_event both[] = {ours, theirs};
    EQ(clWaitForEvents(2, both), CL_INVALID_CONTEXT);
    holds(&a, 0);
    MUST(clReleaseEvent(ours));
    MUST(clReleaseEvent(theirs));
    drop_lane(&a);
    MUST(clReleaseContext(other));
}

/* A child ends by either door while its parent's commands are under way, and the parent goes on. */
static void forked(void)
{
    struct lane a = make_lane(0);
    for (int door = 0; door < 2; door++) {
        cl_event gate = MADE(clCreateUserEvent, context);
        launch(&a, 0, NULL, NULL);
        launch(&a, 1, &gate, NULL);
        MUST(clFlush(a.queue));
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            alarm(8);
            if (door)
                exit(7);
            _exit(7);
        }
        int status = 0;
        waitpid(child, &status, 0);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
        MUST(clSetUserEventStatus(gate, CL_COMPLETE));
        MUST(clReleaseEvent(gate));
        holds(&a, 2 * (door + 1));
    }
    drop_lane(&a);
}

int main(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    program = PROGRAM(context, source, NULL);
    alarm(120);
    gates();
    past_a_gate(0);
    past_a_gate(CL_QUEUE_PROFILING_ENABLE);
    crosswise();
    contexts();
    forked();
    MUST(clReleaseProgram(program));
    release_last(context);
    return finish();
}
