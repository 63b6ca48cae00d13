// client: env PUMICE_ABI=mixed
// client: once
/* Programs in two forms: a launch uses descriptors where each pointer is a buffer, and addresses where one is more
 * than that. Results are the same; the trace tells the form. */
#include "traced_run.h"

static const char *source =
    "kernel void add(global int *to, global const int *from, int n)\n"
    "{ size_t i = get_global_id(0); to[i] = from[i] + n; }\n"
    "kernel void copy(global int *to, global const int *from, constant int *by, local int *l)\n"
    "{ size_t i = get_global_id(0); l[get_local_id(0)] = from[i]; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  to[i] = l[get_local_id(0)] * by[0]; }\n";
/* The same kernel, and one that needs addresses: the program has no form with descriptors. */
static const char *with_pointers =
    "kernel void copy(global int *to, global const int *from, constant int *by, local int *l)\n"
    "{ size_t i = get_global_id(0); to[i] = from[i] * by[0]; }\n"
    "kernel void see(global ulong *out, global int *p) { *out = (ulong)p; }\n";
/* A variable of the program is one for all launches. */
static const char *with_variable =
    "global int counter = 5;\n"
    "kernel void copy(global int *to, global const int *from, constant int *by, local int *l)\n"
    "{ size_t i = get_global_id(0); to[i] = from[i] * by[0] + atomic_add(&counter, 0) - 5; }\n";

enum { N = 64 };
static cl_context context;
static cl_command_queue queue;

static cl_kernel kernel_of(const char *text, const char *name)
{
    cl_program program = PROGRAM(context, text, "-cl-std=CL3.0");
    cl_kernel kernel = MADE(clCreateKernel, program, name);
    MUST(clReleaseProgram(program));
    return kernel;
}

static cl_mem filled(int first)
{
    int host[N];
    for (int i = 0; i < N; i++)
        host[i] = first + i;
    return MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof host, host);
}

static void expect(cl_mem buffer, int first, int by)
{
    int host[N];
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        EQ(host[i], first + by * i);
}

static void run(cl_kernel kernel)
{
    size_t global = N, local = 16;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
}

static void copies(const char *text, int launches)
{
    cl_kernel copy = kernel_of(text, "copy");
    cl_mem to = filled(0), from = filled(3);
    int three[4] = {3, 0, 0, 0};
    cl_mem by = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof three, three);
    MUST(clSetKernelArg(copy, 0, sizeof to, &to));
    MUST(clSetKernelArg(copy, 1, sizeof from, &from));
    MUST(clSetKernelArg(copy, 2, sizeof by, &by));
    MUST(clSetKernelArg(copy, 3, 64, NULL));
    for (int i = 0; i < launches; i++)
        run(copy);
    expect(to, 9, 3);
    cl_mem all[] = {to, from, by};
    for (int i = 0; i < 3; i++)
        MUST(clReleaseMemObject(all[i]));
    MUST(clReleaseKernel(copy));
}

/* Thirteen launches. */
static int worker(void)
{
    cl_device_id device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    copies(source, 3);        /* 3 by descriptors */
    copies(with_pointers, 1); /* none */
    copies(with_variable, 1); /* none */

    cl_kernel add = kernel_of(source, "add");
    cl_mem to = filled(0), from = filled(100);
    int n = 1;
    MUST(clSetKernelArg(add, 0, sizeof to, &to));
    MUST(clSetKernelArg(add, 1, sizeof from, &from));
    MUST(clSetKernelArg(add, 2, sizeof n, &n));
    run(add); /* by descriptors */
    expect(to, 101, 1);
    n = 7;
    MUST(clSetKernelArg(add, 2, sizeof n, &n));
    run(add); /* the same with another number */
    expect(to, 107, 1);

    /* Shared memory: a pointer into its middle, followed backwards too. */
    int *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 4 * N * sizeof *shared, 0);
    CHECK(shared);
    MUST(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, shared, 4 * N * sizeof *shared, 0, NULL, NULL));
    for (int i = 0; i < 4 * N; i++)
        shared[i] = 2 * i;
    MUST(clEnqueueSVMUnmap(queue, shared, 0, NULL, NULL));
    MUST(clSetKernelArgSVMPointer(add, 1, shared + N));
    run(add); /* by addresses */
    expect(to, 2 * N + 7, 2);
    cl_kernel before = kernel_of("kernel void before(global int *to, global const int *from)\n"
                                 "{ int i = get_global_id(0); to[i] = from[i - 64]; }\n",
                                 "before");
    MUST(clSetKernelArg(before, 0, sizeof to, &to));
    MUST(clSetKernelArgSVMPointer(before, 1, shared + N));
    run(before); /* by addresses */
    expect(to, 0, 2);

    /* Back to the buffer, and to a part of one. */
    MUST(clSetKernelArg(add, 1, sizeof from, &from));
    run(add); /* by descriptors */
    expect(to, 107, 1);
    cl_mem large = MADE(clCreateBuffer, context, 0, 8192, NULL);
    cl_buffer_region region = {4096, N * 4};
    cl_mem part = MADE(clCreateSubBuffer, large, 0, CL_BUFFER_CREATE_TYPE_REGION, &region);
    MUST(clEnqueueCopyBuffer(queue, from, part, 0, 0, N * 4, 0, NULL, NULL));
    MUST(clSetKernelArg(add, 1, sizeof part, &part));
    n = 0;
    MUST(clSetKernelArg(add, 2, sizeof n, &n));
    run(add); /* by descriptors */
    expect(to, 100, 1);

    /* A kernel that asks whether a pointer is NULL looks at its value: by addresses. */
    cl_kernel maybe = kernel_of("kernel void add(global int *to, global const int *from, int n)\n"
                                "{ size_t i = get_global_id(0); to[i] = (from ? from[i] : 1000) + n; }\n",
                                "add");
    MUST(clSetKernelArg(maybe, 0, sizeof to, &to));
    MUST(clSetKernelArg(maybe, 1, sizeof(cl_mem), NULL));
    MUST(clSetKernelArg(maybe, 2, sizeof n, &n));
    run(maybe);
    expect(to, 1000, 0);
    MUST(clSetKernelArg(maybe, 1, sizeof from, &from));
    run(maybe);
    expect(to, 100, 1);

    MUST(clFinish(queue));
    clSVMFree(context, shared);
    cl_kernel kernels[] = {add, before, maybe};
    for (int i = 0; i < 3; i++)
        MUST(clReleaseKernel(kernels[i]));
    cl_mem all[] = {to, from, part, large};
    for (int i = 0; i < 4; i++)
        MUST(clReleaseMemObject(all[i]));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return failures != 0;
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return worker();
    cl_device_svm_capabilities svm = 0;
    MUST(clGetDeviceInfo(pumice_device(), CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
    /* Without addresses there is one form. */
    if (!svm)
        return finish();
    /* The first process compiles, the second one finds both forms in the cache. */
    char cache[] = "/tmp/pumice-forms-XXXXXX";
    CHECK(mkdtemp(cache));
    setenv("PUMICE_CACHE", cache, 1);
    for (int round = 0; round < 2; round++) {
        EQ(traced_run(argv[0], "works"), 0);
        int descriptors = traced_times("\"buffers\":\"descriptors\"");
        printf("launches by descriptors: %d\n", descriptors);
        EQ(traced_times("\"global\":[64]"), 13);
        EQ(descriptors, 7);
        if (round)
            EQ(traced_times("\"cache\":\"hit\""), 6);
    }
    char line[128];
    snprintf(line, sizeof line, "rm -r %s", cache);
    EQ(system(line), 0);
    return finish();
}
