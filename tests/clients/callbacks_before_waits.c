/* Callbacks of commands that have ended are called before a wait returns, though a callback may take a lock that is held around
 * the wait. */
#include "common.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

enum { ROUNDS = 20 };

static atomic_int called;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void CL_CALLBACK note(cl_event event, cl_int status, void *data)
{
    struct timespec millisecond = {0, 1000000};
    (void)event, (void)status, (void)data;
    nanosleep(&millisecond, NULL);
    atomic_fetch_add(&called, 1);
}

static void CL_CALLBACK take_lock(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&called, 1);
}

int main(void)
{
    cl_int value = 7, in_time = 0;
    cl_device_id device = pumice_device();
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueue, context, device, 0);
    cl_mem buffer = MADE(clCreateBuffer, context, 0, sizeof value, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        cl_event first, last;
        MUST(clEnqueueFillBuffer(queue, buffer, &i, sizeof i, 0, sizeof i, 0, NULL, &first));
        MUST(clSetEventCallback(first, CL_COMPLETE, note, NULL));
        if (i % 3 == 0) {
            MUST(clFinish(queue));
        } else if (i % 3 == 1) {
            MUST(clEnqueueMarkerWithWaitList(queue, 0, NULL, &last));
            MUST(clWaitForEvents(1, &last));
            MUST(clReleaseEvent(last));
        } else {
            MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
        }
        in_time += atomic_load(&called) == i + 1;
        MUST(clReleaseEvent(first));
    }
    /* A wait does not stay for long: on a busy machine a callback may be late. */
    CHECK(in_time > ROUNDS / 2);
    while (atomic_load(&called) < ROUNDS)
        sched_yield();
    /* Each wait returns, and the callbacks run once the lock is free. */
    atomic_store(&called, 0);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < ROUNDS; i++) {
        cl_event event;
        MUST(clEnqueueFillBuffer(queue, buffer, &i, sizeof i, 0, sizeof i, 0, NULL, &event));
        MUST(clSetEventCallback(event, CL_COMPLETE, take_lock, NULL));
        MUST(clReleaseEvent(event));
        MUST(clFinish(queue));
    }
    EQ(atomic_load(&called), 0);
    pthread_mutex_unlock(&lock);
    while (atomic_load(&called) < ROUNDS)
        sched_yield();
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
