/* cl_intel_unified_shared_memory: a list and a hash table built by the host and walked by kernels, every command,
 * every query and every error; on a device without addresses, that everything says so. */
#include "common.h"
#include <stdint.h>

static clHostMemAllocINTEL_fn host_alloc;
static clDeviceMemAllocINTEL_fn device_alloc;
static clSharedMemAllocINTEL_fn shared_alloc;
static clMemFreeINTEL_fn mem_free;
static clMemBlockingFreeINTEL_fn blocking_free;
static clGetMemAllocInfoINTEL_fn alloc_info;
static clSetKernelArgMemPointerINTEL_fn set_pointer;
static clEnqueueMemFillINTEL_fn fill;
static clEnqueueMemcpyINTEL_fn copy;
static clEnqueueMigrateMemINTEL_fn migrate;
static clEnqueueMemAdviseINTEL_fn advise;
static cl_int(CL_API_CALL *set)(cl_command_queue, void *, cl_int, size_t, cl_uint, const cl_event *, cl_event *);

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;

static const char *source =
    "struct node { global struct node *next; int value; };\n"
    "kernel void sum(global struct node *first, global int *out)\n"
    "{ int s = 0; for (global struct node *n = first; n; n = n->next) { s += n->value; n->value = ~n->value; } *out = s; }\n"
    "struct entry { uint key, value; global struct entry *next; };\n"
    "kernel void look_up(global struct entry *global *table, uint buckets, global const uint *keys, global uint *out)\n"
    "{ uint key = keys[get_global_id(0)], found = 0xffffffff;\n"
    "  for (global struct entry *e = table[key * 2654435761u % buckets]; e; e = e->next)\n"
    "    if (e->key == key) { found = e->value; break; }\n"
    "  out[get_global_id(0)] = found; }\n"
    "kernel void link(global struct node *nodes, int n)\n"
    "{ int i = get_global_id(0); nodes[i].value = i * i; nodes[i].next = i + 1 < n ? &nodes[i + 1] : 0; }\n"
    "kernel void add(global int *data, int n) { data[get_global_id(0)] += n; }\n"
    "kernel void slow(global int *data) { for (int i = 0; i < 20000; i++) data[0] = data[0] * 3 + i; data[1] = 7; }\n"
    "kernel void kinds(global int *g, constant int *c, local int *l, int n) { g[0] = c[0] + n; l[0] = 1; }\n";

struct node {
    struct node *next;
    int value;
};
struct entry {
    cl_uint key, value;
    struct entry *next;
};

static cl_kernel kernel_of(cl_program program, const char *name)
{
    return MADE(clCreateKernel, program, name);
}

static void run(cl_kernel kernel, size_t global)
{
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
}

static void *host_memory(size_t size)
{
    void *made = MADE(host_alloc, context, NULL, size, 0);
    CHECK(made && (uintptr_t)made % 128 == 0);
    memset(made, 0, size);
    return made;
}

static void *device_memory(size_t size)
{
    void *made = MADE(device_alloc, context, device, NULL, size, 0);
    CHECK(made && (uintptr_t)made % 128 == 0);
    return made;
}

static int int_at(const void *memory)
{
    int value = -1;
    MUST(copy(queue, CL_TRUE, &value, memory, sizeof value, 0, NULL, NULL));
    return value;
}

/* A list of one allocation for each node, host and shared in turn; many of them. */
static void lists(cl_program program)
{
    enum { N = 300 };
    cl_int error = 0;
    cl_kernel sum = kernel_of(program, "sum");
    struct node *nodes[N], *first = NULL;
    int want = 0;
    for (int i = 0; i < N; i++) {
        nodes[i] = i % 2 ? host_memory(sizeof(struct node))
                         : shared_alloc(context, i % 4 ? device : NULL, NULL, sizeof(struct node), 8, &error);
        MUST(error);
        nodes[i]->next = first;
        nodes[i]->value = i * 7;
        want += i * 7;
        first = nodes[i];
    }
    int *out = host_memory(sizeof *out);
    cl_bool yes = CL_TRUE;
    MUST(clSetKernelExecInfo(sum, CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, sizeof yes, &yes));
    MUST(clSetKernelExecInfo(sum, CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL, sizeof yes, &yes));
    MUST(set_pointer(sum, 0, first));
    MUST(set_pointer(sum, 1, out));
    run(sum, 1);
    MUST(clFinish(queue));
    EQ(*out, want);
    for (int i = 0; i < N; i++)
        EQ(nodes[i]->value, ~(i * 7));
    for (int i = 0; i < N; i++)
        MUST(mem_free(context, nodes[i]));
    MUST(mem_free(context, out));
    MUST(clReleaseKernel(sum));
}

/* A table of chains in one shared allocation. */
static void hash_table(cl_program program)
{
    enum { BUCKETS = 61, N = 500, ASKED = 256 };
    cl_kernel look_up = kernel_of(program, "look_up");
    struct entry **table = host_memory(BUCKETS * sizeof *table);
    struct entry *entries = MADE(shared_alloc, context, device, NULL, N * sizeof *entries, 0);
    for (cl_uint i = 0; i < N; i++) {
        struct entry **bucket = &table[i * 3 * 2654435761u % BUCKETS];
        entries[i] = (struct entry){i * 3, i + 1000, *bucket};
        *bucket = &entries[i];
    }
    cl_uint *keys = host_memory(ASKED * 4), *out = host_memory(ASKED * 4), buckets = BUCKETS;
    for (cl_uint i = 0; i < ASKED; i++)
        keys[i] = i;
    const void *used[] = {entries};
    MUST(clSetKernelExecInfo(look_up, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof used, used));
    MUST(set_pointer(look_up, 0, table));
    MUST(clSetKernelArg(look_up, 1, 4, &buckets));
    MUST(set_pointer(look_up, 2, keys));
    MUST(set_pointer(look_up, 3, out));
    run(look_up, ASKED);
    MUST(clFinish(queue));
    for (cl_uint i = 0; i < ASKED; i++)
        EQ(out[i], i % 3 ? 0xffffffff : i / 3 + 1000);
    void *all[] = {table, entries, keys, out};
    for (int i = 0; i < 4; i++)
        MUST(mem_free(context, all[i]));
    MUST(clReleaseKernel(look_up));
}

/* Memory of the device: linked there, walked there, read by a copy. */
static void device_lists(cl_program program)
{
    enum { N = 100 };
    cl_kernel link = kernel_of(program, "link"), sum = kernel_of(program, "sum");
    struct node *nodes = device_memory(N * sizeof *nodes), back[N];
    int *out = device_memory(4), n = N, want = 0;
    MUST(set_pointer(link, 0, nodes));
    MUST(clSetKernelArg(link, 1, sizeof n, &n));
    run(link, N);
    MUST(set_pointer(sum, 0, &nodes[10]));
    MUST(set_pointer(sum, 1, out));
    run(sum, 1);
    MUST(copy(queue, CL_TRUE, back, nodes, sizeof back, 0, NULL, NULL));
    for (int i = 0; i < N; i++) {
        EQ(back[i].value, i < 10 ? i * i : ~(i * i));
        /* The device's pointers are those that the application knows. */
        CHECK(back[i].next == (i + 1 < N ? &nodes[i + 1] : NULL));
        want += i < 10 ? 0 : i * i;
    }
    EQ(int_at(out), want);
    MUST(mem_free(context, nodes));
    MUST(mem_free(context, out));
    MUST(clReleaseKernel(link));
    MUST(clReleaseKernel(sum));
}

static void commands(cl_program program)
{
    enum { N = 1024 };
    int *a = device_memory(N * 4), *b = device_memory(N * 4), host[N], pattern = 0x01020304;
    cl_event events[6], gate = MADE(clCreateUserEvent, context);
    /* Memory that nothing has written is zero. */
    EQ(int_at(a + N - 1), 0);
    MUST(fill(queue, a, &pattern, 4, N * 4, 1, &gate, &events[0]));
    MUST(set(queue, a + 8, 0x55, 16, 0, NULL, &events[1]));
    MUST(copy(queue, CL_FALSE, b, a + 4, 64, 0, NULL, &events[2]));
    MUST(migrate(queue, a, N * 4, 0, 0, NULL, &events[3]));
    MUST(advise(queue, a, N * 4, 0, 0, NULL, &events[4]));
    MUST(copy(queue, CL_FALSE, host, b, 64, 0, NULL, &events[5]));
    static const cl_command_type types[] = {CL_COMMAND_MEMFILL_INTEL,    CL_COMMAND_MEMFILL_INTEL,
                                            CL_COMMAND_MEMCPY_INTEL,     CL_COMMAND_MIGRATEMEM_INTEL,
                                            CL_COMMAND_MEMADVISE_INTEL, CL_COMMAND_MEMCPY_INTEL};
    for (int i = 0; i < 6; i++) {
        cl_command_type type = 0;
        cl_int status = -1;
        MUST(clGetEventInfo(events[i], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
        EQ(type, types[i]);
        MUST(clGetEventInfo(events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        CHECK(status > CL_COMPLETE);
    }
    MUST(clSetUserEventStatus(gate, CL_COMPLETE));
    MUST(clFinish(queue));
    for (int i = 0; i < 16; i++)
        EQ(host[i], i >= 4 && i < 8 ? 0x55555555 : pattern);
    /* Kernels and copies between host, device and plain memory, in order. */
    cl_kernel add = kernel_of(program, "add");
    int n = 5, *mine = host_memory(N * 4);
    for (int i = 0; i < N; i++)
        host[i] = i;
    MUST(copy(queue, CL_FALSE, a, host, sizeof host, 0, NULL, NULL));
    MUST(set_pointer(add, 0, a + 1));
    MUST(clSetKernelArg(add, 1, sizeof n, &n));
    run(add, N - 1);
    MUST(copy(queue, CL_FALSE, mine, a, sizeof host, 0, NULL, NULL));
    MUST(set_pointer(add, 0, mine));
    run(add, N);
    MUST(copy(queue, CL_TRUE, host, mine, sizeof host, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        EQ(host[i], i + (i ? 10 : 5));
    MUST(fill(queue, a + 1, &n, 1, 3, 0, NULL, NULL));
    MUST(clFinish(queue));
    EQ(int_at(a + 1), 0x050505);
    /* Blocking free waits for the kernel that uses the memory. */
    cl_kernel slow = kernel_of(program, "slow");
    MUST(set_pointer(slow, 0, b));
    cl_event done;
    size_t one = 1;
    MUST(clEnqueueNDRangeKernel(queue, slow, 1, NULL, &one, NULL, 0, NULL, &done));
    MUST(blocking_free(context, b));
    cl_int status = -1;
    MUST(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    EQ(status, CL_COMPLETE);
    MUST(blocking_free(context, NULL));

    /* Errors. */
    EQ(fill(NULL, a, &pattern, 4, 4, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    EQ(fill(queue, NULL, &pattern, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(fill(queue, a, NULL, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(fill(queue, a, &pattern, 3, 6, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(fill(queue, a, &pattern, 256, 256, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(fill(queue, a, &pattern, 4, 6, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(fill(queue, (char *)a + 2, &pattern, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(fill(queue, a, &pattern, 4, 4, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    EQ(copy(queue, CL_TRUE, NULL, a, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(copy(queue, CL_TRUE, a, NULL, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(copy(queue, CL_TRUE, a, a + 1, 8, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    EQ(migrate(queue, a, 4, 1 << 9, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(advise(queue, a, 4, 1, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_kernel kinds = kernel_of(program, "kinds");
    MUST(set_pointer(kinds, 0, a));
    MUST(set_pointer(kinds, 0, NULL));
    MUST(set_pointer(kinds, 0, (void *)16));
    MUST(set_pointer(kinds, 1, a));
    EQ(set_pointer(kinds, 2, a), CL_INVALID_ARG_VALUE);
    EQ(set_pointer(kinds, 3, a), CL_INVALID_ARG_VALUE);
    EQ(set_pointer(kinds, 4, a), CL_INVALID_ARG_INDEX);
    EQ(set_pointer(NULL, 0, a), CL_INVALID_KERNEL);
    cl_bool yes = CL_TRUE;
    MUST(clSetKernelExecInfo(kinds, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, sizeof yes, &yes));
    EQ(clSetKernelExecInfo(kinds, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, 1, &yes), CL_INVALID_VALUE);
    EQ(clSetKernelExecInfo(kinds, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 7, &a), CL_INVALID_VALUE);
    EQ(clSetKernelExecInfo(kinds, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 8, NULL), CL_INVALID_VALUE);
    for (int i = 0; i < 6; i++)
        MUST(clReleaseEvent(events[i]));
    MUST(clReleaseEvent(gate));
    MUST(clReleaseEvent(done));
    cl_kernel kernels[] = {add, slow, kinds};
    for (int i = 0; i < 3; i++)
        MUST(clReleaseKernel(kernels[i]));
    MUST(mem_free(context, a));
    MUST(mem_free(context, mine));
}

static void expect_info(const void *pointer, cl_uint type, void *base, size_t size, cl_device_id of, cl_ulong flags)
{
    cl_uint got_type = 0;
    void *got_base = &got_type;
    size_t got_size = 1, length = 0;
    cl_device_id got_device = (cl_device_id)1;
    cl_ulong got_flags = 99;
    MUST(alloc_info(context, pointer, CL_MEM_ALLOC_TYPE_INTEL, sizeof got_type, &got_type, &length));
    EQ(length, 4);
    MUST(alloc_info(context, pointer, CL_MEM_ALLOC_BASE_PTR_INTEL, sizeof got_base, &got_base, NULL));
    MUST(alloc_info(context, pointer, CL_MEM_ALLOC_SIZE_INTEL, sizeof got_size, &got_size, NULL));
    MUST(alloc_info(context, pointer, CL_MEM_ALLOC_DEVICE_INTEL, sizeof got_device, &got_device, NULL));
    MUST(alloc_info(context, pointer, CL_MEM_ALLOC_FLAGS_INTEL, sizeof got_flags, &got_flags, NULL));
    EQ(got_type, type);
    CHECK(got_base == base);
    EQ(got_size, size);
    CHECK(got_device == of);
    EQ(got_flags, flags);
}

/* Programs ask for pages, of small and of large memory, beside memory of other sizes. */
static void alignments(int on_host)
{
    void *all[2 * 13 * 3];
    int count = 0;
    for (int large = 0; large < 2; large++)
        for (cl_uint shift = 0; shift <= 12; shift++) {
            size_t size = large ? 3 << 20 : 40 + shift;
            int first = count;
            all[count++] = MADE(device_alloc, context, device, NULL, size, 1u << shift);
            if (on_host) {
                all[count++] = MADE(host_alloc, context, NULL, size, 1u << shift);
                all[count++] = MADE(shared_alloc, context, device, NULL, size, 1u << shift);
            }
            for (int i = first; i < count; i++) {
                EQ((size_t)all[i] % (1u << shift), 0);
                cl_uint pattern = 0x1000u + (cl_uint)i, back = 0;
                MUST(fill(queue, all[i], &pattern, 4, 40, 0, NULL, NULL));
                MUST(copy(queue, CL_TRUE, &back, (char *)all[i] + 36, 4, 0, NULL, NULL));
                EQ(back, pattern);
            }
        }
    for (int i = 0; i < count; i++)
        MUST(mem_free(context, all[i]));
}

static void queries_and_errors(int on_host)
{
    cl_int error = 0;
    cl_mem_properties_intel combined[] = {CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_WRITE_COMBINED_INTEL, 0};
    char *d = MADE(device_alloc, context, device, combined, 1000, 64);
    expect_info(d, CL_MEM_TYPE_DEVICE_INTEL, d, 1000, device, CL_MEM_ALLOC_WRITE_COMBINED_INTEL);
    expect_info(d + 999, CL_MEM_TYPE_DEVICE_INTEL, d, 1000, device, CL_MEM_ALLOC_WRITE_COMBINED_INTEL);
    expect_info(d + 1000, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
    expect_info(&error, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
    expect_info(NULL, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
    void *svm = clSVMAlloc(context, 0, 64, 0);
    CHECK(svm);
    expect_info(svm, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
    if (on_host) {
        char *h = host_memory(100);
        expect_info(h + 50, CL_MEM_TYPE_HOST_INTEL, h, 100, NULL, 0);
        cl_mem_properties_intel placed[] = {CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0};
        char *s = MADE(shared_alloc, context, device, placed, 100, 0);
        expect_info(s + 99, CL_MEM_TYPE_SHARED_INTEL, s, 100, device, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL);
        placed[1] |= CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL;
        CHECK(!shared_alloc(context, device, placed, 100, 0, &error));
        EQ(error, CL_INVALID_PROPERTY);
        CHECK(!host_alloc(NULL, NULL, 64, 0, &error));
        EQ(error, CL_INVALID_CONTEXT);
        CHECK(!host_alloc(context, NULL, 0, 0, &error));
        EQ(error, CL_INVALID_BUFFER_SIZE);
        CHECK(!shared_alloc(context, (cl_device_id)context, NULL, 64, 0, &error));
        EQ(error, CL_INVALID_DEVICE);
        MUST(mem_free(context, h));
        MUST(mem_free(context, s));
    }
    EQ(alloc_info(context, d, 0x1234, 8, &error, NULL), CL_INVALID_VALUE);
    EQ(alloc_info(context, d, CL_MEM_ALLOC_SIZE_INTEL, 7, &error, NULL), CL_INVALID_VALUE);
    EQ(alloc_info(NULL, d, CL_MEM_ALLOC_TYPE_INTEL, 0, NULL, NULL), CL_INVALID_CONTEXT);
    static const struct {
        size_t size;
        cl_uint alignment;
        cl_int error;
    } wrong[] = {{64, 3, CL_INVALID_VALUE}, {64, 8192, CL_INVALID_VALUE}, {0, 0, CL_INVALID_BUFFER_SIZE},
                 {SIZE_MAX, 0, CL_INVALID_BUFFER_SIZE}};
    for (int i = 0; i < 4; i++) {
        CHECK(!device_alloc(context, device, NULL, wrong[i].size, wrong[i].alignment, &error));
        EQ(error, wrong[i].error);
    }
    cl_mem_properties_intel bad[][5] = {{0x1234, 1, 0},
                                        {CL_MEM_ALLOC_FLAGS_INTEL, 1 << 9, 0},
                                        {CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0},
                                        {CL_MEM_ALLOC_FLAGS_INTEL, 0, CL_MEM_ALLOC_FLAGS_INTEL, 0, 0}};
    for (int i = 0; i < 4; i++) {
        CHECK(!device_alloc(context, device, bad[i], 64, 0, &error));
        EQ(error, CL_INVALID_PROPERTY);
    }
    CHECK(!device_alloc(context, NULL, NULL, 64, 0, &error));
    EQ(error, CL_INVALID_DEVICE);
    CHECK(!device_alloc(context, device, NULL, 0, 0, NULL));
    /* What is not freed is not waited for. */
    cl_event gate = MADE(clCreateUserEvent, context);
    MUST(clEnqueueMarkerWithWaitList(queue, 1, &gate, NULL));
    MUST(blocking_free(context, NULL));
    EQ(blocking_free(context, d + 1), CL_INVALID_VALUE);
    EQ(blocking_free(context, svm), CL_INVALID_VALUE);
    MUST(clSetUserEventStatus(gate, CL_COMPLETE));
    MUST(clFinish(queue));
    MUST(clReleaseEvent(gate));
    /* Only what was given is freed, each by its own call. */
    EQ(mem_free(context, d + 1), CL_INVALID_VALUE);
    EQ(mem_free(context, svm), CL_INVALID_VALUE);
    EQ(mem_free(NULL, d), CL_INVALID_CONTEXT);
    clSVMFree(context, d);
    expect_info(d, CL_MEM_TYPE_DEVICE_INTEL, d, 1000, device, CL_MEM_ALLOC_WRITE_COMBINED_INTEL);
    MUST(mem_free(context, NULL));
    MUST(mem_free(context, d));
    EQ(mem_free(context, d), CL_INVALID_VALUE);
    expect_info(d, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
    clSVMFree(context, svm);
}

/* The memory of a device is no memory of the host's, where the host cannot reach it. */
static void no_host_memory(void)
{
    cl_int error = 0;
    int *d = device_memory(64), value = 3;
    cl_mem buffer = MADE(clCreateBuffer, context, 0, 64, NULL);
    cl_ulong system = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL, sizeof system, &system, NULL));
    cl_int want = system ? CL_SUCCESS : CL_INVALID_VALUE;
    EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, d, 0, NULL, NULL), want);
    EQ(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 4, d, 0, NULL, NULL), want);
    cl_mem over = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 64, d, &error);
    EQ(error, system ? CL_SUCCESS : CL_INVALID_HOST_PTR);
    if (over)
        MUST(clReleaseMemObject(over));
    MUST(copy(queue, CL_TRUE, d, &value, 4, 0, NULL, NULL));
    EQ(int_at(d), 3);
    MUST(clReleaseMemObject(buffer));
    MUST(mem_free(context, d));
}

static void without(cl_program program)
{
    cl_int error = 0, x = 0;
    cl_ulong has = 0;
    EQ(clGetDeviceInfo(device, CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, sizeof has, &has, NULL), CL_INVALID_VALUE);
    CHECK(!host_alloc(context, NULL, 64, 0, &error));
    EQ(error, CL_INVALID_OPERATION);
    CHECK(!device_alloc(context, device, NULL, 64, 0, &error));
    EQ(error, CL_INVALID_OPERATION);
    CHECK(!shared_alloc(context, NULL, NULL, 64, 0, &error));
    EQ(error, CL_INVALID_OPERATION);
    EQ(copy(queue, CL_TRUE, &x, &error, 4, 0, NULL, NULL), CL_INVALID_OPERATION);
    EQ(fill(queue, &x, &error, 4, 4, 0, NULL, NULL), CL_INVALID_OPERATION);
    cl_kernel add = kernel_of(program, "add");
    EQ(set_pointer(add, 0, &x), CL_INVALID_OPERATION);
    cl_bool yes = CL_TRUE;
    EQ(clSetKernelExecInfo(add, CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, sizeof yes, &yes),
       CL_INVALID_OPERATION);
    MUST(clReleaseKernel(add));
}

int main(void)
{
    cl_int error = 0;
    device = pumice_device();
    load_function(&host_alloc, "clHostMemAllocINTEL");
    load_function(&device_alloc, "clDeviceMemAllocINTEL");
    load_function(&shared_alloc, "clSharedMemAllocINTEL");
    load_function(&mem_free, "clMemFreeINTEL");
    load_function(&blocking_free, "clMemBlockingFreeINTEL");
    load_function(&alloc_info, "clGetMemAllocInfoINTEL");
    load_function(&set_pointer, "clSetKernelArgMemPointerINTEL");
    load_function(&fill, "clEnqueueMemFillINTEL");
    load_function(&copy, "clEnqueueMemcpyINTEL");
    load_function(&migrate, "clEnqueueMigrateMemINTEL");
    load_function(&advise, "clEnqueueMemAdviseINTEL");
    load_function(&set, "clEnqueueMemsetINTEL");
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    char extensions[8192] = "", platform[8192] = "";
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    MUST(clGetPlatformInfo(pumice_platform(), CL_PLATFORM_EXTENSIONS, sizeof platform, platform, NULL));
    int listed = strstr(extensions, "cl_intel_unified_shared_memory") != NULL;
    EQ(strstr(platform, "cl_intel_unified_shared_memory") != NULL, listed);
    cl_program program = MADE(clCreateProgramWithSource, context, 1, &source, NULL);
    const char *plain = "kernel void add(global int *data, int n) { data[get_global_id(0)] += n; }\n";
    if (!listed) {
        MUST(clReleaseProgram(program));
        program = MADE(clCreateProgramWithSource, context, 1, &plain, NULL);
    }
    MUST(clBuildProgram(program, 0, NULL, listed ? "-cl-std=CL3.0" : "", NULL, NULL));
    if (listed) {
        cl_ulong of_host = 0, of_device = 0;
        MUST(clGetDeviceInfo(device, CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, 8, &of_host, NULL));
        MUST(clGetDeviceInfo(device, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL, 8, &of_device, NULL));
        CHECK(of_device & CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL);
        if (of_host) {
            lists(program);
            hash_table(program);
            commands(program);
        } else {
            CHECK(!host_alloc(context, NULL, 64, 0, &error));
            EQ(error, CL_INVALID_OPERATION);
        }
        device_lists(program);
        alignments(of_host != 0);
        queries_and_errors(of_host != 0);
        no_host_memory();
    } else {
        without(program);
    }
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
