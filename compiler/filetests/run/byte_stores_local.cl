// test: run
// Neighbouring byte and short stores to local memory by different work-items must not race.
// kernel: bytes
// global: 16
// local: 16
// arg: buffer uint 4*0
// arg: buffer uint 8*0
// expect 0: uint 0x03020100 0x07060504 0x0b0a0908 0x0f0e0d0c
// expect 1: uint 0x00010000 0x00030002 0x00050004 0x00070006 0x00090008 0x000b000a 0x000d000c 0x000f000e
__kernel void bytes(__global uint *out, __global uint *halves) {
    __local uchar b[16];
    __local ushort s[16];
    uint l = get_local_id(0);
    b[l] = (uchar)l;
    s[l] = (ushort)l;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 4)
        out[l] = b[4 * l] | b[4 * l + 1] << 8 | b[4 * l + 2] << 16 | (uint)b[4 * l + 3] << 24;
    if (l < 8)
        halves[l] = s[2 * l] | (uint)s[2 * l + 1] << 16;
}
