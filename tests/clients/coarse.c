// client: env PUMICE_COARSE=always
// client: once-a-driver
/* Kernels whose invocations run several work-items each: results are the same where a launch takes them, and none does
 * where whole invocations do not make the work-groups and the offset of ids, or a pointer is not aligned. The trace tells. */
#include "traced_run.h"

static const char *source =
    "kernel void ids(global int *out, int n)\n"
    "{ size_t i = (get_global_id(1) - get_global_offset(1)) * get_global_size(0) + get_global_id(0) - get_global_offset(0);\n"
    "  out[i] = (int)(get_global_id(0) * n + get_local_id(0) * 8 + get_local_size(0)\n"
    "    + get_group_id(0) * 16 + get_global_size(0) + get_local_linear_id() + 3 * get_global_id(1)); }\n"
    "kernel void scan(global const int *in, global int *out, local int *part)\n"
    "{ int t = get_local_id(0), i = get_global_id(0);\n"
    "  part[t] = in[i];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (int s = 1; s < (int)get_local_size(0); s *= 2) {\n"
    "    int left = t >= s ? part[t - s] : 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    part[t] += left;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE); }\n"
    "  out[i] = part[t]; }\n"
    "kernel void branches(global const int *in, global int *out, volatile global int *odd)\n"
    "{ int i = get_global_id(0), x = in[i];\n"
    "  if (x & 1) { atomic_inc(odd); x = 3 * x + 1; } else if (x % 4 == 0) x /= 4; else x = -x;\n"
    "  if (i == 5) x += 1000;\n"
    "  if (x < 0) return;\n"
    "  out[i] = x; }\n"
    "kernel void rounds(global const int *in, global int *out, int n)\n"
    "{ for (int i = get_global_id(0); i < n; i += get_global_size(0)) {\n"
    "    int count = 0;\n"
    "    for (int x = in[i]; x > 1; x = x & 1 ? 3 * x + 1 : x / 2)\n"
    "      count++;\n"
    "    out[i] = count; } }\n"
    "kernel void rows(global int *out, int first, int pitch)\n"
    "{ int x = get_global_id(0), y = get_global_id(1);\n"
    "  out[first + y * pitch + x] += 100 * y + x; }\n"
    "kernel void functions(global const int *in, global int *out)\n"
    "{ int i = get_global_id(0), x = in[i];\n"
    "  out[i] = work_group_scan_inclusive_add(x) + 7 * work_group_scan_exclusive_add(x)\n"
    "    + 3 * work_group_reduce_max(x) + 11 * work_group_broadcast(x, 5) + (work_group_any(x > 98) ? 100000 : 0); }\n";

enum { N = 1024 };
static cl_context context;
static cl_command_queue queue;
static cl_program program;

static cl_kernel kernel_of(const char *name)
{
    return MADE(clCreateKernel, program, name);
}

static cl_mem filled(const int *values)
{
    return MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, N * sizeof(int), (void *)values);
}

static void ids(const size_t *offset, const size_t global[2], const size_t *local, cl_mem out)
{
    cl_kernel kernel = kernel_of("ids");
    int n = 100;
    MUST(clSetKernelArg(kernel, 0, sizeof out, &out));
    MUST(clSetKernelArg(kernel, 1, sizeof n, &n));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 2, offset, global, local, 0, NULL, NULL));
    static int host[2 * N];
    size_t count = global[0] * global[1];
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, count * sizeof(int), host, 0, NULL, NULL));
    for (size_t y = 0; local && y < global[1]; y++)
        for (size_t x = 0; x < global[0]; x++) {
            size_t group = x / local[0], left = global[0] - group * local[0];
            size_t wide = left < local[0] ? left : local[0], in_x = x % local[0], in_y = y % local[1];
            size_t id[2] = {x + (offset ? offset[0] : 0), y + (offset ? offset[1] : 0)};
            EQ(host[y * global[0] + x], (int)(id[0] * n + in_x * 8 + wide + group * 16 + global[0]
                                              + in_y * wide + in_x + 3 * id[1]));
        }
    MUST(clReleaseKernel(kernel));
}

static void scan(size_t local, cl_mem in, cl_mem out, const int *values)
{
    cl_kernel kernel = kernel_of("scan");
    size_t global = N;
    MUST(clSetKernelArg(kernel, 0, sizeof in, &in));
    MUST(clSetKernelArg(kernel, 1, sizeof out, &out));
    MUST(clSetKernelArg(kernel, 2, local * sizeof(int), NULL));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    int host[N], sum = 0;
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    for (int i = 0; i < N; i++) {
        sum = (i % local ? sum : 0) + values[i];
        EQ(host[i], sum);
    }
    MUST(clReleaseKernel(kernel));
}

static void branches(cl_mem in, cl_mem out, const int *values)
{
    cl_kernel kernel = kernel_of("branches");
    size_t global = N, local = 64;
    int zero = 0, odd = 0, host[N];
    cl_mem counter = filled(values);
    MUST(clEnqueueFillBuffer(queue, counter, &zero, sizeof zero, 0, sizeof zero, 0, NULL, NULL));
    MUST(clEnqueueFillBuffer(queue, out, &zero, sizeof zero, 0, N * sizeof zero, 0, NULL, NULL));
    MUST(clSetKernelArg(kernel, 0, sizeof in, &in));
    MUST(clSetKernelArg(kernel, 1, sizeof out, &out));
    MUST(clSetKernelArg(kernel, 2, sizeof counter, &counter));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, counter, CL_TRUE, 0, sizeof odd, &odd, 0, NULL, NULL));
    for (int i = 0; i < N; i++) {
        int x = values[i];
        odd -= x & 1;
        x = x & 1 ? 3 * x + 1 : x % 4 == 0 ? x / 4 : -x;
        x += i == 5 ? 1000 : 0;
        EQ(host[i], x < 0 ? 0 : x);
    }
    EQ(odd, 0);
    MUST(clReleaseMemObject(counter));
    MUST(clReleaseKernel(kernel));
}

/* Neighbours leave both loops in different rounds. */
static void rounds(int n, cl_mem in, cl_mem out, const int *values)
{
    cl_kernel kernel = kernel_of("rounds");
    size_t global = 128, local = 32;
    int host[N], minus = -1;
    MUST(clEnqueueFillBuffer(queue, out, &minus, sizeof minus, 0, N * sizeof minus, 0, NULL, NULL));
    MUST(clSetKernelArg(kernel, 0, sizeof in, &in));
    MUST(clSetKernelArg(kernel, 1, sizeof out, &out));
    MUST(clSetKernelArg(kernel, 2, sizeof n, &n));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    for (int i = 0; i < N; i++) {
        int count = 0;
        for (int x = values[i]; x > 1; x = x & 1 ? 3 * x + 1 : x / 2)
            count++;
        EQ(host[i], i < n ? count : -1);
    }
    MUST(clReleaseKernel(kernel));
}

/* Rows whose length and place are multiples of four or not: each launch takes a copy that suits its numbers, also where it differs
 * from the launch before by numbers alone. */
static void rows_of(cl_mem out)
{
    static const int pitches[][2] = {{0, 64}, {256, 64}, {513, 68}, {772, 63}}; /* first, pitch */
    cl_kernel kernel = kernel_of("rows");
    size_t global[2] = {32, 4}, local[2] = {16, 2};
    int host[N], want[N] = {0}, zero = 0;
    MUST(clEnqueueFillBuffer(queue, out, &zero, sizeof zero, 0, N * sizeof zero, 0, NULL, NULL));
    MUST(clSetKernelArg(kernel, 0, sizeof out, &out));
    for (int i = 0; i < 4; i++) {
        MUST(clSetKernelArg(kernel, 1, sizeof(int), &pitches[i][0]));
        MUST(clSetKernelArg(kernel, 2, sizeof(int), &pitches[i][1]));
        MUST(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL));
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 32; x++)
                want[pitches[i][0] + y * pitches[i][1] + x] += 100 * y + x;
    }
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        EQ(host[i], want[i]);
    MUST(clReleaseKernel(kernel));
}

static void functions(size_t local, cl_mem in, cl_mem out, const int *values)
{
    cl_kernel kernel = kernel_of("functions");
    size_t global = N;
    int host[N];
    MUST(clSetKernelArg(kernel, 0, sizeof in, &in));
    MUST(clSetKernelArg(kernel, 1, sizeof out, &out));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    for (size_t group = 0; group < N; group += local) {
        int sum = 0, most = 0;
        for (size_t i = group; i < group + local; i++)
            most = values[i] > most ? values[i] : most;
        for (size_t i = group; i < group + local; i++) {
            int before = sum;
            sum += values[i];
            EQ(host[i], sum + 7 * before + 3 * most + 11 * values[group + 5] + (most > 98 ? 100000 : 0));
        }
    }
    MUST(clReleaseKernel(kernel));
}

/* Work-items of an invocation are 8, 4 or 2: fifteen launches take the copy, five cannot. */
static int worker(void)
{
    cl_device_id device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    program = PROGRAM(context, source, "-cl-std=CL3.0");
    int values[N];
    for (int i = 0; i < N; i++)
        values[i] = (i * 37 + i / 7) % 101;
    cl_mem in = filled(values), out = filled(values);

    const size_t local[2] = {32, 2}, rows[2] = {64, 8};
    ids(NULL, rows, local, out);                                       /* taken */
    ids((const size_t[2]){0, 9}, rows, local, out);                    /* taken: y alone has an offset */
    ids((const size_t[2]){48, 2}, rows, local, out);                   /* taken: whole invocations make the offset */
    ids((const size_t[2]){4, 0}, rows, local, out);                    /* not taken */
    ids(NULL, (const size_t[2]){70, 8}, local, out);                   /* taken but for the groups at the end */
    ids(NULL, rows, (const size_t[2]){1, 2}, out);                     /* not taken */
    ids(NULL, (const size_t[2]){63, 3}, (const size_t[2]){21, 3}, out); /* not taken */
    ids(NULL, (const size_t[2]){1024, 1}, NULL, out);                  /* taken */
    scan(64, in, out, values);                                         /* taken */
    scan(256, in, out, values);                                        /* taken */
    scan(4, in, out, values);                                          /* taken, of four work-items an invocation */
    scan(2, in, out, values);                                          /* taken, of two */
    scan(1, in, out, values);                                          /* not taken */
    branches(in, out, values);                                         /* taken */
    rounds(1000, in, out, values);                                     /* taken */
    rounds(3, in, out, values);                                        /* taken */
    rows_of(out);                                                      /* four taken */
    functions(64, in, out, values);                                    /* taken */
    functions(256, in, out, values);                                   /* taken */

    /* A pointer into shared memory that is aligned to 4 bytes. */
    int *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, (N + 1) * sizeof *shared, 0);
    CHECK(shared);
    MUST(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, shared, (N + 1) * sizeof *shared, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        shared[i + 1] = values[i];
    MUST(clEnqueueSVMUnmap(queue, shared, 0, NULL, NULL));
    cl_kernel kernel = kernel_of("scan");
    size_t global = N, wide = 64;
    MUST(clSetKernelArgSVMPointer(kernel, 0, shared + 1));
    MUST(clSetKernelArg(kernel, 1, sizeof out, &out));
    MUST(clSetKernelArg(kernel, 2, wide * sizeof(int), NULL));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &wide, 0, NULL, NULL)); /* not taken */
    int first[2];
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof first, first, 0, NULL, NULL));
    EQ(first[1], values[0] + values[1]);
    MUST(clReleaseKernel(kernel));

    /* Applications see no copies. */
    size_t names = 0;
    MUST(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof names, &names, NULL));
    EQ(names, 6);
    cl_kernel kernels[8];
    cl_uint count = 0;
    MUST(clCreateKernelsInProgram(program, 8, kernels, &count));
    EQ(count, 6);
    for (cl_uint i = 0; i < count; i++)
        MUST(clReleaseKernel(kernels[i]));

    clSVMFree(context, shared);
    cl_mem all[] = {in, out};
    for (int i = 0; i < 2; i++)
        MUST(clReleaseMemObject(all[i]));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return failures != 0;
}

/* Launches one kernel for two seconds: the device has run it for long enough by then, and the copy has been made. With barriers
 * the work-groups have 32 work-items. */
static int works_long(int barriers)
{
    cl_device_id device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    const char *text = "kernel void mix(global uint *x, uint rounds)\n"
                       "{ local uint words[32];\n"
                       "  uint i = get_global_id(0), v = x[i];\n"
                       "  for (uint k = 0; k < rounds; k++) {\n"
                       "    v = (v ^ k) * 0x9e3779b1u + (v >> 13);\n"
                       "#ifdef BARRIERS\n"
                       "    words[get_local_id(0)] = v; barrier(CLK_LOCAL_MEM_FENCE);\n"
                       "    v += words[get_local_id(0) ^ 1] & 1; barrier(CLK_LOCAL_MEM_FENCE);\n"
                       "    v -= words[get_local_id(0) ^ 1] & 1; barrier(CLK_LOCAL_MEM_FENCE);\n"
                       "#endif\n"
                       "  }\n"
                       "  x[i] = v; }\n";
    program = PROGRAM(context, text, barriers ? "-DBARRIERS" : "");
    static cl_uint values[16 * N], host[16 * N];
    for (cl_uint i = 0; i < 16 * N; i++)
        values[i] = i * 77;
    cl_mem x = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof values, values);
    cl_kernel kernel = kernel_of("mix");
    /* A barrier takes SwiftShader a thousand times as long as such a round. */
    cl_uint rounds = barriers ? 5 : 500;
    size_t global = 16 * N, few = 32;
    MUST(clSetKernelArg(kernel, 0, sizeof x, &x));
    MUST(clSetKernelArg(kernel, 1, sizeof rounds, &rounds));
    cl_uint launches = 0;
    for (time_t start = time(NULL); time(NULL) < start + 2; launches++) {
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, barriers ? &few : NULL, 0, NULL, NULL));
        MUST(clFinish(queue));
    }
    MUST(clEnqueueReadBuffer(queue, x, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    /* A few of them, since a processor alone takes as long for all. */
    for (cl_uint i = 0; i < 16 * N; i += 1021) {
        cl_uint v = values[i];
        for (cl_uint n = 0; n < launches; n++)
            for (cl_uint k = 0; k < rounds; k++)
                v = (v ^ k) * 0x9e3779b1u + (v >> 13);
        EQ(host[i], v);
    }
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseMemObject(x));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return failures != 0;
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return strcmp(argv[1], "works") ? works_long(!strcmp(argv[1], "barriers")) : worker();
    cl_device_svm_capabilities svm = 0;
    cl_device_type type = 0;
    MUST(clGetDeviceInfo(pumice_device(), CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
    MUST(clGetDeviceInfo(pumice_device(), CL_DEVICE_TYPE, sizeof type, &type, NULL));
    /* Copies need device addresses, and are made for processors. */
    if (!svm || !(type & CL_DEVICE_TYPE_CPU))
        return finish();
    EQ(traced_run(argv[0], "works"), 0);
    int launches = traced_times("\"local\":"), taken = traced_times("\"items_per_invocation\":");
    printf("launches: %d, of copies: %d\n", launches, taken);
    EQ(launches, 23);
    /* Where size_t is made of words, kernels that compute with it have no copies. */
    char extensions[8192] = "";
    MUST(clGetDeviceInfo(pumice_device(), CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    int has_longs = strstr(extensions, "cl_khr_int64_base_atomics") != NULL;
    if (has_longs)
        EQ(taken, 18);
    else
        CHECK(taken > 0 && taken < 18);

    /* By default a kernel gets a copy in the background once it has run for long, from source and from the cache alike. */
    char cache[] = "/tmp/pumice-coarse-XXXXXX";
    CHECK(mkdtemp(cache));
    setenv("PUMICE_CACHE", cache, 1);
    setenv("PUMICE_COARSE", "auto", 1);
    for (int round = 0; round < 2; round++) {
        EQ(traced_run(argv[0], "long"), 0);
        printf("launches of copies: %d\n", traced_times("\"items_per_invocation\":"));
        CHECK(traced_times("\"items_per_invocation\":") > 0);
        /* The first launches are the kernel's own. */
        CHECK(traced_times("\"items_per_invocation\":") < traced_times("\"local\":"));
    }
    /* Eight invocations of the copy with four work-items each are a sub-group, those of the one with eight are half of it. */
    EQ(traced_run(argv[0], "barriers"), 0);
    printf("launches of copies, with barriers: %d\n", traced_times("\"items_per_invocation\":"));
    EQ(traced_times("\"items_per_invocation\":") > 0, has_longs);
    setenv("PUMICE_COARSE", "off", 1);
    EQ(traced_run(argv[0], "long"), 0);
    EQ(traced_times("\"items_per_invocation\":"), 0);
    return finish();
}
