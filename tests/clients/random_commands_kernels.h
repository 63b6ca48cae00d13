/* The kernels of random_commands.c, and what each makes of the objects' copies in the host's memory. */
#ifndef PUMICE_RANDOM_COMMANDS_KERNELS_H
#define PUMICE_RANDOM_COMMANDS_KERNELS_H
#include "random_commands_order.h"

enum { GROUP = 32, DIMENSIONALITIES = 5 };

/* `turns` makes some commands much longer than those that must wait for them. */
static const char source[] =
    "uint turned(uint v, uint turns) {\n"
    "    for (uint t = 0; t < turns; t++) v = v * 1664525u + 1013904223u;\n"
    "    return v;\n"
    "}\n"
    "kernel void words(global const uint *from, uint from_at, global uint *to, uint to_at, uint n, uint factor, uint turns) {\n"
    "    size_t i = get_global_id(0) - get_global_offset(0);\n"
    "    if (i < n) to[to_at + i] = to[to_at + i] * factor + turned(from[from_at + i], turns);\n"
    "}\n"
    "kernel void bytes(global const uchar *from, uint from_at, global uchar *to, uint to_at, uint n, uint factor, uint turns) {\n"
    "    size_t i = get_global_id(0) - get_global_offset(0);\n"
    "    if (i < n) to[to_at + i] = (uchar)(to[to_at + i] * factor + turned(from[from_at + i], turns));\n"
    "}\n"
    "kernel void sums(global const uint *from, uint from_at, global uint *to, uint to_at, uint n, uint factor, uint turns) {\n"
    "    size_t i = get_global_id(0) - get_global_offset(0);\n"
    "    if (i < n) atomic_add(&to[to_at + i % factor], turned(from[from_at + i], turns));\n"
    "}\n"
    "kernel void groups(global const uint *from, uint from_at, global uint *to, uint to_at, uint n, uint factor, uint turns) {\n"
    "    local uint taken[32];\n"
    "    size_t i = get_group_id(0) * 32 + get_local_id(0), l = get_local_id(0);\n"
    "    taken[l] = i < n ? turned(from[from_at + i], turns) : 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (i < n) to[to_at + i] = to[to_at + i] * factor + taken[31 - l];\n"
    "}\n"
    "#if defined(cl_khr_3d_image_writes) && !defined(__opencl_c_3d_image_writes)\n"
    "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n"
    "#endif\n"
    "#define TEXEL(i, at, size) ((int4)(at.x + i % size.x, at.y + i / size.x % size.y, at.z + i / (size.x * size.y), 0))\n"
    "#define STORES(NAME, TYPE, COORD) \\\n"
    "kernel void NAME(global const uint *from, uint from_at, write_only TYPE to, int4 at, int4 size, uint mask, uint turns) { \\\n"
    "    int i = get_global_id(0); \\\n"
    "    if (i >= size.x * size.y * size.z) return; \\\n"
    "    int4 c = TEXEL(i, at, size); \\\n"
    "    uint v = turned(from[from_at + i], turns); \\\n"
    "    write_imageui(to, COORD, (uint4)(v, v >> 8, v >> 16, v >> 24) & mask); \\\n"
    "}\n"
    "#define LOADS(NAME, TYPE, COORD) \\\n"
    "kernel void NAME(read_only TYPE from, int4 at, int4 size, global uint *to, uint to_at, uint factor, uint turns) { \\\n"
    "    int i = get_global_id(0); \\\n"
    "    if (i >= size.x * size.y * size.z) return; \\\n"
    "    int4 c = TEXEL(i, at, size); \\\n"
    "    uint4 v = read_imageui(from, COORD); \\\n"
    "    to[to_at + i] = to[to_at + i] * factor + turned(v.x + v.y * 3u + v.z * 5u + v.w * 7u, turns); \\\n"
    "}\n"
    "#ifdef __IMAGE_SUPPORT__\n"
    "kernel void to_strip(global const uint *from, uint from_at, write_only image1d_buffer_t to, uint to_at, uint n, uint factor, uint turns) {\n"
    "    int i = get_global_id(0);\n"
    "    if (i < n) write_imageui(to, (int)to_at + i, (uint4)(factor + turned(from[from_at + i], turns), 0, 0, 1));\n"
    "}\n"
    "kernel void from_strip(read_only image1d_buffer_t from, uint from_at, global uint *to, uint to_at, uint n, uint factor, uint turns) {\n"
    "    int i = get_global_id(0);\n"
    "    if (i < n) to[to_at + i] = to[to_at + i] * factor + turned(read_imageui(from, (int)from_at + i).x, turns);\n"
    "}\n"
    "STORES(to_line, image1d_t, c.x)\n"
    "LOADS(from_line, image1d_t, c.x)\n"
    "STORES(to_lines, image1d_array_t, c.xy)\n"
    "LOADS(from_lines, image1d_array_t, c.xy)\n"
    "STORES(to_plane, image2d_t, c.xy)\n"
    "LOADS(from_plane, image2d_t, c.xy)\n"
    "STORES(to_planes, image2d_array_t, c)\n"
    "LOADS(from_planes, image2d_array_t, c)\n"
    "LOADS(from_volume, image3d_t, c)\n"
    "#if defined(cl_khr_3d_image_writes) || defined(__opencl_c_3d_image_writes)\n"
    "STORES(to_volume, image3d_t, c)\n"
    "#endif\n"
    "#endif\n";

typedef struct {
    cl_mem_object_type type;
    const char *store, *load;
} Dimensionality;

static const Dimensionality dimensionalities[DIMENSIONALITIES] = {
    {CL_MEM_OBJECT_IMAGE1D, "to_line", "from_line"},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, "to_lines", "from_lines"},
    {CL_MEM_OBJECT_IMAGE2D, "to_plane", "from_plane"},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, "to_planes", "from_planes"},
    {CL_MEM_OBJECT_IMAGE3D, "to_volume", "from_volume"},
};

/* `turned` of the kernels, in steps of powers of two. */
static uint32_t turned(uint32_t v, uint32_t turns)
{
    uint32_t factor = 1664525u, summand = 1013904223u;
    for (; turns; turns >>= 1) {
        if (turns & 1)
            v = v * factor + summand;
        summand = factor * summand + summand;
        factor *= factor;
    }
    return v;
}

static uint32_t word(const unsigned char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}
static void set_word(unsigned char *at, uint32_t value) { memcpy(at, &value, sizeof value); }

static void model_words(const unsigned char *from, unsigned char *to, size_t n, uint32_t factor, uint32_t turns)
{
    for (size_t i = 0; i < n; i++)
        set_word(to + 4 * i, word(to + 4 * i) * factor + turned(word(from + 4 * i), turns));
}

static void model_bytes(const unsigned char *from, unsigned char *to, size_t n, uint32_t factor, uint32_t turns)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (unsigned char)(to[i] * factor + turned(from[i], turns));
}

static void model_sums(const unsigned char *from, unsigned char *to, size_t n, uint32_t factor, uint32_t turns)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char *at = to + 4 * (i % factor);
        set_word(at, word(at) + turned(word(from + 4 * i), turns));
    }
}

static void model_groups(const unsigned char *from, unsigned char *to, size_t n, uint32_t factor, uint32_t turns)
{
    for (size_t i = 0; i < n; i++) {
        size_t other = i / GROUP * GROUP + (GROUP - 1 - i % GROUP);
        uint32_t taken = other < n ? turned(word(from + 4 * other), turns) : 0;
        set_word(to + 4 * i, word(to + 4 * i) * factor + taken);
    }
}

/* Of an image of a buffer: what the words were does not matter. */
static void model_strip(const unsigned char *from, unsigned char *to, size_t n, uint32_t summand, uint32_t turns)
{
    for (size_t i = 0; i < n; i++)
        set_word(to + 4 * i, summand + turned(word(from + 4 * i), turns));
}

static size_t channels_of(cl_image_format format)
{
    return format.image_channel_order == CL_RGBA ? 4 : format.image_channel_order == CL_RG ? 2 : 1;
}

static size_t channel_bytes(cl_image_format format)
{
    return format.image_channel_data_type == CL_UNSIGNED_INT8 ? 1 : format.image_channel_data_type == CL_UNSIGNED_INT16 ? 2 : 4;
}

static uint32_t channel_mask(cl_image_format format)
{
    size_t bytes = channel_bytes(format);
    return bytes == 4 ? 0xffffffffu : (1u << (8 * bytes)) - 1;
}

/* Texel `i` of a box, in the order of the kernels' work-items. */
static unsigned char *texel_of(const Object *image, const size_t at[3], const size_t size[3], size_t i)
{
    size_t x = at[0] + i % size[0], y = at[1] + i / size[0] % size[1], z = at[2] + i / (size[0] * size[1]);
    return image->model + ((z * image->extent[1] + y) * image->extent[0] + x) * image->texel;
}

static void model_store(const unsigned char *from, const Object *image, const size_t at[3], const size_t size[3], uint32_t turns)
{
    size_t bytes = channel_bytes(image->format);
    for (size_t i = 0; i < size[0] * size[1] * size[2]; i++) {
        uint32_t v = turned(word(from + 4 * i), turns);
        unsigned char *texel = texel_of(image, at, size, i);
        for (size_t c = 0; c < channels_of(image->format); c++) {
            uint32_t value = v >> (8 * c) & channel_mask(image->format);
            memcpy(texel + c * bytes, &value, bytes);
        }
    }
}

static void model_load(const Object *image, const size_t at[3], const size_t size[3], unsigned char *to, uint32_t factor, uint32_t turns)
{
    static const uint32_t factors[4] = {1, 3, 5, 7};
    size_t bytes = channel_bytes(image->format), channels = channels_of(image->format);
    for (size_t i = 0; i < size[0] * size[1] * size[2]; i++) {
        uint32_t sum = channels < 4 ? 7 : 0;
        const unsigned char *texel = texel_of(image, at, size, i);
        for (size_t c = 0; c < channels; c++) {
            uint32_t value = 0;
            memcpy(&value, texel + c * bytes, bytes);
            sum += value * factors[c];
        }
        set_word(to + 4 * i, word(to + 4 * i) * factor + turned(sum, turns));
    }
}
#endif
