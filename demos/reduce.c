/* Sum and maximum of four million integers: a tree in local memory passed as an argument, then
 * one atomic per work-group. The sum must be exact. */
#include "demo.h"

enum { COUNT = 1 << 22, GROUP = 128 };

static const char *SOURCE =
    "__kernel void reduce(__global const int *in, uint n, __local int *sums, __local int *peaks,\n"
    "                     __global int *sum, __global int *peak) {\n"
    "    uint l = get_local_id(0);\n"
    "    int s = 0, m = INT_MIN;\n"
    "    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {\n"
    "        s += in[i];\n"
    "        m = max(m, in[i]);\n"
    "    }\n"
    "    sums[l] = s;\n"
    "    peaks[l] = m;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint step = get_local_size(0) / 2; step > 0; step >>= 1) {\n"
    "        if (l < step) {\n"
    "            sums[l] += sums[l + step];\n"
    "            peaks[l] = max(peaks[l], peaks[l + step]);\n"
    "        }\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    if (l == 0) {\n"
    "        atomic_add(sum, sums[0]);\n"
    "        atomic_max(peak, peaks[0]);\n"
    "    }\n"
    "}\n";

int main(int argc, char **argv) {
    demo d = demo_open(argc, argv);
    int *in = malloc(COUNT * sizeof(int)), sum = 0, peak = INT32_MIN, want_sum = 0, want_peak = INT32_MIN;
    uint32_t seed = 99;
    for (int i = 0; i < COUNT; i++) {
        seed = seed * 1664525u + 1013904223u;
        in[i] = (int)(seed >> 12) - (1 << 19);
        want_sum = (int)((uint32_t)want_sum + (uint32_t)in[i]);
        if (in[i] > want_peak) want_peak = in[i];
    }
    cl_program program = demo_build(&d, SOURCE, "");
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, "reduce", &err);
    CHECK(err);
    cl_mem min = demo_buffer(&d, CL_MEM_READ_ONLY, COUNT * sizeof(int), in);
    cl_mem msum = demo_buffer(&d, CL_MEM_READ_WRITE, sizeof sum, &sum);
    cl_mem mpeak = demo_buffer(&d, CL_MEM_READ_WRITE, sizeof peak, &peak);
    cl_uint n = COUNT;
    CHECK(clSetKernelArg(kernel, 0, sizeof min, &min));
    CHECK(clSetKernelArg(kernel, 1, sizeof n, &n));
    CHECK(clSetKernelArg(kernel, 2, GROUP * sizeof(int), NULL));
    CHECK(clSetKernelArg(kernel, 3, GROUP * sizeof(int), NULL));
    CHECK(clSetKernelArg(kernel, 4, sizeof msum, &msum));
    CHECK(clSetKernelArg(kernel, 5, sizeof mpeak, &mpeak));
    double ms = demo_run(&d, kernel, 1, (size_t[]){64 * GROUP}, (size_t[]){GROUP});
    CHECK(clEnqueueReadBuffer(d.queue, msum, CL_TRUE, 0, sizeof sum, &sum, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(d.queue, mpeak, CL_TRUE, 0, sizeof peak, &peak, 0, NULL, NULL));
    char what[96];
    snprintf(what, sizeof what, "sum %d (host %d), max %d (host %d)", sum, want_sum, peak, want_peak);
    return demo_result(&d, "reduction (local memory, atomics)", sum == want_sum && peak == want_peak, what, ms);
}
