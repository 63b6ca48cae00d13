/* Commands of command buffers that change between enqueues: arguments, sizes, offsets, arguments that are
 * set late; changes while earlier enqueues are still waiting; handles' queries; every error. */
#include "command_buffers.h"

enum { N = 512, MANY = 100 };

static const char *source =
    "kernel void put(global int *to, int value)\n"
    "{\n"
    "    to[get_global_id(0)] = value + get_num_groups(0) * 1000000;\n"
    "}\n"
    "kernel void add(global int *to, int value) { atomic_add(&to[get_global_id(0)], value); }\n"
    "kernel void scratch(global int *to, local int *part)\n"
    "{\n"
    "    size_t i = get_local_id(0);\n"
    "    part[i] = get_local_size(0);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    to[get_global_id(0)] = part[get_local_size(0) - 1 - i];\n"
    "}\n";

static cl_device_id device;
static cl_context context;
static cl_program program;
static cl_command_queue queue;

static cl_kernel kernel_of(const char *name)
{
    return MADE(clCreateKernel, program, name);
}

static cl_mem zeros(void)
{
    cl_int zero = 0;
    cl_mem made = MADE(clCreateBuffer, context, 0, N * 4, NULL);
    MUST(clEnqueueFillBuffer(queue, made, &zero, 4, 0, N * 4, 0, NULL, NULL));
    MUST(clFinish(queue));
    return made;
}

static int word(cl_mem buffer, size_t index)
{
    int value = -1;
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, index * 4, 4, &value, 0, NULL, NULL));
    return value;
}

static void run(buffer_t buffer)
{
    MUST(enqueue(0, NULL, buffer, 0, NULL, NULL));
}

static void fields(void)
{
    cl_kernel put = kernel_of("put");
    cl_mem a = zeros(), b = zeros();
    int value = 1;
    size_t global = 64, local = 16, offset = 0;
    MUST(clSetKernelArg(put, 0, sizeof a, &a));
    MUST(clSetKernelArg(put, 1, sizeof value, &value));
    buffer_t buffer = create_with(queue, MUTABLE);
    command_t command = NULL;
    MUST(ndrange(PLAIN(buffer), put, 1, NULL, &global, &local, 0, NULL, NULL, &command));
    CHECK(command);
    config_t config = {.command = command};
    EQ(update_one(buffer, &config), CL_INVALID_OPERATION);
    MUST(finalize(buffer));
    run(buffer);
    EQ(word(a, 63), 4000001);
    EQ(word(a, 64), 0);
    /* A value, then another buffer, with everything else as it was. */
    value = 2;
    arg_t args[2] = {{1, sizeof value, &value}, {0, sizeof b, &b}};
    config.num_args = 1;
    config.args = args;
    MUST(update_one(buffer, &config));
    value = 77;
    run(buffer);
    EQ(word(a, 5), 4000002);
    value = 3;
    config.num_args = 2;
    MUST(update_one(buffer, &config));
    run(buffer);
    EQ(word(a, 5), 4000002);
    EQ(word(b, 5), 4000003);
    /* Sizes and offset. */
    config.num_args = 0;
    config.args = NULL;
    global = 32;
    offset = 100;
    config.global = &global;
    config.offset = &offset;
    MUST(update_one(buffer, &config));
    run(buffer);
    EQ(word(b, 99), 0);
    EQ(word(b, 100), 2000003);
    EQ(word(b, 131), 2000003);
    EQ(word(b, 132), 0);
    local = 8;
    config.local = &local;
    config.work_dim = 1;
    MUST(update_one(buffer, &config));
    run(buffer);
    EQ(word(b, 100), 4000003);
    size_t back[3] = {9, 9, 9}, size = 0;
    MUST(command_info(command, COMMAND_OFFSET, sizeof back, back, &size));
    EQ(size, sizeof *back);
    EQ(back[0], 100);
    MUST(command_info(command, COMMAND_GLOBAL, sizeof back, back, NULL));
    EQ(back[0], 32);
    MUST(command_info(command, COMMAND_LOCAL, sizeof back, back, NULL));
    EQ(back[0], 8);
    /* An empty range, and out of it again. */
    global = 0;
    MUST(update_one(buffer, &config));
    int zero = 0;
    MUST(clEnqueueFillBuffer(queue, b, &zero, 4, 0, N * 4, 0, NULL, NULL));
    run(buffer);
    EQ(word(b, 100), 0);
    global = 32;
    MUST(update_one(buffer, &config));
    run(buffer);
    EQ(word(b, 100), 4000003);
    /* Either all changes are made, or none. */
    value = 50;
    arg_t good = {1, sizeof value, &value}, bad = {7, sizeof value, &value};
    config_t both[2] = {{.command = command, .num_args = 1, .args = &good},
                        {.command = command, .num_args = 1, .args = &bad}};
    cl_uint kinds[2] = {0, 0};
    const void *configs[2] = {&both[0], &both[1]};
    EQ(update(buffer, 2, kinds, configs), CL_INVALID_ARG_INDEX);
    run(buffer);
    EQ(word(b, 100), 4000003);
    MUST(release(buffer));
    clReleaseKernel(put);
    clReleaseMemObject(a), clReleaseMemObject(b);
}

static void info(void)
{
    cl_kernel put = kernel_of("put"), there = NULL;
    cl_mem a = zeros();
    int value = 1;
    MUST(clSetKernelArg(put, 0, sizeof a, &a));
    MUST(clSetKernelArg(put, 1, sizeof value, &value));
    buffer_t buffer = create_with(queue, MUTABLE), of = NULL;
    cl_ulong list[] = {UPDATABLE_FIELDS, FIELD_ARGUMENTS, COMMAND_ASSERTS, 1, 0}, back[8];
    size_t global[3] = {8, 4, 2}, size = 0, sizes[3] = {9, 9, 9};
    command_t command = NULL, plain = NULL;
    MUST(ndrange(buffer, queue, list, put, 3, NULL, global, NULL, 0, NULL, NULL, &command));
    MUST(ndrange(PLAIN(buffer), put, 1, NULL, global, NULL, 0, NULL, NULL, &plain));
    MUST(command_info(command, COMMAND_PROPERTIES, sizeof back, back, &size));
    EQ(size, sizeof list);
    CHECK(memcmp(back, list, sizeof list) == 0);
    MUST(command_info(plain, COMMAND_PROPERTIES, 0, NULL, &size));
    EQ(size, 0);
    MUST(command_info(command, COMMAND_BUFFER, sizeof of, &of, NULL));
    CHECK(of == buffer);
    MUST(command_info(command, COMMAND_KERNEL, sizeof there, &there, NULL));
    CHECK(there == put);
    cl_command_queue own = NULL;
    MUST(command_info(plain, COMMAND_QUEUE, sizeof own, &own, NULL));
    CHECK(own == queue);
    cl_uint number = 0;
    MUST(command_info(command, COMMAND_DIMENSIONS, sizeof number, &number, NULL));
    EQ(number, 3);
    MUST(command_info(command, COMMAND_TYPE, sizeof number, &number, NULL));
    EQ(number, CL_COMMAND_NDRANGE_KERNEL);
    MUST(command_info(command, COMMAND_GLOBAL, sizeof sizes, sizes, &size));
    EQ(size, sizeof sizes);
    CHECK(memcmp(sizes, global, sizeof sizes) == 0);
    MUST(command_info(command, COMMAND_LOCAL, sizeof sizes, sizes, NULL));
    EQ(sizes[2], 0);
    EQ(command_info(command, COMMAND_GLOBAL, 8, sizes, NULL), CL_INVALID_VALUE);
    EQ(command_info(command, 0x12A9, sizeof sizes, sizes, NULL), CL_INVALID_VALUE);
    EQ(command_info(NULL, COMMAND_TYPE, 4, &number, NULL), INVALID_MUTABLE_COMMAND);
    EQ(command_info((command_t)buffer, COMMAND_TYPE, 4, &number, NULL), INVALID_MUTABLE_COMMAND);

    /* Only arguments of the first command change. */
    MUST(finalize(buffer));
    config_t config = {.command = command, .global = global};
    EQ(update_one(buffer, &config), CL_INVALID_OPERATION);
    config = (config_t){.command = command, .offset = global};
    EQ(update_one(buffer, &config), CL_INVALID_OPERATION);
    config = (config_t){.command = command, .local = global};
    EQ(update_one(buffer, &config), CL_INVALID_OPERATION);
    exec_info_t info = {CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL};
    config = (config_t){.command = command, .num_exec_infos = 1, .exec_infos = &info};
    EQ(update_one(buffer, &config), CL_INVALID_OPERATION);
    config = (config_t){.command = command, .work_dim = 2};
    EQ(update_one(buffer, &config), CL_INVALID_OPERATION);
    arg_t arg = {1, 3, &value};
    config = (config_t){.command = command, .num_args = 1, .args = &arg};
    EQ(update_one(buffer, &config), CL_INVALID_ARG_SIZE);
    config = (config_t){.command = command, .num_args = 1};
    EQ(update_one(buffer, &config), CL_INVALID_VALUE);
    config = (config_t){.command = command, .args = &arg};
    EQ(update_one(buffer, &config), CL_INVALID_VALUE);
    config = (config_t){.command = command, .num_svm_args = 1};
    EQ(update_one(buffer, &config), CL_INVALID_VALUE);
    config = (config_t){.command = plain, .num_exec_infos = 1};
    EQ(update_one(buffer, &config), CL_INVALID_VALUE);
    config = (config_t){.command = NULL};
    EQ(update_one(buffer, &config), INVALID_MUTABLE_COMMAND);
    cl_uint kind = 0, wrong = 1;
    const void *configs[] = {&config}, *none[] = {NULL};
    EQ(update(NULL, 1, &kind, configs), INVALID_COMMAND_BUFFER);
    EQ(update(buffer, 1, NULL, configs), CL_INVALID_VALUE);
    EQ(update(buffer, 1, &kind, NULL), CL_INVALID_VALUE);
    EQ(update(buffer, 0, &kind, NULL), CL_INVALID_VALUE);
    EQ(update(buffer, 0, NULL, configs), CL_INVALID_VALUE);
    EQ(update(buffer, 1, &wrong, configs), CL_INVALID_VALUE);
    EQ(update(buffer, 1, &kind, none), CL_INVALID_VALUE);
    MUST(update(buffer, 0, NULL, NULL));
    /* Handles of another command buffer, and a command buffer that does not change. */
    buffer_t other = create_with(queue, MUTABLE), fixed = create_with(queue, 0);
    command_t stranger = NULL;
    MUST(ndrange(PLAIN(other), put, 1, NULL, global, NULL, 0, NULL, NULL, &stranger));
    MUST(finalize(other));
    MUST(finalize(fixed));
    config.command = stranger;
    EQ(update_one(buffer, &config), INVALID_MUTABLE_COMMAND);
    EQ(update_one(fixed, &config), CL_INVALID_OPERATION);
    /* Work-groups that were all of one size stay so. */
    size_t even = 64, odd = 65, local = 16;
    buffer_t uniform = create_with(queue, MUTABLE);
    MUST(ndrange(PLAIN(uniform), put, 1, NULL, &even, &local, 0, NULL, NULL, &command));
    MUST(finalize(uniform));
    config = (config_t){.command = command, .global = &odd};
    EQ(update_one(uniform, &config), CL_INVALID_OPERATION);
    local = 1 << 30;
    config = (config_t){.command = command, .local = &local};
    CHECK(update_one(uniform, &config) != CL_SUCCESS);
    MUST(release(uniform));
    MUST(release(other));
    MUST(release(fixed));
    MUST(release(buffer));
    clReleaseKernel(put);
    clReleaseMemObject(a);
}

/* Arguments that are set when recording has ended. */
static void late(void)
{
    cl_kernel scratch = kernel_of("scratch");
    cl_mem a = zeros();
    size_t global = 64, local = 16;
    buffer_t buffer = create_with(queue, MUTABLE);
    cl_ulong arguments[] = {UPDATABLE_FIELDS, FIELD_ARGUMENTS | FIELD_LOCAL, 0};
    command_t command = NULL;
    EQ(ndrange(PLAIN(buffer), scratch, 1, NULL, &global, &local, 0, NULL, NULL, &command),
       CL_INVALID_KERNEL_ARGS);
    cl_ulong others[] = {UPDATABLE_FIELDS, FIELD_LOCAL, 0};
    EQ(ndrange(buffer, NULL, others, scratch, 1, NULL, &global, &local, 0, NULL, NULL, &command),
       CL_INVALID_KERNEL_ARGS);
    size_t huge = 1 << 30;
    EQ(ndrange(buffer, NULL, arguments, scratch, 1, NULL, &huge, &huge, 0, NULL, NULL, &command),
       CL_INVALID_WORK_GROUP_SIZE);
    MUST(ndrange(buffer, NULL, arguments, scratch, 1, NULL, &global, &local, 0, NULL, NULL, &command));
    MUST(finalize(buffer));
    EQ(state_of(buffer), FINALIZED);
    EQ(enqueue(0, NULL, buffer, 0, NULL, NULL), CL_INVALID_OPERATION);
    arg_t first = {0, sizeof a, &a}, second = {1, 16 * 4, NULL};
    config_t config = {.command = command, .num_args = 1, .args = &first};
    MUST(update_one(buffer, &config));
    EQ(state_of(buffer), FINALIZED);
    config.args = &second;
    MUST(update_one(buffer, &config));
    EQ(state_of(buffer), EXECUTABLE);
    run(buffer);
    EQ(word(a, 63), 16);
    /* Another local size with as much local memory as it needs. */
    local = 32;
    second.size = 32 * 4;
    config.local = &local;
    MUST(update_one(buffer, &config));
    run(buffer);
    EQ(word(a, 63), 32);
    MUST(release(buffer));
    clReleaseKernel(scratch);
    clReleaseMemObject(a);
}

/* Changes between enqueues that are all still waiting: each does what it was when it was enqueued. */
static void while_waiting(void)
{
    cl_int error = 0;
    cl_kernel add = kernel_of("add");
    cl_mem a = zeros(), b = zeros();
    int value = 1, hundred = 100;
    size_t global = N;
    cl_ulong list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_command_queue unordered = MADE(clCreateCommandQueueWithProperties, context, device, list);
    buffer_t buffer = create_with(unordered, MUTABLE | SIMULTANEOUS_USE);
    command_t commands[MANY];
    MUST(clSetKernelArg(add, 1, sizeof value, &value));
    for (int i = 0; i < MANY; i++) {
        MUST(clSetKernelArg(add, 0, sizeof(cl_mem), i == 40 ? &b : &a));
        MUST(ndrange(PLAIN(buffer), add, 1, NULL, &global, NULL, 0, NULL, NULL, &commands[i]));
    }
    MUST(finalize(buffer));
    cl_event gate = clCreateUserEvent(context, &error), done[8];
    MUST(error);
    arg_t arg = {1, sizeof value, &value}, much = {1, sizeof hundred, &hundred};
    for (int i = 0; i < 8; i++) {
        /* One more in each command 40, and one of the others adds a hundred from now on. */
        value = i;
        config_t config = {.command = commands[40], .num_args = 1, .args = &arg};
        config_t other = {.command = commands[i * 13 % 40], .num_args = 1, .args = &much};
        cl_uint kinds[2] = {0, 0};
        const void *configs[2] = {&config, &other};
        MUST(update(buffer, 2, kinds, configs));
        MUST(enqueue(0, NULL, buffer, 1, &gate, &done[i]));
    }
    EQ(word(a, 0), 0);
    MUST(clSetUserEventStatus(gate, CL_COMPLETE));
    MUST(clWaitForEvents(8, done));
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum += (MANY - 1) + 99 * (i + 1);
    EQ(word(a, 0), sum);
    EQ(word(a, N - 1), sum);
    EQ(word(b, 7), 0 + 1 + 2 + 3 + 4 + 5 + 6 + 7);
    for (int i = 0; i < 8; i++)
        clReleaseEvent(done[i]);
    clReleaseEvent(gate);
    /* Many changes, each followed by an enqueue, none awaited. */
    for (int i = 0; i < 500; i++) {
        value = i & 1;
        config_t config = {.command = commands[40], .num_args = 1, .args = &arg};
        MUST(update_one(buffer, &config));
        MUST(enqueue(0, NULL, buffer, 0, NULL, NULL));
    }
    MUST(clFinish(unordered));
    EQ(word(b, 7), 28 + 250);
    MUST(release(buffer));
    clReleaseCommandQueue(unordered);
    clReleaseKernel(add);
    clReleaseMemObject(a), clReleaseMemObject(b);
}

int main(void)
{
    load_functions();
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    program = PROGRAM(context, source, NULL);
    fields();
    info();
    late();
    while_waiting();
    clReleaseCommandQueue(queue);
    clReleaseProgram(program);
    release_last(context);
    return failures != 0;
}
