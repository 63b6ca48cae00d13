// The driver's own kernels for images of a buffer's rows (image_rows.rs). All have the same arguments: rows of bytes with
// their first byte and pitches, and two lists of texels without gaps, as the image has them before a launch and after
// it. A work-item has one channel, group of texels or word; the range says how many there are in a row, how many rows and how
// many slices.

global uchar *place(global uchar *rows, ulong first, ulong row, ulong slice, ulong bytes)
{
    return rows + first + get_global_id(2) * slice + get_global_id(1) * row + get_global_id(0) * bytes;
}

size_t number(void)
{
    return (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
}

// A share of `most` as a float that is rounded correctly.
float share(uint value, float most)
{
    float inverse = 1.0f / most;
    float quotient = (float)value * inverse;
    return fma(fma(-quotient, most, (float)value), inverse, quotient);
}

// Form of unpack_high and pack_high: a channel is a share of its largest number.
#define SHARES 1
// Form of unpack_high: the kernel writes.
#define MARKS 2
// Stands for a channel that holds more than its number: no number of a channel, and a NaN that no arithmetic makes.
#define MARK 0xff9a0000

// Channels in the highest `bits` of 16: integers, or shares of the largest one. A write makes the lower bits 0, also where
// the number stays; so a texel with such bits comes to the image as a mark, and one that is still a mark was not written.
kernel void unpack_high(global uchar *rows, ulong first, ulong row, ulong slice, global uint *before, global uint *after,
                        uint bits, uint form)
{
    uint channel = *(global ushort *)place(rows, first, row, slice, 2), value = channel >> (16 - bits);
    uint texel = form & SHARES ? as_uint(share(value, (float)((1u << bits) - 1))) : value;
    before[number()] = form & MARKS && channel != value << (16 - bits) ? MARK | value : texel;
}

kernel void pack_high(global uchar *rows, ulong first, ulong row, ulong slice, global uint *before, global uint *after,
                      uint bits, uint form)
{
    uint value = after[number()], most = (1u << bits) - 1;
    if (value == before[number()])
        return;
    // A NaN becomes 0: of it and a number the maximum is the number.
    if (form & SHARES)
        value = (uint)rint(fmin(fmax(as_float(value), 0.0f), 1.0f) * (float)most);
    *(global ushort *)place(rows, first, row, slice, 2) = (ushort)(min(value, most) << (16 - bits));
}

// RAW10 and RAW12: the highest eight bits of each texel of a group, then a byte with the `low` lowest ones of all.
kernel void unpack_raw(global uchar *rows, ulong first, ulong row, ulong slice, global uint *before, global uint *after,
                       uint low, uint unused)
{
    uint count = 8 / low;
    global uchar *bytes = place(rows, first, row, slice, count + 1);
    for (uint i = 0; i < count; i++)
        before[number() * count + i] = (uint)bytes[i] << low | ((uint)bytes[count] >> i * low & ((1u << low) - 1));
}

kernel void pack_raw(global uchar *rows, ulong first, ulong row, ulong slice, global uint *before, global uint *after,
                     uint low, uint unused)
{
    uint count = 8 / low, most = (1u << (8 + low)) - 1, mask = (1u << low) - 1;
    global uchar *bytes = place(rows, first, row, slice, count + 1);
    uint last = bytes[count];
    bool changes = false;
    for (uint i = 0; i < count; i++) {
        uint value = after[number() * count + i];
        if (value == before[number() * count + i])
            continue;
        value = min(value, most);
        bytes[i] = (uchar)(value >> low);
        last = (last & ~(mask << i * low)) | (value & mask) << i * low;
        changes = true;
    }
    if (changes)
        bytes[count] = (uchar)last;
}

// Packed YUV: two texels of V, Y, U and 1. The digits of `places` are those of the first Y, of U and of V.
kernel void unpack_yuv(global uchar *rows, ulong first, ulong row, ulong slice, global uint *before, global uint *after,
                       uint places, uint unused)
{
    global uchar *bytes = place(rows, first, row, slice, 4);
    uint y = places & 15, u = places >> 4 & 15, v = places >> 8;
    uint chroma = bytes[v] | (uint)bytes[u] << 16 | 0xff000000;
    before[number() * 2] = chroma | (uint)bytes[y] << 8;
    before[number() * 2 + 1] = chroma | (uint)bytes[y + 2] << 8;
}

// What a launch has changed of texels of 1, 2, or 4 bytes and more.
#define MERGE(type)                                                                                                    \
    kernel void merge_##type(global uchar *rows, ulong first, ulong row, ulong slice, global uint *before,             \
                             global uint *after, uint unused, uint unused_too)                                         \
    {                                                                                                                  \
        type old = ((global type *)before)[number()], new = ((global type *)after)[number()];                          \
        if (new != old)                                                                                                \
            *(global type *)place(rows, first, row, slice, sizeof(type)) = new;                                        \
    }

MERGE(uchar)
MERGE(ushort)
MERGE(uint)
