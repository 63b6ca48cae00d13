/* Command buffers: every command, replayed with changing inputs, in both kinds of queue, and what the
 * driver keeps for them. */
#include <unistd.h>

#include "command_buffers.h"

enum { N = 1024 };

static const char *source =
    "kernel void add(global int *data, int amount) { data[get_global_id(0)] += amount; }\n"
    "kernel void scale(global int *to, global const int *from)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    to[i] = from[get_global_size(0) - 1 - i] * 3 + 1;\n"
    "}\n"
    "kernel void speak(global int *count, int who)\n"
    "{\n"
    "    printf(\"%d says %d\\n\", who, atomic_inc(count));\n"
    "}\n"
    "global int total = 5;\n"
    "kernel void sum(global int *out) { total += 2; *out = total; }\n"
    "kernel void spill(global int *out, int salt)\n"
    "{\n"
    "    int part[64];\n"
    "    for (int i = 0; i < 64; i++) part[i] = i * salt + get_global_id(0);\n"
    "    out[get_global_id(0)] = part[(get_global_id(0) * 7 + salt) & 63];\n"
    "}\n";

static cl_device_id device;
static cl_context context;
static cl_program program;
static cl_command_queue in_order, out_of_order;

static cl_kernel kernel_of(const char *name)
{
    return MADE(clCreateKernel, program, name);
}

static cl_mem memory(size_t size)
{
    return MADE(clCreateBuffer, context, 0, size, NULL);
}

static cl_command_queue queue_with(cl_ulong bits)
{
    cl_ulong list[] = {CL_QUEUE_PROPERTIES, bits, 0};
    return MADE(clCreateCommandQueueWithProperties, context, device, list);
}

static int word(cl_mem buffer, size_t index)
{
    int value = -1;
    MUST(clEnqueueReadBuffer(in_order, buffer, CL_TRUE, index * 4, 4, &value, 0, NULL, NULL));
    return value;
}

static void check_all(cl_mem buffer, int expected)
{
    static int got[N];
    MUST(clEnqueueReadBuffer(in_order, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        if (got[i] != expected) {
            fprintf(stderr, "item %d is %d, not %d\n", i, got[i], expected);
            failures++;
            return;
        }
}

static void queries(void)
{
    char names[8192] = "";
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    CHECK(strstr(names, "cl_khr_command_buffer "));
    CHECK(strstr(names, "cl_khr_command_buffer_mutable_dispatch"));
    CHECK(strstr(names, "cl_khr_command_buffer_multi_device"));
    static cl_name_version versions[256];
    size_t size = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof versions, versions, &size));
    int found = 0;
    for (size_t i = 0; i < size / sizeof *versions; i++) {
        const char *name = versions[i].name;
        cl_version version = versions[i].version;
        if (!strcmp(name, "cl_khr_command_buffer"))
            found += version == CL_MAKE_VERSION(0, 9, 8);
        if (!strcmp(name, "cl_khr_command_buffer_mutable_dispatch"))
            found += version == CL_MAKE_VERSION(0, 9, 5);
        if (!strcmp(name, "cl_khr_command_buffer_multi_device"))
            found += version == CL_MAKE_VERSION(0, 9, 2);
    }
    EQ(found, 3);
    cl_ulong bits = 0;
    MUST(clGetDeviceInfo(device, CAPABILITIES, sizeof bits, &bits, NULL));
    /* printf, simultaneous use, several queues. */
    EQ(bits & ~2ull, 1 | 4 | 16);
    MUST(clGetDeviceInfo(device, REQUIRED_PROPERTIES, sizeof bits, &bits, NULL));
    EQ(bits, 0);
    MUST(clGetDeviceInfo(device, SUPPORTED_PROPERTIES, sizeof bits, &bits, NULL));
    EQ(bits, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    MUST(clGetDeviceInfo(device, MUTABLE_CAPABILITIES, sizeof bits, &bits, NULL));
    EQ(bits, 31);
    cl_uint count = 0;
    MUST(clGetDeviceInfo(device, NUM_SYNC_DEVICES, sizeof count, &count, NULL));
    EQ(count, 1);
    cl_device_id synced = NULL;
    MUST(clGetDeviceInfo(device, SYNC_DEVICES, sizeof synced, &synced, NULL));
    CHECK(synced == device);
    MUST(clGetPlatformInfo(pumice_platform(), PLATFORM_CAPABILITIES, sizeof bits, &bits, NULL));
    EQ(bits, 7);
    CHECK(!clGetExtensionFunctionAddressForPlatform(pumice_platform(), "clCommandNothingKHR"));

    buffer_t buffer = create(1, &in_order, NULL, NULL);
    MUST(buffer_info(buffer, INFO_NUM_QUEUES, sizeof count, &count, &size));
    EQ(count, 1);
    EQ(size, sizeof count);
    cl_command_queue queue = NULL;
    MUST(buffer_info(buffer, INFO_QUEUES, sizeof queue, &queue, NULL));
    CHECK(queue == in_order);
    cl_context there = NULL;
    MUST(buffer_info(buffer, INFO_CONTEXT, sizeof there, &there, NULL));
    CHECK(there == context);
    MUST(buffer_info(buffer, INFO_PROPERTIES, 0, NULL, &size));
    EQ(size, 0);
    MUST(retain(buffer));
    MUST(buffer_info(buffer, INFO_REFERENCE_COUNT, sizeof count, &count, NULL));
    EQ(count, 2);
    MUST(release(buffer));
    EQ(state_of(buffer), RECORDING);
    MUST(finalize(buffer));
    EQ(state_of(buffer), EXECUTABLE);
    /* Nothing to do is done as well. */
    cl_event event;
    MUST(enqueue(0, NULL, buffer, 0, NULL, &event));
    MUST(clWaitForEvents(1, &event));
    cl_uint kind = 0;
    MUST(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof kind, &kind, NULL));
    EQ(kind, COMMAND_BUFFER_COMMAND);
    MUST(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL));
    CHECK(queue == in_order);
    MUST(clReleaseEvent(event));
    MUST(release(buffer));

    cl_ulong list[] = {FLAGS, MUTABLE | SIMULTANEOUS_USE | DEVICE_SIDE_SYNC, BUFFER_ASSERTS, 1, 0}, back[8];
    buffer = MADE(create, 1, &in_order, list);
    MUST(buffer_info(buffer, INFO_PROPERTIES, sizeof back, back, &size));
    EQ(size, sizeof list);
    CHECK(memcmp(list, back, sizeof list) == 0);
    MUST(release(buffer));
}

/* Each command that works on buffers, one after the other in an in-order queue. */
static void buffers(void)
{
    cl_kernel add = kernel_of("add"), scale = kernel_of("scale");
    cl_mem a = memory(N * 4), b = memory(N * 4), c = memory(N * 4), input = memory(4);
    buffer_t buffer = create(1, &in_order, NULL, NULL);
    int pattern[2] = {10, 10}, five = 5;
    size_t global = N;
    MUST(fill_buffer(PLAIN(buffer), a, pattern, 8, 0, N * 4, ALONE));
    MUST(clSetKernelArg(add, 0, sizeof a, &a));
    MUST(clSetKernelArg(add, 1, sizeof five, &five));
    MUST(ndrange(PLAIN(buffer), add, 1, NULL, &global, NULL, ALONE));
    /* What is set afterwards concerns later commands alone. */
    five = 100;
    MUST(clSetKernelArg(add, 1, sizeof five, &five));
    MUST(copy_buffer(PLAIN(buffer), a, b, 0, 0, N * 4, ALONE));
    MUST(barrier(PLAIN(buffer), ALONE));
    MUST(clSetKernelArg(scale, 0, sizeof c, &c));
    MUST(clSetKernelArg(scale, 1, sizeof b, &b));
    MUST(ndrange(PLAIN(buffer), scale, 1, NULL, &global, NULL, ALONE));
    /* The first row of sixteen from the input; c stays else. */
    size_t from[3] = {0, 0, 0}, to[3] = {8, 2, 0}, region[3] = {4, 1, 1};
    MUST(copy_rect(PLAIN(buffer), input, c, from, to, region, 4, 4, 64, 0, ALONE));
    MUST(finalize(buffer));
    for (int round = 0; round < 4; round++) {
        MUST(clEnqueueWriteBuffer(in_order, input, CL_FALSE, 0, 4, &round, 0, NULL, NULL));
        MUST(enqueue(0, NULL, buffer, 0, NULL, NULL));
        EQ(word(c, 0), 46);
        EQ(word(c, (2 * 64 + 8) / 4), round);
        EQ(word(c, (2 * 64 + 12) / 4), 46);
        EQ(word(b, N - 1), 15);
    }
    /* Twice without waiting in between: the additions add up. */
    buffer_t twice = create(1, &in_order, NULL, NULL);
    MUST(ndrange(PLAIN(twice), add, 1, NULL, &global, NULL, ALONE));
    MUST(finalize(twice));
    for (int round = 0; round < 200; round++)
        MUST(enqueue(0, NULL, twice, 0, NULL, NULL));
    check_all(a, 15 + 200 * 100);
    /* Behind other commands and before them, and in another queue of the device. */
    int zero = 0;
    MUST(clEnqueueFillBuffer(in_order, a, &zero, 4, 0, N * 4, 0, NULL, NULL));
    MUST(enqueue(0, NULL, twice, 0, NULL, NULL));
    MUST(clEnqueueNDRangeKernel(in_order, add, 1, NULL, &global, NULL, 0, NULL, NULL));
    cl_event event;
    MUST(enqueue(0, NULL, twice, 0, NULL, &event));
    MUST(enqueue(1, &out_of_order, twice, 1, &event, NULL));
    MUST(clFinish(out_of_order));
    MUST(clReleaseEvent(event));
    check_all(a, 400);
    MUST(release(twice));
    MUST(release(buffer));
    clReleaseKernel(add), clReleaseKernel(scale);
    clReleaseMemObject(a), clReleaseMemObject(b), clReleaseMemObject(c), clReleaseMemObject(input);
}

static cl_mem image_of(cl_uint type, size_t width, size_t height, size_t depth)
{
    cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc desc = {.image_type = type, .image_width = width};
    desc.image_height = height;
    desc.image_depth = depth;
    return MADE(clCreateImage, context, 0, &format, &desc, NULL);
}

static void images(void)
{
    cl_bool there = CL_FALSE;
    MUST(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof there, &there, NULL));
    if (!there)
        return;
    enum { W = 16, H = 8 };
    cl_mem a = image_of(CL_MEM_OBJECT_IMAGE2D, W, H, 0), b = image_of(CL_MEM_OBJECT_IMAGE2D, W, H, 0);
    /* From 2D to 3D there is no command of Vulkan's: the copy goes by way of bytes. */
    cl_mem box = image_of(CL_MEM_OBJECT_IMAGE3D, W, H, 2);
    cl_mem bytes = memory(W * H * 4), input = memory(W * 4);
    buffer_t buffer = create(1, &in_order, NULL, NULL);
    cl_uint color[4] = {1, 2, 3, 4};
    size_t zero[3] = {0, 0, 0}, whole[3] = {W, H, 1}, row[3] = {W, 1, 1}, third[3] = {0, 3, 0};
    size_t layer[3] = {0, 0, 1};
    MUST(fill_image(PLAIN(buffer), a, color, zero, whole, ALONE));
    MUST(buffer_to_image(PLAIN(buffer), input, a, 0, third, row, ALONE));
    MUST(copy_image(PLAIN(buffer), a, b, zero, zero, whole, ALONE));
    MUST(copy_image(PLAIN(buffer), b, box, zero, layer, whole, ALONE));
    MUST(image_to_buffer(PLAIN(buffer), box, bytes, layer, whole, 0, ALONE));
    MUST(finalize(buffer));
    for (int round = 1; round < 4; round++) {
        int values[W];
        for (int i = 0; i < W; i++)
            values[i] = round * 1000 + i;
        MUST(clEnqueueWriteBuffer(in_order, input, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
        MUST(enqueue(0, NULL, buffer, 0, NULL, NULL));
        EQ(word(bytes, 0), 0x04030201);
        EQ(word(bytes, 3 * W + 5), round * 1000 + 5);
        EQ(word(bytes, 4 * W), 0x04030201);
    }
    MUST(release(buffer));
    clReleaseMemObject(a), clReleaseMemObject(b), clReleaseMemObject(box);
    clReleaseMemObject(bytes), clReleaseMemObject(input);
}

/* The times of a command buffer are in order, whoever runs its commands. */
static void check_times(cl_event done)
{
    cl_ulong times[4] = {0};
    for (cl_uint i = 0; i < 4; i++)
        MUST(clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_QUEUED + i, 8, &times[i], NULL));
    CHECK(times[0] && times[0] <= times[1] && times[1] <= times[2] && times[2] < times[3]);
}

/* A copy by the host, alone and behind a kernel, in a queue that measures. */
static void times_of_host(cl_kernel kernel, int *to, const int *from)
{
    cl_command_queue timed = queue_with(CL_QUEUE_PROFILING_ENABLE);
    size_t global = N;
    for (int launches = 0; launches < 2; launches++) {
        buffer_t buffer = create(1, &timed, NULL, NULL);
        if (launches)
            MUST(ndrange(PLAIN(buffer), kernel, 1, NULL, &global, NULL, ALONE));
        MUST(svm_memcpy(PLAIN(buffer), to, from, N * 4, ALONE));
        MUST(finalize(buffer));
        for (int round = 0; round < 2; round++) {
            cl_event done;
            MUST(enqueue(0, NULL, buffer, 0, NULL, &done));
            MUST(clWaitForEvents(1, &done));
            check_times(done);
            MUST(clReleaseEvent(done));
        }
        MUST(release(buffer));
    }
    MUST(clReleaseCommandQueue(timed));
}

/* The host copies and fills shared virtual memory, between commands of the device. */
static void shared_memory(void)
{
    cl_ulong svm = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
    cl_kernel add = kernel_of("add");
    buffer_t buffer = create(1, &out_of_order, NULL, NULL);
    int pattern = 7, amount = 3, here[N], input = 0;
    if (!svm) {
        EQ(svm_memcpy(PLAIN(buffer), here, &input, 4, ALONE), CL_INVALID_OPERATION);
        EQ(svm_memfill(PLAIN(buffer), here, &pattern, 4, 4, ALONE), CL_INVALID_OPERATION);
        MUST(release(buffer));
        clReleaseKernel(add);
        return;
    }
    int *a = clSVMAlloc(context, 0, N * 4, 0), *b = clSVMAlloc(context, 0, N * 4, 0);
    CHECK(a && b);
    size_t global = N;
    point_t filled, copied, added, again;
    MUST(svm_memfill(PLAIN(buffer), a, &pattern, 4, N * 4, 0, NULL, &filled, NULL));
    MUST(svm_memcpy(PLAIN(buffer), a, &input, 4, 1, &filled, &copied, NULL));
    MUST(clSetKernelArgSVMPointer(add, 0, a));
    MUST(clSetKernelArg(add, 1, sizeof amount, &amount));
    MUST(ndrange(PLAIN(buffer), add, 1, NULL, &global, NULL, 1, &copied, &added, NULL));
    MUST(svm_memcpy(PLAIN(buffer), b, a, N * 4, 1, &added, &again, NULL));
    MUST(clSetKernelArgSVMPointer(add, 0, b));
    MUST(ndrange(PLAIN(buffer), add, 1, NULL, &global, NULL, 1, &again, NULL, NULL));
    EQ(svm_memcpy(PLAIN(buffer), NULL, a, 4, ALONE), CL_INVALID_VALUE);
    EQ(svm_memcpy(PLAIN(buffer), a, a + 1, 8, ALONE), CL_MEM_COPY_OVERLAP);
    EQ(svm_memfill(PLAIN(buffer), a, NULL, 4, 4, ALONE), CL_INVALID_VALUE);
    EQ(svm_memfill(PLAIN(buffer), a, &pattern, 3, 6, ALONE), CL_INVALID_VALUE);
    EQ(svm_memfill(PLAIN(buffer), a, &pattern, 4096, 4096, ALONE), CL_INVALID_VALUE);
    MUST(finalize(buffer));
    for (int round = 0; round < 3; round++) {
        input = 100 * round;
        cl_event event;
        MUST(enqueue(0, NULL, buffer, 0, NULL, &event));
        MUST(clWaitForEvents(1, &event));
        MUST(clReleaseEvent(event));
        MUST(clEnqueueSVMMap(out_of_order, CL_TRUE, CL_MAP_READ, a, N * 4, 0, NULL, NULL));
        MUST(clEnqueueSVMMap(out_of_order, CL_TRUE, CL_MAP_READ, b, N * 4, 0, NULL, NULL));
        EQ(a[0], input + 3);
        EQ(a[1], 10);
        EQ(b[0], input + 6);
        EQ(b[N - 1], 13);
        MUST(clEnqueueSVMUnmap(out_of_order, a, 0, NULL, NULL));
        MUST(clEnqueueSVMUnmap(out_of_order, b, 0, NULL, NULL));
    }
    MUST(clFinish(out_of_order));
    MUST(release(buffer));
    times_of_host(add, a, b);
    clReleaseKernel(add);
    clSVMFree(context, a), clSVMFree(context, b);
}

/* Sync points and barriers in an out-of-order queue: chains side by side that end in one copy. */
static void sync_points(void)
{
    enum { LANES = 8, STEPS = 12 };
    cl_kernel scale = kernel_of("scale");
    cl_mem sides[LANES][2], gathered = memory(LANES * 4);
    point_t last[LANES];
    int want[LANES];
    size_t global = N;
    buffer_t buffer = create(1, &out_of_order, NULL, NULL);
    for (int lane = 0; lane < LANES; lane++) {
        sides[lane][0] = memory(N * 4), sides[lane][1] = memory(N * 4);
        want[lane] = lane;
        MUST(fill_buffer(PLAIN(buffer), sides[lane][0], &lane, 4, 0, N * 4, 0, NULL, &last[lane], NULL));
    }
    for (int step = 0; step < STEPS; step++)
        for (int lane = 0; lane < LANES; lane++) {
            MUST(clSetKernelArg(scale, 0, sizeof(cl_mem), &sides[lane][~step & 1]));
            MUST(clSetKernelArg(scale, 1, sizeof(cl_mem), &sides[lane][step & 1]));
            point_t before = last[lane];
            MUST(ndrange(PLAIN(buffer), scale, 1, NULL, &global, NULL, 1, &before, &last[lane], NULL));
            want[lane] = want[lane] * 3 + 1;
        }
    point_t all;
    MUST(barrier(PLAIN(buffer), LANES, last, &all, NULL));
    for (int lane = 0; lane < LANES; lane++)
        MUST(copy_buffer(PLAIN(buffer), sides[lane][STEPS & 1], gathered, 0, lane * 4, 4,
                         lane & 1, lane & 1 ? &all : NULL, NULL, NULL));
    MUST(finalize(buffer));
    for (int round = 0; round < 3; round++) {
        cl_event event;
        MUST(enqueue(0, NULL, buffer, 0, NULL, &event));
        MUST(clWaitForEvents(1, &event));
        MUST(clReleaseEvent(event));
        for (int lane = 0; lane < LANES; lane++)
            EQ(word(gathered, lane), want[lane]);
    }
    MUST(release(buffer));
    clReleaseKernel(scale);
    clReleaseMemObject(gathered);
    for (int lane = 0; lane < LANES; lane++)
        clReleaseMemObject(sides[lane][0]), clReleaseMemObject(sides[lane][1]);
}

/* What kernels print appears at each replay, also when several are under way; program-scope variables keep
 * their values in between. */
static void host_parts(void)
{
    enum { REPLAYS = 40 };
    cl_kernel speak = kernel_of("speak"), sum = kernel_of("sum"), spill = kernel_of("spill");
    cl_mem count = memory(4), out = memory(4), spilled = memory(N * 4);
    int zero = 0, who = 42, salt = 3;
    size_t one = 1, global = N;
    MUST(clEnqueueFillBuffer(in_order, count, &zero, 4, 0, 4, 0, NULL, NULL));
    buffer_t buffer = create(1, &in_order, NULL, NULL);
    MUST(clSetKernelArg(speak, 0, sizeof count, &count));
    MUST(clSetKernelArg(speak, 1, sizeof who, &who));
    MUST(ndrange(PLAIN(buffer), speak, 1, NULL, &one, NULL, ALONE));
    who = 43;
    MUST(clSetKernelArg(speak, 1, sizeof who, &who));
    MUST(ndrange(PLAIN(buffer), speak, 1, NULL, &one, NULL, ALONE));
    MUST(clSetKernelArg(sum, 0, sizeof out, &out));
    MUST(ndrange(PLAIN(buffer), sum, 1, NULL, &one, NULL, ALONE));
    MUST(clSetKernelArg(spill, 0, sizeof spilled, &spilled));
    MUST(clSetKernelArg(spill, 1, sizeof salt, &salt));
    MUST(ndrange(PLAIN(buffer), spill, 1, NULL, &global, NULL, ALONE));
    MUST(finalize(buffer));
    char text[] = "/tmp/command-buffers-XXXXXX";
    int file = mkstemp(text), terminal = dup(1);
    CHECK(file >= 0 && terminal >= 0);
    fflush(stdout);
    dup2(file, 1);
    for (int round = 0; round < REPLAYS; round++)
        MUST(enqueue(0, NULL, buffer, 0, NULL, NULL));
    MUST(clFinish(in_order));
    fflush(stdout);
    dup2(terminal, 1);
    close(terminal);
    FILE *lines = fdopen(file, "r");
    rewind(lines);
    int number = 0, speaker = 0, value = -1;
    while (fscanf(lines, "%d says %d\n", &speaker, &value) == 2) {
        EQ(speaker, 42 + number % 2);
        EQ(value, number);
        number++;
    }
    EQ(number, 2 * REPLAYS);
    fclose(lines);
    unlink(text);
    EQ(word(out, 0), 5 + 2 * REPLAYS);
    for (int i = 0; i < N; i += 100) {
        int at = (i * 7 + salt) & 63;
        EQ(word(spilled, i), at * salt + i);
    }
    MUST(release(buffer));
    clReleaseKernel(speak), clReleaseKernel(sum), clReleaseKernel(spill);
    clReleaseMemObject(count), clReleaseMemObject(out), clReleaseMemObject(spilled);
}

/* Events: gates, failures, times. */
static void events(void)
{
    cl_int error = 0;
    cl_kernel add = kernel_of("add");
    cl_mem a = memory(N * 4);
    int zero = 0, one = 1;
    size_t global = N;
    MUST(clEnqueueFillBuffer(in_order, a, &zero, 4, 0, N * 4, 0, NULL, NULL));
    MUST(clFinish(in_order));
    cl_command_queue timed = queue_with(CL_QUEUE_PROFILING_ENABLE);
    buffer_t buffer = create(1, &timed, NULL, NULL);
    MUST(clSetKernelArg(add, 0, sizeof a, &a));
    MUST(clSetKernelArg(add, 1, sizeof one, &one));
    MUST(ndrange(PLAIN(buffer), add, 1, NULL, &global, NULL, ALONE));
    MUST(ndrange(PLAIN(buffer), add, 1, NULL, &global, NULL, ALONE));
    MUST(finalize(buffer));
    cl_event gate = clCreateUserEvent(context, &error), done;
    MUST(error);
    MUST(enqueue(0, NULL, buffer, 1, &gate, &done));
    cl_int status = -1;
    MUST(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    CHECK(status > CL_COMPLETE);
    MUST(clSetUserEventStatus(gate, CL_COMPLETE));
    MUST(clWaitForEvents(1, &done));
    check_all(a, 2);
    check_times(done);
    clReleaseEvent(gate), clReleaseEvent(done);
    /* Behind a failure nothing happens. */
    gate = MADE(clCreateUserEvent, context);
    MUST(enqueue(0, NULL, buffer, 1, &gate, &done));
    MUST(clSetUserEventStatus(gate, -5));
    EQ(clWaitForEvents(1, &done), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    check_all(a, 2);
    clReleaseEvent(gate), clReleaseEvent(done);
    /* The command buffer goes while it waits, and so does all that it was made of. */
    gate = MADE(clCreateUserEvent, context);
    MUST(enqueue(0, NULL, buffer, 1, &gate, &done));
    MUST(release(buffer));
    clReleaseKernel(add);
    MUST(clReleaseCommandQueue(timed));
    MUST(clSetUserEventStatus(gate, CL_COMPLETE));
    MUST(clWaitForEvents(1, &done));
    check_all(a, 4);
    clReleaseEvent(gate), clReleaseEvent(done);
    clReleaseMemObject(a);
}

/* Objects that the application has given back before the first enqueue. */
static void retention(void)
{
    cl_kernel add = kernel_of("add");
    cl_mem a = memory(N * 4), b = memory(N * 4);
    cl_command_queue queue = queue_with(0);
    int seven = 7;
    size_t global = N;
    buffer_t buffer = create(1, &queue, NULL, NULL);
    MUST(fill_buffer(PLAIN(buffer), a, &seven, 4, 0, N * 4, ALONE));
    MUST(clSetKernelArg(add, 0, sizeof a, &a));
    MUST(clSetKernelArg(add, 1, sizeof seven, &seven));
    MUST(ndrange(PLAIN(buffer), add, 1, NULL, &global, NULL, ALONE));
    MUST(copy_buffer(PLAIN(buffer), a, b, 0, 0, N * 4, ALONE));
    MUST(finalize(buffer));
    clReleaseKernel(add), clReleaseMemObject(a), clReleaseCommandQueue(queue);
    cl_event event;
    for (int round = 0; round < 2; round++) {
        MUST(enqueue(0, NULL, buffer, 0, NULL, &event));
        MUST(clWaitForEvents(1, &event));
        MUST(clReleaseEvent(event));
    }
    check_all(b, 14);
    MUST(release(buffer));
    clReleaseMemObject(b);
}

int main(void)
{
    load_functions();
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    program = PROGRAM(context, source, "-cl-std=CL3.0");
    in_order = queue_with(0);
    out_of_order = queue_with(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    queries();
    buffers();
    images();
    shared_memory();
    sync_points();
    host_parts();
    events();
    retention();
    clReleaseCommandQueue(in_order), clReleaseCommandQueue(out_of_order);
    clReleaseProgram(program);
    release_last(context);
    return failures != 0;
}
