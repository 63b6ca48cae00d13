/* What the commands of a random run touch, and what orders them: the model behind random_commands.c.
 *
 * A run is a list of commands, and each object has a copy in the host's memory that the commands change when they are
 * enqueued. So commands that touch the same bytes must come one after the other, and `order` makes sure of that by what
 * OpenCL offers: in-order queues, events, markers, barriers and waits of the host. Nothing else is ordered. */
#ifndef PUMICE_RANDOM_COMMANDS_ORDER_H
#define PUMICE_RANDOM_COMMANDS_ORDER_H
#include "common.h"
#include "random.h"
#include <stdarg.h>
#include <stdint.h>

enum { MOST = 1024, WORDS = MOST / 64, QUEUES = 4, OBJECTS = 12, VIEWS = 3, STRIP = VIEWS, ACCESSES = 3, GATES = 3, LIST = 48 };
enum kind { BUFFER, SHARED, IMAGE };

/* Bytes of an object: `slices` times `rows` rows of `length` bytes. */
typedef struct {
    size_t start, length, rows, row_pitch, slices, slice_pitch;
} Region;

/* What a command does with an object: through one of its handles (a sub-buffer is one of its own), to a region. */
typedef struct {
    int number, view, writes;
    size_t view_start, view_end;
    Region region;
} Access;

typedef struct {
    char text[200];
    int queue;
    cl_event event; /* NULL for one that was enqueued without */
    Access accesses[ACCESSES];
    int access_count;
    uint64_t before[WORDS]; /* the commands that have ended when this one starts */
} Command;

typedef struct {
    int number; /* of all objects of the run, so that an old command's object is never taken for a new one */
    enum kind kind;
    size_t size;
    unsigned char *model, *host;
    void *shared;
    struct {
        cl_mem mem;
        size_t start, size;
    } views[VIEWS];
    int view_count;
    cl_mem strip; /* the whole buffer as an image of words, or NULL; its accesses are of the view STRIP */
    cl_mem_object_type type; /* of an image, as the following */
    cl_image_format format;
    size_t extent[3], texel;
    int map_command; /* -1: not mapped */
    cl_map_flags map_flags;
    int map_view;
    Region map_region;
    unsigned char *mapped;
    size_t mapped_row, mapped_slice;
} Object;

/* A read that has not been compared: what it must bring, and where. */
typedef struct {
    int command;
    Access access;
    unsigned char *expected, *found;
    size_t row, slice;
} Reading;

typedef struct {
    uint64_t seed;
    cl_context context;
    cl_device_id device;
    struct {
        cl_command_queue handle;
        int in_order, last, barrier, flushed;
    } queues[QUEUES];
    Command commands[MOST];
    int count;
    uint64_t ended[WORDS];
    Object objects[OBJECTS];
    int object_count, next_number;
    cl_event gates[GATES]; /* user events that are not complete */
    int gate_count;
    Reading *readings;
    int reading_count, reading_room;
    void **memory; /* of transfers, freed after the run */
    int memory_count, memory_room;
    int callbacks_asked;
    volatile int callbacks;
} Run;

static __thread Run *run;

/* Memory that lives until the run ends: commands in flight may use it. */
static void *memory(size_t bytes)
{
    if (run->memory_count == run->memory_room) {
        run->memory_room = run->memory_room ? 2 * run->memory_room : 64;
        run->memory = realloc(run->memory, sizeof *run->memory * (size_t)run->memory_room);
    }
    void *made = aligned_alloc(4096, (bytes + 4096) / 4096 * 4096);
    if (!made)
        abort();
    return run->memory[run->memory_count++] = made;
}

static void *noise(size_t bytes)
{
    unsigned char *made = memory(bytes);
    for (size_t i = 0; i < bytes; i++)
        made[i] = (unsigned char)(next() >> 40);
    return made;
}

static Region linear(size_t start, size_t length) { return (Region){start, length, 1, length, 1, length}; }

static size_t region_bytes(Region r) { return r.length * r.rows * r.slices; }

static size_t region_end(Region r)
{
    return r.start + (r.slices - 1) * r.slice_pitch + (r.rows - 1) * r.row_pitch + r.length;
}

static int rows_meet(size_t start, size_t length, Region r)
{
    for (size_t z = 0; z < r.slices; z++) {
        for (size_t y = 0; y < r.rows; y++) {
            size_t at = r.start + z * r.slice_pitch + y * r.row_pitch;
            if (at < start + length && start < at + r.length)
                return 1;
        }
    }
    return 0;
}

static int regions_meet(Region a, Region b)
{
    if (a.start >= region_end(b) || b.start >= region_end(a))
        return 0;
    for (size_t z = 0; z < a.slices; z++) {
        for (size_t y = 0; y < a.rows; y++) {
            if (rows_meet(a.start + z * a.slice_pitch + y * a.row_pitch, a.length, b))
                return 1;
        }
    }
    return 0;
}

/* A buffer and its sub-buffers may be read side by side, no more (specification, clCreateSubBuffer). */
static int accesses_conflict(const Access *a, const Access *b)
{
    if (a->number != b->number || !(a->writes || b->writes))
        return 0;
    if (a->view != b->view)
        return a->view_start < b->view_end && b->view_start < a->view_end;
    return regions_meet(a->region, b->region);
}

static int conflict(const Command *a, const Command *b)
{
    for (int i = 0; i < a->access_count; i++) {
        for (int j = 0; j < b->access_count; j++) {
            if (accesses_conflict(&a->accesses[i], &b->accesses[j]))
                return 1;
        }
    }
    return 0;
}

static int contains(const uint64_t *set, int command) { return set[command / 64] >> (command % 64) & 1; }

static void include(uint64_t *set, int command)
{
    for (int i = 0; i < WORDS; i++)
        set[i] |= run->commands[command].before[i];
    set[command / 64] |= 1ull << (command % 64);
}

/* The command and all before it have ended. */
static void ended(int command) { include(run->ended, command); }

/* Adds to the description of a command. */
static void __attribute__((format(printf, 2, 3))) say(Command *draft, const char *format, ...)
{
    size_t length = strlen(draft->text);
    va_list list;
    va_start(list, format);
    vsnprintf(draft->text + length, sizeof draft->text - length, format, list);
    va_end(list);
}

/* Notes that the command reads or writes a region, through a handle of the object. */
static void touch(Command *draft, Object *object, int view, Region region, int writes)
{
    int is_part = object->kind == BUFFER && view != STRIP;
    size_t start = is_part ? object->views[view].start : 0, size = is_part ? object->views[view].size : object->size;
    Access access = {object->number, view, writes, start, start + size, region};
    draft->accesses[draft->access_count++] = access;
    say(draft, " %s object %d.%d [%zu +%zu", writes ? "writes" : "reads", object->number, view, region.start, region.length);
    if (region.rows > 1 || region.slices > 1)
        say(draft, " x%zu/%zu x%zu/%zu", region.rows, region.row_pitch, region.slices, region.slice_pitch);
    say(draft, "]");
}

/* Completes all user events, so that nothing that the host waits for hangs on one. */
static void open_gates(void)
{
    while (run->gate_count) {
        cl_event gate = run->gates[--run->gate_count];
        MUST(clSetUserEventStatus(gate, CL_COMPLETE));
        MUST(clReleaseEvent(gate));
    }
}

static void finish_queue(int queue)
{
    open_gates();
    MUST(clFinish(run->queues[queue].handle));
    for (int c = 0; c < run->count; c++) {
        if (run->commands[c].queue == queue)
            ended(c);
    }
    run->queues[queue].flushed = run->count;
}

static void wait_for(int command)
{
    open_gates();
    MUST(clWaitForEvents(1, &run->commands[command].event));
    ended(command);
}

static void CL_CALLBACK count_callback(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)status;
    __atomic_add_fetch((volatile int *)data, 1, __ATOMIC_SEQ_CST);
}

/* Takes the command into the list. `event` is NULL if none was asked for. */
static int append(const Command *draft, cl_event event)
{
    int index = run->count++;
    run->commands[index] = *draft;
    run->commands[index].event = event;
    run->queues[draft->queue].last = index;
    if (event && chance(10)) {
        run->callbacks_asked++;
        MUST(clSetEventCallback(event, CL_COMPLETE, count_callback, (void *)&run->callbacks));
    }
    return index;
}

/* What comes before any command of the queue that is enqueued now. */
static void before_in_queue(int queue, uint64_t *before)
{
    memcpy(before, run->ended, sizeof run->ended);
    int last = run->queues[queue].in_order ? run->queues[queue].last : run->queues[queue].barrier;
    if (last >= 0)
        include(before, last);
}

/* A marker or barrier behind all commands of the queue; returns its number. */
static int fence(int queue, int barrier, int with_event)
{
    Command draft = {.queue = queue};
    say(&draft, barrier ? "barrier" : "marker");
    before_in_queue(queue, draft.before);
    for (int c = 0; c < run->count; c++) {
        if (run->commands[c].queue == queue)
            include(draft.before, c);
    }
    cl_event event = NULL, *out = with_event ? &event : NULL;
    cl_command_queue handle = run->queues[queue].handle;
    if (barrier)
        MUST(clEnqueueBarrierWithWaitList(handle, 0, NULL, out));
    else
        MUST(clEnqueueMarkerWithWaitList(handle, 0, NULL, out));
    int index = append(&draft, event);
    if (barrier)
        run->queues[queue].barrier = index;
    return index;
}

typedef struct {
    cl_event events[LIST];
    cl_uint count;
} Waits;

static const cl_event *wait_list(const Waits *waits) { return waits->count ? waits->events : NULL; }

/* Another queue's commands must have been flushed before one waits for them. */
static void wait_in_queue(Command *draft, Waits *waits, int command)
{
    int from = run->commands[command].queue;
    if (from != draft->queue && run->queues[from].flushed <= command) {
        MUST(clFlush(run->queues[from].handle));
        run->queues[from].flushed = run->count;
    }
    waits->events[waits->count++] = run->commands[command].event;
    include(draft->before, command);
    say(draft, " after %d", command);
}

/* A command with an event that ends no earlier than this one, or -1. */
static int carrier(int command)
{
    int found = -1;
    for (int c = command; c < run->count; c++) {
        int carries = run->commands[c].event && (c == command || contains(run->commands[c].before, command));
        if (carries && (found < 0 || chance(20)))
            found = c;
    }
    return found;
}

/* Orders the command behind an earlier one. */
static void come_after(Command *draft, Waits *waits, int command)
{
    int by = carrier(command), from = run->commands[command].queue;
    int is_full = waits->count >= LIST - 4;
    unsigned way = is_full ? 0 : by >= 0 && chance(92) ? 3 : below(3);
    if (way == 0) {
        finish_queue(from);
        for (int i = 0; i < WORDS; i++)
            draft->before[i] |= run->ended[i];
        return;
    }
    if (way == 1 && from == draft->queue) {
        include(draft->before, fence(from, 1, chance(50)));
        return;
    }
    wait_in_queue(draft, waits, way == 3 ? by : fence(from, 0, 1));
}

/* Orders the command behind all earlier ones that touch the same bytes, and now and then behind others. */
static Waits order(Command *draft, int blocking)
{
    Waits waits = {.count = 0};
    before_in_queue(draft->queue, draft->before);
    for (int c = run->count - 1; c >= 0; c--) {
        if (!contains(draft->before, c) && conflict(&run->commands[c], draft))
            come_after(draft, &waits, c);
    }
    if (run->count && chance(15)) {
        int other = carrier((int)below((unsigned)run->count));
        if (other >= 0 && waits.count < LIST - 2)
            wait_in_queue(draft, &waits, other);
    }
    if (blocking) {
        open_gates();
    } else if (chance(6)) {
        if (!run->gate_count || (run->gate_count < GATES && chance(30))) {
            run->gates[run->gate_count++] = MADE(clCreateUserEvent, run->context);
        }
        waits.events[waits.count++] = run->gates[below((unsigned)run->gate_count)];
        say(draft, " gated");
    }
    return waits;
}

/* Copies a region of an object to rows that are packed by the given pitches, or back. */
static void region_to_rows(const unsigned char *bytes, Region r, unsigned char *rows, size_t row, size_t slice)
{
    for (size_t z = 0; z < r.slices; z++) {
        for (size_t y = 0; y < r.rows; y++)
            memcpy(rows + z * slice + y * row, bytes + r.start + z * r.slice_pitch + y * r.row_pitch, r.length);
    }
}
static void rows_to_region(unsigned char *bytes, Region r, const unsigned char *rows, size_t row, size_t slice)
{
    for (size_t z = 0; z < r.slices; z++) {
        for (size_t y = 0; y < r.rows; y++)
            memcpy(bytes + r.start + z * r.slice_pitch + y * r.row_pitch, rows + z * slice + y * row, r.length);
    }
}

/* Tells of the first wrong byte, and of all commands that touched it. */
static void compare(Access access, const unsigned char *expected, const unsigned char *found, size_t row, size_t slice)
{
    Region r = access.region;
    for (size_t z = 0; z < r.slices; z++) {
        for (size_t y = 0; y < r.rows; y++) {
            size_t at = z * slice + y * row, x = 0;
            while (x < r.length && expected[at + x] == found[at + x])
                x++;
            if (x == r.length || !values_matter())
                continue;
            size_t byte = r.start + z * r.slice_pitch + y * r.row_pitch + x;
            fprintf(stderr, "seed %llu: byte %zu of object %d is %02x, not %02x. Commands that touched it:\n",
                    (unsigned long long)run->seed, byte, access.number, found[at + x], expected[at + x]);
            for (int c = 0; c < run->count; c++) {
                for (int i = 0; i < run->commands[c].access_count; i++) {
                    const Access *other = &run->commands[c].accesses[i];
                    if (other->number == access.number && rows_meet(byte, 1, other->region))
                        fprintf(stderr, "%d, queue %d: %s\n", c, run->commands[c].queue, run->commands[c].text);
                }
            }
            failures++;
            return;
        }
    }
}

/* Compares what the reads that have ended brought. */
static void compare_readings(void)
{
    int kept = 0;
    for (int i = 0; i < run->reading_count; i++) {
        Reading *r = &run->readings[i];
        if (contains(run->ended, r->command))
            compare(r->access, r->expected, r->found, r->row, r->slice);
        else
            run->readings[kept++] = *r;
    }
    run->reading_count = kept;
}

static void add_reading(Reading reading)
{
    if (run->reading_count == run->reading_room) {
        run->reading_room = run->reading_room ? 2 * run->reading_room : 64;
        run->readings = realloc(run->readings, sizeof *run->readings * (size_t)run->reading_room);
    }
    run->readings[run->reading_count++] = reading;
}
#endif
