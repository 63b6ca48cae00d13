/* Check mode: what a launch did wrong comes to the context's function, one text for each place and a last one with the
 * count; parts of buffers, pointers into shared memory, and memory that was freed while a kernel kept its pointer. */
// client: env PUMICE_CHECK=all
// client: env PUMICE_LOG=off
#include "common.h"
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static char reports[10][1000];
static int count;

static void CL_CALLBACK on_notify(const char *text, const void *data, size_t size, void *user)
{
    (void)data, (void)size, (void)user;
    pthread_mutex_lock(&lock);
    if (count < 10)
        snprintf(reports[count], sizeof reports[0], "%s", text);
    count++;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
}

static cl_context context;
static cl_command_queue queue;
static cl_program program;

static const char *source = "struct node { global struct node *next; int value; };\n"
                            "kernel void put(global int *data, int at) { data[at] = 7; }\n"
                            "kernel void sum(global struct node *first, global int *out)\n"
                            "{\n"
                            "    int total = 0;\n"
                            "    for (global struct node *n = first; n; n = n->next)\n"
                            "        total += n->value;\n"
                            "    out[0] = total;\n"
                            "}\n";

/* Waits for so many texts, a minute at most, and compares them; none may follow. */
static void expect(int texts, const char **expected)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 60;
    pthread_mutex_lock(&lock);
    /* Where nothing executes, nothing is reported. */
    while (values_matter() && count < texts && pthread_cond_timedwait(&more, &lock, &end) == 0)
        ;
    EQ(count, texts);
    for (int i = 0; i < texts && i < count; i++)
        if (strcmp(reports[i], expected[i]) != 0) {
            fprintf(stderr, "report %d is:\n%s\nexpected:\n%s\n", i, reports[i], expected[i]);
            failures++;
        }
    count = 0;
    pthread_mutex_unlock(&lock);
}

static void launch(cl_kernel kernel)
{
    size_t one = 1;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    MUST(clFinish(queue));
}

static cl_kernel kernel_of(const char *name)
{
    return MADE(clCreateKernel, program, name);
}

static void parts(cl_device_id device)
{
    cl_uint bits = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL));
    if (bits > 256 * 8)
        return;
    int data[128] = {0};
    cl_mem whole = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof data, data);
    cl_buffer_region region = {256, 64};
    cl_mem part = MADE(clCreateSubBuffer, whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region);
    cl_kernel put = kernel_of("put");
    MUST(clSetKernelArg(put, 0, sizeof part, &part));
    for (int at = 15; at <= 16; at++) {
        MUST(clSetKernelArg(put, 1, sizeof at, &at));
        launch(put);
    }
    const char *texts[] = {
        "<source>:2:45: error: write of 4 bytes at byte 64 of 'data', which has 64 bytes\n"
        "kernel void put(global int *data, int at) { data[at] = 7; }\n"
        "                                            ^\n"
        "note: by work-item 0 of kernel 'put': number 0 of work-group 0\n"
        "note: argument 0 'data' is a part of 64 bytes from clCreateSubBuffer, at byte 256 of a buffer of 512 bytes",
        "kernel 'put': 1 fault at 1 place"};
    expect(2, texts);
    MUST(clEnqueueReadBuffer(queue, whole, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    EQ(data[79], 7);
    EQ(data[80], 0);
    MUST(clReleaseKernel(put));
    MUST(clReleaseMemObject(part));
    MUST(clReleaseMemObject(whole));
}

struct node {
    struct node *next;
    int value;
};

static void lists(void)
{
    struct node *nodes[2];
    for (int i = 0; i < 2; i++) {
        /* Far apart, so that the second one is nowhere near anything. */
        nodes[i] = clSVMAlloc(context, CL_MEM_READ_WRITE, 1 << 20, 0);
        CHECK(nodes[i]);
    }
    struct node first = {nodes[1], 3}, second = {NULL, 4};
    MUST(clEnqueueSVMMemcpy(queue, CL_TRUE, nodes[0], &first, sizeof first, 0, NULL, NULL));
    MUST(clEnqueueSVMMemcpy(queue, CL_TRUE, nodes[1], &second, sizeof second, 0, NULL, NULL));
    int total = 0;
    cl_mem out = MADE(clCreateBuffer, context, 0, sizeof total, NULL);
    cl_kernel sum = kernel_of("sum");
    MUST(clSetKernelArgSVMPointer(sum, 0, nodes[0]));
    MUST(clSetKernelArg(sum, 1, sizeof out, &out));
    MUST(clSetKernelExecInfo(sum, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof nodes[1], &nodes[1]));
    launch(sum);
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof total, &total, 0, NULL, NULL));
    EQ(total, 7);
    EQ(count, 0);
    /* The list goes on in memory that was freed. */
    clSVMFree(context, nodes[1]);
    MUST(clReleaseKernel(sum));
    sum = kernel_of("sum");
    MUST(clSetKernelArgSVMPointer(sum, 0, nodes[0]));
    MUST(clSetKernelArg(sum, 1, sizeof out, &out));
    launch(sum);
    const char *texts[] = {
        "<source>:6:48: error: read of 8 bytes of released memory\n"
        "    for (global struct node *n = first; n; n = n->next)\n"
        "                                               ^\n"
        "note: by work-item 0 of kernel 'sum': number 0 of work-group 0\n"
        "note: the memory was an allocation of 1048576 bytes from clSVMAlloc; byte 0 of it",
        "<source>:7:18: error: read of 4 bytes of released memory\n"
        "        total += n->value;\n"
        "                 ^\n"
        "note: by work-item 0 of kernel 'sum': number 0 of work-group 0\n"
        "note: the memory was an allocation of 1048576 bytes from clSVMAlloc; byte 8 of it",
        "kernel 'sum': 2 faults at 2 places"};
    expect(3, texts);
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof total, &total, 0, NULL, NULL));
    EQ(total, 3);
    MUST(clReleaseKernel(sum));
    MUST(clReleaseMemObject(out));
    clSVMFree(context, nodes[0]);
}

int main(void)
{
    cl_int error = 0;
    cl_device_id device = pumice_device();
    cl_device_svm_capabilities svm = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
    EQ(svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM, 0);
    context = MADE(clCreateContext, NULL, 1, &device, on_notify, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    program = MADE(clCreateProgramWithSource, context, 1, &source, NULL);
    error = clBuildProgram(program, 0, NULL, "-cl-kernel-arg-info", NULL, NULL);
    /* Without addresses nothing is checked, and lists are no programs. */
    if (svm) {
        MUST(error);
        parts(device);
        lists();
    }
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
