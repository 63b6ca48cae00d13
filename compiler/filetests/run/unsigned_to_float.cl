// Unsigned words to floats, rounded once (SwiftShader rounds 31 bits, then the sum with the highest).
// kernel: k
// global: 12
// arg: buffer uint 3928815952 2389703301 4294967295 2147483648 2147483776 2147483777 2147483903 2147483647 4294967167 4294967168 0 16777217
// arg: buffer float 12*0
// expect 1: float 0x4f6a2cf9 0x4f0e6ffb 0x4f800000 0x4f000000 0x4f000000 0x4f000001 0x4f000001 0x4f000000 0x4f7fffff 0x4f800000 0x00000000 0x4b800000
__kernel void k(__global uint *in, __global float *out) {
    size_t i = get_global_id(0);
    out[i] = convert_float(in[i]);
}
