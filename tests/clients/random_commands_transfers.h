/* The commands of random_commands.c that move bytes: reads, writes, fills, copies and maps. */
#ifndef PUMICE_RANDOM_COMMANDS_TRANSFERS_H
#define PUMICE_RANDOM_COMMANDS_TRANSFERS_H
#include "random_commands_objects.h"

static void unmap(Object *object);

/* Nothing else uses an object while it is mapped. */
static void release_map(Object *object)
{
    if (object->map_command >= 0)
        unmap(object);
}

static Command begin(const char *name)
{
    Command draft = {.queue = (int)below(QUEUES)};
    say(&draft, "%s", name);
    return draft;
}

static cl_event *maybe(cl_event *event) { return chance(65) ? event : NULL; }

/* A command that may have been a blocking one has been enqueued. */
static int enqueued(const Command *draft, cl_event event, int blocking)
{
    int index = append(draft, event);
    if (blocking) {
        ended(index);
        compare_readings();
    }
    return index;
}

static void transfer(int writes)
{
    Object *object = any_object();
    release_map(object);
    Command draft = begin(writes ? "write" : "read");
    cl_command_queue queue = queues[draft.queue];
    int view = view_of(object), blocking = chance(25), rectangle = object->kind == BUFFER && chance(40);
    size_t at[3], size[3], row, slice, origin[3] = {0, 0, 0};
    Region region;
    if (object->kind == IMAGE) {
        some_box(object, at, size);
        region = box(object, at, size);
    } else if (rectangle && object->views[view].size >= 64) {
        size_t pitch = 8 + below((unsigned)(object->views[view].size / 4 < 512 ? object->views[view].size / 4 : 512) - 8 + 1);
        size_t most = object->views[view].size / pitch;
        size_t slices = 1 + below(3);
        size_t rows = 1 + below((unsigned)(most / slices < 40 ? most / slices : 40));
        region = (Region){0, 1 + below((unsigned)pitch), rows, pitch, slices, pitch * rows};
        at[0] = below((unsigned)(pitch - region.length + 1));
        at[1] = at[2] = 0;
        region.start = object->views[view].start + at[0];
    } else {
        rectangle = 0;
        region = range_of(object, view, 1, LARGE);
    }
    int packed = object->kind != BUFFER || !rectangle || chance(50);
    row = packed || (object->kind == BUFFER && !rectangle) ? region.length : region.length + below(40);
    if (object->kind == IMAGE && chance(40))
        row += object->texel * below(5);
    slice = row * region.rows;
    touch(&draft, object, view, region, writes);
    if (blocking)
        say(&draft, " blocking");
    Waits waits = order(&draft, blocking);
    const cl_event *list = wait_list(&waits);
    size_t bytes = slice * region.slices;
    unsigned char *host = writes ? noise(bytes) : memory(bytes);
    cl_event event = NULL, *out = maybe(&event);
    if (object->kind == SHARED) {
        unsigned char *shared = (unsigned char *)object->shared + region.start;
        MUST(clEnqueueSVMMemcpy(queue, blocking, writes ? shared : host, writes ? host : shared, region.length,
                                waits.count, list, out));
    } else if (object->kind == IMAGE) {
        size_t image_slice = has_slices(object) ? slice : is_lines(object) ? row : 0;
        MUST(writes ? clEnqueueWriteImage(queue, handle(object, 0), blocking, at, size, row, image_slice, host,
                                          waits.count, list, out)
                    : clEnqueueReadImage(queue, handle(object, 0), blocking, at, size, row, image_slice, host,
                                         waits.count, list, out));
    } else if (rectangle) {
        size_t of_rows[3] = {region.length, region.rows, region.slices};
        cl_mem mem = handle(object, view);
        MUST(writes ? clEnqueueWriteBufferRect(queue, mem, blocking, at, origin, of_rows, region.row_pitch,
                                               region.slice_pitch, row, slice, host, waits.count, list, out)
                    : clEnqueueReadBufferRect(queue, mem, blocking, at, origin, of_rows, region.row_pitch,
                                              region.slice_pitch, row, slice, host, waits.count, list, out));
    } else {
        size_t start = region.start - object->views[view].start;
        cl_mem mem = handle(object, view);
        MUST(writes ? clEnqueueWriteBuffer(queue, mem, blocking, start, region.length, host, waits.count, list, out)
                    : clEnqueueReadBuffer(queue, mem, blocking, start, region.length, host, waits.count, list, out));
    }
    if (writes) {
        rows_to_region(object->model, region, host, row, slice);
        enqueued(&draft, event, blocking);
        return;
    }
    unsigned char *expected = memory(bytes);
    region_to_rows(object->model, region, expected, row, slice);
    add_reading((Reading){run->count, draft.accesses[0], expected, host, row, slice});
    enqueued(&draft, event, blocking);
}

static void fill(void)
{
    Object *object = any_object();
    release_map(object);
    Command draft = begin("fill");
    int view = view_of(object);
    unsigned char pattern[128];
    for (int i = 0; i < 128; i++)
        pattern[i] = (unsigned char)(next() >> 40);
    size_t at[3], size[3], unit = (size_t)1 << below(8);
    cl_uint color[4];
    Region region;
    if (object->kind == IMAGE) {
        unit = object->texel;
        some_box(object, at, size);
        region = box(object, at, size);
        for (size_t c = 0; c < 4; c++) {
            color[c] = word(pattern + 64 + 4 * c) & channel_mask(object->format);
            memcpy(pattern + c * channel_bytes(object->format), &color[c], channel_bytes(object->format));
        }
    } else {
        while (unit > (object->kind == BUFFER ? object->views[view].size : object->size))
            unit /= 2;
        region = range_of(object, view, unit, LARGE);
    }
    touch(&draft, object, view, region, 1);
    Waits waits = order(&draft, 0);
    cl_event event = NULL, *out = maybe(&event);
    cl_command_queue queue = queues[draft.queue];
    if (object->kind == IMAGE)
        MUST(clEnqueueFillImage(queue, handle(object, 0), color, at, size, waits.count, wait_list(&waits), out));
    else if (object->kind == SHARED)
        MUST(clEnqueueSVMMemFill(queue, (unsigned char *)object->shared + region.start, pattern, unit, region.length,
                                 waits.count, wait_list(&waits), out));
    else
        MUST(clEnqueueFillBuffer(queue, handle(object, view), pattern, unit, region.start - object->views[view].start,
                                 region.length, waits.count, wait_list(&waits), out));
    size_t row = region.length, slice = row * region.rows, bytes = slice * region.slices;
    unsigned char *repeated = memory(bytes + unit);
    for (size_t i = 0; i < bytes; i += unit)
        memcpy(repeated + i, pattern, unit);
    rows_to_region(object->model, region, repeated, row, slice);
    append(&draft, event);
}

/* Copies within one object or between two. */
static void copy(void)
{
    Object *from = any_object(), *to = any_object();
    release_map(from);
    release_map(to);
    int from_view = view_of(from), to_view = view_of(to);
    Command draft = begin("copy");
    cl_command_queue queue = queues[draft.queue];
    size_t at[3] = {0, 0, 0}, size[3], to_at[3] = {0, 0, 0};
    Region source_region, target;
    if (from->kind == IMAGE && to->kind == IMAGE) {
        if (from == to || memcmp(&from->format, &to->format, sizeof from->format))
            return;
        for (int i = 0; i < 3; i++) {
            size_t least = from->extent[i] < to->extent[i] ? from->extent[i] : to->extent[i];
            size[i] = 1 + below((unsigned)least);
            at[i] = below((unsigned)(from->extent[i] - size[i] + 1));
            to_at[i] = below((unsigned)(to->extent[i] - size[i] + 1));
        }
        /* Layers of lines are slices to the copy, and rows here. */
        if (is_lines(from) != is_lines(to))
            return;
        source_region = box(from, at, size);
        target = box(to, to_at, size);
    } else if (from->kind == IMAGE || to->kind == IMAGE) {
        Object *image = from->kind == IMAGE ? from : to, *other = from->kind == IMAGE ? to : from;
        if (other->kind != BUFFER)
            return;
        int view = from->kind == IMAGE ? to_view : from_view;
        some_box(image, at, size);
        Region texels = box(image, at, size);
        size_t bytes = region_bytes(texels);
        if (bytes > other->views[view].size)
            return;
        Region range = linear(other->views[view].start + below((unsigned)(other->views[view].size - bytes + 1)), bytes);
        source_region = from->kind == IMAGE ? texels : range;
        target = from->kind == IMAGE ? range : texels;
    } else {
        if ((from->kind == SHARED) != (to->kind == SHARED))
            return;
        source_region = range_of(from, from_view, 1, LARGE);
        target = range_of(to, to_view, 1, LARGE);
        size_t length = source_region.length < target.length ? source_region.length : target.length;
        source_region = linear(source_region.start, length);
        target = linear(target.start, length);
    }
    touch(&draft, from, from_view, source_region, 0);
    touch(&draft, to, to_view, target, 1);
    if (accesses_conflict(&draft.accesses[0], &draft.accesses[1]))
        return;
    Waits waits = order(&draft, 0);
    const cl_event *list = wait_list(&waits);
    cl_event event = NULL, *out = maybe(&event);
    if (from->kind == IMAGE && to->kind == IMAGE)
        MUST(clEnqueueCopyImage(queue, handle(from, 0), handle(to, 0), at, to_at, size, waits.count, list, out));
    else if (from->kind == IMAGE)
        MUST(clEnqueueCopyImageToBuffer(queue, handle(from, 0), handle(to, to_view), at, size,
                                        target.start - to->views[to_view].start, waits.count, list, out));
    else if (to->kind == IMAGE)
        MUST(clEnqueueCopyBufferToImage(queue, handle(from, from_view), handle(to, 0),
                                        source_region.start - from->views[from_view].start, at, size, waits.count, list, out));
    else if (from->kind == SHARED)
        MUST(clEnqueueSVMMemcpy(queue, CL_FALSE, (unsigned char *)to->shared + target.start,
                                (unsigned char *)from->shared + source_region.start, target.length, waits.count, list, out));
    else
        MUST(clEnqueueCopyBuffer(queue, handle(from, from_view), handle(to, to_view),
                                 source_region.start - from->views[from_view].start,
                                 target.start - to->views[to_view].start, target.length, waits.count, list, out));
    size_t row = source_region.length, slice = row * source_region.rows;
    unsigned char *packed = memory(slice * source_region.slices);
    region_to_rows(from->model, source_region, packed, row, slice);
    row = target.length;
    rows_to_region(to->model, target, packed, row, row * target.rows);
    append(&draft, event);
}

/* A box of rows from one buffer to another. */
static void copy_rectangle(void)
{
    Object *from = object_of(BUFFER, BUFFER), *to = object_of(BUFFER, BUFFER);
    if (!from || !to || from == to)
        return;
    release_map(from);
    release_map(to);
    int from_view = view_of(from), to_view = view_of(to);
    size_t from_size = from->views[from_view].size, to_size = to->views[to_view].size;
    size_t least = from_size < to_size ? from_size : to_size;
    size_t size[3] = {1 + below(60), 1 + below(12), 1 + below(3)};
    size_t from_row = size[0] + below(20), to_row = size[0] + below(20);
    size_t from_slice = from_row * (size[1] + below(3)), to_slice = to_row * (size[1] + below(3));
    if (from_slice * size[2] > least || to_slice * size[2] > least)
        return;
    size_t from_at[3] = {below((unsigned)(from_row - size[0] + 1)), 0, 0};
    size_t to_at[3] = {below((unsigned)(to_row - size[0] + 1)), 0, 0};
    Command draft = begin("copy rectangle");
    Region source = {from->views[from_view].start + from_at[0], size[0], size[1], from_row, size[2], from_slice};
    Region target = {to->views[to_view].start + to_at[0], size[0], size[1], to_row, size[2], to_slice};
    touch(&draft, from, from_view, source, 0);
    touch(&draft, to, to_view, target, 1);
    Waits waits = order(&draft, 0);
    cl_event event = NULL;
    MUST(clEnqueueCopyBufferRect(queues[draft.queue], handle(from, from_view), handle(to, to_view), from_at, to_at, size,
                                 from_row, from_slice, to_row, to_slice, waits.count, wait_list(&waits), maybe(&event)));
    unsigned char *packed = memory(region_bytes(source));
    region_to_rows(from->model, source, packed, size[0], size[0] * size[1]);
    rows_to_region(to->model, target, packed, size[0], size[0] * size[1]);
    append(&draft, event);
}

static void map(void)
{
    Object *object = any_object();
    release_map(object);
    static const cl_map_flags kinds[] = {CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION};
    cl_map_flags flags = kinds[below(4)];
    int writes = flags != CL_MAP_READ, view = view_of(object), blocking = chance(30);
    Command draft = begin("map");
    cl_command_queue queue = queues[draft.queue];
    size_t at[3], size[3];
    Region region;
    if (object->kind == IMAGE) {
        some_box(object, at, size);
        region = box(object, at, size);
    } else {
        region = range_of(object, view, 1, LARGE);
    }
    touch(&draft, object, view, region, writes);
    say(&draft, " flags %d", (int)flags);
    Waits waits = order(&draft, blocking);
    const cl_event *list = wait_list(&waits);
    cl_event event = NULL;
    cl_int error = 0;
    object->mapped_row = region.length;
    object->mapped_slice = region_bytes(region) / region.slices;
    if (object->kind == SHARED) {
        object->mapped = (unsigned char *)object->shared + region.start;
        MUST(clEnqueueSVMMap(queue, blocking, flags, object->mapped, region.length, waits.count, list, &event));
    } else if (object->kind == IMAGE) {
        size_t slice = 0;
        object->mapped = clEnqueueMapImage(queue, handle(object, 0), blocking, flags, at, size, &object->mapped_row, &slice,
                                           waits.count, list, &event, &error);
        object->mapped_slice = slice;
        if (is_lines(object)) /* its lines are layers, and so `slice` apart */
            object->mapped_row = slice;
    } else {
        size_t start = region.start - object->views[view].start;
        object->mapped = clEnqueueMapBuffer(queue, handle(object, view), blocking, flags, start, region.length, waits.count,
                                            list, &event, &error);
        if (object->host)
            CHECK(object->mapped == object->host + region.start);
    }
    MUST(error);
    object->map_command = enqueued(&draft, event, blocking);
    object->map_flags = flags;
    object->map_region = region;
    object->map_view = view;
}

/* Waits for the map, looks at what it shows, changes it, and enqueues the end of it. */
static void unmap(Object *object)
{
    Region region = object->map_region;
    if (!contains(run->ended, object->map_command))
        wait_for(object->map_command);
    unsigned char *mapped = object->mapped;
    size_t row = object->mapped_row, slice = object->mapped_slice, bytes = slice * region.slices + row * region.rows;
    unsigned char *expected = memory(bytes);
    region_to_rows(object->model, region, expected, row, slice);
    if (object->map_flags & CL_MAP_READ)
        compare(run->commands[object->map_command].accesses[0], expected, mapped, row, slice);
    int writes = object->map_flags != CL_MAP_READ;
    if (writes) {
        for (size_t z = 0; z < region.slices; z++) {
            for (size_t y = 0; y < region.rows; y++) {
                unsigned char *line = mapped + z * slice + y * row;
                for (size_t x = 0; x < region.length; x++) {
                    if (object->map_flags != (CL_MAP_READ | CL_MAP_WRITE) || chance(30))
                        line[x] = (unsigned char)(next() >> 40);
                }
            }
        }
        rows_to_region(object->model, region, mapped, row, slice);
    }
    Command draft = begin("unmap");
    touch(&draft, object, object->map_view, region, writes);
    object->map_command = -1;
    Waits waits = order(&draft, 0);
    cl_event event = NULL, *out = maybe(&event);
    cl_command_queue queue = queues[draft.queue];
    if (object->kind == SHARED)
        MUST(clEnqueueSVMUnmap(queue, mapped, waits.count, wait_list(&waits), out));
    else
        MUST(clEnqueueUnmapMemObject(queue, handle(object, object->map_view), mapped, waits.count, wait_list(&waits), out));
    append(&draft, event);
}
#endif
