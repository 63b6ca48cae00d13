/* A quicksort that enqueues itself on the device: each kernel divides its part of the numbers and
 * enqueues a kernel for each half. The numbers come out as qsort sorts them. */
#define CL_TARGET_OPENCL_VERSION 300
#include "demo.h"

enum { COUNT = 1 << 16 };

static const char *SOURCE =
    "void swap(global int *a, int i, int j) { int t = a[i]; a[i] = a[j]; a[j] = t; }\n"
    "void insertion(global int *a, int low, int high) {\n"
    "    for (int i = low + 1; i <= high; ++i)\n"
    "        for (int j = i; j > low && a[j - 1] > a[j]; --j) swap(a, j, j - 1);\n"
    "}\n"
    "void sort(global int *a, global int *kernels, int low, int high, int depth) {\n"
    "    atomic_inc(&kernels[0]);\n"
    "    atomic_max(&kernels[1], depth);\n"
    "    if (high - low < 64) {\n"
    "        insertion(a, low, high);\n"
    "        return;\n"
    "    }\n"
    "    int middle = low + (high - low) / 2;\n"
    "    int pivot = max(min(a[low], a[high]), min(max(a[low], a[high]), a[middle]));\n"
    "    int i = low, j = high;\n"
    "    while (i <= j) {\n"
    "        while (a[i] < pivot) ++i;\n"
    "        while (a[j] > pivot) --j;\n"
    "        if (i <= j) swap(a, i++, j--);\n"
    "    }\n"
    "    int first = i, last = j;\n"
    "    queue_t queue = get_default_queue();\n"
    "    if (enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1),\n"
    "                       ^{ sort(a, kernels, low, last, depth + 1); }))\n"
    "        insertion(a, low, last);\n"
    "    if (enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1),\n"
    "                       ^{ sort(a, kernels, first, high, depth + 1); }))\n"
    "        insertion(a, first, high);\n"
    "}\n"
    "kernel void quicksort(global int *a, global int *kernels, int count) {\n"
    "    sort(a, kernels, 0, count - 1, 0);\n"
    "}\n";

static int compare(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    demo d = demo_open(argc, argv);
    const char *name = "quicksort (kernels that enqueue kernels)";
    cl_bitfield there = 0;
    clGetDeviceInfo(d.device, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, sizeof there, &there, NULL);
    if (!there) return demo_result(&d, name, 1, "left out: the device has no device queues", 0);
    cl_int err;
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES,
                                  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE
                                      | CL_QUEUE_ON_DEVICE_DEFAULT,
                                  0};
    cl_command_queue on_device = clCreateCommandQueueWithProperties(d.context, d.device, list, &err);
    CHECK(err);
    int *numbers = malloc(COUNT * sizeof(int)), *want = malloc(COUNT * sizeof(int)), kernels[2] = {0};
    uint32_t seed = 7;
    for (int i = 0; i < COUNT; i++) {
        seed = seed * 1664525u + 1013904223u;
        numbers[i] = want[i] = (int)(seed >> 8) - (1 << 23);
    }
    qsort(want, COUNT, sizeof *want, compare);
    cl_program program = demo_build(&d, SOURCE, "-cl-std=CL3.0");
    cl_kernel kernel = clCreateKernel(program, "quicksort", &err);
    CHECK(err);
    cl_mem mnumbers = demo_buffer(&d, CL_MEM_READ_WRITE, COUNT * sizeof(int), numbers);
    cl_mem mkernels = demo_buffer(&d, CL_MEM_READ_WRITE, sizeof kernels, kernels);
    cl_int count = COUNT;
    CHECK(clSetKernelArg(kernel, 0, sizeof mnumbers, &mnumbers));
    CHECK(clSetKernelArg(kernel, 1, sizeof mkernels, &mkernels));
    CHECK(clSetKernelArg(kernel, 2, sizeof count, &count));
    double ms = demo_run(&d, kernel, 1, (size_t[]){1}, NULL);
    CHECK(clEnqueueReadBuffer(d.queue, mnumbers, CL_TRUE, 0, COUNT * sizeof(int), numbers, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(d.queue, mkernels, CL_TRUE, 0, sizeof kernels, kernels, 0, NULL, NULL));
    CHECK(clReleaseCommandQueue(on_device));
    int ok = memcmp(numbers, want, COUNT * sizeof(int)) == 0 && kernels[0] > 1000;
    char what[96];
    snprintf(what, sizeof what, "%d numbers, by %d kernels, %d levels deep", COUNT, kernels[0], kernels[1]);
    return demo_result(&d, name, ok, what, ms);
}
