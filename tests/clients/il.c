/* clCreateProgramWithIL: a module that clang and llvm-spirv made of
 *
 *     typedef struct { int a; float b; } S;
 *     kernel void f(global int *p, S s, local int *l, constant float *c)
 *     {
 *         size_t i = get_global_id(0);
 *         l[get_local_id(0)] = s.a;
 *         barrier(CLK_LOCAL_MEM_FENCE);
 *         p[i] = l[get_local_id(0)] + (int)(s.b * c[0]) + (int)i;
 *     }
 *
 * (clang-15 -cl-std=CL3.0 --target=spir64 -O1), and a hand-written one that stores its
 * specialization constant of SpecId 5. */
#include "common.h"

static const cl_uint from_clang[] = {
    0x07230203, 0x00010000, 0x0006000e, 0x00000035, 0x00000000, 0x00020011, 0x00000004, 0x00020011,
    0x00000005, 0x00020011, 0x00000006, 0x00020011, 0x0000000b, 0x0005000b, 0x00000001, 0x6e65704f,
    0x732e4c43, 0x00006474, 0x0003000e, 0x00000002, 0x00000002, 0x0006000f, 0x00000006, 0x0000002e,
    0x00000066, 0x00000005, 0x00000006, 0x00030003, 0x00000003, 0x000493e0, 0x000b0005, 0x00000005,
    0x70735f5f, 0x5f767269, 0x6c697542, 0x476e4974, 0x61626f6c, 0x766e496c, 0x7461636f, 0x496e6f69,
    0x00000064, 0x000b0005, 0x00000006, 0x70735f5f, 0x5f767269, 0x6c697542, 0x4c6e4974, 0x6c61636f,
    0x6f766e49, 0x69746163, 0x64496e6f, 0x00000000, 0x00050005, 0x0000000a, 0x75727473, 0x532e7463,
    0x00000000, 0x00030005, 0x00000010, 0x00000066, 0x000d0047, 0x00000005, 0x00000029, 0x70735f5f,
    0x5f767269, 0x6c697542, 0x476e4974, 0x61626f6c, 0x766e496c, 0x7461636f, 0x496e6f69, 0x00000064,
    0x00000001, 0x00030047, 0x00000005, 0x00000016, 0x00040047, 0x00000005, 0x0000000b, 0x0000001c,
    0x000d0047, 0x00000006, 0x00000029, 0x70735f5f, 0x5f767269, 0x6c697542, 0x4c6e4974, 0x6c61636f,
    0x6f766e49, 0x69746163, 0x64496e6f, 0x00000000, 0x00000001, 0x00030047, 0x00000006, 0x00000016,
    0x00040047, 0x00000006, 0x0000000b, 0x0000001b, 0x00050047, 0x00000010, 0x00000029, 0x00000066,
    0x00000000, 0x00040047, 0x00000011, 0x00000026, 0x00000005, 0x00040047, 0x00000011, 0x0000002c,
    0x00000004, 0x00040047, 0x00000012, 0x00000026, 0x00000002, 0x00040047, 0x00000012, 0x00000026,
    0x00000005, 0x00040047, 0x00000012, 0x00000026, 0x00000006, 0x00040047, 0x00000012, 0x0000002c,
    0x00000004, 0x00040047, 0x00000013, 0x00000026, 0x00000005, 0x00040047, 0x00000013, 0x0000002c,
    0x00000004, 0x00040047, 0x00000014, 0x00000026, 0x00000005, 0x00040047, 0x00000014, 0x00000026,
    0x00000006, 0x00040047, 0x00000014, 0x0000002c, 0x00000004, 0x00040047, 0x0000002f, 0x00000026,
    0x00000005, 0x00040047, 0x0000002f, 0x0000002c, 0x00000004, 0x00040047, 0x00000030, 0x00000026,
    0x00000002, 0x00040047, 0x00000030, 0x00000026, 0x00000005, 0x00040047, 0x00000030, 0x00000026,
    0x00000006, 0x00040047, 0x00000030, 0x0000002c, 0x00000004, 0x00040047, 0x00000031, 0x00000026,
    0x00000005, 0x00040047, 0x00000031, 0x0000002c, 0x00000004, 0x00040047, 0x00000032, 0x00000026,
    0x00000005, 0x00040047, 0x00000032, 0x00000026, 0x00000006, 0x00040047, 0x00000032, 0x0000002c,
    0x00000004, 0x00040015, 0x00000002, 0x00000040, 0x00000000, 0x00040015, 0x00000008, 0x00000020,
    0x00000000, 0x0005002b, 0x00000002, 0x00000018, 0x00000000, 0x00000000, 0x0004002b, 0x00000008,
    0x00000019, 0x00000000, 0x0004002b, 0x00000008, 0x00000020, 0x00000002, 0x0004002b, 0x00000008,
    0x00000021, 0x00000110, 0x0004002b, 0x00000008, 0x00000023, 0x00000001, 0x00040017, 0x00000003,
    0x00000002, 0x00000003, 0x00040020, 0x00000004, 0x00000001, 0x00000003, 0x00020013, 0x00000007,
    0x00040020, 0x00000009, 0x00000005, 0x00000008, 0x00030016, 0x0000000b, 0x00000020, 0x0004001e,
    0x0000000a, 0x00000008, 0x0000000b, 0x00040020, 0x0000000c, 0x00000007, 0x0000000a, 0x00040020,
    0x0000000d, 0x00000004, 0x00000008, 0x00040020, 0x0000000e, 0x00000000, 0x0000000b, 0x00070021,
    0x0000000f, 0x00000007, 0x00000009, 0x0000000c, 0x0000000d, 0x0000000e, 0x00040020, 0x0000001a,
    0x00000007, 0x00000008, 0x00040020, 0x00000024, 0x00000007, 0x0000000b, 0x0004003b, 0x00000004,
    0x00000005, 0x00000001, 0x0004003b, 0x00000004, 0x00000006, 0x00000001, 0x00050036, 0x00000007,
    0x00000010, 0x00000000, 0x0000000f, 0x00030037, 0x00000009, 0x00000011, 0x00030037, 0x0000000c,
    0x00000012, 0x00030037, 0x0000000d, 0x00000013, 0x00030037, 0x0000000e, 0x00000014, 0x000200f8,
    0x00000015, 0x0006003d, 0x00000003, 0x00000016, 0x00000005, 0x00000002, 0x00000020, 0x00050051,
    0x00000002, 0x00000017, 0x00000016, 0x00000000, 0x00060046, 0x0000001a, 0x0000001b, 0x00000012,
    0x00000018, 0x00000019, 0x0006003d, 0x00000008, 0x0000001c, 0x0000001b, 0x00000002, 0x00000004,
    0x0006003d, 0x00000003, 0x0000001d, 0x00000006, 0x00000002, 0x00000020, 0x00050051, 0x00000002,
    0x0000001e, 0x0000001d, 0x00000000, 0x00050046, 0x0000000d, 0x0000001f, 0x00000013, 0x0000001e,
    0x0005003e, 0x0000001f, 0x0000001c, 0x00000002, 0x00000004, 0x000400e0, 0x00000020, 0x00000020,
    0x00000021, 0x0006003d, 0x00000008, 0x00000022, 0x0000001f, 0x00000002, 0x00000004, 0x00060046,
    0x00000024, 0x00000025, 0x00000012, 0x00000018, 0x00000023, 0x0006003d, 0x0000000b, 0x00000026,
    0x00000025, 0x00000002, 0x00000004, 0x0006003d, 0x0000000b, 0x00000027, 0x00000014, 0x00000002,
    0x00000004, 0x00050085, 0x0000000b, 0x00000028, 0x00000026, 0x00000027, 0x0004006e, 0x00000008,
    0x00000029, 0x00000028, 0x00040071, 0x00000008, 0x0000002a, 0x00000017, 0x00050080, 0x00000008,
    0x0000002b, 0x00000022, 0x0000002a, 0x00050080, 0x00000008, 0x0000002c, 0x0000002b, 0x00000029,
    0x00050046, 0x00000009, 0x0000002d, 0x00000011, 0x00000017, 0x0005003e, 0x0000002d, 0x0000002c,
    0x00000002, 0x00000004, 0x000100fd, 0x00010038, 0x00050036, 0x00000007, 0x0000002e, 0x00000000,
    0x0000000f, 0x00030037, 0x00000009, 0x0000002f, 0x00030037, 0x0000000c, 0x00000030, 0x00030037,
    0x0000000d, 0x00000031, 0x00030037, 0x0000000e, 0x00000032, 0x000200f8, 0x00000033, 0x00080039,
    0x00000007, 0x00000034, 0x00000010, 0x0000002f, 0x00000030, 0x00000031, 0x00000032, 0x000100fd,
    0x00010038,
};

static const cl_uint specialized[] = {
    0x07230203, 0x00010200, 0x00070000, 0x00000009, 0x00000000, 0x00020011, 0x00000004, 0x00020011,
    0x00000005, 0x00020011, 0x00000006, 0x00020011, 0x0000000b, 0x0003000e, 0x00000002, 0x00000002,
    0x0004000f, 0x00000006, 0x00000001, 0x0000006b, 0x00040047, 0x00000002, 0x00000001, 0x00000005,
    0x00040015, 0x00000003, 0x00000020, 0x00000000, 0x00020013, 0x00000004, 0x00040020, 0x00000005,
    0x00000005, 0x00000003, 0x00040021, 0x00000006, 0x00000004, 0x00000005, 0x00040032, 0x00000003,
    0x00000002, 0x0000000b, 0x00050036, 0x00000004, 0x00000001, 0x00000000, 0x00000006, 0x00030037,
    0x00000005, 0x00000007, 0x000200f8, 0x00000008, 0x0005003e, 0x00000007, 0x00000002, 0x00000002,
    0x00000004, 0x000100fd, 0x00010038,
};

int main(void)
{
    cl_int error = 0;
    cl_device_id device = pumice_device();
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);

    cl_program program = MADE(clCreateProgramWithIL, context, from_clang, sizeof from_clang);
    MUST(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    size_t size = 0;
    MUST(clGetProgramInfo(program, CL_PROGRAM_IL, 0, NULL, &size));
    EQ(size, sizeof from_clang);
    cl_kernel kernel = MADE(clCreateKernel, program, "f");
    struct {
        int a;
        float b;
    } s = {10, 1.5f};
    float two = 2;
    int got[8];
    cl_mem out = MADE(clCreateBuffer, context, 0, sizeof got, NULL);
    cl_mem c = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof two, &two);
    MUST(clSetKernelArg(kernel, 0, sizeof out, &out));
    MUST(clSetKernelArg(kernel, 1, sizeof s, &s));
    MUST(clSetKernelArg(kernel, 2, 8 * 4, NULL));
    MUST(clSetKernelArg(kernel, 3, sizeof c, &c));
    size_t eight = 8;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &eight, &eight, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < 8; i++)
        EQ(got[i], 13 + i);
    EQ(clSetProgramSpecializationConstant(program, 5, 4, got), CL_INVALID_SPEC_ID);
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));

    for (cl_uint value = 0; value < 3; value++) {
        program = MADE(clCreateProgramWithIL, context, specialized, sizeof specialized);
        EQ(clSetProgramSpecializationConstant(program, 5, 8, got), CL_INVALID_VALUE);
        EQ(clSetProgramSpecializationConstant(program, 5, 4, NULL), CL_INVALID_VALUE);
        if (value)
            MUST(clSetProgramSpecializationConstant(program, 5, sizeof value, &value));
        MUST(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
        kernel = MADE(clCreateKernel, program, "k");
        MUST(clSetKernelArg(kernel, 0, sizeof out, &out));
        size_t one = 1;
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4, got, 0, NULL, NULL));
        EQ(got[0], value ? value : 11);
        MUST(clReleaseKernel(kernel));
        MUST(clReleaseProgram(program));
    }

    /* The attributes that a translator wrote into the module are none of the program's source. */
    static const char hint[] = "kernel_attributes.k.vec_type_hint(float4),";
    enum { DEBUG_STRINGS = 20, HINT = 2 + sizeof hint / 4 + 1 };
    static cl_uint hinted[sizeof specialized / 4 + HINT];
    memcpy(hinted, specialized, DEBUG_STRINGS * 4);
    memcpy(hinted + DEBUG_STRINGS + HINT, specialized + DEBUG_STRINGS,
           sizeof specialized - DEBUG_STRINGS * 4);
    hinted[DEBUG_STRINGS] = HINT << 16 | 7; /* OpString */
    hinted[DEBUG_STRINGS + 1] = hinted[3]++;
    memcpy(hinted + DEBUG_STRINGS + 2, hint, sizeof hint);
    program = MADE(clCreateProgramWithIL, context, hinted, sizeof hinted);
    MUST(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    kernel = MADE(clCreateKernel, program, "k");
    char attributes[64] = "?";
    MUST(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof attributes, attributes, NULL));
    EQ(strlen(attributes), 0);
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));

    /* The other byte order, and damage: never more than an error. */
    static unsigned char swapped[sizeof specialized];
    const unsigned char *bytes = (const unsigned char *)specialized;
    for (size_t i = 0; i < sizeof specialized; i++)
        swapped[i] = bytes[i ^ 3];
    program = MADE(clCreateProgramWithIL, context, swapped, sizeof swapped);
    MUST(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    MUST(clReleaseProgram(program));
    unsigned state = 1;
    for (int round = 0; round < 200; round++) {
        static cl_uint damaged[sizeof from_clang / 4];
        memcpy(damaged, from_clang, sizeof from_clang);
        state = state * 1664525 + 1013904223;
        damaged[5 + (state >> 8) % (sizeof from_clang / 4 - 5)] ^= 1u << (state >> 27);
        program = MADE(clCreateProgramWithIL, context, damaged, sizeof damaged);
        cl_int compiled = clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL);
        CHECK(compiled == CL_SUCCESS || compiled == CL_COMPILE_PROGRAM_FAILURE);
        error = clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
        CHECK(error == CL_SUCCESS || error == CL_BUILD_PROGRAM_FAILURE);
        /* What cannot be compiled cannot be built either. */
        CHECK(error == CL_BUILD_PROGRAM_FAILURE || compiled == CL_SUCCESS);
        MUST(clReleaseProgram(program));
    }

    /* clCompileProgram tells of a store to what is no pointer. */
    static cl_uint unsound[sizeof specialized / 4];
    memcpy(unsound, specialized, sizeof specialized);
    for (size_t i = 5; i < sizeof unsound / 4; i++)
        if (unsound[i] == 0x0005003e)
            unsound[i + 1] = 2;
    program = MADE(clCreateProgramWithIL, context, unsound, sizeof unsound);
    EQ(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_COMPILE_PROGRAM_FAILURE);
    char log_text[256] = "";
    MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log_text, log_text, NULL));
    CHECK(strstr(log_text, "error: "));
    cl_build_status status = CL_BUILD_NONE;
    MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    EQ(status, CL_BUILD_ERROR);
    MUST(clReleaseProgram(program));

    /* Capabilities and extensions allowed in IL (cl_khr_spirv_queries). */
    const char *names[64];
    MUST(clGetDeviceInfo(device, 0x12B9, sizeof names, names, &size));
    int found = 0;
    for (size_t i = 0; i < size / sizeof *names; i++)
        found |= (strcmp(names[i], "OpenCL.std") == 0) | ((strcmp(names[i], "SPV_AMD_shader_ballot") == 0) << 1);
    EQ(found, 3);
    MUST(clGetDeviceInfo(device, 0x12BA, sizeof names, names, &size));
    found = 0;
    for (size_t i = 0; i < size / sizeof *names; i++)
        found |= (strcmp(names[i], "SPV_KHR_linkonce_odr") == 0) | ((strcmp(names[i], "SPV_AMD_shader_ballot") == 0) << 1);
    EQ(found, 3);
    cl_uint capabilities[256];
    MUST(clGetDeviceInfo(device, 0x12BB, sizeof capabilities, capabilities, &size));
    found = 0;
    for (size_t i = 0; i < size / sizeof *capabilities; i++) {
        CHECK(capabilities[i] != 1); /* Shader */
        found |= (capabilities[i] == 6) | ((capabilities[i] == 4) << 1); /* Kernel, Addresses */
    }
    EQ(found, 3);

    MUST(clReleaseMemObject(out));
    MUST(clReleaseMemObject(c));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
