// client: once-a-driver
/* Device-side enqueue: device queues and their errors, events between commands of the device, ranges
 * of every shape. device_enqueue_recursion.c has chains, trees and full queues.
 *
 * A device without device queues says so in every query and refuses them. */
#include "common.h"

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_command_queue_properties on_device =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE;

static cl_command_queue device_queue(cl_command_queue_properties bits, cl_queue_properties size,
                                     cl_int expected)
{
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, bits, size ? CL_QUEUE_SIZE : 0, size, 0};
    cl_int error = 1;
    cl_command_queue made = clCreateCommandQueueWithProperties(context, device, list, &error);
    EQ(error, expected);
    return made;
}

static cl_uint device_uint(cl_device_info name)
{
    cl_uint value = 12345;
    MUST(clGetDeviceInfo(device, name, sizeof value, &value, NULL));
    return value;
}

static cl_ulong device_ulong(cl_device_info name)
{
    cl_ulong value = 12345;
    MUST(clGetDeviceInfo(device, name, sizeof value, &value, NULL));
    return value;
}

static cl_program build(const char *source, const char *options)
{
    cl_program program = MADE(clCreateProgramWithSource, context, 1, &source, NULL);
    if (clBuildProgram(program, 1, &device, options, NULL, NULL) != CL_SUCCESS) {
        static char log[1 << 16];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
        exit(1);
    }
    return program;
}

static cl_kernel kernel_of(cl_program program, const char *name, cl_mem buffer)
{
    cl_kernel kernel = MADE(clCreateKernel, program, name);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    return kernel;
}

static void run(cl_kernel kernel, size_t items)
{
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    MUST_END(clFinish(queue));
}

static cl_mem buffer_of(size_t bytes)
{
    return MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, bytes, NULL);
}

static void fetch(cl_mem buffer, void *to, size_t bytes)
{
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, to, 0, NULL, NULL));
}

/* ---- a device without ---- */

static void absent(void)
{
    EQ(device_ulong(CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES), 0);
    EQ(device_uint(CL_DEVICE_MAX_ON_DEVICE_QUEUES), 0);
    EQ(device_uint(CL_DEVICE_MAX_ON_DEVICE_EVENTS), 0);
    EQ(device_uint(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE), 0);
    EQ(device_uint(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE), 0);
    device_queue(on_device, 0, CL_INVALID_QUEUE_PROPERTIES);
    device_queue(0, 4096, CL_INVALID_QUEUE_PROPERTIES);
    EQ(clSetDefaultDeviceCommandQueue(context, device, queue), CL_INVALID_OPERATION);
    const char *source = "kernel void k(queue_t q) {}";
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    EQ(clBuildProgram(program, 1, &device, "-cl-std=CL3.0", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    MUST(clReleaseProgram(program));
}

/* ---- objects ---- */

static void queues(void)
{
    EQ(device_ulong(CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES),
       CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    EQ(device_ulong(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES),
       CL_DEVICE_QUEUE_SUPPORTED | CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT);
    CHECK(device_uint(CL_DEVICE_MAX_ON_DEVICE_EVENTS) >= 1024);
    cl_uint most = device_uint(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE);
    cl_uint preferred = device_uint(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE);
    CHECK(preferred >= 16384 && preferred <= most && most >= 262144);

    device_queue(CL_QUEUE_ON_DEVICE, 0, CL_INVALID_VALUE);
    device_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE_DEFAULT, 0,
                 CL_INVALID_VALUE);
    device_queue(0, 4096, CL_INVALID_VALUE);
    device_queue(on_device, (cl_queue_properties)most + 1, CL_INVALID_QUEUE_PROPERTIES);
    // Hints are for the host's queues.
    cl_queue_properties hints[] = {CL_QUEUE_PRIORITY_KHR, CL_QUEUE_THROTTLE_KHR};
    for (int i = 0; i < 2; i++) {
        cl_queue_properties hinted[] = {CL_QUEUE_PROPERTIES, on_device, hints[i], 2, 0};
        cl_int refused = 1;
        CHECK(!clCreateCommandQueueWithProperties(context, device, hinted, &refused));
        EQ(refused, CL_INVALID_QUEUE_PROPERTIES);
    }
    cl_int error;
    CHECK(!clCreateCommandQueue(context, device, on_device, &error));
    EQ(error, CL_INVALID_QUEUE_PROPERTIES);

    cl_command_queue none = (cl_command_queue)1;
    MUST(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE_DEFAULT, sizeof none, &none, NULL));
    CHECK(none == NULL);
    cl_command_queue other = device_queue(on_device, 65536, CL_SUCCESS);
    cl_command_queue first = device_queue(on_device | CL_QUEUE_ON_DEVICE_DEFAULT, 0, CL_SUCCESS);
    cl_command_queue again = device_queue(on_device | CL_QUEUE_ON_DEVICE_DEFAULT, 0, CL_SUCCESS);
    CHECK(first == again);
    cl_uint number = 0;
    MUST(clGetCommandQueueInfo(first, CL_QUEUE_REFERENCE_COUNT, sizeof number, &number, NULL));
    EQ(number, 2);
    MUST(clReleaseCommandQueue(again));
    MUST(clGetCommandQueueInfo(first, CL_QUEUE_SIZE, sizeof number, &number, NULL));
    EQ(number, preferred);
    MUST(clGetCommandQueueInfo(other, CL_QUEUE_SIZE, sizeof number, &number, NULL));
    EQ(number, 65536);
    cl_command_queue_properties bits = 0;
    MUST(clGetCommandQueueInfo(other, CL_QUEUE_PROPERTIES, sizeof bits, &bits, NULL));
    EQ(bits, on_device);
    cl_queue_properties list[8];
    size_t bytes = 0;
    MUST(clGetCommandQueueInfo(other, CL_QUEUE_PROPERTIES_ARRAY, sizeof list, list, &bytes));
    EQ(bytes, 5 * sizeof list[0]);
    EQ(list[3], 65536);
    EQ(clGetCommandQueueInfo(queue, CL_QUEUE_SIZE, sizeof number, &number, NULL),
       CL_INVALID_COMMAND_QUEUE);

    cl_command_queue found = NULL;
    MUST(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE_DEFAULT, sizeof found, &found, NULL));
    CHECK(found == first);
    EQ(clSetDefaultDeviceCommandQueue(context, device, queue), CL_INVALID_COMMAND_QUEUE);
    EQ(clSetDefaultDeviceCommandQueue(context, NULL, other), CL_INVALID_DEVICE);
    MUST(clSetDefaultDeviceCommandQueue(context, device, other));
    MUST(clGetCommandQueueInfo(other, CL_QUEUE_DEVICE_DEFAULT, sizeof found, &found, NULL));
    CHECK(found == other);

    /* A device queue takes no commands of the host. */
    EQ(clFinish(other), CL_INVALID_COMMAND_QUEUE);
    EQ(clFlush(other), CL_INVALID_COMMAND_QUEUE);
    EQ(clEnqueueMarkerWithWaitList(other, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);

    /* Arguments. */
    cl_program program = build("kernel void k(queue_t q, global int *p)"
                               "{ enqueue_kernel(q, 0, ndrange_1D(1), ^{ *p = 1; }); }",
                               "-cl-std=CL3.0");
    cl_kernel kernel = MADE(clCreateKernel, program, "k");
    EQ(clSetKernelArg(kernel, 0, sizeof queue, &queue), CL_INVALID_DEVICE_QUEUE);
    EQ(clSetKernelArg(kernel, 0, sizeof queue, NULL), CL_INVALID_DEVICE_QUEUE);
    EQ(clSetKernelArg(kernel, 0, 4, &other), CL_INVALID_ARG_SIZE);
    MUST(clSetKernelArg(kernel, 0, sizeof other, &other));
    /* Blocks and the scheduler are no kernels of the application. */
    cl_uint kernels = 0;
    MUST(clCreateKernelsInProgram(program, 0, NULL, &kernels));
    EQ(kernels, 1);
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(other));
    MUST(clReleaseCommandQueue(first));
}

/* ---- errors that kernels see ---- */

/* Runs a kernel that takes a buffer of zeros and a queue of `queue_size` bytes (0: the default size), and reads the buffer. */
static void run_with_queue(const char *source, const char *options, const char *name, cl_uint queue_size, size_t global,
                           int *words, size_t count)
{
    cl_command_queue given = device_queue(on_device, queue_size, CL_SUCCESS);
    cl_program program = build(source, options);
    cl_mem buffer = buffer_of(count * sizeof *words);
    cl_kernel kernel = kernel_of(program, name, buffer);
    MUST(clSetKernelArg(kernel, 1, sizeof given, &given));
    run(kernel, global);
    fetch(buffer, words, count * sizeof *words);
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(given));
}

static const char errors_source[] =
    "kernel void errors(global int *r, queue_t q)\n"
    "{\n"
    "  clk_event_t none = create_user_event();\n"
    "  release_event(none);\n"
    "  size_t mixed[2] = {8, 8}, part[2] = {4, 0};\n"
    "  r[0] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ r[20] = 1; });\n"
    "  r[1] = enqueue_kernel(q, 0, ndrange_1D(8, 1 << 20), ^{ r[20] = 1; });\n"
    "  r[2] = enqueue_kernel(q, 0, ndrange_2D(mixed, part), ^{ r[20] = 1; });\n"
    "  r[3] = enqueue_kernel(q, 0, ndrange_1D(1), 1, NULL, NULL, ^{ r[20] = 1; });\n"
    "  r[4] = enqueue_kernel(q, 0, ndrange_1D(1), 1, &none, NULL, ^{ r[20] = 1; });\n"
    "  r[5] = enqueue_kernel(q, 0, ndrange_1D(1), ^(local void *a) { r[20] = 1; }, 0u);\n"
    "  r[6] = enqueue_kernel(q, 0, ndrange_1D(1), ^(local void *a) { r[20] = 1; }, 1u << 30);\n"
    "  r[7] = is_valid_event(none);\n"
    "  r[8] = enqueue_kernel(q, 0, ndrange_1D(0), ^{ r[20] = 1; });\n"
    "  r[9] = enqueue_kernel(q, 0, ndrange_1D(1), ^{ r[21] = 7; });\n"
    "}\n";

static void errors(const char *options, int told)
{
    int r[32];
    run_with_queue(errors_source, options, "errors", 0, 1, r, 32);
    /* -g tells which: CLK_INVALID_QUEUE, _NDRANGE, _EVENT_WAIT_LIST, _ARG_SIZE, _OUT_OF_RESOURCES. */
    const int expected[] = {-102, -160, -160, -57, -57, -51, -5, 0, 0, 0};
    for (int i = 0; i < 10; i++)
        EQ(r[i], expected[i] && !told ? -101 : expected[i]);
    EQ(r[20], 0);
    EQ(r[21], 7);
}

static const char even_source[] =
    "kernel void even(global int *r, queue_t q)\n"
    "{\n"
    "  size_t sizes[2] = {8, 6}, part[2] = {4, 4}, whole[2] = {4, 3};\n"
    "  r[0] = enqueue_kernel(q, 0, ndrange_1D(10, 4), ^{ r[20] = 1; });\n"
    "  r[1] = enqueue_kernel(q, 0, ndrange_2D(sizes, part), ^{ r[20] = 1; });\n"
    "  r[2] = enqueue_kernel(q, 0, ndrange_1D(12, 4), ^{ atomic_inc(&r[21]); });\n"
    "  r[3] = enqueue_kernel(q, 0, ndrange_2D(sizes, whole), ^{ atomic_inc(&r[21]); });\n"
    "  r[4] = enqueue_kernel(q, 0, ndrange_1D(7), ^{ atomic_inc(&r[21]); });\n"
    "}\n";

/* -cl-uniform-work-group-size holds for enqueued ranges too: local sizes divide them, else CLK_INVALID_NDRANGE. */
static void even_groups(void)
{
    const char *options[] = {"-cl-std=CL3.0 -g", "-cl-std=CL3.0 -g -cl-uniform-work-group-size"};
    for (int uniform = 0; uniform < 2; uniform++) {
        int r[32];
        run_with_queue(even_source, options[uniform], "even", 0, 1, r, 32);
        for (int i = 0; i < 5; i++)
            EQ(r[i], uniform && i < 2 ? -160 : 0);
        EQ(r[20], !uniform);
        EQ(r[21], 12 + 48 + 7);
    }
}

static const char fresh_source[] =
    "kernel void fresh(global int *r, queue_t q)\n"
    "{\n"
    "  int last = (2 << 20) - 1;\n"
    "  r[last] = 5;\n"
    "  enqueue_kernel(q, 0, ndrange_1D(1), ^{ r[0] = r[last] + 1; });\n"
    "}\n";

/* A buffer in memory that another had is cleared before the kernel writes to it, also where another queue of the device does
 * that. From the second round on nothing is left to compile between the two. */
static void fresh_memory(void)
{
    static int r[2 << 20];
    size_t count = sizeof r / sizeof *r;
    cl_command_queue given = device_queue(on_device, 0, CL_SUCCESS);
    cl_program program = build(fresh_source, "-cl-std=CL3.0");
    for (int round = 0; round < 4; round++) {
        cl_mem buffer = buffer_of(sizeof r);
        cl_kernel kernel = kernel_of(program, "fresh", buffer);
        MUST(clSetKernelArg(kernel, 1, sizeof given, &given));
        run(kernel, 1);
        fetch(buffer, r, sizeof r);
        EQ(r[0], 6);
        EQ(r[count / 2], 0);
        EQ(r[count - 1], 5);
        r[count / 2] = 1;
        MUST(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof r, r, 0, NULL, NULL));
        MUST(clReleaseKernel(kernel));
        MUST(clReleaseMemObject(buffer));
    }
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(given));
}

static const char small_source[] =
    "kernel void small(global int *r, queue_t q)\n"
    "{\n"
    "  int i = get_global_id(0);\n"
    "  r[i] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ r[64 + i] = i; });\n"
    "}\n";

/* A queue of one byte takes a kernel of each work-item of a small range: there are programs that try until it does. */
static void small_queue(void)
{
    int r[128];
    run_with_queue(small_source, "-cl-std=CL3.0", "small", 1, 64, r, 128);
    for (int i = 0; i < 64; i++) {
        EQ(r[i], 0);
        EQ(r[64 + i], i);
    }
}

/* ---- ranges ---- */

static const char ranges_source[] =
    "kernel void ranges(global int *r)\n"
    "{\n"
    "  size_t o[3] = {3, 5, 7}, g[3] = {10, 7, 5}, l[3] = {4, 4, 2};\n"
    "  enqueue_kernel(get_default_queue(), 0, ndrange_3D(o, g, l), ^{\n"
    "    int x = get_global_id(0) - 3, y = get_global_id(1) - 5, z = get_global_id(2) - 7;\n"
    "    int at = (z * 7 + y) * 10 + x;\n"
    "    bool right = get_work_dim() == 3 && get_global_size(0) == 10 && get_global_size(2) == 5\n"
    "      && get_global_offset(1) == 5 && get_num_groups(0) == 3 && get_num_groups(1) == 2\n"
    "      && get_enqueued_local_size(0) == 4 && get_local_size(0) == (x < 8 ? 4 : 2)\n"
    "      && get_local_size(1) == (y < 4 ? 4 : 3) && get_local_size(2) == (z < 4 ? 2 : 1)\n"
    "      && get_group_id(0) == x / 4 && get_local_id(0) == x % 4\n"
    "      && get_group_id(2) == z / 2 && get_global_linear_id() == at;\n"
    "    if (right) atomic_inc(&r[at]);\n"
    "  });\n"
    "}\n"
    /* More work-groups than one row of a dispatch. */
    "kernel void many(global int *r)\n"
    "{\n"
    "  enqueue_kernel(get_default_queue(), 0, ndrange_1D(100000, 1), ^{\n"
    "    atomic_add(r, 1 + (get_global_id(0) == 99999));\n"
    "  });\n"
    "}\n"
    /* Work-groups that are higher than the devices of the least limits allow (64). */
    "kernel void high(global int *r)\n"
    "{\n"
    "  size_t g[3] = {1, 2, 200}, l[3] = {1, 1, 96};\n"
    "  enqueue_kernel(get_default_queue(), 0, ndrange_3D(g, l), ^{\n"
    "    int y = get_global_id(1), z = get_global_id(2);\n"
    "    bool right = get_local_id(0) == 0 && get_local_id(1) == 0 && get_local_id(2) == z % 96\n"
    "      && get_local_size(2) == (z < 192 ? 96 : 8) && get_local_linear_id() == z % 96;\n"
    "    if (right) atomic_inc(&r[y * 200 + z]);\n"
    "  });\n"
    "}\n"
    /* Many records in one dispatch, and barriers within their groups. */
    "kernel void wide(global int *r)\n"
    "{\n"
    "  int me = get_global_id(0);\n"
    "  enqueue_kernel(get_default_queue(), 0, ndrange_1D(96, 32), ^(local void *memory) {\n"
    "    local int *sum = memory;\n"
    "    sum[get_local_id(0)] = me;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int s = 16; s > 0; s /= 2) {\n"
    "      if (get_local_id(0) < s) sum[get_local_id(0)] += sum[get_local_id(0) + s];\n"
    "      barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    if (get_local_id(0) == 0) atomic_add(&r[me], sum[0]);\n"
    "  }, 128u);\n"
    "}\n"
    "global int counter = 5;\n"
    "kernel void scope(global int *r)\n"
    "{\n"
    "  enqueue_kernel(get_default_queue(), 0, ndrange_1D(4), ^{\n"
    "    int big[2048];\n"
    "    for (int i = 0; i < 2048; i++) big[(i * 7 + get_global_id(0)) % 2048] = i;\n"
    "    atomic_add(&counter, big[r[9] + 7 * get_global_id(0)]);\n"
    "    clk_event_t done;\n"
    "    enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 0, NULL, &done, ^{ atomic_inc(&r[1]); });\n"
    "    enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 1, &done, NULL, ^{\n"
    "      r[0] = counter;\n"
    "    });\n"
    "    release_event(done);\n"
    "  });\n"
    "}\n";

static void ranges(void)
{
    cl_program program = build(ranges_source, "-cl-std=CL3.0");
    cl_mem buffer = buffer_of(4096);
    static int r[1024], zeros[1024];
    cl_kernel kernel = kernel_of(program, "ranges", buffer);
    for (int round = 1; round <= 2; round++) {
        run(kernel, 1);
        fetch(buffer, r, sizeof r);
        for (int i = 0; i < 350; i++)
            EQ(r[i], round);
    }
    MUST(clReleaseKernel(kernel));
    MUST(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof zeros, zeros, 0, NULL, NULL));
    kernel = kernel_of(program, "many", buffer);
    run(kernel, 1);
    fetch(buffer, r, sizeof r);
    EQ(r[0], 100001);
    MUST(clReleaseKernel(kernel));
    MUST(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof zeros, zeros, 0, NULL, NULL));
    kernel = kernel_of(program, "high", buffer);
    run(kernel, 1);
    fetch(buffer, r, sizeof r);
    for (int i = 0; i < 400; i++)
        EQ(r[i], 1);
    MUST(clReleaseKernel(kernel));
    MUST(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof zeros, zeros, 0, NULL, NULL));
    kernel = kernel_of(program, "wide", buffer);
    run(kernel, 700);
    fetch(buffer, r, sizeof r);
    for (int i = 0; i < 700; i++)
        EQ(r[i], 96 * i);
    MUST(clReleaseKernel(kernel));
    MUST(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof zeros, zeros, 0, NULL, NULL));
    kernel = kernel_of(program, "scope", buffer);
    run(kernel, 1);
    fetch(buffer, r, sizeof r);
    EQ(r[1], 4);
    /* big[7 * id] is the i with 7 * i + id = 7 * id modulo 2048. */
    int sum = 5;
    for (int id = 0; id < 4; id++)
        for (int i = 0; i < 2048; i++)
            if ((7 * i + id) % 2048 == 7 * id)
                sum += i;
    EQ(r[0], sum);
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseProgram(program));
}

/* ---- events ---- */

static const char events_source[] =
    /* A list longer than a record holds, complete in any order. */
    "kernel void longlist(global int *r)\n"
    "{\n"
    "  clk_event_t e[150];\n"
    "  queue_t q = get_default_queue();\n"
    "  for (int i = 0; i < 150; i++) {\n"
    "    if (i % 3) e[i] = create_user_event();\n"
    "    else enqueue_kernel(q, 0, ndrange_1D(1), 0, NULL, &e[i], ^{ atomic_inc(&r[1]); });\n"
    "  }\n"
    "  clk_event_t all;\n"
    "  enqueue_marker(q, 150, e, &all);\n"
    "  enqueue_kernel(q, 0, ndrange_1D(1), 150, e, NULL, ^{ r[0] += r[1] == 50; });\n"
    "  enqueue_kernel(q, 0, ndrange_1D(1), 1, &all, NULL, ^{ atomic_add(&r[2], r[1]); });\n"
    "  for (int i = 149; i >= 0; i--) {\n"
    "    if (i % 3) set_user_event_status(e[i], CL_COMPLETE);\n"
    "    release_event(e[i]);\n"
    "  }\n"
    "  release_event(all);\n"
    "}\n"
    /* The event of a command is complete when its children have ended too. */
    "kernel void family(global int *r)\n"
    "{\n"
    "  clk_event_t parent;\n"
    "  queue_t q = get_default_queue();\n"
    "  enqueue_kernel(q, 0, ndrange_1D(1), 0, NULL, &parent, ^{\n"
    "    enqueue_kernel(q, 0, ndrange_1D(1), ^{\n"
    "      enqueue_kernel(q, 0, ndrange_1D(64), ^{ atomic_inc(&r[0]); });\n"
    "    });\n"
    "  });\n"
    "  enqueue_kernel(q, 0, ndrange_1D(1), 1, &parent, NULL, ^{ r[1] = r[0]; });\n"
    "  release_event(parent);\n"
    "}\n"
    /* What waits for a failed event does not run, and its own event fails. */
    "kernel void failed(global int *r)\n"
    "{\n"
    "  clk_event_t user = create_user_event(), second, third;\n"
    "  queue_t q = get_default_queue();\n"
    "  enqueue_kernel(q, 0, ndrange_1D(1), 1, &user, &second, ^{ r[0] = 1; });\n"
    "  enqueue_kernel(q, 0, ndrange_1D(1), 1, &second, &third, ^{ r[1] = 1; });\n"
    "  set_user_event_status(user, -7);\n"
    "  set_user_event_status(user, CL_COMPLETE);\n"
    "  release_event(user);\n"
    "  release_event(second);\n"
    "  release_event(third);\n"
    "}\n"
    /* Nobody sets the event: the launch ends with an error. */
    "kernel void stuck(global int *r)\n"
    "{\n"
    "  clk_event_t user = create_user_event();\n"
    "  enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 1, &user, NULL, ^{ r[0] = 1; });\n"
    "}\n"
    "kernel void exhausted(global int *r)\n"
    "{\n"
    "  int made = 0;\n"
    "  while (is_valid_event(create_user_event())) made++;\n"
    "  r[0] = made;\n"
    "  clk_event_t e;\n"
    "  r[1] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 0, NULL, &e, ^{ r[2] = 1; });\n"
    "}\n";

static void events(void)
{
    cl_program program = build(events_source, "-cl-std=CL3.0 -g");
    cl_mem buffer = buffer_of(64);
    int r[16], zeros[16] = {0};
    const char *names[] = {"longlist", "family", "failed", "exhausted", "longlist"};
    for (int n = 0; n < 5; n++) {
        MUST(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof zeros, zeros, 0, NULL, NULL));
        cl_kernel kernel = kernel_of(program, names[n], buffer);
        run(kernel, 1);
        fetch(buffer, r, sizeof r);
        if (n == 0 || n == 4) {
            EQ(r[0], 1);
            EQ(r[1], 50);
            EQ(r[2], 50);
        } else if (n == 1) {
            EQ(r[0], 64);
            EQ(r[1], 64);
        } else if (n == 2) {
            EQ(r[0], 0);
            EQ(r[1], 0);
        } else {
            EQ(r[0], device_uint(CL_DEVICE_MAX_ON_DEVICE_EVENTS));
            EQ(r[1], -100); /* CLK_EVENT_ALLOCATION_FAILURE */
            EQ(r[2], 0);
        }
        MUST(clReleaseKernel(kernel));
    }
    cl_kernel kernel = kernel_of(program, "stuck", buffer);
    size_t one = 1;
    cl_event event;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, &event));
    EQ(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_int status = 0;
    MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    EQ(status, CL_OUT_OF_RESOURCES);
    MUST(clReleaseEvent(event));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseProgram(program));
}

/* ---- times ---- */

static cl_ulong time_of(cl_event event, cl_profiling_info what)
{
    cl_ulong time = 0;
    MUST(clGetEventProfilingInfo(event, what, sizeof time, &time, NULL));
    return time;
}

/* A command ends before those that it has enqueued, and is complete after them. */
static void times(void)
{
    const char *source = "kernel void parent(global int *p)\n"
                         "{\n"
                         "  enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{\n"
                         "    for (int i = 0; i < 1000000; i++)\n"
                         "      *p = *p * 3 + i;\n"
                         "  });\n"
                         "}\n"
                         "kernel void alone(global int *p) { *p = 1; }\n";
    cl_program program = build(source, "-cl-std=CL3.0");
    cl_mem buffer = buffer_of(4);
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    cl_command_queue timed = MADE(clCreateCommandQueueWithProperties, context, device, list);
    const char *names[] = {"parent", "alone"};
    for (int i = 0; i < 2; i++) {
        cl_kernel kernel = kernel_of(program, names[i], buffer);
        size_t one = 1;
        cl_event event;
        MUST(clEnqueueNDRangeKernel(timed, kernel, 1, NULL, &one, NULL, 0, NULL, &event));
        MUST_END(clFinish(timed));
        cl_int status = 1;
        MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        if (status == CL_COMPLETE) {
            cl_ulong end = time_of(event, CL_PROFILING_COMMAND_END);
            cl_ulong complete = time_of(event, CL_PROFILING_COMMAND_COMPLETE);
            CHECK(time_of(event, CL_PROFILING_COMMAND_START) <= end);
            CHECK(i == 0 ? end < complete : end == complete);
        }
        MUST(clReleaseEvent(event));
        MUST(clReleaseKernel(kernel));
    }
    MUST(clReleaseCommandQueue(timed));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseProgram(program));
}

int main(void)
{
    device = pumice_device();
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    if (device_ulong(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES) == 0) {
        absent();
    } else {
        queues();
        errors("-cl-std=CL3.0", 0);
        errors("-cl-std=CL3.0 -g", 1);
        even_groups();
        fresh_memory();
        small_queue();
        cl_command_queue given = device_queue(on_device | CL_QUEUE_ON_DEVICE_DEFAULT, 0, CL_SUCCESS);
        ranges();
        events();
        times();
        MUST(clReleaseCommandQueue(given));
    }
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
