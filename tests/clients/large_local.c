/* All of CL_DEVICE_LOCAL_MEM_SIZE, which may be more than Vulkan has shared memory: as arguments, as variables, with atomic
 * operations, called functions and generic pointers, in more work-groups than run at once; and not a byte more. */
#include "common.h"

/* A program for each kernel: validation layers count the local memory of a whole program. */
static const char *one =
    "uint turned(local const uint *words, uint i, uint count) { return words[(i + 1) % count]; }\n"
    "kernel void one(global uint *out, local uint *words, uint count)\n"
    "{ uint id = get_local_id(0), size = get_local_size(0), group = get_group_id(0), sum = 0;\n"
    "  for (uint i = id; i < count; i += size) words[i] = i * 2654435761u + group;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (uint i = id; i < count; i += size) sum += turned(words, i, count) * (i + 1);\n"
    "  out[get_global_id(0)] = sum; }\n";
static const char *once =
    "kernel void once(global uint *out, local uint *words, uint count)\n"
    "{ uint id = get_local_id(0); words[count - 1 - id] = 7 * get_global_id(0);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  out[get_global_id(0)] = words[count - get_local_size(0) + id]; }\n";
static const char *two =
    "kernel void two(global uint *out, local ulong *longs, uint count, local uchar *bytes, uint byte_count)\n"
    "{ uint id = get_local_id(0), size = get_local_size(0), group = get_group_id(0), sum = 0;\n"
    "  for (uint i = id; i < count; i += size) longs[i] = (ulong)(i + group) << 20;\n"
    "  for (uint i = id; i < byte_count; i += size) bytes[i] = 3 * i + group;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (uint i = id; i < count; i += size) sum += longs[count - 1 - i] >> 20;\n"
    "  for (uint i = id; i < byte_count; i += size) sum += bytes[byte_count - 1 - i];\n"
    "  out[get_global_id(0)] = sum; }\n";
static const char *bins =
    "kernel void bins(global uint *out, local uint *bins, uint count)\n"
    "{ uint id = get_local_id(0), size = get_local_size(0);\n"
    "  for (uint i = id; i < count; i += size) bins[i] = 0;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (uint i = 0; i < 64; i++) atomic_inc(&bins[(id * 64 + i) * 37 % count]);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  uint sum = 0; for (uint i = id; i < count; i += size) sum += bins[i] * (i + 1);\n"
    "  out[get_global_id(0)] = sum; }\n";
static const char *generic_pointers =
    "uint last(uint *words, uint count) { return words[count - 1]; }\n"
    "kernel void generic_pointers(global uint *out, local uint *words, uint count)\n"
    "{ uint id = get_local_id(0); if (id == 0) words[count - 1] = 11 * get_group_id(0);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  uint own[2] = {1, 2}; uint *pointer = own;\n"
    "  if (id % 2) pointer = words;\n"
    "  out[get_global_id(0)] = last(pointer, id % 2 ? count : 2); }\n";

/* With WORDS words of local memory. */
static const char *tile =
    "kernel void tile(global uint *out)\n"
    "{ local uint words[WORDS]; uint id = get_local_id(0), size = get_local_size(0), sum = 0;\n"
    "  for (uint i = id; i < WORDS; i += size) words[i] = i ^ get_group_id(0);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (uint i = id; i < WORDS; i += size) sum += words[WORDS - 1 - i] * (i + 1);\n"
    "  out[get_global_id(0)] = sum; }\n";
static const char *counts =
    "kernel void counts(global uint *out)\n"
    "{ local uint bins[WORDS]; uint id = get_local_id(0), size = get_local_size(0);\n"
    "  for (uint i = id; i < WORDS; i += size) bins[i] = 0;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (uint i = 0; i < 64; i++) atomic_inc(&bins[(id * 64 + i) * 37 % WORDS]);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  uint sum = 0; for (uint i = id; i < WORDS; i += size) sum += bins[i] * (i + 1);\n"
    "  out[get_global_id(0)] = sum; }\n";
static const char *half_and_more =
    "kernel void half_and_more(global uint *out, local uint *more)\n"
    "{ local uint words[WORDS / 2]; uint id = get_local_id(0);\n"
    "  words[WORDS / 2 - 1 - id] = id; more[id] = get_group_id(0); barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  out[get_global_id(0)] = words[WORDS / 2 - get_local_size(0) + id] + more[get_local_size(0) - 1 - id]; }\n";

enum { LOCAL = 16, GROUPS = 600, N = LOCAL * GROUPS };
static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_mem out;
static cl_uint host[N];

static void launch(cl_kernel kernel, size_t groups)
{
    size_t global = groups * LOCAL, local = LOCAL;
    MUST(clSetKernelArg(kernel, 0, sizeof out, &out));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
}

static void set_words(cl_kernel kernel, cl_uint argument, cl_uint count, size_t size)
{
    MUST(clSetKernelArg(kernel, argument, count * size, NULL));
    MUST(clSetKernelArg(kernel, argument + 1, sizeof count, &count));
}

static void is_refused(cl_kernel kernel)
{
    size_t global = LOCAL;
    EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &global, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
}

/* What work-item `id` of a group computes of its share of `count` words. */
static cl_uint of_one(cl_uint id, cl_uint group, cl_uint count)
{
    cl_uint sum = 0;
    for (cl_uint i = id; i < count; i += LOCAL)
        sum += ((i + 1) % count * 2654435761u + group) * (i + 1);
    return sum;
}

static cl_uint of_tile(cl_uint id, cl_uint group, cl_uint count)
{
    cl_uint sum = 0;
    for (cl_uint i = id; i < count; i += LOCAL)
        sum += ((count - 1 - i) ^ group) * (i + 1);
    return sum;
}

static cl_uint of_bins(cl_uint id, cl_uint count)
{
    cl_uint sum = 0;
    for (cl_uint k = 0; k < LOCAL * 64; k++)
        if (k * 37 % count % LOCAL == id)
            sum += k * 37 % count + 1;
    return sum;
}

static cl_kernel built(const char *source, const char *name, cl_uint words)
{
    char options[64];
    snprintf(options, sizeof options, "-cl-std=CL3.0 -DWORDS=%u", words);
    cl_program program = PROGRAM(context, source, options);
    cl_kernel kernel = MADE(clCreateKernel, program, name);
    MUST(clReleaseProgram(program));
    return kernel;
}

static void one_argument(cl_uint most)
{
    cl_kernel kernel = built(one, "one", 0);
    cl_uint sizes[] = {LOCAL, most / 4, most / 4 - 5, 3 * LOCAL};
    for (int s = 0; s < 4; s++) {
        cl_uint groups = s == 1 ? GROUPS : 3;
        set_words(kernel, 1, sizes[s], 4);
        launch(kernel, groups);
        int wrong = 0;
        for (cl_uint i = 0; i < groups * LOCAL; i++)
            wrong += host[i] != of_one(i % LOCAL, i / LOCAL, sizes[s]);
        EQ(wrong, 0);
    }
    set_words(kernel, 1, most / 4 + 1, 4);
    is_refused(kernel);
    MUST(clReleaseKernel(kernel));

    kernel = built(once, "once", 0);
    set_words(kernel, 1, most / 4, 4);
    launch(kernel, GROUPS);
    int wrong = 0;
    for (cl_uint i = 0; i < N; i++)
        wrong += host[i] != 7 * (i / LOCAL * LOCAL + LOCAL - 1 - i % LOCAL);
    EQ(wrong, 0);
    MUST(clReleaseKernel(kernel));
}

static void two_arguments(cl_uint most)
{
    cl_kernel kernel = built(two, "two", 0);
    cl_uint longs = most / 16, bytes = most / 2 - 128;
    set_words(kernel, 1, longs, 8);
    set_words(kernel, 3, bytes, 1);
    launch(kernel, 5);
    int wrong = 0;
    for (cl_uint i = 0; i < 5 * LOCAL; i++) {
        cl_uint sum = 0, id = i % LOCAL, group = i / LOCAL;
        for (cl_uint k = id; k < longs; k += LOCAL)
            sum += longs - 1 - k + group;
        for (cl_uint k = id; k < bytes; k += LOCAL)
            sum += (cl_uchar)(3 * (bytes - 1 - k) + group);
        wrong += host[i] != sum;
    }
    EQ(wrong, 0);
    set_words(kernel, 3, most / 2 + 1, 1);
    is_refused(kernel);
    MUST(clReleaseKernel(kernel));
}

/* Atomic operations, on a kernel's argument or variable. */
static void atomics(cl_kernel kernel, cl_uint words)
{
    launch(kernel, 5);
    int wrong = 0;
    for (cl_uint i = 0; i < 5 * LOCAL; i++)
        wrong += host[i] != of_bins(i % LOCAL, words);
    EQ(wrong, 0);
    MUST(clReleaseKernel(kernel));
}

static void by_generic_pointers(cl_uint most)
{
    cl_bool has_generic = CL_FALSE;
    MUST(clGetDeviceInfo(
        device, CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, sizeof has_generic, &has_generic, NULL));
    if (!has_generic)
        return;
    cl_kernel kernel = built(generic_pointers, "generic_pointers", 0);
    set_words(kernel, 1, most / 4, 4);
    launch(kernel, 5);
    int wrong = 0;
    for (cl_uint i = 0; i < 5 * LOCAL; i++)
        wrong += host[i] != (i % 2 ? 11 * (i / LOCAL) : 2);
    EQ(wrong, 0);
    MUST(clReleaseKernel(kernel));
}

static void variables(cl_uint most)
{
    cl_uint words = most / 4;
    cl_kernel kernel = built(tile, "tile", words);
    launch(kernel, GROUPS);
    int wrong = 0;
    for (cl_uint i = 0; i < N; i++)
        wrong += host[i] != of_tile(i % LOCAL, i / LOCAL, words);
    EQ(wrong, 0);
    MUST(clReleaseKernel(kernel));
    kernel = built(tile, "tile", words + 1);
    MUST(clSetKernelArg(kernel, 0, sizeof out, &out));
    is_refused(kernel);
    MUST(clReleaseKernel(kernel));

    /* Variables that fit in shared memory, with arguments that do not fit beside them. */
    kernel = built(half_and_more, "half_and_more", words);
    size_t sizes[] = {4 * LOCAL, most / 2 - 128};
    for (int s = 0; s < 2; s++) {
        MUST(clSetKernelArg(kernel, 1, sizes[s], NULL));
        launch(kernel, 40);
        wrong = 0;
        for (cl_uint i = 0; i < 40 * LOCAL; i++)
            wrong += host[i] != LOCAL - 1 - i % LOCAL + i / LOCAL;
        EQ(wrong, 0);
    }
    MUST(clSetKernelArg(kernel, 1, most, NULL));
    is_refused(kernel);
    MUST(clReleaseKernel(kernel));
}

int main(void)
{
    cl_ulong most = 0;
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    out = MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, sizeof host, NULL);
    MUST(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof most, &most, NULL));
    char profile[64] = "";
    MUST(clGetDeviceInfo(device, CL_DEVICE_PROFILE, sizeof profile, profile, NULL));
    CHECK(most >= (strcmp(profile, "FULL_PROFILE") ? 1 << 10 : 32 << 10));
    one_argument((cl_uint)most);
    two_arguments((cl_uint)most);
    cl_kernel kernel = built(bins, "bins", 0);
    set_words(kernel, 1, (cl_uint)most / 4, 4);
    atomics(kernel, (cl_uint)most / 4);
    atomics(built(counts, "counts", (cl_uint)most / 4), (cl_uint)most / 4);
    by_generic_pointers((cl_uint)most);
    variables((cl_uint)most);
    MUST(clReleaseMemObject(out));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
