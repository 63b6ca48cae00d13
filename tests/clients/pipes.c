/* Pipes: their queries and errors, kernels that produce and kernels that consume, pipes of IL modules. */
#include "common.h"

#define COUNT 4096

static const char *source =
    "typedef struct { uint number; float4 squares; } packet;\n"
    "kernel void produce(write_only pipe packet to, global uint *written, uint first) {\n"
    "    uint n = first + get_global_id(0);\n"
    "    packet p = {n, (float4)(n, n * 2, n * 3, n * 4)};\n"
    "    if (write_pipe(to, &p) == 0) { atomic_inc(&written[0]); atomic_add(&written[1], n); }\n"
    "}\n"
    "kernel void consume(read_only pipe packet from, global uint *seen, global uint *wrong) {\n"
    "    packet p;\n"
    "    if (read_pipe(from, &p) == 0) {\n"
    "        atomic_inc(&seen[p.number]);\n"
    "        float n = p.number;\n"
    "        if (any(p.squares != (float4)(n, n * 2, n * 3, n * 4))) atomic_inc(wrong);\n"
    "    }\n"
    "}\n"
    "kernel void produce_groups(write_only pipe uint to, uint first) {\n"
    "    uint n = first + get_global_id(0);\n"
    "    reserve_id_t id = work_group_reserve_write_pipe(to, get_local_size(0));\n"
    "    if (is_valid_reserve_id(id)) {\n"
    "        write_pipe(to, id, get_local_id(0), &n);\n"
    "        work_group_commit_write_pipe(to, id);\n"
    "    }\n"
    "}\n"
    "kernel void consume_groups(read_only pipe uint from, global uint *out, global uint *wrong) {\n"
    "    uint n = 0;\n"
    "    local uint first;\n"
    "    reserve_id_t id = work_group_reserve_read_pipe(from, get_local_size(0));\n"
    "    if (is_valid_reserve_id(id)) {\n"
    "        read_pipe(from, id, get_local_id(0), &n);\n"
    "        work_group_commit_read_pipe(from, id);\n"
    "        if (get_local_id(0) == 0) first = n;\n"
    "        work_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        if (n != first + get_local_id(0)) atomic_inc(wrong);\n"
    "        atomic_inc(&out[n]);\n"
    "    }\n"
    "}\n"
    "kernel void count(read_only pipe packet from, global uint *out) {\n"
    "    out[0] = get_pipe_num_packets(from); out[1] = get_pipe_max_packets(from);\n"
    "}\n"
    "kernel void plain(global uint *out) { out[0] = 1; }\n";

/* The words of pipes.spvasm, assembled by spirv-as. */
static const cl_uint il[] = {
    0x07230203, 0x00010100, 0x00070000, 0x0000001f, 0x00000000, 0x00020011, 0x00000004, 0x00020011,
    0x00000006, 0x00020011, 0x0000000b, 0x00020011, 0x00000011, 0x00020011, 0x0000003c, 0x00020011,
    0x00000026, 0x0003000e, 0x00000002, 0x00000002, 0x0004000f, 0x00000006, 0x00000001, 0x00747570,
    0x0005000f, 0x00000006, 0x00000002, 0x656b6174, 0x00000000, 0x00020013, 0x00000003, 0x00040015,
    0x00000004, 0x00000020, 0x00000000, 0x00030026, 0x00000005, 0x00000000, 0x00030026, 0x00000006,
    0x00000001, 0x00020142, 0x00000007, 0x00060143, 0x00000007, 0x00000008, 0x00000004, 0x00000004,
    0x00000002, 0x00040020, 0x00000009, 0x00000005, 0x00000007, 0x0005003b, 0x00000009, 0x0000000a,
    0x00000005, 0x00000008, 0x00040020, 0x0000000b, 0x00000005, 0x00000004, 0x00040020, 0x0000000c,
    0x00000008, 0x00000004, 0x0004002b, 0x00000004, 0x0000000d, 0x00000004, 0x00040015, 0x0000000e,
    0x00000040, 0x00000000, 0x0005002b, 0x0000000e, 0x0000000f, 0x00000001, 0x00000000, 0x00040021,
    0x00000010, 0x00000003, 0x0000000b, 0x00050036, 0x00000003, 0x00000001, 0x00000000, 0x00000010,
    0x00030037, 0x0000000b, 0x00000011, 0x000200f8, 0x00000012, 0x0006003d, 0x00000007, 0x00000013,
    0x0000000a, 0x00000002, 0x00000008, 0x00040144, 0x00000006, 0x00000014, 0x00000013, 0x00040079,
    0x0000000c, 0x00000015, 0x00000011, 0x00070113, 0x00000004, 0x00000016, 0x00000014, 0x00000015,
    0x0000000d, 0x0000000d, 0x00050046, 0x0000000b, 0x00000017, 0x00000011, 0x0000000f, 0x0005003e,
    0x00000017, 0x00000016, 0x00000002, 0x00000004, 0x000100fd, 0x00010038, 0x00050036, 0x00000003,
    0x00000002, 0x00000000, 0x00000010, 0x00030037, 0x0000000b, 0x00000018, 0x000200f8, 0x00000019,
    0x0006003d, 0x00000007, 0x0000001a, 0x0000000a, 0x00000002, 0x00000008, 0x00040144, 0x00000005,
    0x0000001b, 0x0000001a, 0x00040079, 0x0000000c, 0x0000001c, 0x00000018, 0x00070112, 0x00000004,
    0x0000001d, 0x0000001b, 0x0000001c, 0x0000000d, 0x0000000d, 0x00050046, 0x0000000b, 0x0000001e,
    0x00000018, 0x0000000f, 0x0005003e, 0x0000001e, 0x0000001d, 0x00000002, 0x00000004, 0x000100fd,
    0x00010038,
};

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;

static cl_mem buffer(size_t size)
{
    return MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, size, NULL);
}

static cl_kernel kernel(cl_program program, const char *name)
{
    return MADE(clCreateKernel, program, name);
}

static void arg(cl_kernel k, cl_uint index, cl_mem object)
{
    MUST(clSetKernelArg(k, index, sizeof object, &object));
}

static void run(cl_command_queue on, cl_kernel k, size_t global, size_t local)
{
    MUST(clEnqueueNDRangeKernel(on, k, 1, NULL, &global, local ? &local : NULL, 0, NULL, NULL));
}

static cl_uint word(cl_mem object, size_t index)
{
    cl_uint value = 0;
    MUST(clEnqueueReadBuffer(queue, object, CL_TRUE, index * 4, 4, &value, 0, NULL, NULL));
    return value;
}

static cl_uint ask(cl_device_info name)
{
    cl_uint value = 99;
    size_t size = 0;
    MUST(clGetDeviceInfo(device, name, sizeof value, &value, &size));
    EQ(size, sizeof value);
    return value;
}

static void queries(cl_mem pipe, cl_mem plain)
{
    cl_uint value = 0;
    size_t size = 0;
    MUST(clGetPipeInfo(pipe, CL_PIPE_PACKET_SIZE, sizeof value, &value, &size));
    EQ(value, 32);
    EQ(size, sizeof value);
    MUST(clGetPipeInfo(pipe, CL_PIPE_MAX_PACKETS, sizeof value, &value, NULL));
    EQ(value, 1000);
    MUST(clGetPipeInfo(pipe, CL_PIPE_PROPERTIES, 0, NULL, &size));
    EQ(size, 0);
    EQ(clGetPipeInfo(pipe, CL_PIPE_MAX_PACKETS, 3, &value, NULL), CL_INVALID_VALUE);
    EQ(clGetPipeInfo(pipe, CL_MEM_SIZE, sizeof value, &value, NULL), CL_INVALID_VALUE);
    EQ(clGetPipeInfo(plain, CL_PIPE_MAX_PACKETS, sizeof value, &value, NULL), CL_INVALID_MEM_OBJECT);
    EQ(clGetPipeInfo(NULL, CL_PIPE_MAX_PACKETS, sizeof value, &value, NULL), CL_INVALID_MEM_OBJECT);
    cl_mem_object_type type = 0;
    MUST(clGetMemObjectInfo(pipe, CL_MEM_TYPE, sizeof type, &type, NULL));
    EQ(type, CL_MEM_OBJECT_PIPE);
    cl_mem_flags flags = 0;
    MUST(clGetMemObjectInfo(pipe, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
    EQ(flags, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS);
}

static void errors_of_creation(void)
{
    cl_int err = 0;
    cl_uint most = ask(CL_DEVICE_PIPE_MAX_PACKET_SIZE);
    CHECK(!clCreatePipe(NULL, 0, 4, 4, NULL, &err));
    EQ(err, CL_INVALID_CONTEXT);
    CHECK(!clCreatePipe(context, CL_MEM_READ_ONLY, 4, 4, NULL, &err));
    EQ(err, CL_INVALID_VALUE);
    CHECK(!clCreatePipe(context, CL_MEM_USE_HOST_PTR, 4, 4, NULL, &err));
    EQ(err, CL_INVALID_VALUE);
    cl_pipe_properties properties[] = {0};
    CHECK(!clCreatePipe(context, 0, 4, 4, properties, &err));
    EQ(err, CL_INVALID_VALUE);
    CHECK(!clCreatePipe(context, 0, 0, 4, NULL, &err));
    EQ(err, CL_INVALID_PIPE_SIZE);
    CHECK(!clCreatePipe(context, 0, 4, 0, NULL, &err));
    EQ(err, CL_INVALID_PIPE_SIZE);
    CHECK(!clCreatePipe(context, 0, most + 1, 4, NULL, &err));
    EQ(err, CL_INVALID_PIPE_SIZE);
    CHECK(!clCreatePipe(context, 0, most, 0xFFFFFFFF, NULL, &err));
    EQ(err, CL_MEM_OBJECT_ALLOCATION_FAILURE);
}

/* A pipe is no buffer and no image, and no buffer a pipe. */
static void errors_of_use(cl_program program, cl_mem pipe, cl_mem plain)
{
    char bytes[32] = {0};
    cl_int err = 0;
    EQ(clEnqueueReadBuffer(queue, pipe, CL_TRUE, 0, 4, bytes, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    EQ(clEnqueueWriteBuffer(queue, pipe, CL_TRUE, 0, 4, bytes, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    EQ(clEnqueueFillBuffer(queue, pipe, bytes, 1, 0, 4, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    EQ(clEnqueueCopyBuffer(queue, pipe, plain, 0, 0, 4, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    EQ(clEnqueueCopyBuffer(queue, plain, pipe, 0, 0, 4, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK(!clEnqueueMapBuffer(queue, pipe, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &err));
    EQ(err, CL_INVALID_MEM_OBJECT);
    cl_buffer_region region = {0, 4};
    CHECK(!clCreateSubBuffer(pipe, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err));
    EQ(err, CL_INVALID_MEM_OBJECT);
    size_t size = 0;
    EQ(clGetImageInfo(pipe, CL_IMAGE_WIDTH, sizeof size, &size, NULL), CL_INVALID_MEM_OBJECT);

    cl_kernel produce = kernel(program, "produce"), other = kernel(program, "plain");
    EQ(clSetKernelArg(produce, 0, sizeof plain, &plain), CL_INVALID_MEM_OBJECT);
    EQ(clSetKernelArg(other, 0, sizeof pipe, &pipe), CL_INVALID_MEM_OBJECT);
    cl_mem none = NULL;
    EQ(clSetKernelArg(produce, 0, sizeof none, &none), CL_INVALID_MEM_OBJECT);
    EQ(clSetKernelArg(produce, 0, sizeof none, NULL), CL_INVALID_MEM_OBJECT);
    EQ(clSetKernelArg(produce, 0, 4, &pipe), CL_INVALID_ARG_SIZE);
    cl_kernel_arg_type_qualifier qualifier = 0;
    MUST(clGetKernelArgInfo(produce, 0, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifier, &qualifier, NULL));
    EQ(qualifier, CL_KERNEL_ARG_TYPE_PIPE);
    cl_kernel_arg_access_qualifier access = 0;
    MUST(clGetKernelArgInfo(produce, 0, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
    EQ(access, CL_KERNEL_ARG_ACCESS_WRITE_ONLY);
    char name[32] = "";
    MUST(clGetKernelArgInfo(produce, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, NULL));
    CHECK(!strcmp(name, "packet"));
    MUST(clReleaseKernel(produce));
    MUST(clReleaseKernel(other));
}

/* Rounds of producers and consumers on one queue: each packet that went in comes out once. */
static void rounds(cl_program program, cl_mem pipe)
{
    cl_mem written = buffer(8), seen = buffer(4 * COUNT), wrong = buffer(4), counts = buffer(8);
    cl_kernel produce = kernel(program, "produce"), consume = kernel(program, "consume"),
              count = kernel(program, "count");
    arg(produce, 0, pipe);
    arg(produce, 1, written);
    arg(consume, 0, pipe);
    arg(consume, 1, seen);
    arg(consume, 2, wrong);
    arg(count, 0, pipe);
    arg(count, 1, counts);
    cl_uint put = 0;
    for (cl_uint first = 0; first + 512 <= COUNT; first += 512) {
        MUST(clSetKernelArg(produce, 2, sizeof first, &first));
        run(queue, produce, 512, 0);
        /* Fewer come out than went in: the pipe fills up. */
        run(queue, consume, 256, 0);
    }
    run(queue, count, 1, 0);
    put = word(written, 0);
    EQ(word(counts, 0), put - COUNT / 2);
    EQ(word(counts, 1), 1000);
    run(queue, consume, 1024, 0);
    run(queue, count, 1, 0);
    EQ(word(counts, 0), 0);
    EQ(word(wrong, 0), 0);
    static cl_uint all[COUNT];
    MUST(clEnqueueReadBuffer(queue, seen, CL_TRUE, 0, sizeof all, all, 0, NULL, NULL));
    cl_uint came = 0, sum = 0;
    for (cl_uint i = 0; i < COUNT; i++) {
        CHECK(all[i] <= 1);
        came += all[i];
        sum += all[i] * i;
    }
    EQ(came, put);
    EQ(sum, word(written, 1));
    CHECK(put > 1000 && put < COUNT);
    cl_mem objects[] = {written, seen, wrong, counts};
    for (int i = 0; i < 4; i++)
        MUST(clReleaseMemObject(objects[i]));
    MUST(clReleaseKernel(produce));
    MUST(clReleaseKernel(consume));
    MUST(clReleaseKernel(count));
}

/* A pipe that is full and then empty again and again: work-items that hinder each other take no packet
   twice and find no pipe empty that has one. */
static void full_and_empty(cl_program program)
{
    cl_mem pipe = MADE(clCreatePipe, context, 0, 32, 1000, NULL);
    cl_mem written = buffer(8), seen = buffer(4 * COUNT), wrong = buffer(4);
    cl_kernel produce = kernel(program, "produce"), consume = kernel(program, "consume");
    arg(produce, 0, pipe);
    arg(produce, 1, written);
    arg(consume, 0, pipe);
    arg(consume, 1, seen);
    arg(consume, 2, wrong);
    cl_uint first = 0;
    MUST(clSetKernelArg(produce, 2, sizeof first, &first));
    for (cl_uint i = 1; i <= 40; i++) {
        run(queue, produce, 1000, 8);
        EQ(word(written, 0), 1000 * i);
        run(queue, consume, 1000, 8);
    }
    EQ(word(wrong, 0), 0);
    static cl_uint all[COUNT];
    MUST(clEnqueueReadBuffer(queue, seen, CL_TRUE, 0, sizeof all, all, 0, NULL, NULL));
    for (cl_uint i = 0; i < 1000; i++)
        EQ(all[i], 40);
    cl_mem objects[] = {pipe, written, seen, wrong};
    for (int i = 0; i < 4; i++)
        MUST(clReleaseMemObject(objects[i]));
    MUST(clReleaseKernel(produce));
    MUST(clReleaseKernel(consume));
}

/* A producer and a consumer on two queues that nothing orders: what does not come out at once comes
 * out later. */
static void two_queues(cl_program program)
{
    cl_mem pipe = MADE(clCreatePipe, context, 0, 4, 100, NULL);
    cl_command_queue second = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    cl_mem seen = buffer(4 * COUNT), wrong = buffer(4);
    cl_kernel produce = kernel(program, "produce_groups"), consume = kernel(program, "consume_groups");
    arg(produce, 0, pipe);
    arg(consume, 0, pipe);
    arg(consume, 1, seen);
    arg(consume, 2, wrong);
    for (cl_uint first = 0; first < COUNT; first += 64) {
        MUST(clSetKernelArg(produce, 1, sizeof first, &first));
        run(queue, produce, 64, 16);
        run(second, consume, 64, 16);
        MUST(clFlush(queue));
        MUST(clFlush(second));
    }
    MUST(clFinish(second));
    MUST(clFinish(queue));
    run(queue, consume, 128, 16);
    static cl_uint all[COUNT];
    MUST(clEnqueueReadBuffer(queue, seen, CL_TRUE, 0, sizeof all, all, 0, NULL, NULL));
    EQ(word(wrong, 0), 0);
    cl_uint came = 0;
    for (cl_uint i = 0; i < COUNT; i++) {
        CHECK(all[i] <= 1);
        came += all[i];
        /* A group's packets come together. */
        EQ(all[i], all[i / 16 * 16]);
    }
    CHECK(came >= 96);
    MUST(clReleaseMemObject(pipe));
    MUST(clReleaseMemObject(seen));
    MUST(clReleaseMemObject(wrong));
    MUST(clReleaseKernel(produce));
    MUST(clReleaseKernel(consume));
    MUST(clReleaseCommandQueue(second));
}

static void storage_of_il(void)
{
    cl_program program = MADE(clCreateProgramWithIL, context, il, sizeof il);
    MUST(clBuildProgram(program, 1, &device, "", NULL, NULL));
    cl_kernel put = kernel(program, "put"), take = kernel(program, "take");
    cl_mem numbers = buffer(8);
    arg(put, 0, numbers);
    arg(take, 0, numbers);
    for (cl_uint i = 0; i < 3; i++) {
        cl_uint given[2] = {i + 70, 9};
        MUST(clEnqueueWriteBuffer(queue, numbers, CL_TRUE, 0, sizeof given, given, 0, NULL, NULL));
        run(queue, put, 1, 0);
        EQ((cl_int)word(numbers, 1), i < 2 ? 0 : -1);
    }
    for (cl_uint i = 0; i < 3; i++) {
        run(queue, take, 1, 0);
        EQ((cl_int)word(numbers, 1), i < 2 ? 0 : -1);
        if (i < 2)
            EQ(word(numbers, 0), i + 70);
    }
    MUST(clReleaseMemObject(numbers));
    MUST(clReleaseKernel(put));
    MUST(clReleaseKernel(take));
    MUST(clReleaseProgram(program));
}

int main(void)
{
    cl_int err;
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    if (!ask(CL_DEVICE_PIPE_SUPPORT)) {
        EQ(ask(CL_DEVICE_MAX_PIPE_ARGS), 0);
        EQ(ask(CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS), 0);
        EQ(ask(CL_DEVICE_PIPE_MAX_PACKET_SIZE), 0);
        CHECK(!clCreatePipe(context, 0, 4, 4, NULL, &err));
        EQ(err, CL_INVALID_OPERATION);
        release_last(context);
        return finish();
    }
    CHECK(ask(CL_DEVICE_MAX_PIPE_ARGS) >= 16);
    CHECK(ask(CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS) >= 1);
    CHECK(ask(CL_DEVICE_PIPE_MAX_PACKET_SIZE) >= 1024);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    cl_program program = PROGRAM(context, source, "-cl-std=CL3.0 -cl-kernel-arg-info");
    cl_mem pipe = MADE(clCreatePipe, context, 0, 32, 1000, NULL);
    cl_mem plain = buffer(64);
    queries(pipe, plain);
    errors_of_creation();
    errors_of_use(program, pipe, plain);
    if (values_matter()) {
        rounds(program, pipe);
        full_and_empty(program);
        two_queues(program);
        storage_of_il();
    }
    MUST(clReleaseMemObject(pipe));
    MUST(clReleaseMemObject(plain));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
