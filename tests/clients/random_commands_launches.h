/* The commands of random_commands.c that run kernels. */
#ifndef PUMICE_RANDOM_COMMANDS_LAUNCHES_H
#define PUMICE_RANDOM_COMMANDS_LAUNCHES_H
#include "random_commands_transfers.h"

static void set_memory(cl_kernel kernel, cl_uint index, const Object *object, int view)
{
    if (object->kind == SHARED) {
        MUST(clSetKernelArgSVMPointer(kernel, index, object->shared));
        return;
    }
    cl_mem mem = view == STRIP ? object->strip : handle(object, view);
    MUST(clSetKernelArg(kernel, index, sizeof mem, &mem));
}

static void set_number(cl_kernel kernel, cl_uint index, size_t number)
{
    cl_uint value = (cl_uint)number;
    MUST(clSetKernelArg(kernel, index, sizeof value, &value));
}

static void set_box(cl_kernel kernel, cl_uint index, const size_t at[3], const size_t size[3])
{
    cl_int from[4] = {(cl_int)at[0], (cl_int)at[1], (cl_int)at[2], 0};
    cl_int extent[4] = {(cl_int)size[0], (cl_int)size[1], (cl_int)size[2], 0};
    MUST(clSetKernelArg(kernel, index, sizeof from, from));
    MUST(clSetKernelArg(kernel, index + 1, sizeof extent, extent));
}

/* The offset of a region in its view, in elements. */
static size_t offset_in(const Object *object, int view, Region region, size_t unit)
{
    return (region.start - (object->kind == BUFFER && view != STRIP ? object->views[view].start : 0)) / unit;
}

/* Work-items of a command, the last of some without an element, in groups of a size or of the driver's choice. */
static void launch(Command *draft, cl_kernel kernel, size_t items, size_t group, int may_offset)
{
    Waits waits = order(draft, 0);
    size_t local = group ? group : (size_t)1 << below(6), offset = below(100);
    size_t global = group || chance(60) ? (items + local - 1) / local * local : items;
    int named = group || global % local == 0;
    cl_event event = NULL;
    MUST(clEnqueueNDRangeKernel(queues[draft->queue], kernel, 1, may_offset && chance(20) ? &offset : NULL, &global,
                                named && (group || chance(60)) ? &local : NULL, waits.count, wait_list(&waits), maybe(&event)));
    append(draft, event);
}

static cl_kernel kernel_named(const char *name)
{
    return MADE(clCreateKernel, program, name);
}

/* Now and then enough that a kernel of `n` work-items takes milliseconds; fewer than the quirk LoopsStop allows. */
static uint32_t some_turns(size_t n) { return !chance(15) ? below(4) : n > 66 ? below(4000000 / (unsigned)n) : below(60000); }

/* A kernel from one piece of memory to another, or to other bytes of the same; buffers also as images of their words. */
static void kernel_of_memory(void)
{
    static const char *const names[] = {"words", "words", "bytes", "sums", "groups"};
    const char *name = names[below(5)];
    Object *from = object_of(BUFFER, SHARED), *to = object_of(BUFFER, SHARED);
    if (!from || !to)
        return;
    release_map(from);
    release_map(to);
    int from_view = view_of(from), to_view = view_of(to);
    if (from->strip && chance(40)) {
        name = "from_strip";
        from_view = STRIP;
    } else if (to->strip && chance(40)) {
        name = "to_strip";
        to_view = STRIP;
    }
    size_t unit = strcmp(name, "bytes") ? 4 : 1;
    Region source_region = range_of(from, from_view == STRIP ? 0 : from_view, unit, 65536);
    Region target = range_of(to, to_view == STRIP ? 0 : to_view, unit, 65536);
    size_t length = source_region.length < target.length ? source_region.length : target.length, n = length / unit;
    uint32_t factor = 3 + 2 * below(50), turns = some_turns(n);
    Command draft = begin(name);
    source_region = linear(source_region.start, length);
    target = linear(target.start, length);
    if (!strcmp(name, "sums")) {
        factor = 1 + below((unsigned)(n < 64 ? n : 64));
        target = linear(target.start, 4 * factor);
    }
    touch(&draft, from, from_view, source_region, 0);
    touch(&draft, to, to_view, target, 1);
    if (accesses_conflict(&draft.accesses[0], &draft.accesses[1]))
        return;
    cl_kernel kernel = kernel_named(name);
    set_memory(kernel, 0, from, from_view);
    set_number(kernel, 1, offset_in(from, from_view, source_region, unit));
    set_memory(kernel, 2, to, to_view);
    set_number(kernel, 3, offset_in(to, to_view, target, unit));
    set_number(kernel, 4, n);
    set_number(kernel, 5, factor);
    set_number(kernel, 6, turns);
    say(&draft, " factor %u turns %u", factor, turns);
    int groups = !strcmp(name, "groups");
    launch(&draft, kernel, n, groups ? GROUP : 0, !groups && from_view != STRIP && to_view != STRIP);
    MUST(clReleaseKernel(kernel));
    const unsigned char *source_bytes = from->model + source_region.start;
    unsigned char *target_bytes = to->model + target.start;
    if (groups)
        model_groups(source_bytes, target_bytes, n, factor, turns);
    else if (unit == 1)
        model_bytes(source_bytes, target_bytes, n, factor, turns);
    else if (!strcmp(name, "sums"))
        model_sums(source_bytes, target_bytes, n, factor, turns);
    else if (to_view == STRIP)
        model_strip(source_bytes, target_bytes, n, factor, turns);
    else
        model_words(source_bytes, target_bytes, n, factor, turns);
}

/* A kernel between memory and an image. */
static void kernel_of_image(void)
{
    Object *image = object_of(IMAGE, IMAGE), *other = object_of(BUFFER, SHARED);
    if (!image || !other)
        return;
    release_map(image);
    release_map(other);
    const Dimensionality *how = dimensionalities;
    while (how->type != image->type)
        how++;
    int stores = chance(50) && (image->type != CL_MEM_OBJECT_IMAGE3D || writes_volumes), view = view_of(other);
    size_t at[3], size[3];
    some_box(image, at, size);
    size_t n = size[0] * size[1] * size[2];
    Region texels = box(image, at, size);
    if ((other->kind == BUFFER ? other->views[view].size : other->size) < 4 * n + 4)
        return;
    size_t base = other->kind == BUFFER ? other->views[view].start : 0;
    size_t room = (other->kind == BUFFER ? other->views[view].size : other->size) / 4 - n;
    Region range = linear(base + 4 * below((unsigned)room), 4 * n);
    uint32_t factor = 3 + 2 * below(50), turns = some_turns(n);
    Command draft = begin(stores ? how->store : how->load);
    touch(&draft, image, 0, texels, stores);
    touch(&draft, other, view, range, !stores);
    cl_kernel kernel = kernel_named(stores ? how->store : how->load);
    cl_mem mem = handle(image, 0);
    size_t offset = offset_in(other, view, range, 4);
    if (stores) {
        set_memory(kernel, 0, other, view);
        set_number(kernel, 1, offset);
        MUST(clSetKernelArg(kernel, 2, sizeof mem, &mem));
        set_box(kernel, 3, at, size);
        set_number(kernel, 5, channel_mask(image->format));
    } else {
        MUST(clSetKernelArg(kernel, 0, sizeof mem, &mem));
        set_box(kernel, 1, at, size);
        set_memory(kernel, 3, other, view);
        set_number(kernel, 4, offset);
        set_number(kernel, 5, factor);
    }
    set_number(kernel, 6, turns);
    say(&draft, " factor %u turns %u", factor, turns);
    launch(&draft, kernel, n, 0, 0);
    MUST(clReleaseKernel(kernel));
    if (stores)
        model_store(other->model + range.start, image, at, size, turns);
    else
        model_load(image, at, size, other->model + range.start, factor, turns);
}
#endif
