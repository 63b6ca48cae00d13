// client: once-a-driver
/* Launches of work-groups of one work-item, by kernels that see their groups or have local memory: results are those of such
 * groups. The trace tells that the groups are joined, but for kernels that wait or have local arguments, and that a kernel which
 * the driver has compiled already is not compiled again at once. */
#include "lone_items.h"
#include "traced_run.h"

static const char *source =
    "kernel void seen(global uint *out, global uint *count)\n"
    "{ size_t at = get_global_id(0) - get_global_offset(0); atomic_inc(count);\n"
    "  out[at] = (get_group_id(0) == at) + 2 * (get_num_groups(0) == get_global_size(0)) + 4 * (get_local_size(0) == 1)\n"
    "    + 8 * (get_local_id(0) == 0) + 16 * (get_enqueued_local_size(0) == 1) + 32 * (get_local_linear_id() == 0); }\n"
    "kernel __attribute__((reqd_work_group_size(1, 1, 1))) void required(global uint *out, global uint *count)\n"
    "{ out[get_global_id(0)] = get_global_id(0); atomic_inc(count); }\n"
    "kernel void meets(global uint *out, global uint *count)\n"
    "{ uint id = get_global_id(0), sum = 0;\n"
    "  for (uint i = 0; i < id % 5; i++) { barrier(CLK_LOCAL_MEM_FENCE); sum += i; }\n"
    "  barrier(CLK_GLOBAL_MEM_FENCE); out[id] = sum; atomic_inc(count); }\n"
    /* A permutation by the work-item's number, as RC4 makes it. */
    "kernel void permutes(global uint *out, global uint *count)\n"
    "{ local uint all[256]; local uint swaps; uint id = get_global_id(0), j = 0; swaps = 0;\n"
    "  for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) all[i] = i;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (uint i = 0; i < 256; i++) { j = (j + all[i] + (id >> (i & 7))) & 255;\n"
    "    uint t = all[i]; all[i] = all[j]; all[j] = t; atomic_add(&swaps, i != j); }\n"
    "  out[id] = all[id & 255] | all[j] << 8 | swaps << 16; atomic_inc(count); }\n"
    "kernel void argument(global uint *out, global uint *count, local uint *own)\n"
    "{ own[get_local_id(0)] = get_global_id(0); barrier(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] = own[0]; atomic_inc(count); }\n"
    "kernel void waits(global uint *out, volatile global uint *count)\n"
    "{ while (atomic_or(count, 0) == 0) ; out[get_global_id(0)] = get_group_id(0); atomic_inc(count); }\n"
    "kernel void late(global uint *out, global uint *count)\n"
    "{ out[get_global_id(0)] = get_group_id(0); atomic_inc(count); }\n";

/* Many enough to fill a large GPU with sub-groups; as many as fill this device are launched. */
enum { N = 1031 * 128 };
static size_t n;
static cl_uint host[N];

/* Runs a kernel in work-groups of one work-item; reads what it has written into `host`. */
static void launch(const char *name, size_t offset, size_t items)
{
    const size_t one = 1;
    launch_counted(name, 1, &offset, &items, &one, host, items * sizeof *host);
}

static cl_uint permuted(cl_uint id)
{
    cl_uint all[256], j = 0, swaps = 0;
    for (cl_uint i = 0; i < 256; i++)
        all[i] = i;
    for (cl_uint i = 0; i < 256; i++) {
        j = (j + all[i] + (id >> (i & 7))) & 255;
        cl_uint t = all[i];
        all[i] = all[j];
        all[j] = t;
        swaps += i != j;
    }
    return all[id & 255] | all[j] << 8 | swaps << 16;
}

static int worker(void)
{
    cl_device_id device = pumice_device();
    n = groups_of_one_that_fill(device) + 7;
    n = n < N ? n : N;
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    program = PROGRAM(context, source, "-cl-std=CL3.0");
    for (size_t offset = 0; offset < 8; offset += 7) {
        launch("seen", offset, n);
        for (size_t i = 0; i < n; i++)
            EQ(host[i], 63);
    }
    launch("meets", 0, n);
    const cl_uint sums[] = {0, 0, 1, 3, 6};
    for (size_t i = 0; i < n; i++)
        EQ(host[i], sums[i % 5]);
    const size_t sizes[] = {n, 3, 17, 1};
    for (int k = 0; k < 4; k++) {
        launch("permutes", 0, sizes[k]);
        for (size_t i = 0; i < sizes[k]; i++)
            EQ(host[i], permuted(i));
    }
    const char *others[] = {"required", "argument", "waits"};
    for (int k = 0; k < 3; k++) {
        launch(others[k], 0, n);
        for (size_t i = 0; i < n; i++)
            EQ(host[i], i);
    }
    for (int k = 0; k < 2; k++) {
        const size_t items = k ? n : 1;
        launch("late", 0, items);
        for (size_t i = 0; i < items; i++)
            EQ(host[i], i);
    }
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return failures != 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return worker();
    cl_device_svm_capabilities svm = 0;
    cl_device_type type = 0;
    MUST(clGetDeviceInfo(pumice_device(), CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
    MUST(clGetDeviceInfo(pumice_device(), CL_DEVICE_TYPE, sizeof type, &type, NULL));
    EQ(traced_run(argv[0], "worker"), 0);
    int joined = 12 - traced_times("\"local\":[1]"), tables = type & CL_DEVICE_TYPE_CPU ? 1 : 0;
    printf("joined: %d of 12 launches\n", joined);
    /* That takes device addresses. Of the kernel with a table three launches are large enough for some processors, one for all. */
    if (svm)
        CHECK(joined >= 4 + tables && joined <= 5 + 3 * tables);
    else
        EQ(joined, 0);
    return finish();
}
