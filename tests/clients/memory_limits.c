// client: needs images
// client: without-layers
/* Start-up and first use under limits of the address space (RLIMIT_AS), in steps of 100 MB: each step
 * is a process of its own that gets as far as a kernel's right result, or to an error of the API, but
 * never to a signal. Mesa and LLVM do not check every allocation of theirs: what dies inside them is
 * told apart by its stack, and counted. `memory_limits STEP_MB FROM_MB` says the steps and the first. */
#define _GNU_SOURCE
#include "common.h"
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RIGHT = 0, REFUSED = 10, DRIVER = 11, WRONG = 1, N = 1 << 16, MOST_STEPS = 300 };

/* Ends the process with what has been reached: an error is as good as a result. */
#define STEP(error)                                                         \
    do {                                                                    \
        cl_int step_ = (error);                                             \
        if (step_ != CL_SUCCESS) {                                          \
            fprintf(stderr, "  line %d gave %d\n", __LINE__, step_);        \
            _exit(step_ < 0 ? REFUSED : WRONG);                             \
        }                                                                   \
    } while (0)

static const char *source =
    "kernel void k(global int *p, read_only image2d_t t, local int *l) {\n"
    " size_t i = get_global_id(0); l[get_local_id(0)] = p[i]; barrier(CLK_LOCAL_MEM_FENCE);\n"
    " p[i] = l[get_local_size(0) - 1 - get_local_id(0)] * 3; }\n"
    "kernel void plain(global int *p) { p[get_global_id(0)] += 7; }\n";

static int first_use(void)
{
    cl_int error = 0;
    cl_platform_id platforms[8];
    cl_uint count = 0;
    STEP(clGetPlatformIDs(8, platforms, &count));
    cl_platform_id platform = NULL;
    for (cl_uint i = 0; i < count && i < 8; i++) {
        char name[64] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strcmp(name, "Pumice") == 0)
            platform = platforms[i];
    }
    if (!platform)
        _exit(REFUSED);
    cl_device_id device = NULL;
    STEP(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    STEP(error);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    STEP(error);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    STEP(error);
    STEP(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "plain", &error);
    STEP(error);
    cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1024, .image_height = 1024};
    cl_mem image = clCreateImage(context, CL_MEM_READ_ONLY, &format, &desc, NULL, &error);
    STEP(error);
    float colour[4] = {1, 1, 1, 1};
    STEP(clEnqueueFillImage(queue, image, colour, (size_t[]){0, 0, 0}, (size_t[]){1024, 1024, 1}, 0, NULL, NULL));
    cl_mem large = clCreateBuffer(context, 0, 32 << 20, NULL, &error);
    STEP(error);
    STEP(clEnqueueFillBuffer(queue, large, &(int){1}, 4, 0, 32 << 20, 0, NULL, NULL));
    static int values[N];
    for (int i = 0; i < N; i++)
        values[i] = i;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof values, values, &error);
    STEP(error);
    STEP(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    size_t global = N;
    STEP(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    STEP(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        if (values[i] != i + 7)
            return WRONG;
    return RIGHT;
}

/* Whose code a signal came from: the innermost library that is not one of C's or C++'s. */
static const char *culprit(void)
{
    static const char *const general[] = {"/libc.so", "/libstdc++.so", "/libgcc_s.so", "/libpthread.so",
                                          "/ld-linux", "/libm.so", "/memory_limits"};
    void *frames[64];
    int count = backtrace(frames, 64);
    for (int i = 0; i < count; i++) {
        Dl_info info;
        if (!dladdr(frames[i], &info) || !info.dli_fname)
            continue;
        int is_general = 0;
        for (size_t g = 0; g < sizeof general / sizeof *general; g++)
            is_general |= strstr(info.dli_fname, general[g]) != NULL;
        if (!is_general)
            return info.dli_fname;
    }
    return "nobody";
}

static void on_signal(int number)
{
    const char *whose = culprit();
    int driver = strstr(whose, "/libvulkan_") || strstr(whose, "/libLLVM");
    dprintf(2, "  signal %d in %s\n", number, whose);
    if (driver)
        _exit(DRIVER);
    signal(number, SIG_DFL);
    raise(number);
}

static int step(rlim_t megabytes)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        backtrace((void *[1]){NULL}, 1); /* loads what it needs */
        const int numbers[] = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE};
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            signal(numbers[i], on_signal);
        struct rlimit limit = {megabytes << 20, megabytes << 20};
        if (setrlimit(RLIMIT_AS, &limit) != 0)
            _exit(WRONG);
        exit(first_use());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

int main(int argc, char **argv)
{
    rlim_t by = argc > 1 ? (rlim_t)atoi(argv[1]) : 100, limit = argc > 2 ? (rlim_t)atoi(argv[2]) : by;
    int right = 0, refused = 0, driver = 0;
    /* Until it goes well three times, so that there is something behind the last limit that hurts. */
    for (int i = 0; i < MOST_STEPS && right < 3; i++, limit += by) {
        int status = step(limit);
        if (WIFEXITED(status) && WEXITSTATUS(status) == RIGHT) {
            right++;
        } else if (WIFEXITED(status) && WEXITSTATUS(status) == REFUSED) {
            refused++;
        } else if (WIFEXITED(status) && WEXITSTATUS(status) == DRIVER) {
            driver++;
        } else {
            fprintf(stderr, "%lu MB: status %#x\n", (unsigned long)limit, (unsigned)status);
            failures++;
        }
    }
    fprintf(stderr, "%d limits refused, %d went well, %d ended inside the Vulkan driver\n", refused, right,
            driver);
    CHECK(refused > 0 && right == 3);
    return finish();
}
