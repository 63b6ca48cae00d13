/* Robust mode: kernels of strangers stay in their memory and end. Local and private arrays are confined, an endless
 * kernel ends with an error that its event and the context tell of, and the next launch works; no file is included, and
 * a binary is built anew. Builds end when their time is over. The client runs itself again with the build option
 * instead of the environment. */
// client: env PUMICE_LOOP_LIMIT=1
// client: env PUMICE_LOG=off
// client: needs long-loops
#include "common.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static char reports[4][1000];
static int count;

static void CL_CALLBACK on_notify(const char *text, const void *data, size_t size, void *user)
{
    (void)data, (void)size, (void)user;
    /* The wait's own error follows the fault's report. */
    if (strncmp(text, "clWaitForEvents:", 16) == 0)
        return;
    pthread_mutex_lock(&lock);
    if (count < 4)
        snprintf(reports[count], sizeof reports[0], "%s", text);
    count++;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
}

enum { ITEMS = 64, LARGE = 8192 };

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_mem out;
static const char *options;

static const char *source =
    "kernel void own(global int *out, int at)\n"
    "{\n"
    "    int i = get_global_id(0), all[6] = {1, 2, 3, 4, 5, 6};\n"
    "    all[at + i] = 9;\n"
    "    out[i] = all[(at - i) & 7] > 9 || all[0] > 9;\n"
    "}\n"
    "kernel void shared(global int *out, int at, local int *given)\n"
    "{\n"
    "    local int both[70];\n"
    "    int i = get_local_id(0);\n"
    "    both[i] = given[i] = i;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (at) {\n"
    "        given[at + i] = both[at * i + 100000];\n"
    "        both[at * i] = given[-1 - i];\n"
    "        atomic_add(&both[at + i], 1);\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[i] = at ? 1 : both[i] + given[63 - i];\n"
    "}\n"
    "kernel void large(global int *out, int at)\n"
    "{\n"
    "    int all[8192], i = get_global_id(0);\n"
    "    for (int k = 0; k < 8192; k++)\n"
    "        all[k] = i;\n"
    "    all[at + i * 8192] = -1;\n"
    "    out[i] = all[i + 100] + (all[at] > 1000000);\n"
    "}\n"
    "kernel void beyond(global int *out, int at) { out[at + (int)get_global_id(0)] = 7; }\n"
    "kernel void fresh(global int *out)\n"
    "{\n"
    "    local int all[64];\n"
    "    int i = get_local_id(0);\n"
    "    out[i] = all[i];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    all[i] = i + 5;\n"
    "}\n"
    "kernel void forever(global int *out, int wait)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    for (int k = 0; out[wait] != 77; k++)\n"
    "        if (i == 5)\n"
    "            out[i] = k;\n"
    "    out[i] = 88;\n"
    "}\n"
    "kernel void meeting(global int *out, int wait)\n"
    "{\n"
    "    do\n"
    "        barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    while (out[wait] != 77);\n"
    "    out[get_global_id(0)] = 88;\n"
    "}\n";

static cl_program build(const char *text, cl_int expected, const char *why)
{
    static char log_text[1 << 16];
    cl_program program = MADE(clCreateProgramWithSource, context, 1, &text, NULL);
    EQ(clBuildProgram(program, 0, NULL, options, NULL, NULL), expected);
    MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log_text, log_text, NULL));
    if (why && !strstr(log_text, why)) {
        fprintf(stderr, "the log lacks '%s':\n%s\n", why, log_text);
        failures++;
    }
    return program;
}

/* Runs a kernel of ITEMS work-items in one group with the buffer and an integer; reads the buffer. */
static cl_int run(cl_program program, const char *name, int number, int *values)
{
    cl_int error = 0, status = 0;
    cl_uint args = 0;
    cl_event event;
    size_t items = ITEMS;
    cl_kernel kernel = MADE(clCreateKernel, program, name);
    MUST(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof args, &args, NULL));
    MUST(clSetKernelArg(kernel, 0, sizeof out, &out));
    if (args > 1)
        MUST(clSetKernelArg(kernel, 1, sizeof number, &number));
    if (args > 2)
        MUST(clSetKernelArg(kernel, 2, ITEMS * sizeof(int), NULL));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, &event));
    error = clWaitForEvents(1, &event);
    MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    EQ(error, status < 0 ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS);
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, ITEMS * sizeof(int), values, 0, NULL, NULL));
    MUST(clReleaseEvent(event));
    MUST(clReleaseKernel(kernel));
    return status;
}

static void memory(cl_program program)
{
    int values[ITEMS];
    const int far[] = {6, 8, 1000, 100000000, -1, -7, -100000, 0x7fffff00, 0x20000000};
    for (unsigned k = 0; k < sizeof far / sizeof *far; k++) {
        EQ(run(program, "own", far[k], values), CL_COMPLETE);
        EQ(values[0], 0);
        EQ(values[ITEMS - 1], 0);
        EQ(run(program, "shared", far[k], values), CL_COMPLETE);
        EQ(values[ITEMS - 1], 1);
        EQ(run(program, "large", far[k] + LARGE, values), CL_COMPLETE);
        for (int i = 0; i < ITEMS; i++)
            CHECK(values[i] == i || values[i] == -1 || i == 0);
    }
    EQ(run(program, "shared", 0, values), CL_COMPLETE);
    for (int i = 0; i < ITEMS; i++)
        EQ(values[i], ITEMS - 1);
}

/* Writes around a buffer between two others leave those alone. */
static void neighbours(cl_program program)
{
    enum { AROUND = 8, SIZE = ITEMS * sizeof(int) };
    cl_mem all[AROUND], last = out;
    int values[ITEMS], zero = 0;
    for (int i = 0; i < AROUND; i++) {
        all[i] = MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, SIZE, NULL);
        MUST(clEnqueueFillBuffer(queue, all[i], &zero, sizeof zero, 0, SIZE, 0, NULL, NULL));
    }
    out = all[AROUND / 2];
    for (int at = -4096; at <= 4096; at += ITEMS)
        if (at)
            EQ(run(program, "beyond", at, values), CL_COMPLETE);
    EQ(run(program, "beyond", 1, values), CL_COMPLETE);
    for (int i = 0; i < AROUND; i++) {
        MUST(clEnqueueReadBuffer(queue, all[i], CL_TRUE, 0, SIZE, values, 0, NULL, NULL));
        for (int k = 0; k < ITEMS; k++)
            EQ(values[k], i == AROUND / 2 && k ? 7 : 0);
        MUST(clReleaseMemObject(all[i]));
    }
    out = last;
}

/* Waits for two texts, a minute at most, and compares their starts. */
static const char *generic_source =
    "kernel void below(global int *out, int at)\n"
    "{\n"
    "    int own[4] = {1, 2, 3, 4}, *p = at ? (int *)out : own;\n"
    "    p[-1000] = 4;\n"
    "    p[1] = 9;\n"
    "    out[0] = own[1];\n"
    "    out[1] = p[-5000];\n"
    "}\n"
    "kernel void above(global int *out, int at)\n"
    "{\n"
    "    local int own[4];\n"
    "    int *p = at ? (int *)out : own;\n"
    "    own[1] = 9;\n"
    "    p[0x3fffffffffffffffUL] = 4;\n"
    "    out[0] = own[1];\n"
    "    out[1] = p[1UL << 60];\n"
    "}\n"
    "kernel void made(global int *out, int at)\n"
    "{\n"
    "    for (ulong tag = 0; tag < 4; tag++) {\n"
    "        int *p = (int *)(tag << 62 | (ulong)(at + 1) << 20);\n"
    "        p[at] = 4;\n"
    "        out[0] = 9 + p[77777];\n"
    "    }\n"
    "}\n";

/* Generic pointers that arithmetic leads out of their object, into other address spaces too, reach nothing. */
static void generic_pointers(void)
{
    cl_bool has = CL_FALSE;
    MUST(clGetDeviceInfo(device, CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, sizeof has, &has, NULL));
    if (!has)
        return;
    char all[100];
    const char *before = options;
    snprintf(all, sizeof all, "%s -cl-std=CL3.0", options);
    options = all;
    cl_program program = build(generic_source, CL_SUCCESS, NULL);
    int values[ITEMS];
    for (int kernel = 0; kernel < 3; kernel++) {
        static const char *const names[] = {"below", "above", "made"};
        EQ(run(program, names[kernel], 0, values), CL_SUCCESS);
        EQ(values[0], 9);
    }
    MUST(clReleaseProgram(program));
    options = before;
}

static void expect(const char *first, const char *second)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 60;
    pthread_mutex_lock(&lock);
    /* Where nothing executes, nothing is reported. */
    while (values_matter() && count < 2 && pthread_cond_timedwait(&more, &lock, &end) == 0)
        ;
    EQ(count, 2);
    CHECK(strncmp(reports[0], first, strlen(first)) == 0);
    CHECK(strstr(reports[1], second) == reports[1]);
    if (failures)
        fprintf(stderr, "%s\n%s\n", reports[0], reports[1]);
    count = 0;
    pthread_mutex_unlock(&lock);
}

static void endless(cl_program program)
{
    int values[ITEMS], zero = 0, word = 77;
    MUST(clEnqueueFillBuffer(queue, out, &zero, sizeof zero, 0, (ITEMS + 1) * sizeof zero, 0, NULL, NULL));
    EQ(run(program, "forever", ITEMS, values), CL_OUT_OF_RESOURCES);
    EQ(values[6], 0);
    expect("<source>:41:21: error: the loops of a work-item go more rounds than PUMICE_LOOP_LIMIT allows\n",
           "kernel 'forever': ");
    EQ(run(program, "meeting", ITEMS, values), CL_OUT_OF_RESOURCES);
    EQ(values[6], 0);
    expect("<source>:4", "kernel 'meeting': ");
    /* What follows is whole. */
    MUST(clEnqueueWriteBuffer(queue, out, CL_TRUE, sizeof values, sizeof word, &word, 0, NULL, NULL));
    EQ(run(program, "forever", ITEMS, values), CL_COMPLETE);
    EQ(values[40], 88);
    MUST(clEnqueueWriteBuffer(queue, out, CL_TRUE, sizeof values, sizeof word, &zero, 0, NULL, NULL));
}

/* Local memory does not show what another launch left there. */
static void fresh(cl_program program)
{
    cl_ulong zeroes = 0;
    static char extensions[8192];
    int values[ITEMS];
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    zeroes = strstr(extensions, "cl_khr_initialize_memory") != NULL;
    for (int k = 0; k < 2 && zeroes; k++) {
        EQ(run(program, "fresh", 0, values), CL_COMPLETE);
        for (int i = 0; i < ITEMS; i++)
            EQ(values[i], 0);
    }
}

/* A binary has the Kernel module too, and is built from it. */
static void binary(cl_program program)
{
    cl_int status = 0;
    size_t size = 0;
    int values[ITEMS];
    MUST(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *bytes = malloc(size);
    MUST(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
    const unsigned char *given = bytes;
    cl_program again = MADE(clCreateProgramWithBinary, context, 1, &device, &size, &given, &status);
    MUST(clBuildProgram(again, 0, NULL, options, NULL, NULL));
    EQ(run(again, "beyond", 1 << 28, values), CL_COMPLETE);
    EQ(run(again, "forever", ITEMS, values), CL_OUT_OF_RESOURCES);
    expect("<source>:41:21: error: ", "kernel 'forever': ");
    MUST(clReleaseProgram(again));
    free(bytes);
}

/* Nobody knows where an object of the system's memory ends: there is none for kernels. */
static void system_memory(cl_program program)
{
    static int values[ITEMS * 2];
    cl_int at = 1;
    size_t items = ITEMS;
    cl_kernel kernel = MADE(clCreateKernel, program, "beyond");
    MUST(clSetKernelArgSVMPointer(kernel, 0, values));
    MUST(clSetKernelArg(kernel, 1, sizeof at, &at));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
    MUST(clFinish(queue));
    for (int i = 0; i < ITEMS * 2; i++)
        EQ(values[i], 0);
    MUST(clReleaseKernel(kernel));
}

static void worker(void)
{
    cl_device_svm_capabilities svm = 0;
    device = pumice_device();
    MUST(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
    context = MADE(clCreateContext, NULL, 1, &device, on_notify, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    out = MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, (ITEMS + 1) * sizeof(int), NULL);
    if (!svm) {
        const char *why = "robust mode needs a device with addresses";
        MUST(clReleaseProgram(build(source, CL_BUILD_PROGRAM_FAILURE, why)));
    } else {
        cl_program program = build(source, CL_SUCCESS, NULL);
        memory(program);
        system_memory(program);
        neighbours(program);
        fresh(program);
        generic_pointers();
        endless(program);
        binary(program);
        MUST(clReleaseProgram(program));
    }
    const char *includes = "#include \"/etc/passwd\"\nkernel void k(global int *p) { *p = 1; }\n";
    MUST(clReleaseProgram(build(includes, CL_BUILD_PROGRAM_FAILURE, "robust mode on: no file is read")));
    MUST(clReleaseMemObject(out));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
}

/* No time is left for builds in robust mode; others have any time. */
static void late(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    options = "-pumice-check=robust";
    const char *why = "compiling this program takes too long";
    MUST(clReleaseProgram(build(source, CL_BUILD_PROGRAM_FAILURE, why)));
    options = "";
    MUST(clReleaseProgram(build(source, CL_SUCCESS, NULL)));
    release_last(context);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "late") == 0) {
        late();
        return finish();
    }
    if (argc > 1) {
        options = getenv("PUMICE_CHECK") ? "" : "-pumice-check=robust";
        worker();
        return finish();
    }
    enum { OPTION, ENVIRONMENT, LATE, RUNS };
    for (int i = 0; i < RUNS; i++) {
        pid_t child = fork();
        if (child == 0) {
            if (i == ENVIRONMENT)
                setenv("PUMICE_CHECK", "robust", 1);
            if (i == LATE)
                setenv("PUMICE_BUILD_LIMIT", "0", 1);
            execl("/proc/self/exe", argv[0], i == LATE ? "late" : "worker", (char *)NULL);
            _exit(127);
        }
        int status = 0;
        CHECK(child > 0 && waitpid(child, &status, 0) == child);
        EQ(status, 0);
    }
    return finish();
}
