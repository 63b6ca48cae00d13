// client: needs timestamps
/* Profiling: times in order and of the right size, and no more timestamps than someone can ask for:
 * none without an event, one for each command of an in-order queue and one more for its batch, two
 * elsewhere. What was written is read off the log. Commands wait for one another as they do without. */
#include "common.h"
#include <unistd.h>

static const char *source =
    "kernel void work(global int *p, int rounds)\n"
    "{\n"
    "    int x = get_global_id(0);\n"
    "    for (int i = 0; i < rounds; i++)\n"
    "        x = (x ^ i) * 1103515245 + 12345;\n"
    "    p[get_global_id(0)] = x;\n"
    "}\n"
    "kernel void next(global const int *from, global int *to)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    to[i] = from[(i * 7 + 1) % get_global_size(0)] + 1;\n"
    "}\n";

enum { MANY = 600, ITEMS = 64, WIDE = 10000, MOST_ITEMS = 1 << 17 };

static char log_path[64];
static cl_context context;
static cl_device_id device;
static cl_kernel kernel;

static cl_command_queue make_queue(cl_command_queue_properties bits)
{
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, bits | CL_QUEUE_PROFILING_ENABLE, 0};
    return MADE(clCreateCommandQueueWithProperties, context, device, list);
}

struct submitted {
    int batches, commands, timestamps;
};

/* Returns the submissions in the log since the last call. */
static struct submitted submitted(void)
{
    static long read_so_far;
    struct submitted sum = {0, 0, 0};
    FILE *file = fopen(log_path, "r");
    if (!file)
        return sum;
    fseek(file, read_so_far, SEEK_SET);
    char line[512];
    while (fgets(line, sizeof line, file)) {
        const char *at = strstr(line, "submits ");
        int commands, timestamps;
        if (at && sscanf(at, "submits %d commands with %d timestamps", &commands, &timestamps) == 2) {
            sum.batches++;
            sum.commands += commands;
            sum.timestamps += timestamps;
        }
    }
    read_so_far = ftell(file);
    fclose(file);
    return sum;
}

static void launch(cl_command_queue queue, size_t items, cl_int rounds, cl_event *event)
{
    MUST(clSetKernelArg(kernel, 1, sizeof rounds, &rounds));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, event));
}

static cl_ulong time_of(cl_event event, cl_profiling_info what)
{
    cl_ulong time = 0;
    MUST(clGetEventProfilingInfo(event, what, sizeof time, &time, NULL));
    return time;
}

/* Launches so many, with an event for every `every`th, and looks at their times. */
static struct submitted launches(cl_command_queue queue, int every, int ordered)
{
    static cl_event events[MANY];
    submitted();
    for (int i = 0; i < MANY; i++) {
        events[i] = NULL;
        launch(queue, ITEMS, 200, every && i % every == 0 ? &events[i] : NULL);
    }
    MUST(clFinish(queue));
    cl_ulong last = 0;
    int disorder = 0, empty = 0;
    for (int i = 0; i < MANY; i++) {
        if (!events[i])
            continue;
        cl_ulong queued = time_of(events[i], CL_PROFILING_COMMAND_QUEUED);
        cl_ulong submit = time_of(events[i], CL_PROFILING_COMMAND_SUBMIT);
        cl_ulong start = time_of(events[i], CL_PROFILING_COMMAND_START);
        cl_ulong end = time_of(events[i], CL_PROFILING_COMMAND_END);
        disorder += queued > submit || submit > start || start > end || (ordered && last > start);
        empty += start == end;
        last = end;
        MUST(clReleaseEvent(events[i]));
    }
    EQ(disorder, 0);
    EQ(empty, 0);
    struct submitted sum = submitted();
    EQ(sum.commands, MANY);
    return sum;
}

static cl_ulong duration(cl_command_queue queue, size_t items, cl_int rounds)
{
    cl_ulong best = ~(cl_ulong)0;
    for (int i = 0; i < 5; i++) {
        cl_event event;
        launch(queue, items, rounds, &event);
        MUST(clWaitForEvents(1, &event));
        cl_ulong time = time_of(event, CL_PROFILING_COMMAND_END) - time_of(event, CL_PROFILING_COMMAND_START);
        best = time < best ? time : best;
        MUST(clReleaseEvent(event));
    }
    return best;
}

/* Kernels that each read what the one before wrote, with an event each. */
static void chain(cl_command_queue queue, cl_program program)
{
    static int expected[2][WIDE], got[WIDE];
    cl_kernel next = MADE(clCreateKernel, program, "next");
    cl_mem buffers[2];
    for (int i = 0; i < 2; i++) {
        buffers[i] = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof got, expected[0]);
    }
    size_t wide = WIDE;
    for (int round = 0; round < MANY; round++) {
        cl_mem *from = &buffers[round % 2], *to = &buffers[1 - round % 2];
        cl_event event;
        MUST(clSetKernelArg(next, 0, sizeof *from, from));
        MUST(clSetKernelArg(next, 1, sizeof *to, to));
        MUST(clEnqueueNDRangeKernel(queue, next, 1, NULL, &wide, NULL, 0, NULL, &event));
        MUST(clReleaseEvent(event));
        for (int i = 0; i < WIDE; i++)
            expected[1 - round % 2][i] = expected[round % 2][(i * 7 + 1) % WIDE] + 1;
        /* A step without an event, and one of the device's own. */
        MUST(clEnqueueCopyBuffer(queue, *to, *from, 0, 0, sizeof got / 2, 0, NULL, NULL));
        memcpy(expected[round % 2], expected[1 - round % 2], sizeof got / 2);
    }
    MUST(clEnqueueReadBuffer(queue, buffers[MANY % 2], CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    CHECK(memcmp(got, expected[MANY % 2], sizeof got) == 0);
    for (int i = 0; i < 2; i++)
        MUST(clReleaseMemObject(buffers[i]));
    MUST(clReleaseKernel(next));
}

int main(void)
{
    snprintf(log_path, sizeof log_path, "/tmp/pumice-profiling-%d.log", (int)getpid());
    setenv("PUMICE_LOG", "queue=debug", 1);
    setenv("PUMICE_LOG_FILE", log_path, 1);
    /* The first launch of a kernel's copy has a timestamp more, for the code that the driver makes before it. */
    setenv("PUMICE_COARSE", "off", 1);
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_program program = PROGRAM(context, source, "");
    kernel = MADE(clCreateKernel, program, "work");
    cl_mem buffer = MADE(clCreateBuffer, context, 0, MOST_ITEMS * 4, NULL);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));

    cl_command_queue in_order = make_queue(0);
    cl_command_queue out_of_order = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    EQ(launches(in_order, 0, 1).timestamps, 0);
    EQ(launches(out_of_order, 0, 0).timestamps, 0);
#ifdef BY_HOST
    struct submitted all = launches(in_order, 1, 1);
    EQ(all.timestamps, 0);
    EQ(all.batches, MANY);
    all = launches(out_of_order, 2, 0);
    EQ(all.timestamps, 0);
    CHECK(all.batches >= MANY / 2);
#else
    /* More rounds than there are queries in a pool, so that pools are used again. */
    for (int round = 0; round < 4; round++) {
        struct submitted all = launches(in_order, 1, 1);
        EQ(all.timestamps, all.commands + all.batches);
    }
    EQ(launches(in_order, 2, 1).timestamps, MANY);
    EQ(launches(out_of_order, 1, 0).timestamps, 2 * MANY);
#endif

    chain(in_order, program);
    /* More work takes longer. The work grows until it stands out of whatever else the machine does. */
    cl_ulong little = duration(in_order, ITEMS, 1000), much = 0;
    for (size_t items = ITEMS; items <= MOST_ITEMS && much <= 3 * little; items *= 4)
        much = duration(in_order, items, 60000);
    CHECK(much > 3 * little);

    MUST(clReleaseCommandQueue(out_of_order));
    MUST(clReleaseCommandQueue(in_order));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    release_last(context);
    remove(log_path);
    return finish();
}
