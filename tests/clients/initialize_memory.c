/* cl_khr_initialize_memory: local and private memory are zero when a kernel starts, whatever an earlier one left there. */
#include "common.h"

enum { ITEMS = 64, GROUP = 16, LOCAL_INTS = 256, INITIALIZE = 0x2030, LOCAL = 1, PRIVATE = 2 };

static const char *source =
    "typedef struct { char c; long l; float4 f; short s[3]; } mixed;\n"
    "int sum(const private int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s |= p[i]; return s; }\n"
    "/* Leaves numbers wherever memory can be. */\n"
    "kernel void dirty(global int *out, local int *arg, int n) {\n"
    "  local int fixed[256]; int small[24]; int large[3000]; int l = get_local_id(0);\n"
    "  for (int i = 0; i < 24; i++) small[(i * 7 + n) % 24] = ~i;\n"
    "  for (int i = 0; i < 3000; i++) large[(i * 7 + n) % 3000] = ~i;\n"
    "  for (int i = l; i < 256; i += get_local_size(0)) { fixed[i] = ~i; arg[i] = ~i; }\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  out[get_global_id(0)] = sum(small, 24) + sum(large, 3000) + fixed[(l + n) & 255] + arg[(l + n + 1) & 255]; }\n"
    "kernel void locals(global int *out, local int *arg, int n) {\n"
    "  local int fixed[256]; local mixed m; local char bytes[13]; int s = 0;\n"
    "  for (int i = 0; i < 256; i++) s |= fixed[i] | arg[i];\n"
    "  for (int i = 0; i < 13; i++) s |= bytes[i];\n"
    "  s |= m.c | (int)m.l | as_int(m.f.w) | m.s[2];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  if (n == 12345) { fixed[s] = arg[s] = bytes[s & 7] = m.c = m.l = 1; m.f = 1; m.s[s & 1] = 1; }\n"
    "  out[get_global_id(0)] = s; }\n"
    "kernel void privates(global int *out, local int *arg, int n) {\n"
    "  int scalar; long wide; float4 f; mixed m; int small[24]; char bytes[70]; int large[3000]; int s = 0;\n"
    "  if (n == 12345) { scalar = 5; wide = 6; f = 7; m.c = 8; m.l = 9; m.f = 3; m.s[n & 1] = 4; bytes[n & 63] = 1; }\n"
    "  for (int i = n; i < n + 24; i++) { s |= small[i % 24]; if (n == 12345) small[i % 5] = i; }\n"
    "  for (int i = n; i < n + 3000; i++) { s |= large[i % 3000]; if (n == 12345) large[i % 5] = i; }\n"
    "  for (int i = n; i < n + 70; i++) s |= bytes[i % 70];\n"
    "  s |= scalar | (int)wide | (int)(wide >> 32) | as_int(f.x) | as_int(f.w);\n"
    "  s |= m.c | (int)m.l | as_int(m.f.y) | m.s[(n + 1) % 3];\n"
    "  out[get_global_id(0)] = s; }\n";

/* The numbers of a kernel that differ from zero. */
static int run(cl_command_queue queue, cl_program program, cl_mem out, const char *name)
{
    cl_int n = 3, got[ITEMS], wrong = 0;
    cl_kernel kernel = MADE(clCreateKernel, program, name);
    MUST(clSetKernelArg(kernel, 0, sizeof out, &out));
    MUST(clSetKernelArg(kernel, 1, LOCAL_INTS * sizeof(int), NULL));
    MUST(clSetKernelArg(kernel, 2, sizeof n, &n));
    size_t global = ITEMS, local = GROUP;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++)
        wrong += got[i] != 0;
    MUST(clReleaseKernel(kernel));
    return wrong;
}

static void check(cl_device_id device, cl_context_properties what, const char *options)
{
    cl_context_properties list[] = {INITIALIZE, what, 0};
    cl_context context = MADE(clCreateContext, list, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueue, context, device, 0);
    cl_program program = PROGRAM(context, source, options);
    /* A binary of it is made for this context again. */
    size_t size = 0;
    MUST(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *bytes = malloc(size);
    MUST(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
    const unsigned char *binary = bytes;
    cl_program again = MADE(clCreateProgramWithBinary, context, 1, &device, &size, &binary, NULL);
    MUST(clBuildProgram(again, 1, &device, NULL, NULL, NULL));
    free(bytes);
    cl_mem out = MADE(clCreateBuffer, context, 0, ITEMS * sizeof(int), NULL);
    cl_program both[] = {program, again};
    for (int i = 0; i < 2; i++) {
        run(queue, both[i], out, "dirty");
        if (what & LOCAL)
            EQ(run(queue, both[i], out, "locals"), 0);
        run(queue, both[i], out, "dirty");
        if (what & PRIVATE)
            EQ(run(queue, both[i], out, "privates"), 0);
        MUST(clReleaseProgram(both[i]));
    }
    MUST(clReleaseMemObject(out));
    MUST(clReleaseCommandQueue(queue));
    MUST(clReleaseContext(context));
}

int main(void)
{
    cl_device_id device = pumice_device();
    static char names[8192];
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    cl_context_properties wrong[] = {INITIALIZE, 4, 0}, both[] = {INITIALIZE, LOCAL | PRIVATE, 0};
    cl_int error;
    CHECK(!clCreateContext(wrong, 1, &device, NULL, NULL, &error));
    EQ(error, CL_INVALID_PROPERTY);
    if (!strstr(names, "cl_khr_initialize_memory")) {
        CHECK(!clCreateContext(both, 1, &device, NULL, NULL, &error));
        EQ(error, CL_INVALID_PROPERTY);
        puts("no cl_khr_initialize_memory");
        return finish();
    }
    check(device, LOCAL | PRIVATE, "");
    check(device, LOCAL | PRIVATE, "-cl-opt-disable");
    check(device, LOCAL, "");
    check(device, PRIVATE, "");
    return finish();
}
