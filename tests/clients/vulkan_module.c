/* A Vulkan SPIR-V module with NonSemantic.ClspvReflection that this driver's compiler did not make,
 * given to clCreateProgramWithBinary and dispatched from its reflection alone: storage buffer,
 * POD in push constants, local array by specialization constant, region offset. Then the same
 * words damaged, truncated and stripped.
 *
 * The words are those of vulkan_module.spvasm, assembled by spirv-as. */
#include "common.h"

static const cl_uint module[] = {
    0x07230203, 0x00010300, 0x00070000, 0x00000058, 0x00000000, 0x00020011, 0x00000001, 0x000b000a,
    0x5f565053, 0x5f52484b, 0x726f7473, 0x5f656761, 0x66667562, 0x735f7265, 0x61726f74, 0x635f6567,
    0x7373616c, 0x00000000, 0x0008000a, 0x5f565053, 0x5f52484b, 0x5f6e6f6e, 0x616d6573, 0x6369746e,
    0x666e695f, 0x0000006f, 0x000a000b, 0x00000001, 0x536e6f4e, 0x6e616d65, 0x2e636974, 0x70736c43,
    0x66655276, 0x7463656c, 0x2e6e6f69, 0x00000035, 0x0003000e, 0x00000000, 0x00000001, 0x0007000f,
    0x00000005, 0x00000002, 0x6c616373, 0x00000065, 0x00000003, 0x00000004, 0x0007000f, 0x00000005,
    0x00000005, 0x65766572, 0x00657372, 0x00000003, 0x00000004, 0x00040007, 0x00000006, 0x6c616373,
    0x00000065, 0x00040007, 0x00000007, 0x65766572, 0x00657372, 0x00030007, 0x00000008, 0x00000000,
    0x00040007, 0x00000009, 0x61746164, 0x00000000, 0x00040007, 0x0000000a, 0x74636166, 0x0000726f,
    0x00030007, 0x0000000b, 0x00706d74, 0x00040007, 0x0000000c, 0x746e6975, 0x0000002a, 0x00040007,
    0x0000000d, 0x746e6975, 0x00000000, 0x00040047, 0x00000003, 0x0000000b, 0x0000001a, 0x00040047,
    0x00000004, 0x0000000b, 0x0000001b, 0x00040047, 0x0000000e, 0x0000000b, 0x00000019, 0x00040047,
    0x0000000f, 0x00000001, 0x00000000, 0x00040047, 0x00000010, 0x00000001, 0x00000001, 0x00040047,
    0x00000011, 0x00000001, 0x00000002, 0x00040047, 0x00000012, 0x00000001, 0x00000003, 0x00040047,
    0x00000013, 0x00000006, 0x00000004, 0x00050048, 0x00000014, 0x00000000, 0x00000023, 0x00000000,
    0x00030047, 0x00000014, 0x00000002, 0x00040047, 0x00000015, 0x00000022, 0x00000000, 0x00040047,
    0x00000015, 0x00000021, 0x00000000, 0x00050048, 0x00000016, 0x00000000, 0x00000023, 0x00000000,
    0x00050048, 0x00000016, 0x00000001, 0x00000023, 0x00000010, 0x00030047, 0x00000016, 0x00000002,
    0x00020013, 0x00000017, 0x00040015, 0x00000018, 0x00000020, 0x00000000, 0x00040017, 0x00000019,
    0x00000018, 0x00000003, 0x00030021, 0x0000001a, 0x00000017, 0x0004002b, 0x00000018, 0x0000001b,
    0x00000000, 0x0004002b, 0x00000018, 0x0000001c, 0x00000001, 0x0004002b, 0x00000018, 0x0000001d,
    0x00000002, 0x0004002b, 0x00000018, 0x0000001e, 0x00000003, 0x0004002b, 0x00000018, 0x0000001f,
    0x00000004, 0x0004002b, 0x00000018, 0x00000020, 0x0000000c, 0x0004002b, 0x00000018, 0x00000021,
    0x00000010, 0x0004002b, 0x00000018, 0x00000022, 0x00000108, 0x00040032, 0x00000018, 0x0000000f,
    0x00000001, 0x00040032, 0x00000018, 0x00000010, 0x00000001, 0x00040032, 0x00000018, 0x00000011,
    0x00000001, 0x00060033, 0x00000019, 0x0000000e, 0x0000000f, 0x00000010, 0x00000011, 0x00040032,
    0x00000018, 0x00000012, 0x00000001, 0x0003001d, 0x00000013, 0x00000018, 0x0003001e, 0x00000014,
    0x00000013, 0x00040020, 0x00000023, 0x0000000c, 0x00000014, 0x00040020, 0x00000024, 0x0000000c,
    0x00000018, 0x0004003b, 0x00000023, 0x00000015, 0x0000000c, 0x0004001e, 0x00000016, 0x00000019,
    0x00000018, 0x00040020, 0x00000025, 0x00000009, 0x00000016, 0x00040020, 0x00000026, 0x00000009,
    0x00000018, 0x0004003b, 0x00000025, 0x00000027, 0x00000009, 0x00040020, 0x00000028, 0x00000001,
    0x00000019, 0x0004003b, 0x00000028, 0x00000003, 0x00000001, 0x0004003b, 0x00000028, 0x00000004,
    0x00000001, 0x0004001c, 0x00000029, 0x00000018, 0x00000012, 0x00040020, 0x0000002a, 0x00000004,
    0x00000029, 0x00040020, 0x0000002b, 0x00000004, 0x00000018, 0x0004003b, 0x0000002a, 0x0000002c,
    0x00000004, 0x00050036, 0x00000017, 0x00000002, 0x00000000, 0x0000001a, 0x000200f8, 0x0000002d,
    0x0004003d, 0x00000019, 0x0000002e, 0x00000003, 0x0004003d, 0x00000019, 0x0000002f, 0x00000004,
    0x00050051, 0x00000018, 0x00000030, 0x0000002e, 0x00000000, 0x00050051, 0x00000018, 0x00000031,
    0x0000002f, 0x00000000, 0x00050084, 0x00000018, 0x00000032, 0x00000030, 0x0000000f, 0x00050080,
    0x00000018, 0x00000033, 0x00000032, 0x00000031, 0x00060041, 0x00000026, 0x00000034, 0x00000027,
    0x0000001b, 0x0000001b, 0x0004003d, 0x00000018, 0x00000035, 0x00000034, 0x00050080, 0x00000018,
    0x00000036, 0x00000033, 0x00000035, 0x00050041, 0x00000026, 0x00000037, 0x00000027, 0x0000001c,
    0x0004003d, 0x00000018, 0x00000038, 0x00000037, 0x00060041, 0x00000024, 0x00000039, 0x00000015,
    0x0000001b, 0x00000036, 0x0004003d, 0x00000018, 0x0000003a, 0x00000039, 0x00050084, 0x00000018,
    0x0000003b, 0x0000003a, 0x00000038, 0x0003003e, 0x00000039, 0x0000003b, 0x000100fd, 0x00010038,
    0x00050036, 0x00000017, 0x00000005, 0x00000000, 0x0000001a, 0x000200f8, 0x0000003c, 0x0004003d,
    0x00000019, 0x0000003d, 0x00000003, 0x0004003d, 0x00000019, 0x0000003e, 0x00000004, 0x00050051,
    0x00000018, 0x0000003f, 0x0000003d, 0x00000000, 0x00050051, 0x00000018, 0x00000040, 0x0000003e,
    0x00000000, 0x00050084, 0x00000018, 0x00000041, 0x0000003f, 0x0000000f, 0x00060041, 0x00000026,
    0x00000042, 0x00000027, 0x0000001b, 0x0000001b, 0x0004003d, 0x00000018, 0x00000043, 0x00000042,
    0x00050080, 0x00000018, 0x00000044, 0x00000041, 0x00000043, 0x00050080, 0x00000018, 0x00000045,
    0x00000044, 0x00000040, 0x00060041, 0x00000024, 0x00000046, 0x00000015, 0x0000001b, 0x00000045,
    0x0004003d, 0x00000018, 0x00000047, 0x00000046, 0x00050041, 0x0000002b, 0x00000048, 0x0000002c,
    0x00000040, 0x0003003e, 0x00000048, 0x00000047, 0x000400e0, 0x0000001d, 0x0000001d, 0x00000022,
    0x00050082, 0x00000018, 0x00000049, 0x0000000f, 0x0000001c, 0x00050082, 0x00000018, 0x0000004a,
    0x00000049, 0x00000040, 0x00050041, 0x0000002b, 0x0000004b, 0x0000002c, 0x0000004a, 0x0004003d,
    0x00000018, 0x0000004c, 0x0000004b, 0x0003003e, 0x00000046, 0x0000004c, 0x000100fd, 0x00010038,
    0x000a000c, 0x00000017, 0x0000004d, 0x00000001, 0x00000001, 0x00000002, 0x00000006, 0x0000001d,
    0x0000001b, 0x00000008, 0x0007000c, 0x00000017, 0x0000004e, 0x00000001, 0x00000002, 0x00000009,
    0x0000000c, 0x0007000c, 0x00000017, 0x0000004f, 0x00000001, 0x00000002, 0x0000000a, 0x0000000d,
    0x000a000c, 0x00000017, 0x00000050, 0x00000001, 0x00000003, 0x0000004d, 0x0000001b, 0x0000001b,
    0x0000001b, 0x0000004e, 0x000a000c, 0x00000017, 0x00000051, 0x00000001, 0x00000007, 0x0000004d,
    0x0000001c, 0x00000021, 0x0000001f, 0x0000004f, 0x000a000c, 0x00000017, 0x00000052, 0x00000001,
    0x00000001, 0x00000005, 0x00000007, 0x0000001d, 0x0000001b, 0x00000008, 0x0006000c, 0x00000017,
    0x00000053, 0x00000001, 0x00000002, 0x0000000b, 0x0009000c, 0x00000017, 0x00000054, 0x00000001,
    0x00000003, 0x00000052, 0x0000001b, 0x0000001b, 0x0000001b, 0x000a000c, 0x00000017, 0x00000055,
    0x00000001, 0x0000000b, 0x00000052, 0x0000001c, 0x0000001e, 0x0000001f, 0x00000053, 0x0008000c,
    0x00000017, 0x00000056, 0x00000001, 0x0000000c, 0x0000001b, 0x0000001c, 0x0000001d, 0x0007000c,
    0x00000017, 0x00000057, 0x00000001, 0x00000012, 0x0000001b, 0x00000020,
};

enum { N = 1000 };

static cl_program load(cl_context context, cl_device_id device, const void *bytes, size_t size,
                       cl_int *error)
{
    const unsigned char *binary = bytes;
    cl_int status = 0;
    cl_program program =
        clCreateProgramWithBinary(context, 1, &device, &size, &binary, &status, error);
    EQ(status, *error == CL_INVALID_VALUE ? CL_INVALID_VALUE : *error);
    return program;
}

int main(void)
{
    cl_int error = 0;
    cl_device_id device = pumice_device();
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    cl_program program = MADE(load, context, device, module, sizeof module);
    MUST(clBuildProgram(program, 1, &device, NULL, NULL, NULL));
    char names[64] = "";
    MUST(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
    CHECK(strcmp(names, "scale;reverse") == 0 || strcmp(names, "reverse;scale") == 0);

    cl_uint data[N], got[N];
    for (cl_uint i = 0; i < N; i++)
        data[i] = i + 1;
    cl_mem buffer = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof data, data);

    cl_kernel scale = MADE(clCreateKernel, program, "scale");
    cl_uint count = 0, factor = 3;
    MUST(clGetKernelInfo(scale, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL));
    EQ(count, 2);
    char text[32] = "";
    MUST(clGetKernelArgInfo(scale, 1, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
    CHECK(strcmp(text, "factor") == 0);
    MUST(clGetKernelArgInfo(scale, 1, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
    CHECK(strcmp(text, "uint") == 0);
    cl_kernel_arg_address_qualifier where = 0;
    EQ(clGetKernelArgInfo(scale, 1, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof where, &where, NULL),
       CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    MUST(clSetKernelArg(scale, 0, sizeof buffer, &buffer));
    EQ(clSetKernelArg(scale, 1, 8, data), CL_INVALID_ARG_SIZE);
    MUST(clSetKernelArg(scale, 1, sizeof factor, &factor));
    /* 1000 items in groups of 64: a last group of 40. */
    size_t global = N, local = 64, offset = 0;
    MUST(clEnqueueNDRangeKernel(queue, scale, 1, NULL, &global, &local, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (cl_uint i = 0; i < N; i++)
        if (got[i] != (i + 1) * 3) {
            fprintf(stderr, "item %u: %u\n", i, got[i]);
            failures++;
            break;
        }
    /* With an offset, and without a local size. */
    global = 100, offset = 900;
    MUST(clEnqueueNDRangeKernel(queue, scale, 1, &offset, &global, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    EQ(got[899], 900 * 3);
    EQ(got[900], 901 * 9);
    EQ(got[999], 1000 * 9);

    /* A sub-buffer is bound from its origin. */
    cl_buffer_region region = {512, 256};
    cl_mem part = MADE(clCreateSubBuffer, buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region);
    MUST(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    cl_kernel reverse = MADE(clCreateKernel, program, "reverse");
    MUST(clSetKernelArg(reverse, 0, sizeof part, &part));
    MUST(clSetKernelArg(reverse, 1, 32 * 4, NULL));
    global = 64, local = 32;
    MUST(clEnqueueNDRangeKernel(queue, reverse, 1, NULL, &global, &local, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (cl_uint i = 0; i < N; i++) {
        cl_uint in = i - 128, want = i + 1;
        if (i >= 128 && in < 64)
            want = 128 + in / 32 * 32 + 31 - in % 32 + 1;
        if (got[i] != want) {
            fprintf(stderr, "reverse, item %u: %u, not %u\n", i, got[i], want);
            failures++;
            break;
        }
    }
    MUST(clReleaseMemObject(part));
    MUST(clReleaseKernel(reverse));
    MUST(clReleaseKernel(scale));
    MUST(clReleaseProgram(program));

    /* Truncated at every length: an error, or a program whose build says what is wrong. */
    for (size_t words = 0; words < sizeof module / 4; words += 3) {
        cl_program broken = load(context, device, module, words * 4, &error);
        if (broken) {
            error = clBuildProgram(broken, 0, NULL, NULL, NULL, NULL);
            CHECK(error == CL_SUCCESS || error == CL_BUILD_PROGRAM_FAILURE);
            MUST(clReleaseProgram(broken));
        } else {
            CHECK(error == CL_INVALID_BINARY || (words == 0 && error == CL_INVALID_VALUE));
        }
    }
    /* Not SPIR-V for Vulkan with reflection: only the header. */
    CHECK(!load(context, device, module, 20, &error));
    EQ(error, CL_INVALID_BINARY);

    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
