/* Check mode: work-items of two groups that come to a place at the same moment. Each race is found by one of the two at
 * least, and work-items that write one value are no race in whatever order they come. */
// client: env PUMICE_CHECK=race
// client: env PUMICE_LOG=off
#include "common.h"
#include <pthread.h>

/* The words that the two groups come to, one after the other, in each launch. Some drivers end a loop after 65,535 rounds,
 * those of loops inside counted. */
enum { WORDS = 1000, ROUNDS = 100 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;

enum { EQUAL, UNEQUAL, READ, KERNELS };
static const char *names[] = {"write_equal", "write_unequal", "read_and_write"};
/* The faults of each kernel's launches, and its launches with any. */
static long faults[KERNELS];
static int launches[KERNELS];

/* The last text of a launch with faults has their number. */
static void CL_CALLBACK on_notify(const char *text, const void *data, size_t size, void *user)
{
    (void)data, (void)size, (void)user;
    char name[32];
    long count = 0;
    if (sscanf(text, "kernel '%31[a-z_]': %ld fault", name, &count) != 2)
        return;
    pthread_mutex_lock(&lock);
    for (int kernel = 0; kernel < KERNELS; kernel++)
        if (strcmp(name, names[kernel]) == 0) {
            faults[kernel] += count;
            launches[kernel]++;
        }
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
}

/* Relaxed atomics order nothing: they only bring the groups together, and wait for nobody long. */
static const char *source =
    "void meet(global volatile atomic_int *places, int word)\n"
    "{\n"
    "    int group = get_group_id(0);\n"
    "    atomic_store_explicit(&places[group * 64], word, memory_order_relaxed, memory_scope_device);\n"
    "    for (int i = 0; i < 60; i++)\n"
    "        if (atomic_load_explicit(&places[(1 - group) * 64], memory_order_relaxed, memory_scope_device) >= word)\n"
    "            break;\n"
    "}\n"
    "kernel void read_and_write(global uint *words, global atomic_int *places, int count)\n"
    "{\n"
    "    uint sum = 0;\n"
    "    for (int word = 0; word < count; word++) {\n"
    "        meet(places, word);\n"
    "        if (get_group_id(0) == 0)\n"
    "            words[word] = word + 1;\n"
    "        else\n"
    "            sum += words[word];\n"
    "    }\n"
    "    if (get_group_id(0) == 1)\n"
    "        words[count] = sum;\n"
    "}\n"
    "kernel void write_unequal(global uint *words, global atomic_int *places, int count)\n"
    "{\n"
    "    for (int word = 0; word < count; word++) {\n"
    "        meet(places, word);\n"
    "        words[word] = word + get_group_id(0);\n"
    "    }\n"
    "}\n"
    "kernel void write_equal(global uint *words, global atomic_int *places, int count)\n"
    "{\n"
    "    for (int word = 0; word < count; word++) {\n"
    "        meet(places, word);\n"
    "        words[word] = word + 1;\n"
    "    }\n"
    "}\n";

static cl_context context;
static cl_command_queue queue;

/* Launches two groups of one work-item. */
static void launch(cl_program program, int which)
{
    cl_int count = WORDS, none = -1;
    cl_mem words = MADE(clCreateBuffer, context, 0, (WORDS + 1) * sizeof(cl_uint), NULL);
    cl_mem places = MADE(clCreateBuffer, context, 0, 128 * sizeof none, NULL);
    MUST(clEnqueueFillBuffer(queue, places, &none, sizeof none, 0, 128 * sizeof none, 0, NULL, NULL));
    cl_kernel kernel = MADE(clCreateKernel, program, names[which]);
    MUST(clSetKernelArg(kernel, 0, sizeof words, &words));
    MUST(clSetKernelArg(kernel, 1, sizeof places, &places));
    MUST(clSetKernelArg(kernel, 2, sizeof count, &count));
    size_t global = 2, local = 1;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    MUST(clFinish(queue));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseMemObject(places));
    MUST(clReleaseMemObject(words));
}

/* Waits a minute at most for the number of the last launch's faults; texts come in the order of launches. */
static void wait_for(int which, int round)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 60;
    pthread_mutex_lock(&lock);
    while (launches[which] <= round && pthread_cond_timedwait(&more, &lock, &end) == 0)
        ;
    EQ(launches[which], round + 1);
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    cl_device_id device = pumice_device();
    cl_device_svm_capabilities svm = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
    context = MADE(clCreateContext, NULL, 1, &device, on_notify, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    cl_program program = PROGRAM(context, source, "-cl-std=CL2.0");
    /* Without addresses nothing is checked, and where nothing executes nothing is found. */
    int finds = svm && values_matter();
    for (int round = 0; round < ROUNDS && !failures; round++) {
        launch(program, EQUAL);
        launch(program, UNEQUAL);
        launch(program, READ);
        if (!finds)
            continue;
        wait_for(READ, round);
        EQ(launches[UNEQUAL], round + 1);
        CHECK(faults[UNEQUAL] >= (round + 1L) * WORDS);
        CHECK(faults[READ] >= (round + 1L) * WORDS);
        EQ(faults[EQUAL], 0);
    }
    if (failures)
        for (int kernel = 0; kernel < KERNELS; kernel++)
            fprintf(stderr, "%s: %ld faults in %d launches\n", names[kernel], faults[kernel], launches[kernel]);
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
