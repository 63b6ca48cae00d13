/* cl_pumice_cooperative_matrix: the products that a device lists, one of each kind computed and compared, and work-groups that
 * are not made of whole sub-groups. */
// client: once-a-driver
#include "common.h"
#include "matrix_products.h"

/* One kernel for all products, by macros: it makes the factors in local memory, multiplies them in the first sub-group,
 * and every work-item compares its part of the result. */
static const char *const source_of_products =
    "#define NAME(use, type, rows, columns) matrix_##use##_##type##_##rows##x##columns##_t\n"
    "#define MATRIX(use, type, rows, columns) NAME(use, type, rows, columns)\n"
    "kernel void multiply(global int *wrong) {\n"
    "    local TA a[M * K]; local TB b[K * N]; local TC c[M * N];\n"
    "    int id = get_local_id(0), bad = 0;\n"
    "    for (int at = id; at < M * K; at += get_local_size(0)) a[at] = (TA)(at % 7 + BASE);\n"
    "    for (int at = id; at < K * N; at += get_local_size(0)) b[at] = (TB)(at % 5 + BASE);\n"
    "    for (int at = id; at < M * N; at += get_local_size(0)) c[at] = (TC)at;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (get_sub_group_id() == 0) {\n"
    "        MATRIX(a, TA, M, K) left; MATRIX(b, TB, K, N) right; MATRIX(c, TC, M, N) sum;\n"
    "        cooperative_matrix_load_row_major(&left, a, K);\n"
    "        cooperative_matrix_load_row_major(&right, b, N);\n"
    "        cooperative_matrix_load_row_major(&sum, c, N);\n"
    "        sum = cooperative_matrix_multiply_add(left, right, sum);\n"
    "        cooperative_matrix_store_row_major(sum, c, N);\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int at = id; at < M * N; at += get_local_size(0)) {\n"
    "        TC sum = (TC)at;\n"
    "        for (int k = 0; k < K; k++) sum += (TC)a[at / N * K + k] * (TC)b[k * N + at % N];\n"
    "        bad |= c[at] != sum;\n"
    "    }\n"
    "    wrong[id] = bad;\n"
    "}\n";

static cl_program build(cl_context context, cl_device_id device, const char *source, const char *options)
{
    cl_program program = MADE(clCreateProgramWithSource, context, 1, &source, NULL);
    if (clBuildProgram(program, 1, &device, options, NULL, NULL) != CL_SUCCESS) {
        char log[4096] = "";
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n%s\n", options, log);
        exit(1);
    }
    return program;
}

static void check_product(cl_context context, cl_command_queue queue, cl_device_id device, const product *p)
{
    /* Negative numbers where both factors may have them. */
    const char *base = p->a_type == UCHAR || p->b_type == UCHAR ? "0" : "-3";
    char options[256];
    snprintf(options, sizeof options, "-cl-std=CL3.0 -DM=%u -DN=%u -DK=%u -DTA=%s -DTB=%s -DTC=%s -DBASE=%s", p->m, p->n,
             p->k, name_of(p->a_type), name_of(p->b_type), name_of(p->c_type), base);
    cl_program program = build(context, device, source_of_products, options);
    cl_int wrong[128];
    cl_kernel kernel = MADE(clCreateKernel, program, "multiply");
    memset(wrong, 0xFF, sizeof wrong);
    cl_mem buffer = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof wrong, wrong);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    /* At least one sub-group. */
    size_t items = 128;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof wrong, wrong, 0, NULL, NULL));
    for (int i = 0; i < 128; i++) {
        if (wrong[i] != 0) {
            fprintf(stderr, "%s: work-item %d\n", options, i);
            failures++;
            break;
        }
    }
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
}

/* Work-groups are of whole sub-groups, where the kernel has matrices and only there. */
static void check_groups(cl_context context, cl_command_queue queue, cl_device_id device)
{
    const char *source =
        "void set(global float *r) { matrix_c_float_8x8_t m; cooperative_matrix_fill(&m, 3.0f);\n"
        "    cooperative_matrix_store_row_major(m, r, 8); }\n"
        "kernel void with(global float *r) { set(r); }\n"
        "kernel void without(global float *r) { r[get_global_id(0)] = 1; }\n";
    cl_program program = build(context, device, source, "-cl-std=CL3.0");
    cl_kernel with = MADE(clCreateKernel, program, "with");
    cl_kernel without = MADE(clCreateKernel, program, "without");
    cl_mem buffer = MADE(clCreateBuffer, context, 0, 1024 * sizeof(float), NULL);
    MUST(clSetKernelArg(with, 0, sizeof buffer, &buffer));
    MUST(clSetKernelArg(without, 0, sizeof buffer, &buffer));
    size_t one = 1, width = 0;
    MUST(clGetKernelSubGroupInfo(with, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof one, &one, sizeof width,
                                 &width, NULL));
    if (width > 1) {
        size_t global = 6 * width, half = width / 2, three = 3 * width / 2, four = 4 * width;
        MUST(clEnqueueNDRangeKernel(queue, without, 1, NULL, &global, &half, 0, NULL, NULL));
        EQ(clEnqueueNDRangeKernel(queue, with, 1, NULL, &global, &half, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
        EQ(clEnqueueNDRangeKernel(queue, with, 1, NULL, &global, &three, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
        /* The last work-group would be of two sub-groups. */
        EQ(clEnqueueNDRangeKernel(queue, with, 1, NULL, &global, &four, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
        EQ(clEnqueueNDRangeKernel(queue, with, 1, NULL, &half, NULL, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
        MUST(clEnqueueNDRangeKernel(queue, with, 1, NULL, &global, NULL, 0, NULL, NULL));
        MUST(clEnqueueNDRangeKernel(queue, with, 1, NULL, &global, &width, 0, NULL, NULL));
        /* A square of work-items is as good. */
        size_t plane[2] = {width, 4}, tile[2] = {half, 2};
        MUST(clEnqueueNDRangeKernel(queue, with, 2, NULL, plane, tile, 0, NULL, NULL));
    }
    float results[64];
    size_t items = 2 * width;
    MUST(clEnqueueNDRangeKernel(queue, with, 1, NULL, &items, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof results, results, 0, NULL, NULL));
    for (int i = 0; i < 64; i++)
        EQ(results[i] == 3.0f, 1);
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseKernel(with));
    MUST(clReleaseKernel(without));
    MUST(clReleaseProgram(program));
}

int main(void)
{
    cl_device_id device = pumice_device();
    char names[8192] = "";
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    size_t bytes = 0;
    cl_int listed = clGetDeviceInfo(device, CL_DEVICE_COOPERATIVE_MATRIX_PRODUCTS_PUMICE, 0, NULL, &bytes);
    if (strstr(names, "cl_pumice_cooperative_matrix") == NULL) {
        EQ(listed, CL_INVALID_VALUE);
        return finish();
    }
    MUST(listed);
    product *products = malloc(bytes);
    MUST(clGetDeviceInfo(device, CL_DEVICE_COOPERATIVE_MATRIX_PRODUCTS_PUMICE, bytes, products, NULL));
    size_t count = bytes / sizeof *products;
    EQ(count == 144 || count == 132, 1);
    EQ(strstr(names, "cl_khr_fp64") != NULL, count == 144);
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    for (size_t i = 0; i < count; i++) {
        const product *p = &products[i];
        EQ(p->c_type, p->result_type);
        EQ(p->saturating, p->c_type == INT || p->c_type == UINT);
        /* Each combination of components with the smallest size, and one of halves with a larger one. */
        size_t sizes = 12;
        if (i % sizes == 0 || (i / sizes == 1 && p->m == 8 && p->n == 16 && p->k == 32))
            check_product(context, queue, device, p);
    }
    free(products);
    check_groups(context, queue, device);
    MUST(clReleaseCommandQueue(queue));
    MUST(clReleaseContext(context));
    return finish();
}
