// client: env PUMICE_COARSE=always
// client: once-a-driver
/* Kernels whose work-groups are rows of whole sub-groups, so that a sub-group's lanes may be neighbours in their copies: what lanes
 * load and store side by side, whatever its alignment, behind conditions that all, some or none of them meet, and in loops
 * that they leave in different rounds. */
#include "common.h"

static const char *source =
    "kernel void rows(global const int *in, global int *out, int first, int pitch, int width)\n"
    "{ int x = get_global_id(0), at = first + (int)get_global_id(1) * pitch + x;\n"
    "  if (x < width) out[at] = in[at] + 3 * in[at + 1] - in[at + pitch]; }\n"
    "kernel void both(global const float *in, global float *out, int limit)\n"
    "{ size_t i = get_global_id(0);\n"
    "  float x = in[i];\n"
    "  out[i] = i < (size_t)limit ? x + in[i + 1] : -x; }\n"
    "kernel void longs(global const long *in, global long *out, long add)\n"
    "{ size_t i = get_global_id(0); out[i + 1] = in[i] * 5 + add; }\n"
    "kernel void vectors(global const int4 *in, global int4 *out, int4 add)\n"
    "{ int i = get_global_id(0); out[i] = in[i].wzyx + add; }\n"
    "kernel void pairs(global const int *in, global int *out, int first)\n"
    "{ size_t i = get_global_id(0); vstore2(vload2(i, in + first).yx, i, out); }\n"
    "kernel void product(global const int *a, global const int *b, global int *c, int n)\n"
    "{ int x = get_global_id(0), y = get_global_id(1), sum = 0;\n"
    "  for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * 128 + x];\n"
    "  c[y * 128 + x] = sum; }\n"
    "kernel void turned(global const int *in, global int *out, local int *tile)\n"
    "{ size_t i = get_global_id(0), t = get_local_id(0), n = get_local_size(0);\n"
    "  tile[t] = in[i];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  out[i] = tile[n - 1 - t] + tile[t]; }\n"
    "kernel void places(global uint *out, int pitch)\n"
    "{ uint x = get_global_id(0), y = get_global_id(1); out[y * pitch + x] = 1000 * y + x; }\n"
    "kernel void until(global const int *in, global int *out, int limit)\n"
    "{ int x = get_global_id(0), sum = 0;\n"
    "  for (int k = 0; k < 7 && sum < limit; k++) sum += in[k * 128 + x];\n"
    "  out[x] = sum; }\n";

enum { N = 4096 };
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_mem in, out;
static int values[N], host[N], want[N];

/* Runs a kernel whose first arguments are the buffers, the rest being set; reads what it wrote over `want`. */
static void run_from(const size_t *offset, cl_kernel kernel, const size_t global[2], const size_t local[2], int line)
{
    MUST(clSetKernelArg(kernel, 0, sizeof in, &in));
    MUST(clSetKernelArg(kernel, 1, sizeof out, &out));
    int minus = -1;
    MUST(clEnqueueFillBuffer(queue, out, &minus, sizeof minus, 0, sizeof host, 0, NULL, NULL));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 2, offset, global, local, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += host[i] != want[i];
    if (wrong) {
        printf("line %d: %d wrong\n", line, wrong);
        failures++;
    }
    for (int i = 0; i < N; i++)
        want[i] = -1;
}

static void run(cl_kernel kernel, const size_t global[2], const size_t local[2], int line)
{
    run_from(NULL, kernel, global, local, line);
}

static cl_kernel kernel_of(const char *name)
{
    return MADE(clCreateKernel, program, name);
}

static void rows(int first, int pitch, int width, const size_t local[2])
{
    cl_kernel kernel = kernel_of("rows");
    MUST(clSetKernelArg(kernel, 2, sizeof first, &first));
    MUST(clSetKernelArg(kernel, 3, sizeof pitch, &pitch));
    MUST(clSetKernelArg(kernel, 4, sizeof width, &width));
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 128 && x < width; x++) {
            int at = first + y * pitch + x;
            want[at] = values[at] + 3 * values[at + 1] - values[at + pitch];
        }
    run(kernel, (const size_t[2]){128, 4}, local, __LINE__);
    MUST(clReleaseKernel(kernel));
}

/* So many work-items from one on. The last work-group may be smaller. */
static void both(size_t first, size_t count, int limit, size_t local)
{
    cl_kernel kernel = kernel_of("both");
    MUST(clSetKernelArg(kernel, 2, sizeof limit, &limit));
    for (int i = (int)first; i < (int)(first + count); i++) {
        float a, b, c;
        memcpy(&a, &values[i], 4);
        memcpy(&b, &values[i + 1], 4);
        c = i < limit ? a + b : -a;
        memcpy(&want[i], &c, 4);
    }
    run_from((const size_t[2]){first, 0}, kernel, (const size_t[2]){count, 1}, (const size_t[2]){local, 1}, __LINE__);
    MUST(clReleaseKernel(kernel));
}

static void longs(void)
{
    cl_kernel kernel = kernel_of("longs");
    cl_long add = (cl_long)1 << 40;
    MUST(clSetKernelArg(kernel, 2, sizeof add, &add));
    for (int i = 0; i < 1024; i++) {
        cl_long x;
        memcpy(&x, &values[2 * i], 8);
        x = (cl_long)((cl_ulong)x * 5 + (cl_ulong)add);
        memcpy(&want[2 * i + 2], &x, 8);
    }
    run(kernel, (const size_t[2]){1024, 1}, (const size_t[2]){64, 1}, __LINE__);
    MUST(clReleaseKernel(kernel));
}

static void vectors(void)
{
    cl_kernel kernel = kernel_of("vectors");
    cl_int4 add = {{1, 20, 300, 4000}};
    MUST(clSetKernelArg(kernel, 2, sizeof add, &add));
    for (int i = 0; i < 2048; i++)
        want[i] = values[i / 4 * 4 + 3 - i % 4] + add.s[i % 4];
    run(kernel, (const size_t[2]){512, 1}, (const size_t[2]){64, 1}, __LINE__);
    MUST(clReleaseKernel(kernel));
}

static void pairs(int first)
{
    cl_kernel kernel = kernel_of("pairs");
    MUST(clSetKernelArg(kernel, 2, sizeof first, &first));
    for (int i = 0; i < 2048; i++)
        want[i] = values[first + (i ^ 1)];
    run(kernel, (const size_t[2]){1024, 1}, (const size_t[2]){128, 1}, __LINE__);
    MUST(clReleaseKernel(kernel));
}

static void product(int n)
{
    cl_kernel kernel = kernel_of("product");
    /* A is the first buffer, B too, C the second. */
    MUST(clSetKernelArg(kernel, 0, sizeof in, &in));
    MUST(clSetKernelArg(kernel, 1, sizeof in, &in));
    MUST(clSetKernelArg(kernel, 2, sizeof out, &out));
    MUST(clSetKernelArg(kernel, 3, sizeof n, &n));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, (const size_t[2]){128, 8}, (const size_t[2]){64, 4}, 0, NULL,
                                NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 128; x++) {
            int sum = 0;
            for (int k = 0; k < n; k++)
                sum += values[y * n + k] * values[k * 128 + x];
            EQ(host[y * 128 + x], sum);
        }
    MUST(clReleaseKernel(kernel));
}

static void turned(size_t local)
{
    cl_kernel kernel = kernel_of("turned");
    MUST(clSetKernelArg(kernel, 2, local * sizeof(int), NULL));
    for (size_t i = 0; i < 2048; i++) {
        size_t group = i / local * local;
        want[i] = values[group + local - 1 - i % local] + values[i];
    }
    run(kernel, (const size_t[2]){2048, 1}, (const size_t[2]){local, 1}, __LINE__);
    MUST(clReleaseKernel(kernel));
}

static void until(int limit)
{
    cl_kernel kernel = kernel_of("until");
    MUST(clSetKernelArg(kernel, 2, sizeof limit, &limit));
    for (int x = 0; x < 128; x++) {
        want[x] = 0;
        for (int k = 0; k < 7 && want[x] < limit; k++)
            want[x] += values[k * 128 + x];
    }
    run(kernel, (const size_t[2]){128, 1}, (const size_t[2]){64, 1}, __LINE__);
    MUST(clReleaseKernel(kernel));
}

/* Many rows of a length that no size of work-groups divides, which the driver cuts by itself. */
static void odd_rows(void)
{
    enum { PITCH = 300, ROWS = 509 };
    static cl_uint seen[PITCH * ROWS];
    cl_kernel kernel = kernel_of("places");
    cl_mem places = MADE(clCreateBuffer, context, CL_MEM_WRITE_ONLY, sizeof seen, NULL);
    int pitch = PITCH;
    MUST(clSetKernelArg(kernel, 0, sizeof places, &places));
    MUST(clSetKernelArg(kernel, 1, sizeof pitch, &pitch));
    static const size_t lengths[] = {129, 131, 150, 191, 203, 257, 263, 299};
    for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++) {
        cl_uint none = 0xffffffff;
        MUST(clEnqueueFillBuffer(queue, places, &none, sizeof none, 0, sizeof seen, 0, NULL, NULL));
        MUST(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, (const size_t[2]){lengths[n], ROWS}, NULL, 0, NULL, NULL));
        MUST(clEnqueueReadBuffer(queue, places, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL));
        int wrong = 0;
        for (cl_uint i = 0; i < PITCH * ROWS; i++) {
            cl_uint x = i % PITCH, y = i / PITCH;
            wrong += seen[i] != (x < lengths[n] ? 1000 * y + x : none);
        }
        if (wrong) {
            printf("rows of %d: %d wrong\n", (int)lengths[n], wrong);
            failures++;
        }
    }
    MUST(clReleaseMemObject(places));
    MUST(clReleaseKernel(kernel));
}

int main(void)
{
    cl_device_id device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    program = PROGRAM(context, source, "-cl-std=CL3.0");
    for (int i = 0; i < N; i++) {
        values[i] = (i * 37 + i / 7) % 101;
        want[i] = -1;
    }
    in = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof values, values);
    out = MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, sizeof values, NULL);

    const size_t wide[2] = {128, 2}, narrow[2] = {64, 1}, few[2] = {32, 4};
    for (int first = 0; first < 4; first++) {
        rows(first, 160, 1000, wide);
        rows(first, 163, 128, narrow);
        rows(first, 130, 100, narrow);
        rows(first, 160, 64, wide);
        rows(first, 160, 0, narrow);
        rows(first, 132, 33, few);
    }
    /* Sums of denormals, which some devices flush, are left out. */
    for (int i = 0; i < N; i++) {
        float x = (float)values[i];
        memcpy(&values[i], &x, 4);
    }
    MUST(clEnqueueWriteBuffer(queue, in, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    both(0, 2048, 2048, 128);
    both(0, 2048, 64, 128);
    both(0, 2048, 1000, 128);
    both(0, 2048, 0, 128);
    /* Whole rows of lanes make the offset, and the last work-group. */
    both(512, 1536, 1000, 128);
    both(64, 1984, 2048, 128);
    both(0, 1984, 1000, 128);
    both(129, 1919, 1000, 128);
    size_t most = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most, &most, NULL));
    if (most >= 256) {
        both(0, 1920, 2048, 256);
        both(0, 1984, 1000, 256);
        both(128, 1920, 1000, 256);
    }
    for (int i = 0; i < N; i++)
        values[i] = (i * 37 + i / 7) % 101;
    MUST(clEnqueueWriteBuffer(queue, in, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    longs();
    vectors();
    pairs(0);
    pairs(3);
    product(1);
    product(30);
    turned(64);
    turned(128);
    turned(16);
    until(60);
    until(200);
    until(0);
    until(1000);

    odd_rows();

    MUST(clReleaseMemObject(in));
    MUST(clReleaseMemObject(out));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
