// client: once-a-driver
/* Random commands on random objects, ordered by no more than OpenCL asks for, with the values that come of it.
 *
 *     random_commands [first seed [number of seeds [commands of each [part of another platform's name]]]]
 *
 * Each seed makes buffers, sub-buffers, shared virtual memory and images, and enqueues transfers, fills, maps and
 * kernels to four queues. Commands that touch the same bytes are ordered by a random choice of queues, events, markers,
 * barriers and waits; the others may overlap. A wrong byte is told with all commands that touched it. Every third seed
 * has three threads, each with objects of its own, that share the queues. */
#include "random_commands_launches.h"
#include <pthread.h>
#include <signal.h>

enum { THREADS = 3, SECONDS = 300 };

static unsigned commands_a_seed = 150;

/* Markers, barriers, flushes, waits and migrations. */
static void synchronize(void)
{
    int queue = (int)below(QUEUES);
    switch (below(8)) {
    case 0: fence(queue, 0, chance(50)); break;
    case 1: fence(queue, 1, chance(50)); break;
    case 2:
        MUST(clFlush(queues[queue]));
        run->queues[queue].flushed = run->count;
        break;
    case 3:
        if (chance(30)) {
            finish_queue(queue);
            compare_readings();
        }
        break;
    case 4: {
        int command = run->count ? carrier((int)below((unsigned)run->count)) : -1;
        if (command >= 0) {
            wait_for(command);
            compare_readings();
        }
        break;
    }
    case 5: open_gates(); break;
    case 6: {
        /* A marker or barrier behind some commands alone. */
        Command draft = begin(chance(50) ? "marker of a list" : "barrier of a list");
        Waits waits = order(&draft, 0);
        if (!waits.count)
            break;
        cl_event event = NULL;
        int barrier = draft.text[0] == 'b';
        if (barrier)
            MUST(clEnqueueBarrierWithWaitList(queues[draft.queue], waits.count, waits.events, maybe(&event)));
        else
            MUST(clEnqueueMarkerWithWaitList(queues[draft.queue], waits.count, waits.events, &event));
        int index = append(&draft, event);
        if (barrier)
            run->queues[draft.queue].barrier = index;
        break;
    }
    default: {
        Object *object = object_of(BUFFER, IMAGE);
        if (!object)
            break;
        release_map(object);
        Command draft = begin("migrate");
        int view = view_of(object);
        size_t start = object->kind == BUFFER ? object->views[view].start : 0;
        touch(&draft, object, view, linear(start, object->kind == BUFFER ? object->views[view].size : object->size), 1);
        Waits waits = order(&draft, 0);
        cl_event event = NULL;
        cl_mem mem = handle(object, view);
        MUST(clEnqueueMigrateMemObjects(queues[draft.queue], 1, &mem, chance(50) ? CL_MIGRATE_MEM_OBJECT_HOST : 0, waits.count,
                                        wait_list(&waits), maybe(&event)));
        append(&draft, event);
    }
    }
}

static void replace_object(void)
{
    Object *object = any_object();
    release_map(object);
    if (object->kind == SHARED) {
        Command draft = begin("free");
        touch(&draft, object, 0, linear(0, object->size), 1);
        Waits waits = order(&draft, 0);
        cl_event event = NULL;
        MUST(clEnqueueSVMFree(queues[draft.queue], 1, &object->shared, NULL, NULL, waits.count, wait_list(&waits), &event));
        append(&draft, event);
    }
    release_object(object);
    make_object(object);
}

static void one_command(void)
{
    unsigned what = below(100);
    if (what < 14)
        transfer(1);
    else if (what < 26)
        transfer(0);
    else if (what < 34)
        fill();
    else if (what < 42)
        copy();
    else if (what < 46)
        copy_rectangle();
    else if (what < 54)
        map();
    else if (what < 72)
        kernel_of_memory();
    else if (what < 86)
        kernel_of_image();
    else if (what < 97)
        synchronize();
    else
        replace_object();
}

/* Everything has come to its end: maps, gates, reads, callbacks, and each byte is what the model says. */
static void end_run(void)
{
    for (int i = 0; i < run->object_count; i++)
        release_map(&run->objects[i]);
    for (int queue = 0; queue < QUEUES; queue++)
        finish_queue(queue);
    compare_readings();
    EQ(run->reading_count, 0);
    for (int c = 0; c < run->count; c++) {
        cl_event event = run->commands[c].event;
        if (!event)
            continue;
        cl_int status = -1;
        MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        EQ(status, CL_COMPLETE);
        MUST(clReleaseEvent(event));
    }
    struct timespec t = {0, 1000000};
    for (int i = 0; i < 30000 && run->callbacks < run->callbacks_asked; i++)
        nanosleep(&t, NULL);
    EQ(run->callbacks, run->callbacks_asked);
}

static void read_whole(Object *object)
{
    unsigned char *found = memory(object->size);
    size_t at[3] = {0, 0, 0};
    if (object->kind == SHARED)
        MUST(clEnqueueSVMMemcpy(queues[0], CL_TRUE, found, object->shared, object->size, 0, NULL, NULL));
    else if (object->kind == IMAGE)
        MUST(clEnqueueReadImage(queues[0], handle(object, 0), CL_TRUE, at, object->extent, 0, 0, found, 0, NULL, NULL));
    else
        MUST(clEnqueueReadBuffer(queues[0], handle(object, 0), CL_TRUE, 0, object->size, found, 0, NULL, NULL));
    Access access = {.number = object->number, .region = linear(0, object->size)};
    compare(access, object->model, found, object->size, object->size);
}

static void *one_run(void *argument)
{
    run = calloc(1, sizeof *run);
    run->seed = *(uint64_t *)argument;
    begin_random(run->seed);
    for (int i = 0; i < QUEUES; i++) {
        run->queues[i].handle = queues[i];
        run->queues[i].in_order = i % 2 == 0;
        run->queues[i].last = run->queues[i].barrier = -1;
    }
    run->context = context;
    while (run->object_count < 4 + (int)below(OBJECTS - 4))
        make_object(&run->objects[run->object_count++]);
    for (unsigned i = 0; i < commands_a_seed && run->count < MOST - 2 * LIST; i++)
        one_command();
    end_run();
    for (int i = 0; i < run->object_count; i++) {
        Object *object = &run->objects[i];
        read_whole(object);
        if (object->kind == SHARED)
            clSVMFree(context, object->shared);
        release_object(object);
    }
    for (int i = 0; i < run->memory_count; i++)
        free(run->memory[i]);
    free(run->memory);
    free(run->readings);
    free(run);
    return NULL;
}

static volatile uint64_t current;

static void on_signal(int number)
{
    fprintf(stderr, "seed %llu: signal %d\n", (unsigned long long)current, number);
    _exit(1);
}

/* A platform by a part of its name, to see what other drivers make of the same commands; else Pumice. */
static cl_device_id device_of(const char *name)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    cl_device_id found = NULL;
    MUST(clGetPlatformIDs(16, platforms, &count));
    for (cl_uint i = 0; i < count && i < 16; i++) {
        char text[256] = "";
        MUST(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof text, text, NULL));
        if (!found && strstr(text, name))
            MUST(clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &found, NULL));
    }
    return found;
}

static void open_device(const char *platform)
{
    device = platform ? device_of(platform) : pumice_device();
    is_pumice = !platform;
    CHECK(device);
    cl_uint bits = 0;
    cl_device_svm_capabilities shared = 0;
    char extensions[16384] = "";
    MUST(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof has_images, &has_images, NULL));
    MUST(clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL));
    MUST(clGetDeviceInfo(device, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, sizeof most_texels, &most_texels, NULL));
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof shared, &shared, NULL);
    writes_volumes = strstr(extensions, "cl_khr_3d_image_writes") != NULL;
    has_shared = (shared & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) != 0;
    alignment = bits / 8;
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    const char *text = source;
    program = PROGRAM(context, text, NULL);
    for (int i = 0; i < QUEUES; i++) {
        cl_command_queue_properties properties =
            (i % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0) | (i / 2 ? CL_QUEUE_PROFILING_ENABLE : 0);
        cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
        queues[i] = MADE(clCreateCommandQueueWithProperties, context, device, list);
    }
}

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    uint64_t seeds = argc > 2 ? strtoull(argv[2], NULL, 0) : 12;
    if (argc > 3)
        commands_a_seed = (unsigned)strtoul(argv[3], NULL, 0);
    signal(SIGALRM, on_signal);
    signal(SIGSEGV, on_signal);
    signal(SIGABRT, on_signal);
    open_device(argc > 4 ? argv[4] : NULL);
    for (uint64_t seed = first; seed < first + seeds && !failures; seed++) {
        current = seed;
        alarm(SECONDS);
        uint64_t of_threads[THREADS] = {seed, seed + 1000000007, seed + 2000000011};
        pthread_t threads[THREADS];
        int more = seed % 3 == 0 ? THREADS - 1 : 0;
        for (int i = 1; i <= more; i++)
            MUST(pthread_create(&threads[i], NULL, one_run, &of_threads[i]));
        one_run(&of_threads[0]);
        for (int i = 1; i <= more; i++)
            MUST(pthread_join(threads[i], NULL));
    }
    for (int i = 0; i < QUEUES; i++)
        MUST(clReleaseCommandQueue(queues[i]));
    MUST(clReleaseProgram(program));
    release_last(context);
    return finish();
}
