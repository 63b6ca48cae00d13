// test: run
// cl_intel_subgroups and its extensions: shuffles over one and two values, and blocks of memory, for any
// sub-group size.
// options: -cl-std=CL1.2
// kernel: shuffles
// global: 128
// local: 64
// arg: buffer int 128*-1
// expect 0: int 128*0
// kernel: small
// global: 128
// local: 64
// arg: buffer int 128*-1
// expect 0: int 128*0
// kernel: words
// global: 64
// local: 64
// arg: buffer uint 0..511
// arg: buffer uint 512*7
// expect 1: uint 0..511
// kernel: aliases
// global: 64
// local: 64
// arg: buffer uint 0..63
// arg: buffer uint 64*7
// expect 1: uint 0..63
// kernel: shorts
// global: 64
// local: 64
// arg: buffer ushort 0..1023
// arg: buffer ushort 1024*7
// expect 1: ushort 0..1023
// kernel: bytes
// global: 64
// local: 64
// arg: pattern 1024
// arg: buffer uchar 1024*7
// arg: buffer int 64*-1
// expect 2: int 64*0
// kernel: longs
// global: 64
// local: 64
// arg: buffer ulong 0..511
// arg: buffer ulong 512*7
// expect 1: ulong 0..511
// kernel: strided
// global: 64
// local: 64
// arg: buffer uint 0..255
// arg: buffer int 64*-1
// expect 1: int 64*0
// kernel: halves
// global: 64
// local: 64
// arg: buffer int 64*-1
// expect 0: int 64*0
// kernel: in_local
// global: 64
// local: 64
// arg: buffer int 64*-1
// expect 0: int 64*0
#if !defined(cl_intel_subgroups) || !defined(cl_intel_subgroups_char) || \
    !defined(cl_intel_subgroups_short) || !defined(cl_intel_subgroups_long) || \
    !defined(cl_intel_subgroup_local_block_io)
#error the extensions' macros
#endif
__kernel void shuffles(__global int *wrong) {
    int bad = 0;
    uint lane = get_sub_group_local_id(), size = get_max_sub_group_size();
    bad |= (intel_sub_group_shuffle(lane * 3, size - 1 - lane) != (size - 1 - lane) * 3) << 0;
    bad |= (intel_sub_group_shuffle_xor((float)lane, 1u) != (float)(lane ^ 1)) << 1;
    // The first value's lanes stand before the second's.
    uint next = intel_sub_group_shuffle_down(lane, lane + 100, 3u);
    bad |= (next != (lane + 3 < size ? lane + 3 : lane + 3 - size + 100)) << 2;
    uint before = intel_sub_group_shuffle_up(lane + 100, lane, 3u);
    bad |= (before != (lane >= 3 ? lane - 3 : lane + size - 3 + 100)) << 3;
    // The delta may differ: each takes the first of `next`.
    bad |= (intel_sub_group_shuffle_down(lane, lane + 100, size - lane) != 100) << 4;
    float4 four = intel_sub_group_shuffle((float4)(lane, lane + 1, lane + 2, lane + 3), 2u);
    bad |= any(four != (float4)(2, 3, 4, 5)) << 5;
    uint16 many = intel_sub_group_shuffle_down((uint16)(lane), (uint16)(lane + 100), 1u);
    uint right = lane + 1 < size ? lane + 1 : 100;
    bad |= any(many != (uint16)(right)) << 6;
    int3 three = intel_sub_group_shuffle_up((int3)(-1), (int3)(lane, lane * 2, lane * 3), 1u);
    bad |= any(three != (lane > 0 ? (int3)(lane - 1, lane * 2 - 2, lane * 3 - 3) : (int3)(-1))) << 7;
    bad |= (intel_sub_group_shuffle((long)lane << 40, 3u) != 3L << 40) << 8;
    bad |= (intel_sub_group_shuffle_xor((ulong)lane << 33, 2u) != (ulong)(lane ^ 2) << 33) << 9;
    // These work in every version of the language.
    bad |= (sub_group_reduce_add(1) != size) << 10;
    bad |= (get_sub_group_size() != size || get_num_sub_groups() != 64 / size) << 11;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    wrong[get_global_id(0)] = bad;
}
__kernel void small(__global int *wrong) {
    int bad = 0;
    uint lane = get_sub_group_local_id(), size = get_max_sub_group_size();
    bad |= (intel_sub_group_broadcast((short)(lane - 9), 3u) != (short)-6) << 0;
    bad |= (intel_sub_group_broadcast((uchar)(lane + 250), 2u) != (uchar)252) << 1;
    bad |= (intel_sub_group_reduce_add((char)1) != (char)size) << 2;
    bad |= (intel_sub_group_reduce_min((short)(lane - 5)) != (short)-5) << 3;
    bad |= (intel_sub_group_reduce_max((ushort)(lane + 65000)) != (ushort)(65000 + size - 1)) << 4;
    bad |= (intel_sub_group_scan_exclusive_add((uchar)1) != (uchar)lane) << 5;
    bad |= (intel_sub_group_scan_inclusive_add((short)2) != (short)(2 * lane + 2)) << 6;
    bad |= (intel_sub_group_scan_exclusive_min((char)-lane) != (lane ? (char)(1 - lane) : CHAR_MAX)) << 7;
    bad |= (intel_sub_group_scan_inclusive_max((char)lane) != (char)lane) << 8;
    bad |= (intel_sub_group_shuffle((char)(lane - 4), 1u) != (char)-3) << 9;
    uchar16 bytes = intel_sub_group_shuffle_xor((uchar16)((uchar)lane), 3u);
    bad |= any(bytes != (uchar16)((uchar)(lane ^ 3))) << 10;
    ushort3 words = intel_sub_group_shuffle_down((ushort3)((ushort)lane), (ushort3)(1000), 1u);
    ushort right = lane + 1 < size ? lane + 1 : 1000;
    bad |= any(words != (ushort3)(right)) << 11;
    short8 up = intel_sub_group_shuffle_up((short8)(-1), (short8)((short)lane), 1u);
    bad |= any(up != (short8)((short)(lane ? lane - 1 : -1))) << 12;
    wrong[get_global_id(0)] = bad;
}
// A block is read and written by sub-group s from element `from + s * width * size` on.
#define AT(from, width) ((from) + get_sub_group_id() * (width) * get_max_sub_group_size())
__kernel void words(__global const uint *in, __global uint *out) {
    intel_sub_group_block_write(out + AT(0, 1), intel_sub_group_block_read(in + AT(0, 1)));
    intel_sub_group_block_write2(out + AT(64, 2), intel_sub_group_block_read2(in + AT(64, 2)));
    intel_sub_group_block_write4(out + AT(192, 4), intel_sub_group_block_read4(in + AT(192, 4)));
    // The rest, as two halves of eight.
    uint part = get_sub_group_id() % 2;
    if (part == 0 || get_num_sub_groups() == 1) {
        uint first = 448 + (get_sub_group_id() / 2) * 8 * get_max_sub_group_size();
        if (first + 8 * get_max_sub_group_size() <= 512)
            intel_sub_group_block_write8(out + first, intel_sub_group_block_read8(in + first));
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (8 * get_max_sub_group_size() > 64)
        out[448 + get_local_id(0)] = in[448 + get_local_id(0)];
}
__kernel void aliases(__global const uint *in, __global uint *out) {
    intel_sub_group_block_write_ui(out + AT(0, 1), intel_sub_group_block_read_ui(in + AT(0, 1)));
}
__kernel void shorts(__global const ushort *in, __global ushort *out) {
    intel_sub_group_block_write_us16(out + AT(0, 16), intel_sub_group_block_read_us16(in + AT(0, 16)));
}
__kernel void bytes(__global const uchar *in, __global uchar *out, __global int *wrong) {
    intel_sub_group_block_write_uc16(out + AT(0, 16), intel_sub_group_block_read_uc16(in + AT(0, 16)));
    barrier(CLK_GLOBAL_MEM_FENCE);
    int bad = 0;
    for (uint i = get_local_id(0); i < 1024; i += 64)
        bad |= out[i] != in[i];
    wrong[get_global_id(0)] = bad;
}
__kernel void longs(__global const ulong *in, __global ulong *out) {
    intel_sub_group_block_write_ul8(out + AT(0, 8), intel_sub_group_block_read_ul8(in + AT(0, 8)));
}
__kernel void strided(__global const uint *in, __global int *wrong) {
    uint lane = get_sub_group_local_id(), size = get_max_sub_group_size();
    uint4 got = intel_sub_group_block_read4(in + AT(0, 4));
    uint first = AT(0, 4) + lane;
    uint4 right = (uint4)(first, first + size, first + 2 * size, first + 3 * size);
    wrong[get_global_id(0)] = any(got != right);
}
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
// CLBlast passes vectors.
__kernel void halves(__global int *wrong) {
    uint lane = get_sub_group_local_id();
    half4 second = intel_sub_group_shuffle((half4)(lane, lane + 1, lane + 2, lane + 3), 2u);
    half2 beside = intel_sub_group_shuffle_xor((half2)(lane, 100 - lane), 1u);
    int bad = any(second != (half4)(2, 3, 4, 5)) << 0;
    bad |= any(beside != (half2)(lane ^ 1, 100 - (lane ^ 1))) << 1;
    wrong[get_global_id(0)] = bad;
}
__kernel void in_local(__global int *wrong) {
    __local __attribute__((aligned(16))) uint words[128];
    __local __attribute__((aligned(16))) ushort shorts[64];
    __local __attribute__((aligned(16))) uchar bytes[64];
    __local __attribute__((aligned(16))) ulong longs[64];
    uint item = get_local_id(0);
    intel_sub_group_block_write2(words + AT(0, 2), (uint2)(item, item + 1000));
    intel_sub_group_block_write_us(shorts + AT(0, 1), (ushort)(item + 5));
    intel_sub_group_block_write_uc(bytes + AT(0, 1), (uchar)(item + 7));
    intel_sub_group_block_write_ul(longs + AT(0, 1), (ulong)item << 35);
    barrier(CLK_LOCAL_MEM_FENCE);
    int bad = 0;
    uint first = AT(0, 2) + get_sub_group_local_id();
    bad |= (words[first] != item || words[first + get_max_sub_group_size()] != item + 1000) << 0;
    uint2 back = intel_sub_group_block_read2(words + AT(0, 2));
    bad |= any(back != (uint2)(item, item + 1000)) << 1;
    bad |= (shorts[item] != item + 5 || intel_sub_group_block_read_us(shorts + AT(0, 1)) != item + 5) << 2;
    bad |= (bytes[item] != item + 7 || intel_sub_group_block_read_uc(bytes + AT(0, 1)) != item + 7) << 3;
    bad |= (intel_sub_group_block_read_ul(longs + AT(0, 1)) != (ulong)item << 35) << 4;
    wrong[get_global_id(0)] = bad;
}
