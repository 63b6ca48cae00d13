// test: run
// Bytes that are copied or filled: of constant and of other sizes, in all kinds of memory.
// kernel: bytes
// global: 1
// arg: buffer uint 0x04030201 0x08070605 0x0c0b0a09 7
// arg: buffer uint 12*0x55555555
// arg: uint 6
// expect 1: uint 0x04030201 0x55550605 0 0x55555500 0x04030201 0x08070605 0x0c0b0a09 0x09090909 0x00090909 0x55555555 0x2a2a2a55 0x55555555
// kernel: nontemporal
// global: 1
// arg: buffer float 1 2 3 4 0 0 0 0
// expect 0: float 1 2 3 4 1 2 3 8

kernel void bytes(global uint *in, global uint *out, uint size) {
    __builtin_memcpy(out, in, size);
    __builtin_memset(out + 2, 0, size - 1);
    uint own[4];
    __builtin_memset(own, 9, sizeof own);
    __builtin_memcpy(own, in, 12);
    __builtin_memset((char *)own + 15, 0, in[3] - 6);
    local uint shared[5];
    __builtin_memset(shared, in[3] + 2, sizeof shared);
    __builtin_memcpy_inline(shared, own, 12);
    __builtin_memset(shared + 4, 0, 0);
    for (int i = 0; i < 4; i++) out[4 + i] = shared[i];
    out[8] = own[3];
    __builtin_memset((global char *)(out + 10) + 1, 42, 3);
}

kernel void nontemporal(global float *f) {
    global float4 *v = (global float4 *)f;
    __builtin_nontemporal_store(__builtin_nontemporal_load(v), v + 1);
    __builtin_nontemporal_store(2 * __builtin_nontemporal_load(f + 3), &f[7]);
}
