// client: once
// client: races
/* Random sequences of API calls with valid and invalid arguments. Nothing may crash or hang, and
 * after each sequence a fresh kernel must still give the right result.
 *
 *     api_fuzz [first seed [number of seeds [calls of each]]]
 *
 * Seeds run in child processes, so that a crash names its seed and the rest goes on. What the
 * specification leaves undefined is left out: handles after their last release, pointers to less
 * memory than the call may touch, blocking on a user event that nobody completes. */
#define _GNU_SOURCE
#include "common.h"
#include "random.h"
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POOL = 24, ARENA = 1 << 17, LARGEST = 1 << 16, BATCH = 20, SECONDS = 240 };
enum { CONTEXT, QUEUE, MEM, PROGRAM, KERNEL, EVENT, KINDS };

static struct {
    void *handle[POOL];
    int references[POOL];
    int count;
} pool[KINDS];
static struct {
    cl_mem mem;
    void *address;
} maps[POOL];
static int map_count;
/* Allocations of shared virtual memory, LARGEST bytes each. */
static struct {
    cl_context context;
    void *address;
} shared[POOL];
static int shared_count;
static cl_event users[POOL];
static int user_count;
static cl_device_id device;
static unsigned char *arena;
/* Seed and call under way, and calls by whether they succeeded; shared with the parent. */
static volatile uint64_t *progress;

static void *add(int kind, void *handle)
{
    if (!handle)
        return NULL;
    if (pool[kind].count == POOL)
        abort(); /* the callers leave room */
    pool[kind].handle[pool[kind].count] = handle;
    pool[kind].references[pool[kind].count++] = 1;
    return handle;
}
static int room(int kind) { return pool[kind].count < POOL - 2; }

/* A handle: mostly a live one of the kind, else one of another kind or NULL. Other values would
 * stop in the loader, which looks for its table behind them. */
static void *pick(int kind)
{
    if (chance(88) && pool[kind].count)
        return pool[kind].handle[below((unsigned)pool[kind].count)];
    if (chance(30)) {
        int other = (int)below(KINDS);
        if (pool[other].count)
            return pool[other].handle[below((unsigned)pool[other].count)];
    }
    return NULL;
}
static size_t size(void)
{
    static const size_t sizes[] = {0, 1, 4, 16, 100, 128, 256, 1000, 4096, 8192, LARGEST,
                                   LARGEST + 1, (size_t)1 << 40, SIZE_MAX, SIZE_MAX - 7};
    return chance(25) ? below(LARGEST) : sizes[below(15)];
}
static size_t small(void) { return chance(5) ? SIZE_MAX - below(3) : below(9); }
static cl_device_id any_device(void) { return chance(92) ? device : pick(EVENT); }
static cl_bitfield flags(void)
{
    static const cl_bitfield common[] = {0, CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY,
                                         CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR,
                                         CL_MEM_ALLOC_HOST_PTR, CL_MEM_HOST_NO_ACCESS,
                                         CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY};
    cl_bitfield bits = common[below(10)];
    if (chance(30))
        bits |= common[below(10)];
    return chance(4) ? next() : bits;
}

static void complete_users(void)
{
    while (user_count) {
        cl_event event = users[--user_count];
        clSetUserEventStatus(event, chance(80) ? CL_COMPLETE : -5);
        clReleaseEvent(event);
    }
}

static cl_event list[4];
static cl_uint wait_list(const cl_event **out)
{
    cl_uint count = chance(60) ? 0 : below(4);
    for (cl_uint i = 0; i < count; i++)
        list[i] = user_count && chance(30) ? users[below((unsigned)user_count)] : pick(EVENT);
    *out = count ? list : NULL;
    if (chance(3))
        *out = *out ? NULL : list;
    return count;
}

static void CL_CALLBACK event_called(cl_event event, cl_int status, void *data)
{
    cl_uint type = 0;
    (void)status;
    (void)data;
    clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL);
}
static void CL_CALLBACK mem_called(cl_mem mem, void *data) { (void)mem, (void)data; }
static void CL_CALLBACK build_called(cl_program program, void *data)
{
    (void)program;
    __atomic_fetch_add((int *)data, 1, __ATOMIC_SEQ_CST);
}
static void CL_CALLBACK native(void *args) { (void)args; }

static const char *sources[] = {
    "kernel void a(global char *p, uint n) { if (p) p[0] += (char)n; }",
    "kernel void b(global char *p, local char *l) { l[0] = 1; if (p) p[0] = l[0]; }\n"
    "kernel void c(constant char *p, float4 v) { }\n"
    "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void d(void) { }",
    "kernel void broken(global int *p) { p[0] = nothing; }",
    "",
    "int helper(int x) { return x + 1; }",
    "extern int helper(int);\nkernel void uses(global char *p) { if (p) p[0] = (char)helper(1); }",
};
static const char *option_sets[] = {NULL, "", "-cl-std=CL3.0", "-DX=1 -w", "-no-such-option",
                                    "-cl-fast-relaxed-math", "-I", "-cl-kernel-arg-info",
                                    "-create-library", "-cl-std=CL9.9"};

static void build(cl_program program)
{
    cl_device_id one = any_device();
    cl_uint count = chance(50);
    const char *options = option_sets[chance(60) ? below(4) : below(10)];
    static int called;
    if (chance(25)) {
        int before = __atomic_load_n(&called, __ATOMIC_SEQ_CST);
        if (clBuildProgram(program, count, count ? &one : NULL, options, build_called, &called) == 0)
            for (int i = 0; i < 20000 && __atomic_load_n(&called, __ATOMIC_SEQ_CST) == before; i++)
                usleep(1000);
    } else if (chance(40)) {
        cl_program header = pick(PROGRAM);
        const char *name = "h.h";
        cl_uint headers = chance(30);
        clCompileProgram(program, count, count ? &one : NULL, options, headers,
                         headers ? &header : NULL, headers ? &name : NULL, NULL, NULL);
    } else {
        clBuildProgram(program, count, count ? &one : NULL, options, NULL, NULL);
    }
}

static void note(cl_int error) { progress[error == CL_SUCCESS ? 2 : 3]++; }

static void create(void)
{
    cl_int error = 0;
    switch (below(8)) {
    case 0:
        if (!room(CONTEXT))
            return;
        cl_device_id devices[2] = {any_device(), any_device()};
        cl_context_properties properties[] = {
            chance(90) ? CL_CONTEXT_PLATFORM : (cl_context_properties)below(0x1100),
            (cl_context_properties)(chance(90) ? (void *)pumice_platform() : pick(MEM)), 0};
        add(CONTEXT, clCreateContext(chance(50) ? properties : NULL, below(3), devices, NULL, NULL,
                                     &error));
        break;
    case 1:
        if (!room(QUEUE))
            return;
        cl_queue_properties list[] = {chance(90) ? CL_QUEUE_PROPERTIES : below(0x1200),
                                      chance(90) ? below(4) : next(), 0};
        add(QUEUE, clCreateCommandQueueWithProperties(pick(CONTEXT), any_device(),
                                                      chance(50) ? list : NULL, &error));
        break;
    case 2:
    case 3: {
        if (!room(MEM))
            return;
        cl_bitfield bits = flags();
        int host = (bits & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0;
        if (chance(5))
            host = !host;
        size_t at = chance(50) ? 0 : below(4096);
        add(MEM, clCreateBuffer(pick(CONTEXT), bits, size(), host ? arena + at : NULL, &error));
        break;
    }
    case 4: {
        if (!room(MEM))
            return;
        cl_buffer_region region = {chance(80) ? below(8) * 128 : size(), size()};
        add(MEM, clCreateSubBuffer(pick(MEM), flags(),
                                   chance(95) ? CL_BUFFER_CREATE_TYPE_REGION : below(9),
                                   chance(97) ? &region : NULL, &error));
        break;
    }
    case 5: {
        if (!room(PROGRAM))
            return;
        const char *strings[2] = {sources[below(6)], chance(95) ? "\n" : NULL};
        size_t lengths[2] = {strlen(strings[0]), chance(50)};
        cl_program program = add(PROGRAM, clCreateProgramWithSource(
            pick(CONTEXT), below(3), strings, chance(50) ? lengths : NULL, &error));
        if (program && chance(80))
            build(program);
        break;
    }
    case 6: {
        if (!room(PROGRAM))
            return;
        cl_program inputs[2] = {pick(PROGRAM), pick(PROGRAM)};
        cl_device_id one = any_device();
        cl_uint count = chance(50);
        add(PROGRAM, clLinkProgram(pick(CONTEXT), count, count ? &one : NULL,
                                   option_sets[below(10)], below(3), inputs, NULL, NULL, &error));
        break;
    }
    default: {
        if (!room(PROGRAM))
            return;
        /* A binary, whole or damaged, or rubbish. */
        static unsigned char bytes[1 << 18];
        unsigned char *place = bytes;
        size_t length = 0;
        cl_program from = pick(PROGRAM);
        if (clGetProgramInfo(from, CL_PROGRAM_BINARY_SIZES, sizeof length, &length, NULL) == 0 &&
            length <= sizeof bytes)
            clGetProgramInfo(from, CL_PROGRAM_BINARIES, sizeof place, &place, NULL);
        if (length > sizeof bytes || chance(5))
            length = below(64);
        if (chance(50) && length)
            for (unsigned i = 0; i < 1 + below(4); i++)
                bytes[below((unsigned)length)] ^= (unsigned char)next();
        if (chance(20))
            length = length ? below((unsigned)length) : 0;
        const unsigned char *binary = bytes;
        cl_device_id one = any_device();
        cl_int status = 0;
        cl_program program =
            chance(15) ? clCreateProgramWithIL(pick(CONTEXT), bytes, length, &error)
                       : clCreateProgramWithBinary(pick(CONTEXT), 1, &one, &length, &binary,
                                                   chance(50) ? &status : NULL, &error);
        if (add(PROGRAM, program) && chance(80))
            build(program);
        break;
    }
    }
    note(error);
}

static void kernels(void)
{
    cl_int error = 0;
    static const char *names[] = {"a", "b", "c", "d", "uses", "nothing", ""};
    switch (below(5)) {
    case 0:
        if (room(KERNEL))
            add(KERNEL, clCreateKernel(pick(PROGRAM), chance(98) ? names[below(7)] : NULL, &error));
        break;
    case 1:
        if (pool[KERNEL].count < POOL - 6) {
            cl_kernel made[4];
            cl_uint count = 0;
            error = clCreateKernelsInProgram(pick(PROGRAM), 4, made, &count);
            for (cl_uint i = 0; error == 0 && i < count && i < 4; i++)
                add(KERNEL, made[i]);
        }
        break;
    case 2:
        if (room(KERNEL))
            add(KERNEL, clCloneKernel(pick(KERNEL), &error));
        break;
    default: {
        cl_kernel kernel = pick(KERNEL);
        cl_mem mem = pick(MEM);
        cl_uint number = (cl_uint)next();
        cl_uint index = chance(95) ? below(2) : below(1000);
        switch (below(4)) {
        case 0:
            error = clSetKernelArg(kernel, index, sizeof mem, chance(90) ? &mem : NULL);
            break;
        case 1:
            /* A value of 16 bytes where a handle may be expected is one only if it looks so. */
            error = clSetKernelArg(kernel, 1, chance(80) ? sizeof number : 16,
                                   memset(arena + ARENA - 64, 0, 64));
            break;
        case 2:
            error = clSetKernelArg(kernel, index, size(), NULL);
            break;
        default:
            error = clSetKernelArg(kernel, 0, sizeof mem, &mem);
            if (error == 0)
                error = clSetKernelArg(kernel, 1, sizeof number, &number);
            if (error)
                error = clSetKernelArg(kernel, 1, 16 + below(64), NULL);
        }
    }
    }
    note(error);
}

static void enqueue(void)
{
    const cl_event *events = NULL;
    cl_uint count = wait_list(&events);
    cl_event made = NULL, *out = chance(50) && room(EVENT) ? &made : NULL;
    cl_command_queue queue = pick(QUEUE);
    cl_mem mem = pick(MEM), other = pick(MEM);
    cl_int error = 0;
    cl_bool blocking = chance(40);
    if (blocking)
        complete_users();
    size_t at = chance(60) ? 0 : size(), length = size();
    if (length > ARENA && length < SIZE_MAX / 4)
        length = ARENA; /* what is accepted must fit the arena */
    size_t a[3] = {small(), small(), small()}, b[3] = {small() % 5, small() % 5, small() % 5};
    size_t extent[3] = {below(64), below(8), below(8)};
    size_t row = chance(50) ? 0 : below(256), slice = chance(50) ? 0 : below(16) * 256;
    void *host = chance(97) ? arena : NULL;
    switch (below(14)) {
    case 0:
        error = clEnqueueReadBuffer(queue, mem, blocking, at, length, host, count, events, out);
        break;
    case 1:
        error = clEnqueueWriteBuffer(queue, mem, blocking, at, length, host, count, events, out);
        break;
    case 2:
        error = clEnqueueCopyBuffer(queue, mem, other, at, chance(50) ? 0 : size(), length, count,
                                    events, out);
        break;
    case 3:
        error = clEnqueueFillBuffer(queue, mem, chance(95) ? arena : NULL,
                                    chance(70) ? (size_t)1 << below(8) : small(), at, length, count,
                                    events, out);
        break;
    case 4:
        error = clEnqueueReadBufferRect(queue, mem, blocking, a, b, extent, row, slice,
                                        chance(50) ? 0 : below(256), chance(50) ? 0 : below(16) * 256,
                                        host, count, events, out);
        break;
    case 5:
        error = clEnqueueWriteBufferRect(queue, mem, blocking, a, b, extent, row, slice,
                                         chance(50) ? 0 : below(256),
                                         chance(50) ? 0 : below(16) * 256, host, count, events, out);
        break;
    case 6:
        error = clEnqueueCopyBufferRect(queue, mem, other, a, b, extent, row, slice,
                                        chance(50) ? row : below(256), chance(50) ? slice : 0, count,
                                        events, out);
        break;
    case 7:
        if (map_count < POOL) {
            void *address = clEnqueueMapBuffer(queue, mem, blocking, chance(90) ? below(5) : next(),
                                               at, length, count, events, out, &error);
            if (address) {
                clRetainMemObject(mem);
                maps[map_count].mem = mem;
                maps[map_count++].address = address;
            }
        }
        break;
    case 8:
        if (map_count && chance(85)) {
            int which = (int)below((unsigned)map_count);
            cl_mem mapped = maps[which].mem;
            error = clEnqueueUnmapMemObject(queue, mapped, maps[which].address, count, events, out);
            if (error == 0) {
                clReleaseMemObject(mapped);
                maps[which] = maps[--map_count];
            }
        } else {
            error = clEnqueueUnmapMemObject(queue, mem, host, count, events, out);
        }
        break;
    case 9:
        error = chance(50) ? clEnqueueMarkerWithWaitList(queue, count, events, out)
                           : clEnqueueBarrierWithWaitList(queue, count, events, out);
        break;
    case 10: {
        cl_mem both[2] = {mem, other};
        error = clEnqueueMigrateMemObjects(queue, below(3), both, chance(90) ? below(4) : next(),
                                           count, events, out);
        break;
    }
    case 11:
        error = clEnqueueNativeKernel(queue, native, arena, below(64), chance(20),
                                      &mem, (const void *[]){arena}, count, events, out);
        break;
    default: {
        static const size_t ranges[] = {0, 1, 4, 7, 64, 1000, SIZE_MAX};
        size_t global[3], local[3], offset[3];
        for (int d = 0; d < 3; d++) {
            global[d] = d && chance(70) ? 1 : ranges[below(chance(90) ? 6 : 7)];
            if (d && global[d] > 7)
                global[d] = 7;
            local[d] = d && chance(70) ? 1 : ranges[below(chance(90) ? 4 : 7)];
            offset[d] = chance(95) ? below(5) : SIZE_MAX;
        }
        error = clEnqueueNDRangeKernel(queue, pick(KERNEL), chance(95) ? 1 + below(3) : below(9),
                                       chance(30) ? offset : NULL, chance(97) ? global : NULL,
                                       chance(50) ? local : NULL, count, events, out);
    }
    }
    if (error == 0 && made)
        add(EVENT, made);
    note(error);
}

/* Nothing uses memory that is freed. */
static void settle(void)
{
    complete_users();
    for (int i = 0; i < pool[QUEUE].count; i++)
        clFinish(pool[QUEUE].handle[i]);
}

/* Kernels have an allocation for an argument no more. */
static void forget_allocations(void)
{
    for (int i = 0; i < pool[KERNEL].count; i++)
        for (cl_uint arg = 0; arg < 3; arg++)
            clSetKernelArgSVMPointer(pool[KERNEL].handle[i], arg, NULL);
}

static void svm(void)
{
    cl_int error = 0;
    const cl_event *events = NULL;
    cl_uint count = wait_list(&events);
    cl_event made = NULL, *out = chance(50) && room(EVENT) ? &made : NULL;
    cl_command_queue queue = pick(QUEUE);
    char *a = chance(95) && shared_count ? shared[below((unsigned)shared_count)].address : NULL;
    char *b = chance(50) && shared_count ? shared[below((unsigned)shared_count)].address : (char *)arena;
    cl_bool blocking = chance(40);
    size_t length = chance(20) ? 0 : below(LARGEST / 2);
    a = a && chance(30) ? a + below(LARGEST / 2) : a;
    switch (below(9)) {
    case 0:
    case 1:
        if (shared_count < POOL) {
            cl_context context = pick(CONTEXT);
            static const cl_bitfield bits[] = {0, CL_MEM_READ_ONLY, CL_MEM_SVM_FINE_GRAIN_BUFFER,
                                               CL_MEM_SVM_ATOMICS, CL_MEM_USE_HOST_PTR};
            void *made_here = clSVMAlloc(context, bits[below(5)], LARGEST, chance(80) ? 0 : below(300));
            if (made_here) {
                clRetainContext(context);
                shared[shared_count].context = context;
                shared[shared_count++].address = made_here;
            } else {
                error = -1;
            }
        }
        break;
    case 2:
        if (shared_count) {
            settle();
            forget_allocations();
            int which = (int)below((unsigned)shared_count);
            if (chance(50) ||
                clEnqueueSVMFree(queue, 1, &shared[which].address, NULL, NULL, 0, NULL, NULL)) {
                clSVMFree(shared[which].context, shared[which].address);
            } else {
                clFinish(queue);
                /* A queue of another context knows nothing of it. */
                clSVMFree(shared[which].context, shared[which].address);
            }
            clReleaseContext(shared[which].context);
            shared[which] = shared[--shared_count];
        }
        break;
    case 3:
        if (blocking)
            complete_users();
        error = clEnqueueSVMMemcpy(queue, blocking, a, b, length, count, events, out);
        break;
    case 4:
        error = clEnqueueSVMMemFill(queue, a, chance(95) ? arena : NULL,
                                    chance(70) ? (size_t)1 << below(8) : small(), length, count, events,
                                    out);
        break;
    case 5:
        if (blocking)
            complete_users();
        error = clEnqueueSVMMap(queue, blocking, chance(90) ? below(5) : next(), a, length, count, events,
                                out);
        break;
    case 6:
        error = clEnqueueSVMUnmap(queue, a, count, events, out);
        break;
    case 7: {
        const void *both[2] = {a, b};
        size_t sizes[2] = {length, size()};
        error = clEnqueueSVMMigrateMem(queue, below(3), both, chance(50) ? sizes : NULL,
                                       chance(90) ? below(4) : next(), count, events, out);
        break;
    }
    default:
        /* Memory that is not shared may not be given to kernels; NULL may, where they do not follow it. */
        error = chance(70) ? clSetKernelArgSVMPointer(pick(KERNEL), below(3), a)
                           : clSetKernelExecInfo(pick(KERNEL), chance(90) ? 0x11B6 + below(2) : below(9),
                                                 small() % 17, chance(90) ? arena : NULL);
    }
    if (error == 0 && made)
        add(EVENT, made);
    note(error);
}

static void others(void)
{
    cl_int error = 0;
    switch (below(7)) {
    case 0:
        if (user_count < POOL) {
            cl_event event = clCreateUserEvent(pick(CONTEXT), &error);
            if (event)
                users[user_count++] = event;
        }
        break;
    case 1:
        if (user_count) {
            cl_event event = users[--user_count];
            error = clSetUserEventStatus(event, chance(90) ? CL_COMPLETE : (cl_int)below(5) - 3);
            clSetUserEventStatus(event, CL_COMPLETE);
            clReleaseEvent(event);
        } else {
            error = clSetUserEventStatus(pick(EVENT), CL_COMPLETE);
        }
        break;
    case 2:
        error = clSetEventCallback(pick(EVENT), (cl_int)below(5) - 1, chance(95) ? event_called : NULL,
                                   NULL);
        break;
    case 3:
        error = clSetMemObjectDestructorCallback(pick(MEM), chance(95) ? mem_called : NULL, NULL);
        break;
    case 4:
        complete_users();
        error = chance(50) ? clFinish(pick(QUEUE)) : clFlush(pick(QUEUE));
        break;
    case 5: {
        complete_users();
        cl_event events[3] = {pick(EVENT), pick(EVENT), pick(EVENT)};
        error = clWaitForEvents(below(4), events);
        break;
    }
    default:
        build(pick(PROGRAM));
    }
    note(error);
}

static void query(void)
{
    static unsigned char value[8192];
    memset(value, 0, sizeof value);
    static const size_t sizes[] = {0, 1, 4, 8, 24, 256, sizeof value};
    size_t bytes = sizes[below(7)], told = 0;
    void *out = chance(90) ? value : NULL;
    size_t *ret = chance(80) ? &told : NULL;
    cl_uint odd = chance(10) ? (cl_uint)next() : below(0x30);
    cl_int error = 0;
    switch (below(13)) {
    case 0: error = clGetPlatformInfo(pumice_platform(), 0x0900 + odd, bytes, out, ret); break;
    case 1: error = clGetDeviceInfo(any_device(), 0x1000 + odd * 3 % 0x80, bytes, out, ret); break;
    case 2: error = clGetContextInfo(pick(CONTEXT), 0x1080 + odd % 6, bytes, out, ret); break;
    case 3: error = clGetCommandQueueInfo(pick(QUEUE), 0x1090 + odd % 10, bytes, out, ret); break;
    case 4: error = clGetMemObjectInfo(pick(MEM), 0x1100 + odd % 16, bytes, out, ret); break;
    case 5: error = clGetProgramInfo(pick(PROGRAM), 0x1160 + odd % 14, bytes, out, ret); break;
    case 6:
        error = clGetProgramBuildInfo(pick(PROGRAM), any_device(), 0x1181 + odd % 6, bytes, out, ret);
        break;
    case 7: error = clGetKernelInfo(pick(KERNEL), 0x1190 + odd % 8, bytes, out, ret); break;
    case 8:
        error = clGetKernelArgInfo(pick(KERNEL), below(4), 0x1196 + odd % 6, bytes, out, ret);
        break;
    case 9:
        error = clGetKernelWorkGroupInfo(pick(KERNEL), chance(80) ? device : any_device(),
                                         0x11B0 + odd % 8, bytes, out, ret);
        break;
    case 10: error = clGetEventInfo(pick(EVENT), 0x11D0 + odd % 6, bytes, out, ret); break;
    case 11:
        error = clGetEventProfilingInfo(pick(EVENT), 0x1280 + odd % 6, bytes, out, ret);
        break;
    default: {
        size_t in[3] = {small(), small(), small()};
        error = clGetKernelSubGroupInfo(pick(KERNEL), any_device(),
                                        chance(80) ? 0x11B8 + odd % 3 : 0x2033 + odd % 4,
                                        below(4) * 8, chance(90) ? in : NULL, bytes, out, ret);
    }
    }
    note(error);
}

static cl_int retain(int kind, void *handle)
{
    switch (kind) {
    case CONTEXT: return clRetainContext(handle);
    case QUEUE: return clRetainCommandQueue(handle);
    case MEM: return clRetainMemObject(handle);
    case PROGRAM: return clRetainProgram(handle);
    case KERNEL: return clRetainKernel(handle);
    default: return clRetainEvent(handle);
    }
}
static cl_int release(int kind, void *handle)
{
    switch (kind) {
    case CONTEXT: return clReleaseContext(handle);
    case QUEUE: return clReleaseCommandQueue(handle);
    case MEM: return clReleaseMemObject(handle);
    case PROGRAM: return clReleaseProgram(handle);
    case KERNEL: return clReleaseKernel(handle);
    default: return clReleaseEvent(handle);
    }
}
static void references(void)
{
    int kind = (int)below(KINDS);
    if (!pool[kind].count || chance(10)) {
        /* No such object: nothing may happen. */
        void *odd = pool[KERNEL].count && kind != KERNEL ? pool[KERNEL].handle[0] : NULL;
        note(chance(50) ? retain(kind, odd) : release(kind, odd));
        return;
    }
    int which = (int)below((unsigned)pool[kind].count);
    if (chance(30)) {
        note(retain(kind, pool[kind].handle[which]));
        pool[kind].references[which]++;
        return;
    }
    note(release(kind, pool[kind].handle[which]));
    if (--pool[kind].references[which] == 0) {
        int last = --pool[kind].count;
        pool[kind].handle[which] = pool[kind].handle[last];
        pool[kind].references[which] = pool[kind].references[last];
    }
}

/* Whatever happened, new objects work. */
static int still_works(void)
{
    cl_int error = 0;
    cl_uint result[16] = {0};
    const char *text = "kernel void sq(global uint *p) { p[get_global_id(0)] = "
                       "(uint)(get_global_id(0) * get_global_id(0)); }";
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    if (clBuildProgram(program, 0, NULL, NULL, NULL, NULL))
        return 0;
    cl_kernel kernel = clCreateKernel(program, "sq", &error);
    cl_mem mem = clCreateBuffer(context, 0, sizeof result, NULL, &error);
    size_t global = 16;
    error |= clSetKernelArg(kernel, 0, sizeof mem, &mem);
    error |= clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    error |= clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL);
    for (cl_uint i = 0; i < 16; i++)
        error |= values_matter() && result[i] != i * i;
    clReleaseMemObject(mem);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return error == 0;
}

static int sequence(uint64_t seed, unsigned calls)
{
    begin_random(seed);
    /* Something to begin with. */
    cl_int error = 0;
    cl_context context = add(CONTEXT, clCreateContext(NULL, 1, &device, NULL, NULL, &error));
    cl_queue_properties both[] = {CL_QUEUE_PROPERTIES, below(4), 0};
    add(QUEUE, clCreateCommandQueueWithProperties(context, device, both, &error));
    add(MEM, clCreateBuffer(context, 0, 4096, NULL, &error));
    cl_program program =
        add(PROGRAM, clCreateProgramWithSource(context, 1, sources + below(2), NULL, &error));
    clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
    for (unsigned call = 0; call < calls; call++) {
        progress[1] = call;
        unsigned what = below(100);
        if (what < 14)
            create();
        else if (what < 32)
            kernels();
        else if (what < 65)
            enqueue();
        else if (what < 72)
            others();
        else if (what < 78)
            svm();
        else if (what < 90)
            query();
        else
            references();
    }
    progress[1] = calls;
    complete_users();
    for (int i = 0; i < pool[QUEUE].count; i++)
        clFinish(pool[QUEUE].handle[i]);
    while (map_count)
        clReleaseMemObject(maps[--map_count].mem);
    while (shared_count) {
        shared_count--;
        clSVMFree(shared[shared_count].context, shared[shared_count].address);
        clReleaseContext(shared[shared_count].context);
    }
    static const int order[] = {EVENT, KERNEL, PROGRAM, MEM, QUEUE, CONTEXT};
    for (int k = 0; k < KINDS; k++) {
        int kind = order[k];
        while (pool[kind].count) {
            int last = --pool[kind].count;
            while (pool[kind].references[last]--)
                release(kind, pool[kind].handle[last]);
        }
    }
    return still_works();
}

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    uint64_t seeds = argc > 2 ? strtoull(argv[2], NULL, 0) : 40;
    unsigned calls = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 0) : 150;
    progress = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    arena = aligned_alloc(4096, ARENA);
    memset(arena, 1, ARENA);
    for (uint64_t seed = first; seed < first + seeds;) {
        uint64_t end = seed + BATCH < first + seeds ? seed + BATCH : first + seeds;
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            device = pumice_device();
            for (; seed < end; seed++) {
                progress[0] = seed;
                alarm(SECONDS);
                if (!sequence(seed, calls)) {
                    fprintf(stderr, "seed %llu: the device gives wrong results afterwards\n",
                            (unsigned long long)seed);
                    _exit(1);
                }
            }
            exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (status) {
            fprintf(stderr, "seed %llu, call %llu: status %#x\n", (unsigned long long)progress[0],
                    (unsigned long long)progress[1], (unsigned)status);
            failures++;
            seed = progress[0] + 1;
        } else {
            seed = end;
        }
    }
    printf("%llu calls succeeded, %llu gave errors\n", (unsigned long long)progress[2],
           (unsigned long long)progress[3]);
    CHECK(progress[2] > 0 && progress[3] > 0);
    return finish();
}
