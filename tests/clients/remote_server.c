// client: all-drivers
/* The calls of a server that offers the devices to others over a network, as PoCL's pocld makes them:
 * all devices in one context; events of commands that another machine has not sent yet; commands that
 * nobody flushes, whose status is asked until they are complete; kinds of arguments from the kernel's
 * own information; migrations; blocking calls that wait for another thread. */
#include "common.h"
#include <pthread.h>
#include <sched.h>

enum { N = 256, MOST = 8 };

/* The server adds it to the options of every client, also where it builds from a binary. */
#define OPTIONS " -cl-kernel-arg-info"

static cl_context context;
static cl_device_id devices[MOST];
static cl_command_queue queues[MOST];
static cl_uint count;

static const char *source =
    "typedef struct { int a; float4 b; } Pair;\n"
    "kernel __attribute__((reqd_work_group_size(4, 2, 1)))\n"
    "void kinds(global int *data, constant float *table, local int *scratch, Pair pair, uint3 three)\n"
    "{\n"
    "    if (data) data[get_global_id(0)] = (int)table[0] + pair.a + (int)three.z;\n"
    "    scratch[0] = 0;\n"
    "}\n"
    "kernel void step(global int *data, int factor, int add)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    data[i] = data[i] * factor + add;\n"
    "}\n"
    "kernel void optional(global int *data, global const int *other)\n"
    "{\n"
    "    data[get_global_id(0)] = other ? other[0] : -1;\n"
    "}\n";

static const char *image_source =
    "kernel void pixels(read_only image2d_t from, write_only image2d_t to, sampler_t how)\n"
    "{\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    write_imagei(to, at, read_imagei(from, how, at) + 1);\n"
    "}\n";

static cl_program built(const char *text)
{
    cl_program program = MADE(clCreateProgramWithSource, context, 1, &text, NULL);
    MUST(clBuildProgram(program, count, devices, OPTIONS, NULL, NULL));
    return program;
}

static cl_kernel kernel_of(cl_program program, const char *name)
{
    return MADE(clCreateKernel, program, name);
}

static cl_mem new_buffer(void)
{
    cl_int error = 0, zero = 0;
    /* The server's own flags: never the client's pointer. */
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, N * sizeof(cl_int), NULL,
                                   &error);
    MUST(error);
    MUST(clEnqueueFillBuffer(queues[0], memory, &zero, sizeof zero, 0, N * sizeof(cl_int), 0, NULL, NULL));
    MUST(clFinish(queues[0]));
    return memory;
}

static cl_int status_of(cl_event event)
{
    cl_int status = 99;
    MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

/* A server asks for the status until the command has ended; nothing flushes or waits. */
static cl_int polled(cl_event event)
{
    cl_int status;
    while ((status = status_of(event)) > CL_COMPLETE)
        sched_yield();
    return status;
}

/* Everything that a server tells its clients of a device. */
static void describe(cl_device_id device)
{
    static const cl_device_info numbers[] = {
        CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, CL_DEVICE_VENDOR_ID, CL_DEVICE_ADDRESS_BITS,
        CL_DEVICE_MEM_BASE_ADDR_ALIGN, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, CL_DEVICE_GLOBAL_MEM_CACHE_TYPE,
        CL_DEVICE_GLOBAL_MEM_SIZE, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, CL_DEVICE_DOUBLE_FP_CONFIG,
        CL_DEVICE_SINGLE_FP_CONFIG, CL_DEVICE_LOCAL_MEM_SIZE, CL_DEVICE_LOCAL_MEM_TYPE,
        CL_DEVICE_MAX_CLOCK_FREQUENCY, CL_DEVICE_MAX_COMPUTE_UNITS, CL_DEVICE_MAX_CONSTANT_ARGS,
        CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, CL_DEVICE_MAX_MEM_ALLOC_SIZE, CL_DEVICE_MAX_PARAMETER_SIZE,
        CL_DEVICE_MAX_READ_IMAGE_ARGS, CL_DEVICE_MAX_WRITE_IMAGE_ARGS, CL_DEVICE_MAX_SAMPLERS,
        CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, CL_DEVICE_MAX_WORK_GROUP_SIZE, CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR,
        CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE,
        CL_DEVICE_PROFILING_TIMER_RESOLUTION, CL_DEVICE_TYPE, CL_DEVICE_AVAILABLE, CL_DEVICE_COMPILER_AVAILABLE,
        CL_DEVICE_ENDIAN_LITTLE, CL_DEVICE_ERROR_CORRECTION_SUPPORT, CL_DEVICE_IMAGE_SUPPORT,
        CL_DEVICE_IMAGE2D_MAX_WIDTH, CL_DEVICE_IMAGE3D_MAX_DEPTH, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE,
        CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, CL_DEVICE_MAX_NUM_SUB_GROUPS, CL_DEVICE_HOST_UNIFIED_MEMORY,
    };
    static const cl_device_info strings[] = {
        CL_DEVICE_NAME, CL_DEVICE_OPENCL_C_VERSION, CL_DEVICE_VERSION, CL_DRIVER_VERSION, CL_DEVICE_VENDOR,
        CL_DEVICE_BUILT_IN_KERNELS, CL_DEVICE_EXTENSIONS, CL_DEVICE_PROFILE, CL_DEVICE_IL_VERSION,
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        cl_ulong value = 0;
        cl_int error = clGetDeviceInfo(device, numbers[i], sizeof value, &value, NULL);
        if (error != CL_SUCCESS)
            fprintf(stderr, "query 0x%x\n", numbers[i]);
        EQ(error, CL_SUCCESS);
    }
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        static char text[1 << 16];
        size_t size = 0;
        MUST(clGetDeviceInfo(device, strings[i], 0, NULL, &size));
        CHECK(size > 0 && size < sizeof text);
        MUST(clGetDeviceInfo(device, strings[i], sizeof text, text, NULL));
        EQ(strlen(text) + 1, size);
    }
    /* A query that no device answers is refused, and the server passes that on. */
    EQ(clGetDeviceInfo(device, 0xfffe, 0, NULL, NULL), CL_INVALID_VALUE);
}

enum kind { VALUE, POINTER, LOCAL, IMAGE, SAMPLER };

/* The kind of an argument, as a server works it out. */
static enum kind kind_of(cl_kernel kernel, cl_uint index)
{
    cl_kernel_arg_access_qualifier access = 0;
    cl_kernel_arg_address_qualifier address = 0;
    char type[64] = "";
    MUST(clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
    MUST(clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address, &address, NULL));
    MUST(clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL));
    if (address != CL_KERNEL_ARG_ADDRESS_PRIVATE && type[0] && type[strlen(type) - 1] == '*')
        return address == CL_KERNEL_ARG_ADDRESS_LOCAL ? LOCAL : POINTER;
    if (strstr(type, "sampler_t"))
        return SAMPLER;
    return access != CL_KERNEL_ARG_ACCESS_NONE ? IMAGE : VALUE;
}

/* Kinds of arguments of programs from source and from their binaries; all kernels of a program; one kernel for each device, with arguments of its own. */
static void arguments(void)
{
    static const enum kind want[] = {POINTER, POINTER, LOCAL, VALUE, VALUE};
    static unsigned char code[MOST][1 << 20];
    unsigned char *codes[MOST];
    const unsigned char *given[MOST];
    size_t sizes[MOST] = {0};
    cl_program program = built(source);
    cl_uint number = 0;
    cl_kernel all[3];
    MUST(clCreateKernelsInProgram(program, 0, NULL, &number));
    EQ(number, 3);
    MUST(clCreateKernelsInProgram(program, 3, all, NULL));
    for (int i = 0; i < 3; i++)
        MUST(clReleaseKernel(all[i]));
    MUST(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL));
    for (cl_uint i = 0; i < count; i++) {
        CHECK(sizes[i] > 0 && sizes[i] <= sizeof code[i]);
        given[i] = codes[i] = code[i];
    }
    MUST(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof codes, codes, NULL));
    cl_int states[MOST];
    cl_program again = MADE(clCreateProgramWithBinary, context, count, devices, sizes, given, states);
    MUST(clBuildProgram(again, count, devices, OPTIONS, NULL, NULL));
    cl_program programs[2] = {program, again};
    for (int p = 0; p < 2; p++) {
        cl_kernel kernel = kernel_of(programs[p], "kinds");
        char attributes[64] = "";
        size_t group[3] = {0};
        cl_uint arguments = 0;
        MUST(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, NULL));
        EQ(arguments, 5);
        for (cl_uint i = 0; i < 5; i++)
            EQ(kind_of(kernel, i), want[i]);
        MUST(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof attributes, attributes, NULL));
        CHECK(p == 1 || strstr(attributes, "reqd_work_group_size(4"));
        MUST(clGetKernelWorkGroupInfo(kernel, devices[0], CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof group, group,
                                      NULL));
        EQ(group[0] * 100 + group[1] * 10 + group[2], 421);
        MUST(clReleaseKernel(kernel));
        /* A kernel for each device; the last one's arguments are not the first one's. */
        cl_mem memory[MOST];
        cl_kernel kernels[MOST];
        for (cl_uint i = 0; i < count; i++) {
            cl_int factor = 1, add = 10 * (cl_int)i + p + 1;
            memory[i] = new_buffer();
            kernels[i] = kernel_of(programs[p], "step");
            MUST(clSetKernelArg(kernels[i], 0, sizeof memory[i], &memory[i]));
            MUST(clSetKernelArg(kernels[i], 1, sizeof factor, &factor));
            MUST(clSetKernelArg(kernels[i], 2, sizeof add, &add));
        }
        size_t global = N;
        cl_event done[MOST];
        for (cl_uint i = 0; i < count; i++)
            MUST(clEnqueueNDRangeKernel(queues[i], kernels[i], 1, NULL, &global, NULL, 0, NULL, &done[i]));
        for (cl_uint i = 0; i < count; i++) {
            cl_int got[N];
            EQ(polled(done[i]), CL_COMPLETE);
            MUST(clEnqueueReadBuffer(queues[i], memory[i], CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
            if (values_matter())
                EQ(got[N - 1], 10 * (cl_int)i + p + 1);
            MUST(clReleaseEvent(done[i]));
            MUST(clReleaseKernel(kernels[i]));
            MUST(clReleaseMemObject(memory[i]));
        }
        /* A client's NULL pointer is a buffer that is NULL. */
        cl_kernel optional = kernel_of(programs[p], "optional");
        cl_mem data = new_buffer(), none = NULL;
        cl_int got = 0;
        MUST(clSetKernelArg(optional, 0, sizeof data, &data));
        MUST(clSetKernelArg(optional, 1, sizeof none, &none));
        MUST(clEnqueueNDRangeKernel(queues[0], optional, 1, NULL, &global, NULL, 0, NULL, NULL));
        MUST(clEnqueueReadBuffer(queues[0], data, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
        if (values_matter())
            EQ(got, -1);
        MUST(clReleaseMemObject(data));
        MUST(clReleaseKernel(optional));
    }
    MUST(clReleaseProgram(again));
    MUST(clReleaseProgram(program));
}

/* Two sources compiled for all devices, and linked for those of the context. */
static void compile_and_link(void)
{
    static const char *const parts[2] = {
        "int half_of(int x) { return x / 2; }\n",
        "int half_of(int x);\nkernel void halve(global int *p) { p[get_global_id(0)] = half_of(84); }\n",
    };
    cl_program compiled[2];
    cl_int got = 0;
    for (int i = 0; i < 2; i++) {
        compiled[i] = MADE(clCreateProgramWithSource, context, 1, (const char **)&parts[i], NULL);
        MUST(clCompileProgram(compiled[i], count, devices, OPTIONS, 0, NULL, NULL, NULL, NULL));
    }
    cl_program linked = MADE(clLinkProgram, context, 0, NULL, "", 2, compiled, NULL, NULL);
    cl_kernel kernel = kernel_of(linked, "halve");
    cl_mem memory = new_buffer();
    size_t global = N;
    MUST(clSetKernelArg(kernel, 0, sizeof memory, &memory));
    MUST(clEnqueueNDRangeKernel(queues[count - 1], kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queues[count - 1], memory, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
    if (values_matter())
        EQ(got, 42);
    MUST(clReleaseMemObject(memory));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(linked));
    MUST(clReleaseProgram(compiled[0]));
    MUST(clReleaseProgram(compiled[1]));
}

/* The other server: it tells that its command has ended. */
static void *notify(void *event)
{
    MUST(clSetUserEventStatus((cl_event)event, CL_COMPLETE));
    return NULL;
}

static cl_event placeholder(void)
{
    cl_event event = MADE(clCreateUserEvent, context);
    EQ(status_of(event), CL_SUBMITTED);
    return event;
}

/* A chain over all devices behind a command that another server has not told of yet. */
static void placeholders(cl_program program)
{
    enum { STEPS = 12 };
    cl_mem memory = new_buffer();
    cl_kernel kernel = kernel_of(program, "step");
    cl_event there = placeholder(), chain[STEPS];
    size_t global = N;
    cl_int want = 0;
    MUST(clSetKernelArg(kernel, 0, sizeof memory, &memory));
    for (int i = 0; i < STEPS; i++) {
        cl_int factor = 3, add = i;
        want = want * factor + add;
        MUST(clSetKernelArg(kernel, 1, sizeof factor, &factor));
        MUST(clSetKernelArg(kernel, 2, sizeof add, &add));
        MUST(clEnqueueNDRangeKernel(queues[(cl_uint)i % count], kernel, 1, NULL, &global, NULL, 1,
                                    i ? &chain[i - 1] : &there, &chain[i]));
    }
    for (int i = 0; i < STEPS; i++)
        CHECK(status_of(chain[i]) > CL_COMPLETE);
    pthread_t other;
    pthread_create(&other, NULL, notify, there);
    /* Nobody flushes: asking alone lets the chain end, and asking again changes nothing. */
    EQ(polled(chain[STEPS - 1]), CL_COMPLETE);
    pthread_join(other, NULL);
    cl_int got[N];
    MUST(clEnqueueReadBuffer(queues[0], memory, CL_TRUE, 0, sizeof got, got, 1, &chain[STEPS - 1], NULL));
    if (values_matter())
        EQ(got[N - 1], want);
    for (int i = 0; i < STEPS; i++) {
        cl_ulong times[4] = {0};
        EQ(polled(chain[i]), CL_COMPLETE);
        MUST(clWaitForEvents(1, &chain[i]));
        for (cl_uint k = 0; k < 4; k++)
            MUST(clGetEventProfilingInfo(chain[i], CL_PROFILING_COMMAND_QUEUED + k, sizeof times[k], &times[k],
                                         NULL));
        CHECK(times[0] <= times[1] && times[1] <= times[2] && times[2] <= times[3]);
        MUST(clReleaseEvent(chain[i]));
    }
    /* The other way round: what has ended before it is waited for. */
    cl_event early = placeholder(), late;
    MUST(clSetUserEventStatus(early, CL_COMPLETE));
    EQ(status_of(early), CL_COMPLETE);
    EQ(clSetUserEventStatus(early, CL_COMPLETE), CL_INVALID_OPERATION);
    MUST(clEnqueueNDRangeKernel(queues[count - 1], kernel, 1, NULL, &global, NULL, 1, &early, &late));
    EQ(polled(late), CL_COMPLETE);
    /* A command of another server that failed ends what waits for it. */
    cl_event bad = placeholder(), lost, next;
    MUST(clEnqueueNDRangeKernel(queues[0], kernel, 1, NULL, &global, NULL, 1, &bad, &lost));
    MUST(clEnqueueNDRangeKernel(queues[count - 1], kernel, 1, NULL, &global, NULL, 1, &lost, &next));
    MUST(clSetUserEventStatus(bad, CL_DEVICE_NOT_AVAILABLE));
    CHECK(polled(lost) < 0);
    CHECK(polled(next) < 0);
    EQ(clWaitForEvents(1, &next), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_event events[] = {there, early, late, bad, lost, next};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        MUST(clReleaseEvent(events[i]));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseMemObject(memory));
}

/* Data from another machine: a blocking write that waits for another thread's event, a migration, a copy
 * on the next device, and a marker where the client's copy is empty. */
static void migrations(void)
{
    cl_mem memory = new_buffer(), copy = new_buffer();
    cl_int data[N], got[N];
    for (int i = 0; i < N; i++)
        data[i] = i * i;
    for (cl_uint turn = 0; turn < 2 * count; turn++) {
        cl_command_queue here = queues[turn % count], next = queues[(turn + 1) % count];
        cl_event sent = placeholder(), steps[6];
        cl_uint references = 0;
        data[0] = (cl_int)turn;
        pthread_t other;
        pthread_create(&other, NULL, notify, sent);
        MUST(clEnqueueWriteBuffer(here, memory, CL_TRUE, 0, sizeof data, data, 1, &sent, &steps[0]));
        pthread_join(other, NULL);
        MUST(clEnqueueMigrateMemObjects(next, 1, &memory, 0, 1, &steps[0], &steps[1]));
        MUST(clEnqueueCopyBuffer(next, memory, copy, 0, 0, sizeof data, 1, &steps[1], &steps[2]));
        MUST(clEnqueueMigrateMemObjects(here, 1, &copy, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL,
                                        NULL));
        MUST(clEnqueueMigrateMemObjects(here, 1, &memory, CL_MIGRATE_MEM_OBJECT_HOST, 1, &steps[2], &steps[3]));
        MUST(clEnqueueMarkerWithWaitList(next, 1, &steps[3], &steps[4]));
        EQ(polled(steps[4]), CL_COMPLETE);
        MUST(clEnqueueReadBuffer(next, memory, CL_FALSE, 0, sizeof got, got, 1, &steps[4], &steps[5]));
        EQ(polled(steps[5]), CL_COMPLETE);
        if (values_matter())
            EQ(memcmp(got, data, sizeof got), 0);
        for (int i = 0; i < 6; i++)
            MUST(clReleaseEvent(steps[i]));
        MUST(clReleaseEvent(sent));
        for (cl_uint i = 0; i < count; i++)
            MUST(clFinish(queues[i]));
        MUST(clGetMemObjectInfo(memory, CL_MEM_REFERENCE_COUNT, sizeof references, &references, NULL));
        EQ(references, 1);
    }
    cl_mem none = NULL;
    EQ(clEnqueueMigrateMemObjects(queues[0], 0, &memory, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueMigrateMemObjects(queues[0], 1, &none, 0, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    EQ(clEnqueueMigrateMemObjects(queues[0], 1, &memory, 1 << 9, 0, NULL, NULL), CL_INVALID_VALUE);
    MUST(clReleaseMemObject(memory));
    MUST(clReleaseMemObject(copy));
}

/* Images of a client: without data, filled by rectangles, migrated, and their kinds as arguments. */
static void images(void)
{
    cl_bool all = CL_TRUE;
    for (cl_uint i = 0; i < count; i++) {
        cl_bool has = CL_FALSE;
        MUST(clGetDeviceInfo(devices[i], CL_DEVICE_IMAGE_SUPPORT, sizeof has, &has, NULL));
        all = all && has;
    }
    if (!all)
        return;
    cl_program program = built(image_source);
    cl_kernel kernel = kernel_of(program, "pixels");
    static const enum kind want[] = {IMAGE, IMAGE, SAMPLER};
    for (cl_uint i = 0; i < 3; i++)
        EQ(kind_of(kernel, i), want[i]);
    cl_image_format format = {CL_RGBA, CL_SIGNED_INT32};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
    cl_mem from = MADE(clCreateImage, context, CL_MEM_READ_WRITE, &format, &desc, NULL);
    cl_mem to = MADE(clCreateImage, context, CL_MEM_READ_WRITE, &format, &desc, NULL);
    cl_sampler sampler = MADE(clCreateSampler, context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST);
    cl_int color[4] = {40, 41, 42, 43}, got[16 * 16 * 4] = {0};
    size_t origin[3] = {0}, region[3] = {16, 16, 1}, global[2] = {16, 16};
    cl_event steps[4];
    MUST(clEnqueueFillImage(queues[0], from, color, origin, region, 0, NULL, &steps[0]));
    MUST(clEnqueueMigrateMemObjects(queues[count - 1], 1, &from, 0, 1, &steps[0], &steps[1]));
    MUST(clSetKernelArg(kernel, 0, sizeof from, &from));
    MUST(clSetKernelArg(kernel, 1, sizeof to, &to));
    MUST(clSetKernelArg(kernel, 2, sizeof sampler, &sampler));
    MUST(clEnqueueNDRangeKernel(queues[count - 1], kernel, 2, NULL, global, NULL, 1, &steps[1], &steps[2]));
    MUST(clEnqueueReadImage(queues[0], to, CL_FALSE, origin, region, 0, 0, got, 1, &steps[2], &steps[3]));
    EQ(polled(steps[3]), CL_COMPLETE);
    for (int i = 0; i < 16 * 16 * 4 && values_matter(); i++)
        EQ(got[i], color[i % 4] + 1);
    for (int i = 0; i < 4; i++)
        MUST(clReleaseEvent(steps[i]));
    MUST(clReleaseSampler(sampler));
    MUST(clReleaseMemObject(from));
    MUST(clReleaseMemObject(to));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
}

int main(void)
{
    cl_platform_id platform = pumice_platform();
    MUST(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MOST, devices, &count));
    count = count < MOST ? count : MOST;
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    context = MADE(clCreateContext, properties, count, devices, NULL, NULL);
    for (cl_uint i = 0; i < count; i++) {
        queues[i] = MADE(clCreateCommandQueue, context, devices[i], CL_QUEUE_PROFILING_ENABLE);
        describe(devices[i]);
    }
    arguments();
    compile_and_link();
    cl_program program = built(source);
    placeholders(program);
    MUST(clReleaseProgram(program));
    migrations();
    images();
    for (cl_uint i = 0; i < count; i++)
        MUST(clReleaseCommandQueue(queues[i]));
    release_last(context);
    return finish();
}
