/* Initializers and finalizers (SPIR-V's execution modes, what C++ for OpenCL makes of global objects
 * with constructors): they run once per program and device, before the first kernel on any queue and
 * when the program goes, whatever way the program came.
 *
 * The words are those of initializers.spvasm and initializers_other.spvasm, assembled by spirv-as. */
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "common.h"

static const cl_uint il[] = {
    0x07230203, 0x00010200, 0x00070000, 0x0000002b, 0x00000000, 0x00020011, 0x00000004, 0x00020011,
    0x00000005, 0x00020011, 0x00000006, 0x00020011, 0x0000000b, 0x0003000e, 0x00000002, 0x00000002,
    0x0008000f, 0x00000006, 0x00000001, 0x4f4c475f, 0x5f4c4142, 0x6275735f, 0x615f495f, 0x006c632e,
    0x0005000f, 0x00000006, 0x00000002, 0x64616572, 0x00000000, 0x0005000f, 0x00000006, 0x00000003,
    0x6f636573, 0x0000646e, 0x0005000f, 0x00000006, 0x00000004, 0x7473616c, 0x00000000, 0x0005000f,
    0x00000006, 0x00000005, 0x7065656b, 0x00000000, 0x00030010, 0x00000001, 0x00000021, 0x00030010,
    0x00000003, 0x00000021, 0x00030010, 0x00000004, 0x00000022, 0x00040047, 0x00000006, 0x0000002c,
    0x00000004, 0x00040047, 0x00000007, 0x0000002c, 0x00000008, 0x00040047, 0x00000008, 0x0000002c,
    0x00000008, 0x00020013, 0x00000009, 0x00020014, 0x0000000a, 0x00040015, 0x0000000b, 0x00000020,
    0x00000000, 0x00040015, 0x0000000c, 0x00000040, 0x00000000, 0x00040020, 0x0000000d, 0x00000005,
    0x0000000b, 0x00040020, 0x0000000e, 0x00000005, 0x0000000d, 0x0004002b, 0x0000000b, 0x0000000f,
    0x00000001, 0x0004002b, 0x0000000b, 0x00000010, 0x00000002, 0x0004002b, 0x0000000b, 0x00000011,
    0x00000064, 0x0005002b, 0x0000000c, 0x00000012, 0x00000000, 0x00000000, 0x0003002e, 0x0000000d,
    0x00000013, 0x0005003b, 0x0000000d, 0x00000006, 0x00000005, 0x00000011, 0x0005003b, 0x0000000e,
    0x00000007, 0x00000005, 0x00000006, 0x0005003b, 0x0000000e, 0x00000008, 0x00000005, 0x00000013,
    0x00030021, 0x00000014, 0x00000009, 0x00040021, 0x00000015, 0x00000009, 0x0000000d, 0x00050036,
    0x00000009, 0x00000001, 0x00000000, 0x00000014, 0x000200f8, 0x00000016, 0x0006003d, 0x0000000d,
    0x00000017, 0x00000007, 0x00000002, 0x00000008, 0x0006003d, 0x0000000b, 0x00000018, 0x00000017,
    0x00000002, 0x00000004, 0x00050080, 0x0000000b, 0x00000019, 0x00000018, 0x0000000f, 0x0005003e,
    0x00000017, 0x00000019, 0x00000002, 0x00000004, 0x000100fd, 0x00010038, 0x00050036, 0x00000009,
    0x00000003, 0x00000000, 0x00000014, 0x000200f8, 0x0000001a, 0x0006003d, 0x0000000b, 0x0000001b,
    0x00000006, 0x00000002, 0x00000004, 0x00050084, 0x0000000b, 0x0000001c, 0x0000001b, 0x00000010,
    0x0005003e, 0x00000006, 0x0000001c, 0x00000002, 0x00000004, 0x000100fd, 0x00010038, 0x00050036,
    0x00000009, 0x00000002, 0x00000000, 0x00000015, 0x00030037, 0x0000000d, 0x0000001d, 0x000200f8,
    0x0000001e, 0x0006003d, 0x0000000b, 0x0000001f, 0x00000006, 0x00000002, 0x00000004, 0x0005003e,
    0x0000001d, 0x0000001f, 0x00000002, 0x00000004, 0x000100fd, 0x00010038, 0x00050036, 0x00000009,
    0x00000005, 0x00000000, 0x00000015, 0x00030037, 0x0000000d, 0x00000020, 0x000200f8, 0x00000021,
    0x0005003e, 0x00000008, 0x00000020, 0x00000002, 0x00000008, 0x0006003d, 0x0000000b, 0x00000022,
    0x00000006, 0x00000002, 0x00000004, 0x00050080, 0x0000000b, 0x00000023, 0x00000022, 0x0000000f,
    0x0005003e, 0x00000006, 0x00000023, 0x00000002, 0x00000004, 0x000100fd, 0x00010038, 0x00050036,
    0x00000009, 0x00000004, 0x00000000, 0x00000014, 0x000200f8, 0x00000024, 0x0006003d, 0x0000000d,
    0x00000025, 0x00000008, 0x00000002, 0x00000008, 0x00040075, 0x0000000c, 0x00000026, 0x00000025,
    0x000500ab, 0x0000000a, 0x00000027, 0x00000026, 0x00000012, 0x000300f7, 0x00000028, 0x00000000,
    0x000400fa, 0x00000027, 0x00000029, 0x00000028, 0x000200f8, 0x00000029, 0x0006003d, 0x0000000b,
    0x0000002a, 0x00000006, 0x00000002, 0x00000004, 0x0005003e, 0x00000025, 0x0000002a, 0x00000002,
    0x00000004, 0x000200f9, 0x00000028, 0x000200f8, 0x00000028, 0x000100fd, 0x00010038,
};

static const cl_uint other_il[] = {
    0x07230203, 0x00010200, 0x00070000, 0x00000011, 0x00000000, 0x00020011, 0x00000004, 0x00020011,
    0x00000005, 0x00020011, 0x00000006, 0x0003000e, 0x00000002, 0x00000002, 0x0008000f, 0x00000006,
    0x00000001, 0x4f4c475f, 0x5f4c4142, 0x6275735f, 0x615f495f, 0x006c632e, 0x0005000f, 0x00000006,
    0x00000002, 0x6568746f, 0x00000072, 0x00030010, 0x00000001, 0x00000021, 0x00040047, 0x00000003,
    0x0000002c, 0x00000004, 0x00020013, 0x00000004, 0x00040015, 0x00000005, 0x00000020, 0x00000000,
    0x00040020, 0x00000006, 0x00000005, 0x00000005, 0x0004002b, 0x00000005, 0x00000007, 0x00000007,
    0x0003002e, 0x00000005, 0x00000008, 0x0005003b, 0x00000006, 0x00000003, 0x00000005, 0x00000008,
    0x00030021, 0x00000009, 0x00000004, 0x00040021, 0x0000000a, 0x00000004, 0x00000006, 0x00050036,
    0x00000004, 0x00000001, 0x00000000, 0x00000009, 0x000200f8, 0x0000000b, 0x0006003d, 0x00000005,
    0x0000000c, 0x00000003, 0x00000002, 0x00000004, 0x00050080, 0x00000005, 0x0000000d, 0x0000000c,
    0x00000007, 0x0005003e, 0x00000003, 0x0000000d, 0x00000002, 0x00000004, 0x000100fd, 0x00010038,
    0x00050036, 0x00000004, 0x00000002, 0x00000000, 0x0000000a, 0x00030037, 0x00000006, 0x0000000e,
    0x000200f8, 0x0000000f, 0x0006003d, 0x00000005, 0x00000010, 0x00000003, 0x00000002, 0x00000004,
    0x0005003e, 0x0000000e, 0x00000010, 0x00000002, 0x00000004, 0x000100fd, 0x00010038,
};

static cl_context context;
static cl_device_id device;
static cl_command_queue queue, second_queue;
static cl_mem buffer;

static cl_uint value_of(cl_mem mem)
{
    cl_uint value = 0;
    MUST(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    return value;
}

/* Enqueues a kernel with one argument as one work-item. */
static void run(cl_program program, const char *name, cl_command_queue on, cl_mem arg,
                cl_event *wait)
{
    cl_kernel kernel = MADE(clCreateKernel, program, name);
    MUST(clSetKernelArg(kernel, 0, sizeof arg, &arg));
    size_t one = 1;
    MUST(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &one, NULL, wait != NULL, wait, NULL));
    MUST(clReleaseKernel(kernel));
}

/* Returns the result of a kernel of the program. */
static cl_uint result(cl_program program, const char *name)
{
    run(program, name, queue, buffer, NULL);
    return value_of(buffer);
}

static cl_program from_il(const cl_uint *words, size_t size)
{
    return MADE(clCreateProgramWithIL, context, words, size);
}

static cl_program built(void)
{
    cl_program program = from_il(il, sizeof il);
    MUST(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    return program;
}

static int gone[3], count;
static void CL_CALLBACK on_release(cl_program program, void *data)
{
    (void)program;
    gone[count++] = *(int *)data;
}

static void queries(void)
{
    cl_program program = from_il(il, sizeof il);
    cl_bool is = CL_FALSE;
    EQ(clGetProgramInfo(program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, sizeof is, &is, NULL),
       CL_INVALID_PROGRAM_EXECUTABLE);
    MUST(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    MUST(clGetProgramInfo(program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, sizeof is, &is, NULL));
    EQ(is, CL_TRUE);
    is = CL_FALSE;
    MUST(clGetProgramInfo(program, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, sizeof is, &is, NULL));
    EQ(is, CL_TRUE);
    size_t kernels = 0;
    MUST(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL));
    EQ(kernels, 2);
    char names[64] = "";
    MUST(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
    CHECK(strcmp(names, "read;keep") == 0);
    cl_int error = 0;
    CHECK(!clCreateKernel(program, "second", &error));
    EQ(error, CL_INVALID_KERNEL_NAME);
    cl_uint created = 0;
    cl_kernel all[2];
    MUST(clCreateKernelsInProgram(program, 2, all, &created));
    EQ(created, 2);
    MUST(clReleaseKernel(all[0]));
    MUST(clReleaseKernel(all[1]));

    int first = 1, second = 2;
    EQ(clSetProgramReleaseCallback(program, NULL, NULL), CL_INVALID_VALUE);
    MUST(clSetProgramReleaseCallback(program, on_release, &first));
    MUST(clSetProgramReleaseCallback(program, on_release, &second));
    EQ(count, 0);
    MUST(clReleaseProgram(program));
    EQ(count, 2);
    EQ(gone[0], 2);
    EQ(gone[1], 1);

    /* A program without either says so. */
    const char *source = "kernel void k(global int *p) { *p = 1; }";
    program = PROGRAM(context, source, NULL);
    MUST(clGetProgramInfo(program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, sizeof is, &is, NULL));
    EQ(is, CL_FALSE);
    MUST(clGetProgramInfo(program, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, sizeof is, &is, NULL));
    EQ(is, CL_FALSE);
    EQ(clSetProgramReleaseCallback(program, on_release, &first), CL_INVALID_OPERATION);
    MUST(clReleaseProgram(program));
}

/* (100 + 1) * 2, whichever queue is first, and never again. */
static void once_before_all(void)
{
    cl_mem held = MADE(clCreateBuffer, context, 0, sizeof(cl_uint), NULL);
    for (int round = 0; round < 20; round++) {
        cl_program program = built();
        cl_event gate = MADE(clCreateUserEvent, context);
        /* The first kernel cannot begin before the second has ended. */
        run(program, "read", queue, held, &gate);
        MUST(clFlush(queue));
        run(program, "read", second_queue, buffer, NULL);
        MUST(clFinish(second_queue));
        MUST(clSetUserEventStatus(gate, CL_COMPLETE));
        EQ(value_of(held), 202);
        EQ(value_of(buffer), 202);
        /* Both at once, and again. */
        run(program, "read", second_queue, held, NULL);
        run(program, "read", queue, buffer, NULL);
        MUST(clFinish(second_queue));
        EQ(value_of(held), 202);
        EQ(value_of(buffer), 202);
        MUST(clReleaseEvent(gate));
        MUST(clReleaseProgram(program));
    }
    MUST(clReleaseMemObject(held));
}

/* The finalizer writes where the kernel `keep` told it to. */
static void when_the_program_goes(void)
{
    cl_mem place = MADE(clCreateBuffer, context, 0, sizeof(cl_uint), NULL);
    cl_program program = built();
    cl_uint zero = 0;
    MUST(clEnqueueWriteBuffer(queue, place, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL));
    run(program, "keep", second_queue, place, NULL);
    MUST(clFinish(second_queue));
    EQ(value_of(place), 0);
    /* A build of the program goes with the next one, whose variables are new. */
    MUST(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    EQ(value_of(place), 203);
    EQ(result(program, "read"), 202);
    run(program, "keep", queue, place, NULL);
    run(program, "keep", queue, place, NULL);
    /* Released before its commands have ended: the finalizer runs after them. */
    MUST(clReleaseProgram(program));
    MUST(clFinish(queue));
    for (int i = 0; i < 3000 && value_of(place) != 204; i++) {
        struct timespec t = {0, 1000000};
        nanosleep(&t, NULL);
    }
    EQ(value_of(place), 204);
    /* No kernel ran: nothing to take down. */
    MUST(clReleaseProgram(built()));
    EQ(value_of(place), 204);
    MUST(clReleaseMemObject(place));
}

static void through_a_binary(void)
{
    cl_program program = built();
    size_t size = 0;
    MUST(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *binary = malloc(size);
    CHECK(binary);
    MUST(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    MUST(clReleaseProgram(program));
    cl_int status = 0;
    program = MADE(clCreateProgramWithBinary, context, 1, &device, &size, (const unsigned char **)&binary, &status);
    MUST(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    EQ(result(program, "read"), 202);
    MUST(clReleaseProgram(program));
    free(binary);
}

static void linked(void)
{
    cl_program parts[] = {from_il(il, sizeof il), from_il(other_il, sizeof other_il)};
    for (int i = 0; i < 2; i++)
        MUST(clCompileProgram(parts[i], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    cl_program program = MADE(clLinkProgram, context, 0, NULL, NULL, 2, parts, NULL, NULL);
    EQ(result(program, "other"), 7);
    EQ(result(program, "read"), 202);
    MUST(clReleaseProgram(program));
    MUST(clReleaseProgram(parts[0]));
    MUST(clReleaseProgram(parts[1]));
}

static void without_addresses(void)
{
    cl_program program = from_il(other_il, sizeof other_il);
    MUST(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    for (int round = 0; round < 3; round++)
        EQ(result(program, "other"), 7);
    MUST(clReleaseProgram(program));
}

/* An initializer with parameters: the mode of `second` (33) moved to `read`. */
static void refused(void)
{
    static cl_uint bad[sizeof il / 4];
    memcpy(bad, il, sizeof il);
    cl_uint read = 0;
    for (size_t at = 5; at < sizeof il / 4; at += bad[at] >> 16) {
        if ((bad[at] & 0xffff) == 15 && memcmp(&bad[at + 3], "read", 5) == 0)
            read = bad[at + 2];
        if ((bad[at] & 0xffff) == 16 && bad[at + 2] == 33)
            bad[at + 1] = read;
    }
    cl_program program = from_il(bad, sizeof bad);
    EQ(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    char log[400] = "";
    MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    CHECK(strstr(log, "kernel read has execution mode Initializer and parameters"));
    MUST(clReleaseProgram(program));
}

int main(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    cl_queue_properties out_of_order[] = {CL_QUEUE_PROPERTIES,
                                          CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    second_queue = MADE(clCreateCommandQueueWithProperties, context, device, out_of_order);
    buffer = MADE(clCreateBuffer, context, 0, sizeof(cl_uint), NULL);

    refused();
    cl_device_svm_capabilities svm = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
    if (svm) {
        queries();
        once_before_all();
        when_the_program_goes();
        through_a_binary();
        linked();
    } else {
        /* Program scope holds pointers in the other module, which takes device addresses. */
        without_addresses();
    }

    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseCommandQueue(queue));
    MUST(clReleaseCommandQueue(second_queue));
    release_last(context);
    return finish();
}
