/* Launches of a kernel one after the other, with the same arguments and range or others: what one launch has
 * prepared must serve no other that differs. A user event holds them all back, so that each is alive while the
 * next ones are enqueued. */
#include "common.h"

enum { SLOTS = 8, LOCAL = 512 };

static const char *source =
    "kernel void add(global int *sums, int slot, int n) { atomic_add(&sums[slot], n); }\n"
    "kernel void sub(global int *sums, int slot, int n) { atomic_sub(&sums[slot], n); }\n"
    "kernel void ids(global int *sums, int slot) {\n"
    "    atomic_add(&sums[slot], (int)(get_global_id(0) + 100 * get_local_size(0)));\n"
    "}\n"
    "kernel void through(global int *sums, int slot, local int *room, int n) {\n"
    "    for (int i = 0; i < n; i++) room[i] = i;\n"
    "    int all = 0;\n"
    "    for (int i = 0; i < n; i++) all += room[n - 1 - i];\n"
    "    sums[slot] += all;\n"
    "}\n";

static cl_context context;
static cl_device_id device;
static cl_program program;

static cl_kernel make(const char *name, cl_mem buffer, int slot)
{
    cl_kernel kernel = MADE(clCreateKernel, program, name);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    MUST(clSetKernelArg(kernel, 1, sizeof slot, &slot));
    return kernel;
}

static void set(cl_kernel kernel, cl_uint index, int value)
{
    MUST(clSetKernelArg(kernel, index, sizeof value, &value));
}

static void run(cl_command_queue queue, cl_kernel kernel, size_t offset, size_t global, size_t local)
{
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, &offset, &global, local ? &local : NULL, 0, NULL, NULL));
}

static cl_mem zeros(void)
{
    int contents[SLOTS] = {0};
    return MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof contents, contents);
}

static void expect(cl_command_queue queue, cl_mem buffer, const int *expected)
{
    int got[SLOTS];
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < SLOTS; i++)
        EQ(got[i], expected[i]);
}

static cl_event hold(cl_command_queue queue)
{
    cl_event gate = MADE(clCreateUserEvent, context);
    MUST(clEnqueueBarrierWithWaitList(queue, 1, &gate, NULL));
    return gate;
}

static void let_go(cl_event gate)
{
    MUST(clSetUserEventStatus(gate, CL_COMPLETE));
    MUST(clReleaseEvent(gate));
}

/* Arguments that change, or are set to what they are. */
static void arguments(cl_command_queue queue)
{
    cl_mem one = zeros(), other = zeros();
    cl_kernel add = make("add", one, 0), sub = make("sub", one, 1);
    set(add, 2, 3);
    set(sub, 2, 5);
    cl_event gate = hold(queue);
    for (int i = 0; i < 3; i++)
        run(queue, add, 0, 1, 0); /* one[0] += 9 */
    set(add, 2, 3);
    run(queue, add, 0, 1, 0); /* one[0] += 3 */
    set(add, 2, 70);
    run(queue, add, 0, 1, 0);
    run(queue, add, 0, 1, 0); /* one[0] += 140 */
    for (int i = 0; i < 4; i++) {
        run(queue, sub, 0, 1, 0); /* one[1] -= 20 */
        run(queue, add, 0, 1, 0); /* one[0] += 280 */
    }
    set(add, 1, 2);
    run(queue, add, 0, 1, 0); /* one[2] += 70 */
    MUST(clSetKernelArg(add, 0, sizeof other, &other));
    run(queue, add, 0, 1, 0);
    run(queue, add, 0, 1, 0); /* other[2] += 140 */
    MUST(clSetKernelArg(add, 0, sizeof one, &one));
    run(queue, add, 0, 1, 0); /* one[2] += 70 */
    /* A kernel made of another has that one's arguments, and then its own. */
    cl_kernel clone = MADE(clCloneKernel, add);
    run(queue, clone, 0, 1, 0); /* one[2] += 70 */
    set(clone, 1, 3);
    run(queue, clone, 0, 1, 0); /* one[3] += 70 */
    run(queue, add, 0, 1, 0);   /* one[2] += 70 */
    let_go(gate);
    expect(queue, one, (int[SLOTS]){432, -20, 280, 70});
    expect(queue, other, (int[SLOTS]){0, 0, 140});
    MUST(clReleaseKernel(clone));
    MUST(clReleaseKernel(add));
    MUST(clReleaseKernel(sub));
    MUST(clReleaseMemObject(one));
    MUST(clReleaseMemObject(other));
}

/* Ranges that change, of the same arguments. */
static void ranges(cl_command_queue queue)
{
    cl_mem sums = zeros();
    cl_kernel ids = make("ids", sums, 0);
    cl_event gate = hold(queue);
    run(queue, ids, 0, 4, 2);  /* 6 + 800 */
    run(queue, ids, 0, 4, 2);  /* 6 + 800 */
    run(queue, ids, 10, 4, 2); /* 46 + 800 */
    run(queue, ids, 0, 4, 4);  /* 6 + 1600 */
    run(queue, ids, 0, 8, 4);  /* 28 + 3200 */
    run(queue, ids, 0, 4, 2);  /* 6 + 800 */
    let_go(gate);
    expect(queue, sums, (int[SLOTS]){8098});
    MUST(clReleaseKernel(ids));
    MUST(clReleaseMemObject(sums));
}

/* Local arguments whose size changes. */
static void locals(cl_command_queue queue)
{
    cl_mem sums = zeros();
    cl_kernel through = make("through", sums, 0);
    static const int sizes[] = {4, 4, LOCAL, 16, LOCAL};
    int expected[SLOTS] = {0};
    cl_event gate = hold(queue);
    for (int i = 0; i < 5; i++) {
        int n = sizes[i];
        MUST(clSetKernelArg(through, 2, n * sizeof(int), NULL));
        set(through, 3, n);
        run(queue, through, 0, 1, 1);
        run(queue, through, 0, 1, 1);
        expected[0] += n * (n - 1);
    }
    let_go(gate);
    expect(queue, sums, expected);
    MUST(clReleaseKernel(through));
    MUST(clReleaseMemObject(sums));
}

static volatile int destroyed;
static void CL_CALLBACK on_destroyed(cl_mem memory, void *data)
{
    (void)memory;
    (void)data;
    destroyed = 1;
}

/* A kernel holds no memory object, whatever its last launch has prepared. */
static void released(cl_command_queue queue)
{
    cl_mem sums = zeros();
    cl_kernel add = make("add", sums, 0);
    set(add, 2, 1);
    run(queue, add, 0, 1, 0);
    run(queue, add, 0, 1, 0);
    MUST(clFinish(queue));
    MUST(clSetMemObjectDestructorCallback(sums, on_destroyed, NULL));
    MUST(clReleaseMemObject(sums));
    struct timespec t = {0, 1000000};
    for (int i = 0; i < 3000 && !destroyed; i++)
        nanosleep(&t, NULL);
    EQ(destroyed, 1);
    size_t global = 1;
    EQ(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    MUST(clReleaseKernel(add));
}

/* One kernel in two queues by turns. */
static void queues(cl_command_queue queue, cl_command_queue beside)
{
    cl_mem sums = zeros();
    cl_kernel add = make("add", sums, 0);
    set(add, 2, 1);
    for (int i = 0; i < 50; i++) {
        run(queue, add, 0, 1, 0);
        run(beside, add, 0, 1, 0);
        run(beside, add, 0, 1, 0);
    }
    MUST(clFinish(queue));
    MUST(clFinish(beside));
    expect(queue, sums, (int[SLOTS]){150});
    MUST(clReleaseKernel(add));
    MUST(clReleaseMemObject(sums));
}

int main(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    program = PROGRAM(context, source, "");
    cl_queue_properties out_of_order[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_command_queue all[2];
    all[0] = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    all[1] = MADE(clCreateCommandQueueWithProperties, context, device, out_of_order);
    arguments(all[0]);
    ranges(all[0]);
    locals(all[0]);
    released(all[0]);
    queues(all[0], all[1]);
    for (int i = 0; i < 2; i++)
        MUST(clReleaseCommandQueue(all[i]));
    MUST(clReleaseProgram(program));
    release_last(context);
    return finish();
}
