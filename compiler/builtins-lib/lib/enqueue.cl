// options: -cl-std=CL2.0
// Device-side enqueue (docs/device-enqueue.md): the queue that kernels append records to, and the
// scheduler that runs between dispatches.
//
// Kernels run side by side and only take records and events; the scheduler is one work-item, runs
// alone, and is the only one to give them back. So a count that kernels lower never rises meanwhile.
// The runtime lays the structures out in memory and fills them at first (`runtime/src/enqueue/arena.rs`).

// As in arena.rs.
#define QUEUES 8
#define LOCALS 8
#define ENTRIES 256
#define MOST_MISSING 16
// Events that a record holds itself; those beyond have slots of their own.
#define WAITS 8
#define NONE 0xffffffffu
#define ROOT 0u
// Records that the scheduler looks at in one round.
#define WINDOW 2048u

#define SUCCESS 0
#define OUT_OF_RESOURCES (-5)
#define INVALID_ARG_SIZE (-51)
#define INVALID_EVENT_WAIT_LIST (-57)
#define EVENT_ALLOCATION_FAILURE (-100)
#define INVALID_QUEUE (-102)
#define INVALID_NDRANGE (-160)
#define DEVICE_QUEUE_FULL (-161)
#define WAIT_LIST_FAILED (-14)

enum State { RUNNING = 1, NEEDS_VARIANTS = 2, DONE = 3, STUCK = 4 };

// A part of a dispatch that belongs to one record.
typedef struct {
    uint record;
    // The part's first work-group in the dispatch, and in the record's region.
    uint first, base;
    uint groups;
} Entry;

// A kernel of one block and one work-group size, and what it runs in the next dispatch.
typedef struct {
    ulong arena;
    uint entries, groups;
    // VkDispatchIndirectCommand.
    uint dispatch[3];
    uint max_groups;
    uint block, local_size[3];
    uint locals[LOCALS];
    // Kernels that have ended, for traces.
    uint ended;
    uint unused[3];
    Entry entry[ENTRIES];
} Variant;

typedef struct {
    uint block, local_size[3];
    uint locals[LOCALS];
} Key;

typedef struct {
    int status;
    uint refs, generation, is_user;
    ulong start, end, complete;
    // Memory of capture_event_profiling_info, until the event is complete.
    ulong profile;
    ulong unused[2];
} Event;

// A command in a queue. The block's captured variables follow it.
typedef struct {
    uint block, dimensions;
    uint local_size[3];
    // It has run: only its children are left.
    uint has_run;
    ulong size[3], offset[3];
    uint parent, event, children, queue;
    uint waits, more;
    uint wait[WAITS];
    uint locals[LOCALS];
    // Bit d: the smaller groups at the end of dimension d.
    uint region;
    // Work-groups of the region that have run.
    uint done;
    ulong start, end;
    // Its own number.
    uint slot;
    // The next on the list of records that are to end, and the status that this one ends with.
    uint next;
    int status;
    uint unused_word;
    ulong unused[7];
} Record;

typedef struct {
    ulong self;
    uint entries, groups;
    uint state, slots, slot_bytes, events;
    uint variants, missing, default_queue, free_slots;
    uint free_events, fresh, released, ready;
    uint waiting, rounds, tick_scale, max_x;
    uint room[QUEUES];
    uint executed, refused, most_local_bytes;
    // The program's ranges have work-groups of one size (-cl-uniform-work-group-size).
    uint uniform_groups;
    ulong first_tick, times[2];
    ulong records, free_slot_list, fresh_list, ready_list;
    ulong waiting_list, event_list, free_event_list, released_list;
    ulong variant_list, missing_list, scratch;
} Arena;

global Arena *__pumice_queue_arena(global uchar *launch) {
    return (global Arena *)*(global ulong *)launch;
}

global Record *__pumice_queue_record(global Arena *a, uint slot) {
    return (global Record *)(a->records + (ulong)slot * a->slot_bytes);
}

global Event *__pumice_queue_event(global Arena *a, uint event) {
    return (global Event *)a->event_list + event;
}

// Takes `count` from a number that has them; false if it has not.
uint __pumice_queue_take(volatile global uint *number, uint count, private uint *left) {
    uint old = atomic_or(number, 0u);
    while (old >= count) {
        uint seen = atomic_cmpxchg(number, old, old - count);
        if (seen == old) {
            *left = old - count;
            return 1;
        }
        old = seen;
    }
    return 0;
}

// ---- events ----

// The place of a valid event, else NONE.
uint __pumice_queue_place(global Arena *a, ulong event) {
    uint place = (uint)event - 1;
    if (place >= a->events)
        return NONE;
    global Event *e = __pumice_queue_event(a, place);
    return e->generation == (uint)(event >> 32) && atomic_or(&e->refs, 0u) > 0 ? place : NONE;
}

// A new event in the state CL_QUEUED with so many references; NONE if there is none left.
uint __pumice_queue_new_event(global Arena *a, uint refs, uint is_user) {
    uint left;
    if (!__pumice_queue_take(&a->free_events, 1, &left))
        return NONE;
    uint place = ((global uint *)a->free_event_list)[left];
    global Event *e = __pumice_queue_event(a, place);
    e->status = 3;
    e->is_user = is_user;
    e->start = e->end = e->complete = 0;
    e->profile = 0;
    atomic_xchg(&e->refs, refs);
    return place;
}

ulong __pumice_queue_event_handle(global Arena *a, uint place) {
    return (ulong)__pumice_queue_event(a, place)->generation << 32 | (place + 1);
}

ulong __pumice_create_user_event(global uchar *launch) {
    global Arena *a = __pumice_queue_arena(launch);
    uint place = __pumice_queue_new_event(a, 1, 1);
    return place == NONE ? 0 : __pumice_queue_event_handle(a, place);
}

void __pumice_retain_event(global uchar *launch, ulong event) {
    global Arena *a = __pumice_queue_arena(launch);
    uint place = __pumice_queue_place(a, event);
    if (place != NONE)
        atomic_inc(&__pumice_queue_event(a, place)->refs);
}

void __pumice_release_event(global uchar *launch, ulong event) {
    global Arena *a = __pumice_queue_arena(launch);
    uint place = __pumice_queue_place(a, event);
    if (place != NONE && atomic_dec(&__pumice_queue_event(a, place)->refs) == 1)
        ((global uint *)a->released_list)[atomic_inc(&a->released)] = place;
}

uint __pumice_is_valid_event(global uchar *launch, ulong event) {
    return __pumice_queue_place(__pumice_queue_arena(launch), event) != NONE;
}

void __pumice_set_user_event_status(global uchar *launch, ulong event, int status) {
    global Arena *a = __pumice_queue_arena(launch);
    uint place = __pumice_queue_place(a, event);
    if (place == NONE || status > 0)
        return;
    global Event *e = __pumice_queue_event(a, place);
    // The first status stays.
    if (e->is_user)
        atomic_cmpxchg((volatile global int *)&e->status, 3, status);
}

// Execution time, and the time until the children have ended too: nanoseconds, 1 at least.
void __pumice_queue_write_times(global Event *e, global ulong *to) {
    to[0] = max(e->end - e->start, 1ul);
    to[1] = max(e->complete - e->start, 1ul);
}

void __pumice_capture_event_profiling_info(global uchar *launch, ulong event, int name,
                                           global uchar *value) {
    global Arena *a = __pumice_queue_arena(launch);
    uint place = __pumice_queue_place(a, event);
    // CLK_PROFILING_COMMAND_EXEC_TIME is the only name.
    if (place == NONE || name != 1 || !value)
        return;
    global Event *e = __pumice_queue_event(a, place);
    if (e->is_user)
        return;
    if (e->status <= 0)
        __pumice_queue_write_times(e, (global ulong *)value);
    else
        e->profile = (ulong)value;
}

// ---- enqueue ----

ulong __pumice_get_default_queue(global uchar *launch) {
    return __pumice_queue_arena(launch)->default_queue;
}

// The events' slots beyond those in the record.
uint __pumice_queue_more_slots(global Arena *a, uint events) {
    uint each = a->slot_bytes / 4 - 1;
    return events <= WAITS ? 0 : (events - WAITS + each - 1) / each;
}

// Takes a record and its events; gives its slot, or an error (negative).
int __pumice_queue_append(global uchar *launch, ulong queue, uint events, const ulong *list,
                          ulong *result, uint parent) {
    global Arena *a = __pumice_queue_arena(launch);
    if (queue == 0 || queue > QUEUES)
        return INVALID_QUEUE;
    if ((events != 0) != (list != 0))
        return INVALID_EVENT_WAIT_LIST;
    for (uint i = 0; i < events; ++i)
        if (__pumice_queue_place(a, list[i]) == NONE)
            return INVALID_EVENT_WAIT_LIST;
    uint more = __pumice_queue_more_slots(a, events);
    uint left;
    if (!__pumice_queue_take(&a->room[queue - 1], 1 + more, &left)) {
        atomic_inc(&a->refused);
        return DEVICE_QUEUE_FULL;
    }
    uint event = NONE;
    if (result) {
        event = __pumice_queue_new_event(a, 2, 0);
        if (event == NONE) {
            atomic_add(&a->room[queue - 1], 1 + more);
            return EVENT_ALLOCATION_FAILURE;
        }
    }
    // All queues' rooms together are the free slots: there are as many.
    if (!__pumice_queue_take(&a->free_slots, 1 + more, &left))
        return OUT_OF_RESOURCES;
    global uint *slots = (global uint *)a->free_slot_list + left;
    global Record *r = __pumice_queue_record(a, slots[0]);
    r->has_run = 0;
    r->parent = parent;
    r->event = event;
    r->children = 0;
    r->queue = (uint)queue - 1;
    r->waits = events;
    r->more = more ? slots[1] : NONE;
    r->region = 0;
    r->done = 0;
    r->start = r->end = 0;
    r->slot = slots[0];
    global uint *to = r->wait;
    uint room = WAITS, used = 0;
    for (uint i = 0; i < events; ++i) {
        uint place = __pumice_queue_place(a, list[i]);
        atomic_inc(&__pumice_queue_event(a, place)->refs);
        if (room == 0) {
            ++used;
            to = (global uint *)__pumice_queue_record(a, slots[used]);
            *to++ = used < more ? slots[used + 1] : NONE;
            room = a->slot_bytes / 4 - 1;
        }
        *to++ = place;
        --room;
    }
    if (result)
        *result = __pumice_queue_event_handle(a, event);
    ((global uint *)a->fresh_list)[atomic_inc(&a->fresh)] = slots[0];
    return (int)slots[0];
}

// The largest power of two up to 64 that divides a size.
uint __pumice_queue_divisor(ulong size) {
    return (uint)min(size & (~size + 1), 64ul);
}

// Takes a record for a block: the address of the record, or an error (negative).
long __pumice_enqueue(global uchar *launch, uint parent, ulong queue, uint dimensions,
                      ulong offset_x, ulong offset_y, ulong offset_z,
                      ulong size_x, ulong size_y, ulong size_z,
                      ulong local_x, ulong local_y, ulong local_z,
                      uint events, const ulong *list, ulong *result,
                      uint block, uint most_items, uint least_local, uint local_bytes) {
    global Arena *a = __pumice_queue_arena(launch);
    // Each dimension that the range has not is one work-item.
    ulong sizes[3] = {size_x, dimensions > 1 ? size_y : 1, dimensions > 2 ? size_z : 1};
    ulong locals[3] = {local_x, dimensions > 1 ? local_y : 1, dimensions > 2 ? local_z : 1};
    ulong offsets[3] = {offset_x, dimensions > 1 ? offset_y : 0, dimensions > 2 ? offset_z : 0};
    if (dimensions == 0 || dimensions > 3)
        return INVALID_NDRANGE;
    if (local_x == 0) {
        // All of them are left to the implementation, or none.
        if ((dimensions > 1 && local_y) || (dimensions > 2 && local_z))
            return INVALID_NDRANGE;
        uint left = min(64u, most_items);
        for (uint d = 0; d < 3; ++d) {
            uint size = d < dimensions ? max(min(__pumice_queue_divisor(sizes[d]), left), 1u) : 1;
            locals[d] = size;
            left /= size;
        }
    } else if (locals[1] == 0 || locals[2] == 0) {
        return INVALID_NDRANGE;
    }
    ulong items = 1, groups = 1;
    for (uint d = 0; d < 3; ++d) {
        if (locals[d] > most_items || sizes[d] > 0xffffffff00000000ul)
            return INVALID_NDRANGE;
        if (a->uniform_groups && sizes[d] % locals[d] != 0)
            return INVALID_NDRANGE;
        items *= locals[d];
        ulong across = (sizes[d] + locals[d] - 1) / locals[d];
        if (across > 0x7fffffff)
            return OUT_OF_RESOURCES;
        groups *= max(across, 1ul);
        if (groups > 0x7fffffff)
            return OUT_OF_RESOURCES;
    }
    if (items > most_items)
        return INVALID_NDRANGE;
    if (least_local == 0)
        return INVALID_ARG_SIZE;
    if (local_bytes > a->most_local_bytes)
        return OUT_OF_RESOURCES;
    int slot = __pumice_queue_append(launch, queue, events, list, result, parent);
    if (slot < 0)
        return slot;
    global Record *r = __pumice_queue_record(a, slot);
    r->block = block;
    r->dimensions = dimensions;
    for (uint d = 0; d < 3; ++d) {
        r->local_size[d] = (uint)locals[d];
        r->size[d] = sizes[d];
        r->offset[d] = offsets[d];
    }
    for (uint i = 0; i < LOCALS; ++i)
        r->locals[i] = 0;
    return (long)r;
}

// Sub-groups of a work-group of the range; the local size that the implementation would choose is
// not known before, so that one work-item counts there.
uint __pumice_sub_group_count(global uchar *launch, uint dimensions,
                              ulong offset_x, ulong offset_y, ulong offset_z,
                              ulong size_x, ulong size_y, ulong size_z,
                              ulong local_x, ulong local_y, ulong local_z, uint most) {
    ulong items = max(local_x, 1ul);
    if (dimensions > 1)
        items *= max(local_y, 1ul);
    if (dimensions > 2)
        items *= max(local_z, 1ul);
    return (uint)((items + most - 1) / most);
}

// The record, or memory that nobody reads where there is none: local sizes and captured variables
// are written without a branch.
global uchar *__pumice_enqueued(global uchar *launch, long record) {
    global Arena *a = __pumice_queue_arena(launch);
    return (global uchar *)(record < 0 && record > -4096 ? a->scratch : (ulong)record);
}

int __pumice_enqueue_marker(global uchar *launch, uint parent, ulong queue, uint events,
                            const ulong *list, ulong *result) {
    global Arena *a = __pumice_queue_arena(launch);
    int slot = __pumice_queue_append(launch, queue, events, list, result, parent);
    if (slot < 0)
        return slot;
    __pumice_queue_record(a, slot)->block = NONE;
    return SUCCESS;
}

// ---- block kernels ----

// The record that a work-group of a dispatch belongs to (0 where the dispatch has more groups than
// work), and the group's id in the record's range.
ulong4 __pumice_block_place(global uchar *launch, uint group) {
    global Variant *v = (global Variant *)launch;
    global Arena *a = __pumice_queue_arena(launch);
    if (group >= v->groups)
        return (ulong4)(0);
    uint low = 0, high = v->entries;
    while (high - low > 1) {
        uint middle = (low + high) / 2;
        if (v->entry[middle].first <= group)
            low = middle;
        else
            high = middle;
    }
    global Entry *e = &v->entry[low];
    global Record *r = __pumice_queue_record(a, e->record);
    ulong index = group - e->first + e->base;
    ulong id[3];
    for (uint d = 0; d < 3; ++d) {
        bool last = r->region >> d & 1;
        ulong full = r->size[d] / r->local_size[d];
        ulong across = last ? 1 : full;
        id[d] = index % across + (last ? full : 0);
        index /= across;
    }
    return (ulong4)((ulong)r, id[0], id[1], id[2]);
}

// ---- scheduler ----

// The start (0) or end (1) of the last dispatches, in nanoseconds since the first round; never 0.
ulong __pumice_queue_now(global Arena *a, uint which) {
    return ((a->times[which] - a->first_tick) * a->tick_scale >> 16) + 1;
}

// Gives an event back that nothing refers to.
void __pumice_queue_free_event(global Arena *a, uint place) {
    __pumice_queue_event(a, place)->generation++;
    ((global uint *)a->free_event_list)[a->free_events++] = place;
}

void __pumice_queue_unref(global Arena *a, uint place) {
    global Event *e = __pumice_queue_event(a, place);
    if (--e->refs == 0)
        __pumice_queue_free_event(a, place);
}

// Work-groups of the record's region in all.
uint __pumice_queue_groups(global Record *r) {
    ulong groups = 1;
    for (uint d = 0; d < 3; ++d) {
        ulong full = r->size[d] / r->local_size[d];
        bool rest = full * r->local_size[d] != r->size[d];
        groups *= r->region >> d & 1 ? rest : full;
    }
    return (uint)groups;
}

// Goes to the next region with work-groups, this one included; false if there is none.
uint __pumice_queue_find_region(global Record *r) {
    while (r->region < 8) {
        if (__pumice_queue_groups(r) > r->done)
            return 1;
        r->region++;
        r->done = 0;
    }
    return 0;
}

void __pumice_queue_free_slot(global Arena *a, uint slot, uint queue) {
    ((global uint *)a->free_slot_list)[a->free_slots++] = slot;
    a->room[queue]++;
}

// Puts a record whose children have ended on the list of those that are to end.
void __pumice_queue_end(global Arena *a, uint slot, int status, private uint *ended) {
    global Record *r = __pumice_queue_record(a, slot);
    r->status = status;
    r->next = *ended;
    *ended = slot;
}

// Ends the records of a list, and their ancestors that waited for nothing else. Called in one place alone: compilers of
// drivers copy functions where they are called.
void __pumice_queue_complete(global Arena *a, private uint *ended) {
    while (*ended != NONE) {
        uint slot = *ended;
        global Record *r = __pumice_queue_record(a, slot);
        *ended = r->next;
        if (r->event != NONE) {
            global Event *e = __pumice_queue_event(a, r->event);
            e->start = r->start;
            e->end = r->end;
            e->complete = max(__pumice_queue_now(a, 1), r->end);
            e->status = r->status;
            if (e->profile)
                __pumice_queue_write_times(e, (global ulong *)e->profile);
            __pumice_queue_unref(a, r->event);
        }
        uint parent = r->parent;
        __pumice_queue_free_slot(a, slot, r->queue);
        global Record *p = __pumice_queue_record(a, parent);
        p->children--;
        if (parent != ROOT && p->has_run && p->children == 0)
            __pumice_queue_end(a, parent, 0, ended);
    }
}

// A record has run.
void __pumice_queue_finish(global Arena *a, uint slot, private uint *ended) {
    global Record *r = __pumice_queue_record(a, slot);
    a->executed++;
    r->has_run = 1;
    if (r->children == 0)
        __pumice_queue_end(a, slot, 0, ended);
}

// Counts what kernels appended, before what the dispatches ran is taken in: a record with children stays.
void __pumice_queue_collect(global Arena *a) {
    for (uint i = 0; i < a->fresh; ++i) {
        uint slot = ((global uint *)a->fresh_list)[i];
        __pumice_queue_record(a, __pumice_queue_record(a, slot)->parent)->children++;
    }
    for (uint i = 0; i < a->released; ++i)
        __pumice_queue_free_event(a, ((global uint *)a->released_list)[i]);
    a->released = 0;
}

// Takes in what the dispatches ran.
void __pumice_queue_retire(global Arena *a, private uint *ended) {
    for (uint i = 0; i < a->variants; ++i) {
        global Variant *v = (global Variant *)a->variant_list + i;
        for (uint k = 0; k < v->entries; ++k) {
            uint slot = v->entry[k].record;
            global Record *r = __pumice_queue_record(a, slot);
            if (r->start == 0)
                r->start = __pumice_queue_now(a, 0);
            r->end = __pumice_queue_now(a, 1);
            r->done += v->entry[k].groups;
            if (__pumice_queue_find_region(r))
                ((global uint *)a->ready_list)[a->ready++] = slot;
            else {
                v->ended++;
                __pumice_queue_finish(a, slot, ended);
            }
        }
        v->entries = v->groups = 0;
        v->dispatch[0] = 0;
    }
}

// Returns whether all work-groups of a record's parent have run: a parent may take several dispatches, and a child
// may be told to wait for all of it. A parent without an event has nobody to tell that its children have ended, so
// they become its own parent's: a chain of any length takes no more than its links.
uint __pumice_queue_parent_has_run(global Arena *a, global Record *r, private uint *ended) {
    uint parent = r->parent;
    if (parent == ROOT)
        return 1;
    global Record *p = __pumice_queue_record(a, parent);
    if (!p->has_run)
        return 0;
    if (p->event == NONE) {
        r->parent = p->parent;
        __pumice_queue_record(a, p->parent)->children++;
        if (--p->children == 0)
            __pumice_queue_end(a, parent, 0, ended);
    }
    return 1;
}

// Puts what kernels appended on the lists.
void __pumice_queue_enlist(global Arena *a, private uint *ended) {
    for (uint i = 0; i < a->fresh; ++i) {
        uint slot = ((global uint *)a->fresh_list)[i];
        global Record *r = __pumice_queue_record(a, slot);
        if (!__pumice_queue_parent_has_run(a, r, ended) || r->waits || r->block == NONE)
            ((global uint *)a->waiting_list)[a->waiting++] = slot;
        else
            ((global uint *)a->ready_list)[a->ready++] = slot;
    }
    a->fresh = 0;
}

// The status of a record's events: 1 while one is pending, an error if one has failed, else 0.
int __pumice_queue_waits(global Arena *a, global Record *r, uint release) {
    global uint *from = r->wait;
    uint room = WAITS, slot = r->more;
    int status = 0;
    for (uint i = 0; i < r->waits; ++i) {
        if (room == 0) {
            uint here = slot;
            from = (global uint *)__pumice_queue_record(a, here);
            slot = *from++;
            room = a->slot_bytes / 4 - 1;
        }
        uint place = *from++;
        --room;
        if (release) {
            __pumice_queue_unref(a, place);
            continue;
        }
        int own = __pumice_queue_event(a, place)->status;
        if (own > 0)
            return 1;
        if (own < 0)
            status = own;
    }
    if (release) {
        for (uint next = r->more; next != NONE;) {
            uint here = next;
            next = *(global uint *)__pumice_queue_record(a, here);
            __pumice_queue_free_slot(a, here, r->queue);
        }
        r->waits = 0;
        r->more = NONE;
    }
    return status;
}

// Ends markers and lets records go on whose parents have run and whose events are complete; returns whether there were any.
uint __pumice_queue_wake(global Arena *a, private uint *ended) {
    global uint *list = (global uint *)a->waiting_list;
    uint kept = 0, count = a->waiting;
    for (uint i = 0; i < count; ++i) {
        uint slot = list[i];
        global Record *r = __pumice_queue_record(a, slot);
        int status = __pumice_queue_parent_has_run(a, r, ended) ? __pumice_queue_waits(a, r, 0) : 1;
        if (status > 0) {
            list[kept++] = slot;
            continue;
        }
        __pumice_queue_waits(a, r, 1);
        if (status < 0 || r->block == NONE) {
            r->has_run = 1;
            __pumice_queue_end(a, slot, status < 0 ? WAIT_LIST_FAILED : 0, ended);
        } else {
            ((global uint *)a->ready_list)[a->ready++] = slot;
        }
    }
    a->waiting = kept;
    return kept != count;
}

uint __pumice_queue_local_size(global Record *r, uint d) {
    return r->region >> d & 1 ? (uint)(r->size[d] % r->local_size[d]) : r->local_size[d];
}

// The variant that runs a record's region; NONE, noted for the host, if there is none.
uint __pumice_queue_variant(global Arena *a, global Record *r) {
    uint x = __pumice_queue_local_size(r, 0), y = __pumice_queue_local_size(r, 1);
    uint z = __pumice_queue_local_size(r, 2);
    for (uint i = 0; i < a->variants; ++i) {
        global Variant *v = (global Variant *)a->variant_list + i;
        bool same = v->block == r->block && v->local_size[0] == x && v->local_size[1] == y
                    && v->local_size[2] == z;
        for (uint k = 0; k < LOCALS && same; ++k)
            same = v->locals[k] == r->locals[k];
        if (same)
            return i;
    }
    for (uint i = 0; i < a->missing; ++i) {
        global Key *key = (global Key *)a->missing_list + i;
        bool same = key->block == r->block && key->local_size[0] == x && key->local_size[1] == y
                    && key->local_size[2] == z;
        for (uint k = 0; k < LOCALS && same; ++k)
            same = key->locals[k] == r->locals[k];
        if (same)
            return NONE;
    }
    if (a->missing < MOST_MISSING) {
        global Key *key = (global Key *)a->missing_list + a->missing++;
        key->block = r->block;
        key->local_size[0] = x;
        key->local_size[1] = y;
        key->local_size[2] = z;
        for (uint k = 0; k < LOCALS; ++k)
            key->locals[k] = r->locals[k];
    }
    return NONE;
}

// Gives the next dispatches their work, the newest records first: a tree is walked in depth, so
// that it holds few records.
uint __pumice_queue_assign(global Arena *a, private uint *ended) {
    global uint *list = (global uint *)a->ready_list;
    uint assigned = 0;
    // From the top of the list down; what stays moves to the top of the gap.
    uint first = a->ready > WINDOW ? a->ready - WINDOW : 0;
    uint gap = a->ready;
    for (uint i = a->ready; i > first; --i) {
        uint slot = list[i - 1];
        global Record *r = __pumice_queue_record(a, slot);
        if (!__pumice_queue_find_region(r)) {
            // An empty range.
            __pumice_queue_finish(a, slot, ended);
            continue;
        }
        uint index = __pumice_queue_variant(a, r);
        global Variant *v = (global Variant *)a->variant_list + index;
        if (index == NONE || v->entries == ENTRIES || v->groups >= v->max_groups) {
            list[--gap] = slot;
            continue;
        }
        uint groups = min(__pumice_queue_groups(r) - r->done, v->max_groups - v->groups);
        global Entry *e = &v->entry[v->entries++];
        e->record = slot;
        e->first = v->groups;
        e->base = r->done;
        e->groups = groups;
        v->groups += groups;
        ++assigned;
    }
    // What stays goes below again.
    uint end = first;
    for (; gap < a->ready; ++gap)
        list[end++] = list[gap];
    a->ready = end;
    for (uint i = 0; i < a->variants; ++i) {
        global Variant *v = (global Variant *)a->variant_list + i;
        v->dispatch[0] = min(v->groups, a->max_x);
        v->dispatch[1] = v->groups ? (v->groups + a->max_x - 1) / a->max_x : 1;
        v->dispatch[2] = 1;
    }
    return assigned;
}

// One round: takes in what kernels did, and says what the next dispatches run.
void __pumice_schedule(global uchar *launch) {
    global Arena *a = __pumice_queue_arena(launch);
    if (a->state != RUNNING)
        return;
    if (a->first_tick == 0)
        a->first_tick = a->times[0];
    a->rounds++;
    __pumice_queue_collect(a);
    uint ended = NONE;
    __pumice_queue_retire(a, &ended);
    __pumice_queue_enlist(a, &ended);
    for (uint is_over = 0;;) {
        __pumice_queue_complete(a, &ended);
        if (is_over)
            return;
        // What ends may let others go on.
        if (__pumice_queue_wake(a, &ended) || ended != NONE)
            continue;
        uint before = a->ready;
        if (__pumice_queue_assign(a, &ended)) {
            is_over = 1;
        } else if (a->missing) {
            a->state = NEEDS_VARIANTS;
            is_over = 1;
        } else if (a->ready == before) {
            break;
        }
        // Else empty ranges have ended.
    }
    a->state = __pumice_queue_record(a, ROOT)->children ? STUCK : DONE;
}
