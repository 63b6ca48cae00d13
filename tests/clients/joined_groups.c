// client: once-a-driver
/* Launches of work-groups that leave lanes idle: results are those of the range, also with an offset and a size that
 * nothing divides. The trace tells that groups are joined where the kernel cannot tell, and nowhere else. */
#include "lone_items.h"
#include "traced_run.h"

static const char *source =
    "kernel void unseen(global uint *out, global uint *count)\n"
    "{ size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);\n"
    "  out[y * get_global_size(0) + x] += 1000 * get_global_id(1) + get_global_id(0);\n"
    "  atomic_inc(count); }\n"
    "kernel void seen(global uint *out, global uint *count)\n"
    "{ out[get_global_id(0)] += 10 * get_group_id(0) + get_local_size(0); atomic_inc(count); }\n"
    "kernel void waits(global uint *out, volatile global uint *count)\n"
    "{ while (atomic_or(count, 0) == 0) ; out[get_global_id(0)] += get_global_id(0); atomic_inc(count); }\n"
    "kernel __attribute__((reqd_work_group_size(1, 1, 1))) void required(global uint *out, global uint *count)\n"
    "{ out[get_global_id(0)] += get_global_id(0); atomic_inc(count); }\n";

/* Many enough to fill a large GPU with sub-groups; as many as fill this device are launched. */
enum { WIDTH = 1031, HEIGHT = 128, N = WIDTH * HEIGHT };
static size_t height, n;
static cl_uint host[N];

/* Runs a kernel; reads what it has written into `host`. */
static void launch(const char *name, const size_t *offset, const size_t global[2], const size_t local[2])
{
    launch_counted(name, 2, offset, global, local, host, sizeof host);
}

static int worker(void)
{
    cl_device_id device = pumice_device();
    height = groups_of_one_that_fill(device) / WIDTH + 2;
    height = height < HEIGHT ? height : HEIGHT;
    n = WIDTH * height;
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    program = PROGRAM(context, source, "-cl-std=CL3.0");
    const size_t one[2] = {1, 1}, all[2] = {WIDTH, height}, line[2] = {n, 1}, offset[2] = {7, 3};
    for (int with = 0; with < 2; with++) {
        launch("unseen", with ? offset : NULL, all, one); /* joined */
        for (size_t i = 0; i < n; i++)
            EQ(host[i], 1000 * (i / WIDTH + (with ? 3 : 0)) + i % WIDTH + (with ? 7 : 0));
    }
    launch("seen", NULL, line, one);
    for (size_t i = 0; i < n; i++)
        EQ(host[i], 10 * i + 1);
    const char *others[] = {"waits", "required"};
    for (int i = 0; i < 2; i++) {
        launch(others[i], NULL, line, one);
        for (size_t k = 0; k < n; k++)
            EQ(host[k], k);
    }
    launch("unseen", NULL, one, one);
    EQ(host[0], 0);
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return failures != 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return worker();
    EQ(traced_run(argv[0], "worker"), 0);
    /* The form that `seen` and `required` are joined in takes device addresses. */
    cl_device_svm_capabilities svm = 0;
    MUST(clGetDeviceInfo(pumice_device(), CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
    EQ(traced_times("\"local\":[1, 1]"), svm ? 2 : 4);
    return finish();
}
