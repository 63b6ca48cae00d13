// client: once
/* A device is lost (PUMICE_FAULTS) while commands of every kind are under way or wait for an event: all of them end,
 * those that the device was to do with an error, calls of the old context answer, its objects can be released, and a
 * new context of the same device works. The client runs itself again for each way of losing it. */
#define _POSIX_C_SOURCE 200809L
#include "report.h"
#include <sys/wait.h>
#include <unistd.h>

enum { N = 4096, BYTES = N * 4, SIDE = 16, MOST = 128 };

static cl_device_id device;
static const char *source =
    "kernel void twice(global int *data) { data[get_global_id(0)] *= 2; }\n"
    "kernel void shown(global int *data) { if (!get_global_id(0)) printf(\"%d\\n\", data[0]); }\n";

struct world {
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel twice, shown;
    cl_mem one, other;
    cl_mem image;
    void *svm;
};

static void CL_CALLBACK native(void *data)
{
    (void)data;
}

static cl_bool has_images(void)
{
    cl_bool images = CL_FALSE;
    MUST(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL));
    return images;
}

static struct world made(cl_queue_properties properties)
{
    struct world w = {0};
    cl_device_svm_capabilities svm = 0;
    w.context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    /* A lost context takes no more callbacks. */
    MUST(clSetContextDestructorCallback(w.context, on_context_gone, NULL));
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    w.queue = MADE(clCreateCommandQueueWithProperties, w.context, device, list);
    w.program = PROGRAM(w.context, source, NULL);
    w.twice = MADE(clCreateKernel, w.program, "twice");
    w.shown = MADE(clCreateKernel, w.program, "shown");
    w.one = MADE(clCreateBuffer, w.context, 0, BYTES, NULL);
    w.other = MADE(clCreateBuffer, w.context, 0, BYTES, NULL);
    MUST(clSetKernelArg(w.twice, 0, sizeof w.one, &w.one));
    MUST(clSetKernelArg(w.shown, 0, sizeof w.one, &w.one));
    if (has_images()) {
        cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
        cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
        w.image = MADE(clCreateImage, w.context, 0, &format, &desc, NULL);
    }
    MUST(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
    if (svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER)
        w.svm = clSVMAlloc(w.context, CL_MEM_READ_WRITE, BYTES, 0);
    return w;
}

static void unmade(struct world *w)
{
    if (w->svm)
        clSVMFree(w->context, w->svm);
    if (w->image)
        MUST(clReleaseMemObject(w->image));
    MUST(clReleaseMemObject(w->one));
    MUST(clReleaseMemObject(w->other));
    MUST(clReleaseKernel(w->twice));
    MUST(clReleaseKernel(w->shown));
    MUST(clReleaseProgram(w->program));
    MUST(clReleaseCommandQueue(w->queue));
    context_gone = 0;
    MUST(clReleaseContext(w->context));
    const struct timespec soon = {0, 1000000};
    for (int i = 0; i < 30000 && !context_gone; i++)
        nanosleep(&soon, NULL);
    EQ(context_gone, 1);
}

/* The commands that are to end. */
static struct {
    cl_event event;
    const char *name;
    /* True if the device does it, wherever the memory lies. */
    int on_device;
} all[MOST];
static int count;
static int words[N], row[N];

/* Notes a command; the call may refuse it once the device is known to be lost. */
static void note(cl_int error, cl_event event, const char *name, int on_device)
{
    if (error) {
        if (error != CL_OUT_OF_RESOURCES && error != CL_MAP_FAILURE &&
            error != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) {
            fprintf(stderr, "%s: the call gave %d\n", name, error);
            failures++;
        }
        return;
    }
    if (count == MOST)
        exit(1);
    all[count].event = event;
    all[count].name = name;
    all[count++].on_device = on_device;
}

/* Enqueues commands of every kind behind an event, or behind none. */
static void enqueue(struct world *w, cl_event gate)
{
    cl_uint n = gate ? 1 : 0;
    const cl_event *list = gate ? &gate : NULL;
    cl_command_queue q = w->queue;
    const size_t zero[3] = {0}, box[3] = {64, 4, 1}, texels[3] = {SIDE, SIDE, 1}, global = N;
    cl_event e = NULL;
    cl_int error = 0, value = 7;
#define COMMAND(on_device, call)                      \
    do {                                              \
        e = NULL;                                     \
        cl_int code_ = (call);                        \
        note(code_, e, #call, on_device);             \
    } while (0)
    COMMAND(1, clEnqueueFillBuffer(q, w->one, &value, 4, 0, BYTES, n, list, &e));
    COMMAND(1, clEnqueueNDRangeKernel(q, w->twice, 1, NULL, &global, NULL, n, list, &e));
    COMMAND(1, clEnqueueNDRangeKernel(q, w->shown, 1, NULL, &global, NULL, n, list, &e));
    COMMAND(1, clEnqueueTask(q, w->twice, n, list, &e));
    COMMAND(1, clEnqueueCopyBuffer(q, w->one, w->other, 0, 0, BYTES, n, list, &e));
    COMMAND(1, clEnqueueCopyBufferRect(q, w->one, w->other, zero, zero, box, 64, 0, 64, 0, n, list, &e));
    COMMAND(0, clEnqueueWriteBuffer(q, w->one, CL_FALSE, 0, BYTES, words, n, list, &e));
    COMMAND(0, clEnqueueReadBuffer(q, w->one, CL_FALSE, 0, BYTES, words, n, list, &e));
    COMMAND(0, clEnqueueWriteBufferRect(q, w->one, CL_FALSE, zero, zero, box, 64, 0, 64, 0, row, n, list, &e));
    COMMAND(0, clEnqueueReadBufferRect(q, w->one, CL_FALSE, zero, zero, box, 64, 0, 64, 0, row, n, list, &e));
    COMMAND(0, clEnqueueMigrateMemObjects(q, 1, &w->one, 0, n, list, &e));
    COMMAND(0, clEnqueueMarkerWithWaitList(q, n, list, &e));
    COMMAND(0, clEnqueueBarrierWithWaitList(q, n, list, &e));
    cl_device_exec_capabilities can = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof can, &can, NULL));
    if (can & CL_EXEC_NATIVE_KERNEL)
        COMMAND(0, clEnqueueNativeKernel(q, native, NULL, 0, 0, NULL, NULL, n, list, &e));
    e = NULL;
    void *mapped = clEnqueueMapBuffer(q, w->other, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 0, BYTES, n, list, &e, &error);
    note(error, e, "clEnqueueMapBuffer", 0);
    if (mapped)
        COMMAND(0, clEnqueueUnmapMemObject(q, w->other, mapped, n, list, &e));
    if (w->image) {
        const cl_uint color[4] = {0};
        static unsigned char pixels[SIDE * SIDE * 4];
        COMMAND(1, clEnqueueFillImage(q, w->image, color, zero, texels, n, list, &e));
        COMMAND(1, clEnqueueCopyImageToBuffer(q, w->image, w->one, zero, texels, 0, n, list, &e));
        COMMAND(1, clEnqueueCopyBufferToImage(q, w->one, w->image, 0, zero, texels, n, list, &e));
        COMMAND(0, clEnqueueWriteImage(q, w->image, CL_FALSE, zero, texels, 0, 0, pixels, n, list, &e));
        COMMAND(0, clEnqueueReadImage(q, w->image, CL_FALSE, zero, texels, 0, 0, pixels, n, list, &e));
        size_t pitch = 0;
        e = NULL;
        mapped = clEnqueueMapImage(q, w->image, CL_FALSE, CL_MAP_READ, zero, texels, &pitch, NULL, n, list, &e, &error);
        note(error, e, "clEnqueueMapImage", 0);
        if (mapped)
            COMMAND(0, clEnqueueUnmapMemObject(q, w->image, mapped, n, list, &e));
    }
    if (w->svm) {
        COMMAND(0, clEnqueueSVMMemFill(q, w->svm, &value, 4, BYTES, n, list, &e));
        COMMAND(0, clEnqueueSVMMemcpy(q, CL_FALSE, row, w->svm, BYTES, n, list, &e));
        COMMAND(0, clEnqueueSVMMap(q, CL_FALSE, CL_MAP_READ, w->svm, BYTES, n, list, &e));
        COMMAND(0, clEnqueueSVMUnmap(q, w->svm, n, list, &e));
        COMMAND(0, clEnqueueSVMMigrateMem(q, 1, (const void **)&w->svm, NULL, 0, n, list, &e));
    }
}

/* Waits for all commands. If `lost`, the device's must have failed. */
static void ended(int lost)
{
    for (int i = 0; i < count; i++) {
        cl_int status = 1;
        clWaitForEvents(1, &all[i].event);
        MUST(clGetEventInfo(all[i].event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        if (status > 0 || (lost && all[i].on_device && status == CL_COMPLETE)) {
            fprintf(stderr, "%s: status %d after the loss\n", all[i].name, status);
            failures++;
        }
        MUST(clReleaseEvent(all[i].event));
    }
    count = 0;
}

/* Every call that would make something or run something refuses to. */
static void refused(struct world *w)
{
    cl_int error = 0, value = 1;
    const size_t global = N;
    CHECK(!clCreateBuffer(w->context, 0, 64, NULL, &error));
    EQ(error, CL_OUT_OF_RESOURCES);
    CHECK(!clCreateCommandQueueWithProperties(w->context, device, NULL, &error));
    EQ(error, CL_OUT_OF_RESOURCES);
    CHECK(!clCreateProgramWithSource(w->context, 1, &source, NULL, &error));
    EQ(error, CL_OUT_OF_RESOURCES);
    CHECK(!clCreateUserEvent(w->context, &error));
    EQ(error, CL_OUT_OF_RESOURCES);
    EQ(clEnqueueFillBuffer(w->queue, w->one, &value, 4, 0, 4, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    EQ(clEnqueueReadBuffer(w->queue, w->one, CL_TRUE, 0, 4, &value, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    EQ(clEnqueueNDRangeKernel(w->queue, w->twice, 1, NULL, &global, NULL, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    MUST(clFlush(w->queue));
    /* Once it tells of a command whose event nobody has. */
    error = clFinish(w->queue);
    CHECK(error == CL_SUCCESS || error == CL_OUT_OF_RESOURCES);
    MUST(clFinish(w->queue));
}

/* A new context computes. */
static void works(void)
{
    struct world w = made(0);
    cl_int value = 21;
    size_t global = N;
    MUST(clEnqueueFillBuffer(w.queue, w.one, &value, 4, 0, BYTES, 0, NULL, NULL));
    MUST(clEnqueueNDRangeKernel(w.queue, w.twice, 1, NULL, &global, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(w.queue, w.one, CL_TRUE, 0, BYTES, words, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        if (words[i] != 42) {
            EQ(words[i], 42);
            break;
        }
    enqueue(&w, NULL);
    for (int i = 0; i < count; i++) {
        cl_int status = 1;
        MUST(clWaitForEvents(1, &all[i].event));
        MUST(clGetEventInfo(all[i].event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        EQ(status, CL_COMPLETE);
    }
    CHECK(count > 15);
    ended(0);
    unmade(&w);
}

static int child(void)
{
    cl_int error = 0, value = 3, lost = 0;
    device = pumice_device();
    struct world in_order = made(0), free_order = made(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), third = made(0);
    cl_event gates[2] = {clCreateUserEvent(in_order.context, &error), NULL};
    MUST(error);
    gates[1] = MADE(clCreateUserEvent, free_order.context);
    enqueue(&in_order, gates[0]);
    enqueue(&free_order, gates[1]);
    int waiting = count;
    CHECK(waiting > 30);
    /* The loss comes in one of these. */
    for (int i = 0; i < 20000 && !lost; i++) {
        error = clEnqueueFillBuffer(third.queue, third.one, &value, 4, 0, BYTES, 0, NULL, NULL);
        lost = error != CL_SUCCESS;
        if (i == 5 && !lost)
            enqueue(&third, NULL);
        MUST(clFlush(third.queue));
        if (i % 8 == 7 && clFinish(third.queue) != CL_SUCCESS)
            lost = 1;
    }
    CHECK(lost);
    MUST(clSetUserEventStatus(gates[0], CL_COMPLETE));
    MUST(clSetUserEventStatus(gates[1], CL_COMPLETE));
    /* Those of `third` that ended before the loss ended well. */
    for (int i = waiting; i < count; i++)
        all[i].on_device = 0;
    ended(1);
    refused(&in_order);
    refused(&free_order);
    refused(&third);
    works();
    /* The old context does not come to life again. */
    refused(&in_order);
    MUST(clReleaseEvent(gates[0]));
    MUST(clReleaseEvent(gates[1]));
    unmade(&in_order);
    works();
    unmade(&free_order);
    unmade(&third);
    return finish();
}

/* Runs the client again with a plan. */
static void with_plan(const char *self, const char *plan)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        setenv("PUMICE_FAULTS", plan, 1);
        alarm(120);
        execl(self, self, "child", NULL);
        _exit(99);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    if (status) {
        fprintf(stderr, "%s: status %#x\n", plan, (unsigned)status);
        failures++;
    }
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return child();
    int fences = asks_fences();
    const char *wait = fences ? "vkWaitForFences:lost:60" : "vkWaitSemaphores:lost:10";
    const char *ask = fences ? "vkGetFenceStatus:lost:500" : "vkGetSemaphoreCounterValue:lost:500";
    const char *plans[] = {"vkQueueSubmit:lost:90", wait, ask, "vkQueueSubmit:lost:97"};
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        /* With copies by the host, and by the device. */
        for (int staged = 0; staged < 2; staged++) {
            setenv("PUMICE_STAGING_ONLY", staged ? "on" : "off", 1);
            with_plan(argv[0], plans[i]);
        }
    }
    return finish();
}
