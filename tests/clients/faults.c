// client: once
/* Vulkan calls fail (PUMICE_FAULTS): the application gets one of the codes for want of something,
 * everything goes on with the same objects when it tries again, and nothing aborts or hangs. A lost
 * device fails every command from then on. The client runs itself again with each plan. */
#define _POSIX_C_SOURCE 200809L
#include "report.h"
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1024, TRIES = 100 };

/* Returns whether an error code means that memory or another resource ran out. */
static int ran_out(cl_int code)
{
    return code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY ||
           code == CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

static int faults;
static cl_device_id device;
static cl_context context;

/* Every so manieth call fails, and a whole try may take just as many: then the same call would
 * fail for ever. Some calls more or less between tries shift the count. */
static void shift(void)
{
    for (int i = 0; context && i < faults % 3; i++) {
        cl_int error = 0;
        cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
        CHECK(queue || ran_out(error));
        if (!queue)
            continue;
        cl_mem some = clCreateBuffer(context, 0, 4, NULL, &error);
        CHECK(some || ran_out(error));
        if (some) {
            error = clEnqueueFillBuffer(queue, some, &i, 4, 0, 4, 0, NULL, NULL);
            CHECK(error == CL_SUCCESS || ran_out(error));
            MUST(clReleaseMemObject(some));
        }
        error = clFinish(queue);
        CHECK(error == CL_SUCCESS || ran_out(error));
        MUST(clReleaseCommandQueue(queue));
    }
}

/* Tries a call until it succeeds. */
#define TRY(call, code)                                                                         \
    do {                                                                                        \
        int tries_ = 0;                                                                         \
        for (;; tries_++) {                                                                     \
            call;                                                                               \
            if ((code) == CL_SUCCESS)                                                           \
                break;                                                                          \
            faults++;                                                                           \
            if (!ran_out(code) || tries_ == TRIES) {                                            \
                fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, (int)(code)); \
                exit(1);                                                                        \
            }                                                                                   \
            shift();                                                                            \
        }                                                                                       \
    } while (0)

static const char *source =
    "constant int table[3] = {5, 7, ROUND};\n"
    "kernel void twice(global const int *in, global int *out, local int *l, int n)\n"
    "{ size_t i = get_global_id(0); l[get_local_id(0)] = in[i] * 2; out[i] = l[get_local_id(0)] + table[n];\n"
    "  if (in[i] == -1) printf(\"never\\n\"); }\n";

/* Runs a command until its event ends well. */
static void finished(cl_event event, int *again)
{
    cl_int status = 0, error = clWaitForEvents(1, &event);
    CHECK(error == CL_SUCCESS || error == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST || ran_out(error));
    MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    *again = status != CL_COMPLETE;
    if (*again) {
        faults++;
        CHECK(ran_out(status));
        shift();
    }
    MUST(clReleaseEvent(event));
}

/* Every line of the plan has made calls fail: the driver's report counts them. */
static void check_given(void)
{
    char *lines = strstr(driver_report(), "\"faults\""), *at = lines;
    CHECK(lines && strstr(lines, "\"given\""));
    while (at && (at = strstr(at, "\"given\""))) {
        at += strlen("\"given\"");
        CHECK(atoi(at + strspn(at, ": ")) > 0);
    }
}

/* `hidden`: what fails is a question, which is mostly asked again, so that the application may see nothing of it. */
static int worker(int hidden)
{
    cl_int error = 0;
    device = pumice_device();
    TRY(context = clCreateContext(NULL, 1, &device, NULL, NULL, &error), error);
    for (int round = 0; round < 12; round++) {
        cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, (cl_queue_properties)(round % 4), 0};
        cl_command_queue queue;
        TRY(queue = clCreateCommandQueueWithProperties(context, device, list, &error), error);
        cl_program program = MADE(clCreateProgramWithSource, context, 1, &source, NULL);
        /* Equal programs share what the Vulkan driver made of the first. */
        char options[32];
        snprintf(options, sizeof options, "-DROUND=%d", round);
        MUST(clBuildProgram(program, 0, NULL, options, NULL, NULL));
        cl_kernel kernel = MADE(clCreateKernel, program, "twice");
        int in[N], out[N];
        for (int i = 0; i < N; i++)
            in[i] = i + round;
        cl_mem from, to;
        TRY(from = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof in, in, &error), error);
        TRY(to = clCreateBuffer(context, 0, sizeof out, NULL, &error), error);
        int which = round % 2, again = 1;
        MUST(clSetKernelArg(kernel, 0, sizeof from, &from));
        MUST(clSetKernelArg(kernel, 1, sizeof to, &to));
        MUST(clSetKernelArg(kernel, 2, 64 * 4, NULL));
        MUST(clSetKernelArg(kernel, 3, sizeof which, &which));
        size_t global = N, local = 64;
        cl_event event;
        while (again) {
            TRY(error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, &event),
                error);
            finished(event, &again);
        }
        for (again = 1; again;) {
            TRY(error = clEnqueueCopyBuffer(queue, to, from, 0, 0, sizeof in, 0, NULL, &event), error);
            finished(event, &again);
        }
        TRY(error = clEnqueueReadBuffer(queue, from, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL), error);
        for (int i = 0; i < N; i++)
            if (out[i] != (i + round) * 2 + (which ? 7 : 5)) {
                EQ(out[i], (i + round) * 2 + (which ? 7 : 5));
                break;
            }
        int *mapped;
        TRY(mapped = clEnqueueMapBuffer(queue, to, CL_TRUE, CL_MAP_READ, 0, sizeof out, 0, NULL, NULL,
                                        &error),
            error);
        CHECK(memcmp(mapped, out, sizeof out) == 0);
        MUST(clEnqueueUnmapMemObject(queue, to, mapped, 0, NULL, NULL));
        TRY(error = clFinish(queue), error);
        MUST(clReleaseMemObject(from));
        MUST(clReleaseMemObject(to));
        MUST(clReleaseKernel(kernel));
        MUST(clReleaseProgram(program));
        MUST(clReleaseCommandQueue(queue));
    }
    check_given();
    release_last(context);
    printf("%d faults\n", faults);
    return failures || (!faults && !hidden);
}

/* After the loss every command fails, waits return and the objects can be released. */
static int lost(void)
{
    cl_int error = 0, status = 0, value = 3;
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    cl_mem buffer = clCreateBuffer(context, 0, 4096, NULL, &error), other;
    MUST(error);
    cl_event last = NULL;
    int failed = 0;
    /* A thread that only polls may have seen everything end before anyone waits for the device: the
     * loss comes in one of the next rounds then. */
    for (int round = 0; round < 100 && !failed && status >= 0; round++) {
        for (int i = 0; i < 200; i++) {
            cl_event event = NULL;
            error = clEnqueueFillBuffer(queue, buffer, &value, 4, 0, 4096, last ? 1 : 0, last ? &last : NULL,
                                        &event);
            if (error) {
                failed++;
                continue;
            }
            if (last)
                MUST(clReleaseEvent(last));
            last = event;
            if (i % 10 == 0)
                MUST(clFlush(queue));
        }
        error = clFinish(queue);
            CHECK(error == CL_SUCCESS || ran_out(error));
        if (last) {
            MUST(clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
            MUST(clReleaseEvent(last));
            last = NULL;
        }
    }
    CHECK(failed || status < 0);
    check_given();
    other = clCreateBuffer(context, 0, 4096, NULL, &error);
    CHECK(!other && ran_out(error));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseCommandQueue(queue));
    MUST(clReleaseContext(context));
    return failures != 0;
}

/* Runs the client again with each plan. */
static void with_plans(const char *self, const char *const *plans, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            setenv("PUMICE_FAULTS", plans[i], 1);
            alarm(60);
            const char *part = strstr(plans[i], "lost") ? "lost" : "worker";
            /* What fails is a question. */
            const char *hidden = "vkGetFenceStatus:host:3";
            execl(self, self, strcmp(plans[i], hidden) ? part : "hidden", NULL);
            _exit(99);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (status) {
            fprintf(stderr, "%s: status %#x\n", plans[i], (unsigned)status);
            failures++;
        }
    }
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return argv[1][0] == 'l' ? lost() : worker(argv[1][0] == 'h');
    static const char *const plans[] = {
        "vkCreateBuffer:device:3", "vkAllocateMemory:device:6", "vkAllocateMemory:host:5",
        "vkCreateBuffer:host:7", "vkCreateCommandPool:device:2", "vkBeginCommandBuffer:host:3",
        "vkQueueSubmit:device:3", "vkQueueSubmit:host:2", "vkCreateShaderModule:host:2",
        "vkCreateComputePipelines:device:2", "vkCreatePipelineLayout:host:2",
        "vkCreateBuffer:device:4,vkQueueSubmit:host:5", "*:device:13", "*:host:11",
        "vkQueueSubmit:lost:3",
    };
    static const char *const of_semaphores[] = {"vkWaitSemaphores:lost:2",
                                                "vkGetSemaphoreCounterValue:lost:5"};
    static const char *const of_fences[] = {
        "vkQueueSubmit:host:2", "vkGetFenceStatus:host:3", "*:device:13", "*:host:11",
        "vkWaitForFences:lost:2", "vkGetFenceStatus:lost:5", "vkQueueSubmit:lost:3",
    };
    const char *mask = getenv("PUMICE_MASK");
    with_plans(argv[0], plans, sizeof plans / sizeof *plans);
    if (!asks_fences())
        with_plans(argv[0], of_semaphores, sizeof of_semaphores / sizeof *of_semaphores);
    /* A device without timeline semaphores. */
    char masked[512];
    snprintf(masked, sizeof masked, "%s%stimelineSemaphore", mask ? mask : "", mask ? "," : "");
    setenv("PUMICE_MASK", masked, 1);
    with_plans(argv[0], of_fences, sizeof of_fences / sizeof *of_fences);
    return finish();
}
