/* C = A * B with 16x16 tiles in local memory, against the same product on the host. */
#include "demo.h"

enum { N = 256, TILE = 16 };

static const char *SOURCE =
    "#define TILE 16\n"
    "__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))\n"
    "void matmul(__global const float *a, __global const float *b, __global float *c, int n) {\n"
    "    __local float ta[TILE][TILE], tb[TILE][TILE];\n"
    "    const int row = get_global_id(1), col = get_global_id(0);\n"
    "    const int ly = get_local_id(1), lx = get_local_id(0);\n"
    "    float sum = 0.0f;\n"
    "    for (int t = 0; t < n / TILE; ++t) {\n"
    "        ta[ly][lx] = a[row * n + t * TILE + lx];\n"
    "        tb[ly][lx] = b[(t * TILE + ly) * n + col];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (int k = 0; k < TILE; ++k)\n"
    "            sum += ta[ly][k] * tb[k][lx];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    c[row * n + col] = sum;\n"
    "}\n";

int main(int argc, char **argv) {
    demo d = demo_open(argc, argv);
    float *a = malloc(N * N * 4), *b = malloc(N * N * 4), *c = malloc(N * N * 4);
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)((i * 7 + 3) % 17) / 17.0f - 0.5f;
        b[i] = (float)((i * 5 + 1) % 23) / 23.0f - 0.5f;
    }
    cl_program program = demo_build(&d, SOURCE, "");
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, "matmul", &err);
    CHECK(err);
    cl_mem ma = demo_buffer(&d, CL_MEM_READ_ONLY, N * N * 4, a), mb = demo_buffer(&d, CL_MEM_READ_ONLY, N * N * 4, b);
    cl_mem mc = demo_buffer(&d, CL_MEM_WRITE_ONLY, N * N * 4, NULL);
    cl_int n = N;
    CHECK(clSetKernelArg(kernel, 0, sizeof ma, &ma));
    CHECK(clSetKernelArg(kernel, 1, sizeof mb, &mb));
    CHECK(clSetKernelArg(kernel, 2, sizeof mc, &mc));
    CHECK(clSetKernelArg(kernel, 3, sizeof n, &n));
    double ms = demo_run(&d, kernel, 2, (size_t[]){N, N}, (size_t[]){TILE, TILE});
    CHECK(clEnqueueReadBuffer(d.queue, mc, CL_TRUE, 0, N * N * 4, c, 0, NULL, NULL));
    double worst = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++) sum += (double)a[i * N + k] * b[k * N + j];
            worst = fmax(worst, fabs(sum - c[i * N + j]));
        }
    char what[96];
    snprintf(what, sizeof what, "%dx%d, largest difference %.1e", N, N, worst);
    return demo_result(&d, "matmul (local memory)", worst < 1e-4, what, ms);
}
