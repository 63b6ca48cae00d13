// test: run
// Integers that a float cannot hold are rounded on their way to it and back.
// kernel: words
// global: 2
// arg: buffer uint 16777217 0xfffffe7e
// arg: buffer int 16777219 -2147483521
// arg: buffer uint 2*0
// arg: buffer int 2*0
// expect 2: uint 16777216 0xfffffe00
// expect 3: int 16777220 -2147483520
// kernel: longs
// global: 2
// arg: buffer ulong 0x45a320592c2e4c34 16777217
// arg: buffer long -5017890095205402676 16777219
// arg: buffer ulong 2*0
// arg: buffer long 2*0
// expect 2: ulong 0x45a3208000000000 16777216
// expect 3: long -5017890143948767232 16777220
// kernel: vectors
// global: 1
// arg: buffer ulong 0x45a320592c2e4c34 16777217
// arg: buffer ulong 2*0
// expect 1: ulong 0x45a3208000000000 16777216
kernel void words(global const uint *a, global const int *b, global uint *c, global int *d) {
    uint i = get_global_id(0);
    c[i] = (uint)(float)a[i];
    d[i] = (int)(float)b[i];
}
kernel void longs(global const ulong *a, global const long *b, global ulong *c, global long *d) {
    uint i = get_global_id(0);
    c[i] = (ulong)(float)a[i];
    d[i] = (long)(float)b[i];
}
kernel void vectors(global const ulong2 *a, global ulong2 *b) {
    *b = convert_ulong2(convert_float2(*a));
}
