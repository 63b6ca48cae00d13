/* A histogram of weights: atomic additions of floats, in local memory where the device has them
 * there, then in global memory. The weights are multiples of 1/16, so that every sum is exact. */
#define CL_TARGET_OPENCL_VERSION 300
#include "demo.h"

/* cl_ext_float_atomics; Debian 12's headers lack its names. */
enum { SINGLE_FP_ATOMIC_CAPABILITIES = 0x4231, GLOBAL_ADD = 1 << 1, LOCAL_ADD = 1 << 17 };

enum { COUNT = 1 << 20, BINS = 64, GROUP = 128, GROUPS = 64 };

static const char *SOURCE =
    "#pragma OPENCL EXTENSION cl_ext_float_atomics : enable\n"
    "#define ADD(where, x) \\\n"
    "    atomic_fetch_add_explicit(where, x, memory_order_relaxed, memory_scope_device)\n"
    "kernel void histogram(global const uint *samples, uint count, global atomic_float *bins) {\n"
    "#ifdef IN_LOCAL\n"
    "    local atomic_float mine[BINS];\n"
    "    for (uint i = get_local_id(0); i < BINS; i += get_local_size(0)) atomic_init(&mine[i], 0.0f);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "#else\n"
    "    global atomic_float *mine = bins;\n"
    "#endif\n"
    "    for (uint i = get_global_id(0); i < count; i += get_global_size(0))\n"
    "        ADD(&mine[samples[i] % BINS], (float)(samples[i] >> 28) / 16.0f);\n"
    "#ifdef IN_LOCAL\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint i = get_local_id(0); i < BINS; i += get_local_size(0))\n"
    "        ADD(&bins[i], atomic_load_explicit(&mine[i], memory_order_relaxed, memory_scope_work_group));\n"
    "#endif\n"
    "}\n";

int main(int argc, char **argv) {
    demo d = demo_open(argc, argv);
    const char *name = "histogram of weights (float atomics)";
    cl_bitfield there = 0;
    clGetDeviceInfo(d.device, SINGLE_FP_ATOMIC_CAPABILITIES, sizeof there, &there, NULL);
    if (!(there & GLOBAL_ADD)) return demo_result(&d, name, 1, "left out: the device does not add floats atomically", 0);
    cl_uint *samples = malloc(COUNT * sizeof *samples), seed = 11;
    float want[BINS] = {0}, bins[BINS] = {0};
    for (int i = 0; i < COUNT; i++) {
        seed = seed * 1664525u + 1013904223u;
        /* The low bits of such a series repeat soon. */
        samples[i] = seed ^ seed >> 16;
        want[samples[i] % BINS] += (float)(samples[i] >> 28) / 16.0f;
    }
    char options[64];
    snprintf(options, sizeof options, "-cl-std=CL3.0 -DBINS=%d%s", BINS, there & LOCAL_ADD ? " -DIN_LOCAL" : "");
    cl_program program = demo_build(&d, SOURCE, options);
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, "histogram", &err);
    CHECK(err);
    cl_mem msamples = demo_buffer(&d, CL_MEM_READ_ONLY, COUNT * sizeof *samples, samples);
    cl_mem mbins = demo_buffer(&d, CL_MEM_READ_WRITE, sizeof bins, bins);
    cl_uint count = COUNT;
    CHECK(clSetKernelArg(kernel, 0, sizeof msamples, &msamples));
    CHECK(clSetKernelArg(kernel, 1, sizeof count, &count));
    CHECK(clSetKernelArg(kernel, 2, sizeof mbins, &mbins));
    double ms = demo_run(&d, kernel, 1, (size_t[]){GROUPS * GROUP}, (size_t[]){GROUP});
    CHECK(clEnqueueReadBuffer(d.queue, mbins, CL_TRUE, 0, sizeof bins, bins, 0, NULL, NULL));
    double total = 0;
    int wrong = 0;
    for (int i = 0; i < BINS; i++) {
        total += bins[i];
        wrong += bins[i] != want[i];
    }
    char what[96];
    snprintf(what, sizeof what, "%d weights, sum %.4f, %d of %d bins wrong", COUNT, total, wrong, BINS);
    return demo_result(&d, name, wrong == 0, what, ms);
}
