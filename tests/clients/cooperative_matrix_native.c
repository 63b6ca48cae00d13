/* cl_pumice_cooperative_matrix: the products that the Vulkan device computes itself, and two more in any case. Each is computed
 * from memory of both layouts, aligned or not, saturating where there is that, and component by component. */
// client: once-a-driver
#include "common.h"
#include "matrix_products.h"
#include <limits.h>

static size_t size_of(cl_uint type)
{
    switch (type) {
    case HALF: return 2;
    case DOUBLE: return 8;
    case CHAR:
    case UCHAR: return 1;
    default: return 4;
    }
}

static const char *const source =
    "#define NAME(use, type, rows, columns) matrix_##use##_##type##_##rows##x##columns##_t\n"
    "#define MATRIX(use, type, rows, columns) NAME(use, type, rows, columns)\n"
    "typedef MATRIX(a, TA, M, K) A; typedef MATRIX(b, TB, K, N) B; typedef MATRIX(c, TC, M, N) C;\n"
    "kernel void whole(global const TA *a, global const TB *b, global const TC *c, global TC *d, uint start, uint pad) {\n"
    "    A x; B y; C z;\n"
    "    cooperative_matrix_load_row_major(&x, a + start, K + pad);\n"
    "    cooperative_matrix_load_column_major(&y, b + start, K + pad);\n"
    "    cooperative_matrix_load_row_major(&z, c + start, N + pad);\n"
    "    z = MULTIPLY(x, y, z);\n"
    "    cooperative_matrix_store_column_major(z, d + start, M + pad);\n"
    "}\n"
    /* 6ab + 4, by products in a loop from local memory, and component by component. */
    "kernel void parts(global const TA *a, global const TB *b, global TC *d) {\n"
    "    local TA x0[M * K]; local TB y0[K * N];\n"
    "    for (uint i = get_local_id(0); i < M * K; i += get_local_size(0)) x0[i] = a[i];\n"
    "    for (uint i = get_local_id(0); i < K * N; i += get_local_size(0)) y0[i] = b[i];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    A x; B y; C z, w;\n"
    "    cooperative_matrix_load_row_major(&x, x0, K);\n"
    "    cooperative_matrix_load_row_major(&y, y0, N);\n"
    "    cooperative_matrix_fill(&z, (TC)1);\n"
    "    for (uint i = 0; i < 3; i++) z = cooperative_matrix_multiply_add(x, y, z);\n"
    "    w = z;\n"
    "    for (uint i = 0; i < cooperative_matrix_length(w); i++)\n"
    "        cooperative_matrix_set(&w, i, cooperative_matrix_get(&w, i) + (TC)2);\n"
    "    z = cooperative_matrix_sub(w, cooperative_matrix_negate(z));\n"
    "    cooperative_matrix_store_row_major(z, d, N);\n"
    "}\n"
    "kernel void converted(global const TA *a, global const TB *b, global TD *d) {\n"
    "    A x; B y; C z; MATRIX(c, TD, M, N) w;\n"
    "    cooperative_matrix_load_row_major(&x, a, K);\n"
    "    cooperative_matrix_load_row_major(&y, b, N);\n"
    "    cooperative_matrix_fill(&z, (TC)3);\n"
    "    z = cooperative_matrix_multiply_add(x, y, z);\n"
    "    cooperative_matrix_convert(&w, z);\n"
    "    cooperative_matrix_store_row_major(w, d, N);\n"
    "}\n"
    /* Work-items know their places in groups of any shape. */
    "kernel void places(global const TA *a, global const TB *b, global TC *d, global uint *at) {\n"
    "    A x; B y; C z;\n"
    "    cooperative_matrix_load_row_major(&x, a, K);\n"
    "    cooperative_matrix_load_row_major(&y, b, N);\n"
    "    cooperative_matrix_fill(&z, (TC)0);\n"
    "    z = cooperative_matrix_multiply_add(x, y, z);\n"
    "    cooperative_matrix_store_row_major(z, d, N);\n"
    "    at[get_global_id(1) * get_global_size(0) + get_global_id(0)] = get_local_id(0) + 1000 * get_local_id(1)\n"
    "        + 1000000 * get_group_id(0) + 10000000 * get_group_id(1);\n"
    "}\n";

/* A small whole number as a component, and back. */
static void put(unsigned char *at, cl_uint type, long long value)
{
    cl_half half = 0;
    float single = (float)value;
    double number = (double)value;
    int word = (int)value;
    signed char byte = (signed char)value;
    if (type == HALF && value) {
        unsigned size = (unsigned)(value < 0 ? -value : value);
        unsigned top = 0;
        while (size >> top > 1)
            top++;
        half = (cl_half)((value < 0 ? 0x8000 : 0) | (top + 15) << 10 | ((size << (10 - top)) & 0x3FF));
    }
    const void *bits = type == HALF ? (const void *)&half : type == FLOAT ? (const void *)&single
        : type == DOUBLE ? (const void *)&number : type == CHAR || type == UCHAR ? (const void *)&byte : (const void *)&word;
    memcpy(at, bits, size_of(type));
}

static double take(const unsigned char *at, cl_uint type)
{
    cl_half half;
    float single;
    double number;
    int word;
    switch (type) {
    case HALF: {
        memcpy(&half, at, sizeof half);
        int exponent = half >> 10 & 31;
        double value = exponent ? 1024 + (half & 0x3FF) : 2 * (half & 0x3FF);
        for (; exponent > 25; exponent--)
            value *= 2;
        for (; exponent < 25; exponent++)
            value /= 2;
        return half & 0x8000 ? -value : value;
    }
    case FLOAT: memcpy(&single, at, sizeof single); return single;
    case DOUBLE: memcpy(&number, at, sizeof number); return number;
    case CHAR: return *(const signed char *)at;
    case UCHAR: return *at;
    default: memcpy(&word, at, sizeof word); return type == INT ? word : (double)(unsigned)word;
    }
}

static int is_signed(cl_uint type)
{
    return type != UCHAR && type != UINT;
}

typedef struct {
    cl_context context;
    cl_command_queue queue;
    cl_device_id device;
    cl_program program;
    const product *p;
    const char *options;
    size_t width;
} run;

static int value_of_a(const product *p, cl_uint row, cl_uint at)
{
    return (int)((row * 7 + at * 3) % 5) - (is_signed(p->a_type) && is_signed(p->result_type) ? 2 : 0);
}

static int value_of_b(const product *p, cl_uint at, cl_uint column)
{
    return (int)((at * 5 + column * 2 + 1) % 4) - (is_signed(p->b_type) && is_signed(p->result_type) ? 2 : 0);
}

static long long value_of_product(const product *p, cl_uint row, cl_uint column)
{
    long long sum = 0;
    for (cl_uint at = 0; at < p->k; at++)
        sum += value_of_a(p, row, at) * value_of_b(p, at, column);
    return sum;
}

static cl_mem buffer_of(const run *r, const unsigned char *bytes, size_t size)
{
    return MADE(clCreateBuffer, r->context, bytes ? CL_MEM_COPY_HOST_PTR : 0, size, (void *)bytes);
}

static cl_kernel kernel_of(run *r, const char *name)
{
    size_t one = 1;
    cl_kernel kernel = MADE(clCreateKernel, r->program, name);
    MUST(clGetKernelSubGroupInfo(kernel, r->device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof one, &one,
                                 sizeof r->width, &r->width, NULL));
    return kernel;
}

static void wrong(const run *r, const char *what, cl_uint row, cl_uint column, double found, double expected)
{
    fprintf(stderr, "%s: %s: component (%u, %u) is %g, not %g\n", r->options, what, row, column, found, expected);
    failures++;
}

/* Factors with rows of a (or columns of b) that lie `stride` apart. */
static cl_mem factor(const run *r, int of_a, cl_uint start, cl_uint stride, int row_major)
{
    const product *p = r->p;
    cl_uint type = of_a ? p->a_type : p->b_type, rows = of_a ? p->m : p->k, columns = of_a ? p->k : p->n;
    size_t size = size_of(type), count = start + (row_major ? rows : columns) * stride;
    unsigned char *bytes = calloc(count, size);
    for (cl_uint row = 0; row < rows; row++)
        for (cl_uint column = 0; column < columns; column++) {
            cl_uint at = start + (row_major ? row * stride + column : column * stride + row);
            put(bytes + at * size, type, of_a ? value_of_a(p, row, column) : value_of_b(p, row, column));
        }
    cl_mem buffer = buffer_of(r, bytes, count * size);
    free(bytes);
    return buffer;
}

static long long summand(const product *p, int saturating, cl_uint row, cl_uint column)
{
    if (!saturating)
        return (row * 3 + column) % 11;
    if (p->c_type == UINT)
        return UINT_MAX - 20 + row;
    return (row + column) % 2 ? INT_MAX - (long long)row : INT_MIN + (long long)column;
}

static void check_whole(run *r, int saturating, cl_uint start, cl_uint pad)
{
    const product *p = r->p;
    cl_kernel kernel = kernel_of(r, "whole");
    size_t size = size_of(p->c_type), count = start + (p->m + p->n) * (p->m + p->n + pad);
    unsigned char *c = calloc(count, size);
    for (cl_uint row = 0; row < p->m; row++)
        for (cl_uint column = 0; column < p->n; column++)
            put(c + (start + row * (p->n + pad) + column) * size, p->c_type, summand(p, saturating, row, column));
    cl_mem buffers[4] = {factor(r, 1, start, p->k + pad, 1), factor(r, 0, start, p->k + pad, 0), buffer_of(r, c, count * size),
                         buffer_of(r, c, count * size)};
    for (cl_uint i = 0; i < 4; i++)
        MUST(clSetKernelArg(kernel, i, sizeof buffers[i], &buffers[i]));
    MUST(clSetKernelArg(kernel, 4, sizeof start, &start));
    MUST(clSetKernelArg(kernel, 5, sizeof pad, &pad));
    MUST(clEnqueueNDRangeKernel(r->queue, kernel, 1, NULL, &r->width, &r->width, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(r->queue, buffers[3], CL_TRUE, 0, count * size, c, 0, NULL, NULL));
    for (cl_uint row = 0, bad = 0; row < p->m && !bad; row++)
        for (cl_uint column = 0; column < p->n && !bad; column++) {
            double expected = (double)(value_of_product(p, row, column) + summand(p, saturating, row, column));
            double least = p->c_type == UINT ? 0 : INT_MIN, most = p->c_type == UINT ? UINT_MAX : INT_MAX;
            if (saturating)
                expected = expected < least ? least : expected > most ? most : expected;
            double found = take(c + (start + column * (p->m + pad) + row) * size, p->c_type);
            bad = found != expected;
            if (bad)
                wrong(r, start || pad ? "whole, not aligned" : "whole", row, column, found, expected);
        }
    free(c);
    for (cl_uint i = 0; i < 4; i++)
        MUST(clReleaseMemObject(buffers[i]));
    MUST(clReleaseKernel(kernel));
}

/* A kernel whose results are `factor` products and a number. */
static void check_simple(run *r, const char *name, cl_uint type, long long times, long long more, const size_t *tile)
{
    const product *p = r->p;
    cl_kernel kernel = kernel_of(r, name);
    size_t size = size_of(type), count = p->m * p->n, items = 4 * r->width;
    unsigned char *d = malloc(count * size);
    cl_uint *at = malloc(items * sizeof *at);
    cl_mem buffers[4] = {factor(r, 1, 0, p->k, 1), factor(r, 0, 0, p->n, 1), buffer_of(r, NULL, count * size),
                         buffer_of(r, NULL, items * sizeof *at)};
    for (cl_uint i = 0; i < (tile ? 4 : 3); i++)
        MUST(clSetKernelArg(kernel, i, sizeof buffers[i], &buffers[i]));
    if (tile) {
        size_t global[2] = {2 * tile[0], 2 * tile[1]};
        MUST(clEnqueueNDRangeKernel(r->queue, kernel, 2, NULL, global, tile, 0, NULL, NULL));
        MUST(clEnqueueReadBuffer(r->queue, buffers[3], CL_TRUE, 0, items * sizeof *at, at, 0, NULL, NULL));
        for (size_t y = 0; y < global[1]; y++)
            for (size_t x = 0; x < global[0]; x++)
                EQ(at[y * global[0] + x],
                   x % tile[0] + 1000 * (y % tile[1]) + 1000000 * (x / tile[0]) + 10000000 * (y / tile[1]));
    } else {
        MUST(clEnqueueNDRangeKernel(r->queue, kernel, 1, NULL, &r->width, &r->width, 0, NULL, NULL));
    }
    MUST(clEnqueueReadBuffer(r->queue, buffers[2], CL_TRUE, 0, count * size, d, 0, NULL, NULL));
    for (cl_uint row = 0, bad = 0; row < p->m && !bad; row++)
        for (cl_uint column = 0; column < p->n && !bad; column++) {
            double expected = (double)(times * value_of_product(p, row, column) + more);
            double found = take(d + (row * p->n + column) * size, type);
            bad = found != expected;
            if (bad)
                wrong(r, name, row, column, found, expected);
        }
    free(d);
    free(at);
    for (cl_uint i = 0; i < 4; i++)
        MUST(clReleaseMemObject(buffers[i]));
    MUST(clReleaseKernel(kernel));
}

/* The same program from its binary. */
static cl_program program_of_binary(const run *r)
{
    size_t size = 0;
    cl_int status;
    MUST(clGetProgramInfo(r->program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *binary = malloc(size);
    MUST(clGetProgramInfo(r->program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    cl_program program = MADE(clCreateProgramWithBinary, r->context, 1, &r->device, &size,
                              (const unsigned char **)&binary, &status);
    MUST(status);
    MUST(clBuildProgram(program, 1, &r->device, "", NULL, NULL));
    free(binary);
    return program;
}

static void check_product(run *r, const product *p)
{
    int saturating = p->saturating != 0;
    cl_uint to = p->result_type == FLOAT ? HALF : FLOAT;
    char options[320];
    snprintf(options, sizeof options, "-cl-std=CL3.0 -DM=%u -DN=%u -DK=%u -DTA=%s -DTB=%s -DTC=%s -DTD=%s -DMULTIPLY=%s", p->m,
             p->n, p->k, name_of(p->a_type), name_of(p->b_type), name_of(p->c_type), name_of(to),
             saturating ? "cooperative_matrix_multiply_add_sat" : "cooperative_matrix_multiply_add");
    r->p = p;
    r->options = options;
    r->program = MADE(clCreateProgramWithSource, r->context, 1, (const char **)&source, NULL);
    if (clBuildProgram(r->program, 1, &r->device, options, NULL, NULL) != CL_SUCCESS) {
        char log[4096] = "";
        clGetProgramBuildInfo(r->program, r->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n%s\n", options, log);
        exit(1);
    }
    check_whole(r, saturating, 0, 0);
    check_whole(r, saturating, 1, 0);
    check_whole(r, saturating, 16, 3);
    check_whole(r, saturating, 0, 16);
    check_simple(r, "parts", p->c_type, 6, 4, NULL);
    check_simple(r, "converted", to, 1, 3, NULL);
    size_t tile[2] = {r->width / 2, 2};
    if (r->width > 1)
        check_simple(r, "places", p->c_type, 1, 0, tile);
    cl_program again = program_of_binary(r);
    MUST(clReleaseProgram(r->program));
    r->program = again;
    check_whole(r, saturating, 0, 0);
    MUST(clReleaseProgram(r->program));
}

int main(void)
{
    run r = {.device = pumice_device()};
    char names[8192] = "";
    MUST(clGetDeviceInfo(r.device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    size_t bytes = 0, all = 0;
    cl_int listed = clGetDeviceInfo(r.device, CL_DEVICE_COOPERATIVE_MATRIX_NATIVE_PRODUCTS_PUMICE, 0, NULL, &bytes);
    if (strstr(names, "cl_pumice_cooperative_matrix") == NULL) {
        EQ(listed, CL_INVALID_VALUE);
        return finish();
    }
    MUST(listed);
    /* One of halves and one of bytes are computed in any case. */
    const product always[] = {{16, 16, 16, HALF, HALF, FLOAT, FLOAT, 0}, {16, 16, 16, CHAR, CHAR, INT, INT, 1}};
    size_t count = bytes / sizeof(product);
    product *products = malloc(bytes + sizeof always);
    if (count > 0)
        MUST(clGetDeviceInfo(r.device, CL_DEVICE_COOPERATIVE_MATRIX_NATIVE_PRODUCTS_PUMICE, bytes, products, NULL));
    memcpy(products + count, always, sizeof always);
    printf("native products: %zu\n", count);
    MUST(clGetDeviceInfo(r.device, CL_DEVICE_COOPERATIVE_MATRIX_PRODUCTS_PUMICE, 0, NULL, &all));
    product *known = malloc(all);
    MUST(clGetDeviceInfo(r.device, CL_DEVICE_COOPERATIVE_MATRIX_PRODUCTS_PUMICE, all, known, NULL));
    r.context = MADE(clCreateContext, NULL, 1, &r.device, NULL, NULL);
    r.queue = MADE(clCreateCommandQueueWithProperties, r.context, r.device, NULL);
    for (size_t i = 0; i < count + 2; i++) {
        const product *p = &products[i];
        int found = 0;
        for (size_t j = 0; j < all / sizeof *known; j++)
            found |= memcmp(p, &known[j], 7 * sizeof(cl_uint)) == 0 && p->saturating <= known[j].saturating;
        CHECK(found);
        check_product(&r, p);
    }
    free(products);
    free(known);
    MUST(clReleaseCommandQueue(r.queue));
    MUST(clReleaseContext(r.context));
    return finish();
}
