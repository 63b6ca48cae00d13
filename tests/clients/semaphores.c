/* Binary semaphores (cl_khr_semaphore): order between queues, a wait that is enqueued before its signal,
 * failures, payloads, queries, every error. */
#include "common.h"

enum { N = 1024, ROUNDS = 200 };
enum {
    PLATFORM_TYPES = 0x2036,
    CONTEXT = 0x2039,
    REFERENCE_COUNT = 0x203A,
    PROPERTIES = 0x203B,
    PAYLOAD = 0x203C,
    TYPE = 0x203D,
    COMMAND_WAIT = 0x2042,
    COMMAND_SIGNAL = 0x2043,
    DEVICE_TYPES = 0x204C,
    DEVICE_LIST = 0x2053,
    EXPORT_TYPES = 0x203F,
    BINARY = 1,
    INVALID_SEMAPHORE = -1142,
};

typedef struct semaphore *semaphore_t;
static semaphore_t (*create)(cl_context, const cl_ulong *, cl_int *);
static cl_int (*wait_for)(cl_command_queue, cl_uint, const semaphore_t *, const cl_ulong *, cl_uint,
                          const cl_event *, cl_event *);
static cl_int (*signal)(cl_command_queue, cl_uint, const semaphore_t *, const cl_ulong *, cl_uint,
                        const cl_event *, cl_event *);
static cl_int (*info)(semaphore_t, cl_uint, size_t, void *, size_t *);
static cl_int (*retain)(semaphore_t);
static cl_int (*release)(semaphore_t);

static cl_context context;
static cl_device_id device;

static cl_command_queue queue_with(cl_context of, cl_ulong bits)
{
    cl_ulong list[] = {CL_QUEUE_PROPERTIES, bits, 0};
    return MADE(clCreateCommandQueueWithProperties, of, device, list);
}

static semaphore_t make(void)
{
    cl_ulong list[] = {TYPE, BINARY, 0};
    semaphore_t made = MADE(create, context, list);
    return made;
}

static cl_ulong payload(semaphore_t semaphore)
{
    cl_ulong value = 9;
    MUST(info(semaphore, PAYLOAD, sizeof value, &value, NULL));
    return value;
}

/* One queue writes, the other copies what it wrote, round by round. */
static void order(cl_ulong bits)
{
    cl_command_queue writer = queue_with(context, bits), reader = queue_with(context, bits);
    cl_mem a = MADE(clCreateBuffer, context, 0, N * 4, NULL);
    cl_mem b = MADE(clCreateBuffer, context, 0, N * 4, NULL);
    semaphore_t written = make(), read = make();
    static int got[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        cl_event filled, may_copy, copied, may_write = NULL;
        if (round)
            MUST(wait_for(writer, 1, &read, NULL, 0, NULL, &may_write));
        MUST(clEnqueueFillBuffer(writer, a, &round, 4, 0, N * 4, may_write ? 1 : 0,
                                 may_write ? &may_write : NULL, &filled));
        MUST(signal(writer, 1, &written, NULL, 1, &filled, NULL));
        MUST(wait_for(reader, 1, &written, NULL, 0, NULL, &may_copy));
        MUST(clEnqueueCopyBuffer(reader, a, b, 0, 0, N * 4, 1, &may_copy, &copied));
        cl_event read_back;
        MUST(clEnqueueReadBuffer(reader, b, CL_FALSE, (N - 1) * 4, 4, &got[round], 1, &copied,
                                 &read_back));
        MUST(signal(reader, 1, &read, NULL, 1, &read_back, NULL));
        clReleaseEvent(filled), clReleaseEvent(may_copy), clReleaseEvent(copied);
        clReleaseEvent(read_back);
        if (may_write)
            clReleaseEvent(may_write);
    }
    MUST(clFinish(writer));
    MUST(clFinish(reader));
    for (int round = 0; round < ROUNDS; round++)
        EQ(got[round], round);
    EQ(payload(written), 0);
    EQ(payload(read), 1);
    MUST(release(written));
    MUST(release(read));
    clReleaseMemObject(a), clReleaseMemObject(b);
    clReleaseCommandQueue(writer), clReleaseCommandQueue(reader);
}

static void early_waits(void)
{
    cl_command_queue first = queue_with(context, 0), second = queue_with(context, 0);
    semaphore_t pair[2] = {make(), make()};
    cl_event waited, signaled, failed;
    cl_uint kind = 0;
    cl_int status = 9;
    MUST(wait_for(first, 2, pair, NULL, 0, NULL, &waited));
    MUST(clGetEventInfo(waited, CL_EVENT_COMMAND_TYPE, sizeof kind, &kind, NULL));
    EQ(kind, COMMAND_WAIT);
    MUST(signal(second, 1, &pair[1], NULL, 0, NULL, &signaled));
    MUST(clGetEventInfo(signaled, CL_EVENT_COMMAND_TYPE, sizeof kind, &kind, NULL));
    EQ(kind, COMMAND_SIGNAL);
    MUST(clWaitForEvents(1, &signaled));
    clReleaseEvent(signaled);
    EQ(payload(pair[1]), 1);
    EQ(payload(pair[0]), 0);
    MUST(clGetEventInfo(waited, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    CHECK(status > CL_COMPLETE);
    MUST(signal(second, 1, &pair[0], NULL, 0, NULL, NULL));
    MUST(clWaitForEvents(1, &waited));
    clReleaseEvent(waited);
    EQ(payload(pair[0]), 0);
    EQ(payload(pair[1]), 0);
    /* A signal that fails fails its wait, whichever came first. */
    for (int early = 0; early < 2; early++) {
        cl_event gate = MADE(clCreateUserEvent, context);
        if (early)
            MUST(wait_for(first, 1, pair, NULL, 0, NULL, &failed));
        MUST(signal(second, 1, pair, NULL, 1, &gate, NULL));
        if (!early)
            MUST(wait_for(first, 1, pair, NULL, 0, NULL, &failed));
        MUST(clSetUserEventStatus(gate, -3));
        EQ(clWaitForEvents(1, &failed), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        EQ(payload(pair[0]), 0);
        clReleaseEvent(failed);
        EQ(signal(second, 1, pair, NULL, 1, &gate, NULL), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        clReleaseEvent(gate);
    }
    /* And works again afterwards. The semaphore goes while a command has it. */
    MUST(signal(first, 1, pair, NULL, 0, NULL, NULL));
    MUST(wait_for(second, 1, pair, NULL, 0, NULL, &waited));
    MUST(release(pair[0]));
    MUST(release(pair[1]));
    MUST(clWaitForEvents(1, &waited));
    clReleaseEvent(waited);
    clReleaseCommandQueue(first), clReleaseCommandQueue(second);
}

static void queries(void)
{
    cl_uint type = 0, count = 0;
    size_t size = 0;
    char names[8192] = "";
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    CHECK(strstr(names, "cl_khr_semaphore"));
    MUST(clGetDeviceInfo(device, DEVICE_TYPES, sizeof type, &type, &size));
    CHECK(type == BINARY && size == sizeof type);
    type = 0;
    MUST(clGetPlatformInfo(pumice_platform(), PLATFORM_TYPES, sizeof type, &type, &size));
    CHECK(type == BINARY && size == sizeof type);
    cl_ulong list[] = {DEVICE_LIST, (cl_ulong)(size_t)device, 0, TYPE, BINARY, 0}, back[8];
    semaphore_t semaphore = MADE(create, context, list);
    MUST(info(semaphore, PROPERTIES, sizeof back, back, &size));
    EQ(size, sizeof list);
    CHECK(memcmp(list, back, sizeof list) == 0);
    cl_device_id devices[2] = {NULL, NULL};
    MUST(info(semaphore, DEVICE_LIST, sizeof devices, devices, &size));
    CHECK(size == sizeof *devices && devices[0] == device);
    cl_context of = NULL;
    MUST(info(semaphore, CONTEXT, sizeof of, &of, NULL));
    CHECK(of == context);
    MUST(info(semaphore, TYPE, sizeof type, &type, NULL));
    EQ(type, BINARY);
    MUST(retain(semaphore));
    MUST(info(semaphore, REFERENCE_COUNT, sizeof count, &count, NULL));
    EQ(count, 2);
    MUST(release(semaphore));
    EQ(info(semaphore, 0x2099, 4, &count, NULL), CL_INVALID_VALUE);
    EQ(info(semaphore, PAYLOAD, 4, &count, NULL), CL_INVALID_VALUE);
    EQ(info(NULL, TYPE, 4, &count, NULL), INVALID_SEMAPHORE);
    MUST(release(semaphore));
}

static void errors(void)
{
    cl_int error = 0;
    cl_context foreign = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = queue_with(context, 0), outside = queue_with(foreign, 0);
    cl_ulong right[] = {TYPE, BINARY, 0}, none[] = {0}, kind[] = {TYPE, 2, 0}, name[] = {0x1111, 1, 0};
    cl_ulong twice[] = {TYPE, BINARY, TYPE, BINARY, 0}, handle = (cl_ulong)(size_t)device;
    cl_ulong many[] = {TYPE, BINARY, DEVICE_LIST, handle, handle, 0, 0};
    cl_ulong empty[] = {TYPE, BINARY, DEVICE_LIST, 0, 0};
    cl_ulong wrong[] = {TYPE, BINARY, DEVICE_LIST, (cl_ulong)(size_t)context, 0, 0};
    /* A kind of handles that nobody knows. */
    cl_ulong exported[] = {TYPE, BINARY, EXPORT_TYPES, 0x2050, 0, 0};
    struct {
        cl_context context;
        const cl_ulong *list;
        cl_int error;
    } bad[] = {
        {NULL, right, CL_INVALID_CONTEXT},     {context, NULL, CL_INVALID_VALUE},
        {context, none, CL_INVALID_VALUE},     {context, kind, CL_INVALID_PROPERTY},
        {context, name, CL_INVALID_PROPERTY},  {context, twice, CL_INVALID_PROPERTY},
        {context, many, CL_INVALID_DEVICE},    {context, empty, CL_INVALID_DEVICE},
        {context, wrong, CL_INVALID_DEVICE},   {context, exported, CL_INVALID_PROPERTY},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(!create(bad[i].context, bad[i].list, &error));
        EQ(error, bad[i].error);
    }
    semaphore_t semaphore = make(), no = NULL;
    cl_event event = MADE(clCreateUserEvent, foreign);
    cl_int (*calls[])(cl_command_queue, cl_uint, const semaphore_t *, const cl_ulong *, cl_uint,
                      const cl_event *, cl_event *) = {wait_for, signal};
    for (int i = 0; i < 2; i++) {
        EQ(calls[i](NULL, 1, &semaphore, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
        EQ(calls[i](queue, 0, &semaphore, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
        EQ(calls[i](queue, 1, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
        EQ(calls[i](queue, 1, &no, NULL, 0, NULL, NULL), INVALID_SEMAPHORE);
        EQ(calls[i](outside, 1, &semaphore, NULL, 0, NULL, NULL), CL_INVALID_CONTEXT);
        EQ(calls[i](queue, 1, &semaphore, NULL, 1, &event, NULL), CL_INVALID_CONTEXT);
        EQ(calls[i](queue, 1, &semaphore, NULL, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
        EQ(calls[i](queue, 1, &semaphore, NULL, 0, &event, NULL), CL_INVALID_EVENT_WAIT_LIST);
    }
    EQ(retain(NULL), INVALID_SEMAPHORE);
    EQ(release((semaphore_t)queue), INVALID_SEMAPHORE);
    MUST(release(semaphore));
    clReleaseEvent(event);
    clReleaseCommandQueue(queue), clReleaseCommandQueue(outside);
    clReleaseContext(foreign);
}

int main(void)
{
    load_function(&create, "clCreateSemaphoreWithPropertiesKHR");
    load_function(&wait_for, "clEnqueueWaitSemaphoresKHR");
    load_function(&signal, "clEnqueueSignalSemaphoresKHR");
    load_function(&info, "clGetSemaphoreInfoKHR");
    load_function(&retain, "clRetainSemaphoreKHR");
    load_function(&release, "clReleaseSemaphoreKHR");
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queries();
    order(0);
    order(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    early_waits();
    errors();
    release_last(context);
    return failures != 0;
}
