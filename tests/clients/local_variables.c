/* Local variables and arguments of all alignments side by side: every work-group has its own, in ranges of more groups
 * than run at once, with other sizes from launch to launch, and in queues that nobody waits for. */
#include "common.h"

static const char *source =
    "kernel void mixed(global uint *wrong, local char *bytes, local float8 *wide, local ushort *shorts, uint count)\n"
    "{ local char first; local long words[5]; local uint sum;\n"
    "  uint id = get_local_id(0), size = get_local_size(0), group = get_group_id(0);\n"
    "  if (id == 0) { first = group; sum = 0; }\n"
    "  if (id < 5) words[id] = 1000000007L * group + id;\n"
    "  for (uint i = id; i < count; i += size) {\n"
    "    bytes[i] = i + group; wide[i] = (float8)((float4)(i, group, i + 0.5f, -1), (float4)(group)); shorts[i] = 3 * i + group; }\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  uint bad = 0;\n"
    "  for (uint k = id; k < count; k += size) { uint i = count - 1 - k;\n"
    "    bad += bytes[i] != (char)(i + group); bad += shorts[i] != (ushort)(3 * i + group);\n"
    "    bad += any(wide[i] != (float8)((float4)(i, group, i + 0.5f, -1), (float4)(group))); }\n"
    "  bad += first != (char)group; bad += words[id % 5] != 1000000007L * group + id % 5;\n"
    "  bad += ((size_t)wide & 31) != 0; bad += ((size_t)shorts & 1) != 0;\n"
    "  atomic_add(&sum, 1);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  bad += sum != size;\n"
    "  if (bad) atomic_add(wrong, bad); }\n"
    "kernel void reversed(global uint *out, local uint *tile, uint rounds)\n"
    "{ uint id = get_local_id(0), size = get_local_size(0);\n"
    "  for (uint i = 0; i < rounds; i++) {\n"
    "    tile[id] = get_global_id(0); barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[get_global_id(0)] += tile[size - 1 - id]; barrier(CLK_LOCAL_MEM_FENCE); } }\n"
    "kernel void bytes_beside(global uint *out, local uchar *tile, uint rounds)\n"
    "{ uint id = get_local_id(0), size = get_local_size(0);\n"
    "  tile[id] = id; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (uint i = 0; i < rounds; i++) { tile[(id + i) % size] += 3; barrier(CLK_LOCAL_MEM_FENCE); }\n"
    "  out[get_global_id(0)] = tile[id]; }\n";

enum { LOCAL = 16, GROUPS = 5000, N = LOCAL * GROUPS + 5, QUEUES = 2, LAUNCHES = 4 };
static cl_context context;
static cl_device_id device;
static cl_program program;
static cl_uint host[N];

static cl_kernel kernel_of(const char *name)
{
    return MADE(clCreateKernel, program, name);
}

static cl_ulong local_bytes(cl_kernel kernel)
{
    cl_ulong bytes = 0;
    MUST(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    return bytes;
}

static cl_mem zeros(size_t bytes)
{
    return MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, bytes, memset(host, 0, sizeof host));
}

static void side_by_side(cl_command_queue queue)
{
    cl_kernel kernel = kernel_of("mixed");
    cl_mem wrong = zeros(4);
    cl_ulong own = local_bytes(kernel);
    CHECK(own >= 45 && own <= 128);
    MUST(clSetKernelArg(kernel, 0, sizeof wrong, &wrong));
    for (cl_uint count = 1; count <= 200; count = 3 * count + 1) {
        MUST(clSetKernelArg(kernel, 1, count, NULL));
        MUST(clSetKernelArg(kernel, 2, count * 32, NULL));
        MUST(clSetKernelArg(kernel, 3, count * 2, NULL));
        MUST(clSetKernelArg(kernel, 4, sizeof count, &count));
        cl_ulong all = local_bytes(kernel);
        CHECK(all >= own + count * 35 && all <= own + count * 35 + 3 * 128);
        size_t sizes[][2] = {{LOCAL * 40, LOCAL}, {N, LOCAL}, {977, 7}};
        for (int i = 0; i < 3; i++)
            MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &sizes[i][0], &sizes[i][1], 0, NULL, NULL));
    }
    MUST(clEnqueueReadBuffer(queue, wrong, CL_TRUE, 0, 4, host, 0, NULL, NULL));
    EQ(host[0], 0);
    MUST(clReleaseMemObject(wrong));
    MUST(clReleaseKernel(kernel));
}

/* More work-groups than a dispatch has, with nearly as much memory as the device gives: validation layers count the other kernel's
 * variables too. The last group is smaller. */
static void many_groups(cl_command_queue queue)
{
    cl_ulong most = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof most, &most, NULL));
    cl_kernel kernel = kernel_of("reversed");
    cl_mem out = zeros(sizeof host);
    size_t global = N, local = LOCAL, sizes[] = {LOCAL * 4, most - 256};
    cl_uint rounds = 1;
    MUST(clSetKernelArg(kernel, 0, sizeof out, &out));
    MUST(clSetKernelArg(kernel, 2, sizeof rounds, &rounds));
    for (int i = 0; i < 2; i++) {
        MUST(clSetKernelArg(kernel, 1, sizes[i], NULL));
        EQ(local_bytes(kernel), sizes[i]);
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    }
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    int wrong = 0;
    for (cl_uint i = 0; i < N; i++) {
        cl_uint first = i / LOCAL * LOCAL, end = first + LOCAL < N ? first + LOCAL : N;
        wrong += host[i] != 2 * (end - 1 - (i - first));
    }
    EQ(wrong, 0);
    MUST(clReleaseMemObject(out));
    MUST(clReleaseKernel(kernel));
}

static void bytes_side_by_side(cl_command_queue queue)
{
    cl_kernel kernel = kernel_of("bytes_beside");
    cl_mem out = zeros(sizeof host);
    size_t global = LOCAL * 100, local = LOCAL;
    cl_uint rounds = 2;
    MUST(clSetKernelArg(kernel, 0, sizeof out, &out));
    MUST(clSetKernelArg(kernel, 1, LOCAL, NULL));
    MUST(clSetKernelArg(kernel, 2, sizeof rounds, &rounds));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    int wrong = 0;
    for (cl_uint i = 0; i < global; i++)
        wrong += host[i] != i % LOCAL + 6;
    EQ(wrong, 0);
    MUST(clReleaseMemObject(out));
    MUST(clReleaseKernel(kernel));
}

/* Launches of one kernel in several queues at a time do not meet in its local memory. */
static void several_queues(void)
{
    cl_kernel kernel = kernel_of("reversed");
    cl_command_queue queues[QUEUES];
    cl_mem outs[QUEUES];
    size_t global = LOCAL * GROUPS, local = LOCAL;
    cl_uint rounds = 1;
    MUST(clSetKernelArg(kernel, 2, sizeof rounds, &rounds));
    for (int q = 0; q < QUEUES; q++) {
        cl_queue_properties properties[] = {
            CL_QUEUE_PROPERTIES, q ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, 0};
        queues[q] = MADE(clCreateCommandQueueWithProperties, context, device, properties);
        outs[q] = zeros(sizeof host);
    }
    for (int l = 0; l < LAUNCHES; l++)
        for (int q = 0; q < QUEUES; q++) {
            MUST(clSetKernelArg(kernel, 0, sizeof outs[q], &outs[q]));
            MUST(clSetKernelArg(kernel, 1, (l + 1) * LOCAL * 4, NULL));
            MUST(clEnqueueNDRangeKernel(queues[q], kernel, 1, NULL, &global, &local, 0, NULL, NULL));
            if (q)
                MUST(clEnqueueBarrierWithWaitList(queues[q], 0, NULL, NULL));
        }
    for (int q = 0; q < QUEUES; q++) {
        MUST(clEnqueueReadBuffer(queues[q], outs[q], CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
        int wrong = 0;
        for (cl_uint i = 0; i < global; i++)
            wrong += host[i] != LAUNCHES * (i / LOCAL * LOCAL + LOCAL - 1 - i % LOCAL);
        EQ(wrong, 0);
        MUST(clReleaseMemObject(outs[q]));
        MUST(clReleaseCommandQueue(queues[q]));
    }
    MUST(clReleaseKernel(kernel));
}

int main(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    program = PROGRAM(context, source, "-cl-std=CL3.0");
    side_by_side(queue);
    many_groups(queue);
    bytes_side_by_side(queue);
    several_queues();
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
