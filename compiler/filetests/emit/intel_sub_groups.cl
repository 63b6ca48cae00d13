// test: emit
// options: -cl-std=CL1.2
kernel void intel(global uint *p, global const ushort *q, global ulong *r, read_only image2d_t i, write_only image2d_t o, float f) {
    local uint l[64];
    uint2 two = intel_sub_group_block_read2(p);
    uchar16 bytes = intel_sub_group_block_read_uc16(i, (int2)(4, 5));
    intel_sub_group_block_write_ul(r, intel_sub_group_block_read_ul(i, (int2)(8, 9)));
    intel_sub_group_block_write_us8(o, (int2)(0, 1), intel_sub_group_block_read_us8(q));
    intel_sub_group_block_write_ui(l, two.x);
    f = intel_sub_group_shuffle_down(f, f + 1, 2u) + intel_sub_group_shuffle_xor(f, 1u);
    p[0] = convert_uint(f) + bytes.s3 + intel_sub_group_reduce_add((short)bytes.s4) + get_sub_group_size();
}
