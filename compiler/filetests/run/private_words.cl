// test: run
// Private arrays that are mostly words: bytes, halves and words of them at run-time indices, and
// an unaligned word.
// options: -cl-std=CL3.0
// kernel: mixed
// global: 8
// local: 8
// arg: buffer uint 0..15
// arg: int 3
// arg: buffer uint 8*0
// expect 2: uint 2520994769 235098665 2731387664 2092404932 1150276767 2823998789 504260628 2981317182
kernel void mixed(global const uint *in, int shift, global uint *out)
{
    uint words[16];
    int id = get_global_id(0);
    for (int i = 0; i < 16; ++i)
        words[i] = in[(i + id) & 15] * 0x01010101u;
    uchar *bytes = (uchar *)words;
    ushort *halves = (ushort *)words;
    bytes[id * 4 + shift] = 200 + id;
    halves[id + 16 + (shift & 1)] = 0x1234;
    words[id + shift] ^= 0x80000000u;
    uint sum = 0;
    for (int i = 0; i < 16; ++i)
        sum = sum * 31 + words[(i * shift) & 15];
    sum += bytes[(id * 7 + shift) & 63] + halves[(id + shift) & 31];
    uint odd = bytes[id + 1] | bytes[id + 2] << 8 | bytes[id + 3] << 16 | (uint)bytes[id + 4] << 24;
    out[id] = sum ^ odd;
}
