// client: env PUMICE_SLICES=3
/* Launches in slices of three work-groups: ids, sizes and offsets are those of the whole range, later commands come
 * behind all slices, events and times cover all. LAYER_QUEUES names the file in which the layer `gpu_like` writes the
 * batches: there are as many as slices. */
#include "common.h"
#include "queue_log.h"

enum { MOST = 4096, ROWS = 12 };

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_kernel ids, add, count;

static const char *source =
    "kernel void ids(global uint *out)\n"
    "{\n"
    "    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);\n"
    "    size_t z = get_global_id(2) - get_global_offset(2);\n"
    "    size_t at = (z * get_global_size(1) + y) * get_global_size(0) + x;\n"
    "    global uint *row = out + at * 12;\n"
    "    row[0] = get_global_id(0); row[1] = get_global_id(1); row[2] = get_global_id(2);\n"
    "    row[3] = get_group_id(0); row[4] = get_group_id(1); row[5] = get_group_id(2);\n"
    "    row[6] = get_num_groups(0); row[7] = get_num_groups(1); row[8] = get_num_groups(2);\n"
    "    row[9] = get_local_size(0) | get_local_size(1) << 8 | get_local_size(2) << 16;\n"
    "    row[10] = get_local_id(0) | get_local_id(1) << 8 | get_local_id(2) << 16;\n"
    "    row[11] = get_global_linear_id();\n"
    "}\n"
    /* They see their groups, which are not joined then. */
    "kernel void add(global uint *data, uint n) { data[get_group_id(0) * get_local_size(0) + get_local_id(0)] += n; }\n"
    "kernel void count(global uint *data) { if (get_local_size(0) == 8) atomic_inc(data); }\n";

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* One range, whose every work-item says where it is. */
static void range(cl_uint dimensions, const size_t offset[3], const size_t global[3], const size_t local[3])
{
    size_t items = global[0] * global[1] * global[2], groups = 1;
    static cl_uint out[MOST * ROWS];
    cl_mem buffer = MADE(clCreateBuffer, context, 0, items * ROWS * 4, NULL);
    MUST(clSetKernelArg(ids, 0, sizeof buffer, &buffer));
    /* Whatever else a launch or a read of this process takes. */
    int before = batches();
    cl_event event;
    MUST(clEnqueueNDRangeKernel(queue, ids, dimensions, offset, global, local, 0, NULL, &event));
    MUST(clWaitForEvents(1, &event));
    int after = batches();
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, items * ROWS * 4, out, 0, NULL, NULL));
    for (int d = 0; d < 3; d++)
        groups *= (global[d] + local[d] - 1) / local[d];
    /* The last line may be written after the batch has ended. */
    if (getenv("LAYER_QUEUES"))
        CHECK(after - before >= (int)((groups + 2) / 3) - 1);
    cl_ulong start = 0, end = 0;
    MUST(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
    MUST(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
    CHECK(start <= end);
    int wrong = 0;
    for (size_t at = 0; at < items && !wrong; at++) {
        size_t place[3] = {at % global[0], at / global[0] % global[1], at / global[0] / global[1]};
        cl_uint want[ROWS] = {[11] = (cl_uint)at};
        for (int d = 0; d < 3; d++) {
            want[d] = (cl_uint)(offset[d] + place[d]);
            want[3 + d] = (cl_uint)(place[d] / local[d]);
            want[6 + d] = (cl_uint)((global[d] + local[d] - 1) / local[d]);
            want[9] |= (cl_uint)least(local[d], global[d] - want[3 + d] * local[d]) << 8 * d;
            want[10] |= (cl_uint)(place[d] % local[d]) << 8 * d;
        }
        for (int i = 0; i < ROWS; i++)
            if (out[at * ROWS + i] != want[i]) {
                fprintf(stderr, "item %zu, row %d: %u, not %u\n", at, i, out[at * ROWS + i], want[i]);
                wrong = 1;
            }
    }
    failures += wrong;
    MUST(clReleaseEvent(event));
    MUST(clReleaseMemObject(buffer));
}

/* Launches one after the other, of which each has many slices. */
static void in_turn(cl_command_queue in, int waits)
{
    cl_uint zero = 0, got[1024], total = 0;
    cl_mem data = MADE(clCreateBuffer, context, 0, sizeof got, NULL);
    cl_event last, next;
    MUST(clEnqueueFillBuffer(in, data, &zero, 4, 0, sizeof got, 0, NULL, &last));
    for (cl_uint n = 1; n <= 12; n++) {
        size_t global = 1024, local = 16;
        MUST(clSetKernelArg(add, 0, sizeof data, &data));
        MUST(clSetKernelArg(add, 1, sizeof n, &n));
        MUST(clEnqueueNDRangeKernel(in, add, 1, NULL, &global, &local, waits, waits ? &last : NULL, &next));
        MUST(clReleaseEvent(last));
        last = next;
        total += n;
    }
    /* Atomics of all slices meet in one word. */
    size_t global = 1000, local = 8;
    MUST(clSetKernelArg(count, 0, sizeof data, &data));
    MUST(clEnqueueNDRangeKernel(in, count, 1, NULL, &global, &local, 1, &last, &next));
    MUST(clReleaseEvent(last));
    MUST(clEnqueueReadBuffer(in, data, CL_TRUE, 0, sizeof got, got, 1, &next, NULL));
    MUST(clReleaseEvent(next));
    EQ(got[0], total + 1000);
    for (int i = 1; i < 1024; i++)
        if (got[i] != total) {
            EQ(got[i], total);
            break;
        }
    MUST(clReleaseMemObject(data));
}

int main(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    queue = MADE(clCreateCommandQueueWithProperties, context, device, list);
    list[1] = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    cl_command_queue free_order = MADE(clCreateCommandQueueWithProperties, context, device, list);
    cl_program program = PROGRAM(context, source, "-cl-std=CL3.0");
    ids = MADE(clCreateKernel, program, "ids");
    add = MADE(clCreateKernel, program, "add");
    count = MADE(clCreateKernel, program, "count");
    const struct {
        cl_uint dimensions;
        size_t offset[3], global[3], local[3];
    } ranges[] = {
        {1, {0, 0, 0}, {64, 1, 1}, {4, 1, 1}},   {1, {5, 0, 0}, {61, 1, 1}, {8, 1, 1}},
        {1, {7, 0, 0}, {9, 1, 1}, {3, 1, 1}},    {2, {3, 2, 0}, {20, 9, 1}, {4, 2, 1}},
        {2, {0, 0, 0}, {16, 16, 1}, {8, 8, 1}},  {3, {1, 2, 3}, {7, 5, 3}, {2, 2, 2}},
        {3, {0, 0, 0}, {8, 4, 6}, {4, 4, 1}},
    };
    cl_bool uneven = CL_TRUE;
    MUST(clGetDeviceInfo(device, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, sizeof uneven, &uneven, NULL));
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        int even = 1;
        for (int d = 0; d < 3; d++)
            even &= ranges[i].global[d] % ranges[i].local[d] == 0;
        if (even || uneven)
            range(ranges[i].dimensions, ranges[i].offset, ranges[i].global, ranges[i].local);
    }
    in_turn(queue, 0);
    in_turn(free_order, 1);
    MUST(clReleaseKernel(ids));
    MUST(clReleaseKernel(add));
    MUST(clReleaseKernel(count));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    MUST(clReleaseCommandQueue(free_order));
    release_last(context);
    return finish();
}
