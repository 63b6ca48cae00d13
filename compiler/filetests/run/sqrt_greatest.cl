// test: run
// Roots of the greatest and the least normal numbers: no square of a root overflows on the way, or vanishes.
// kernel: roots
// global: 13
// arg: buffer float 0x7f7fffff 0x7f7ffffe 0x7f7ffffd 0x7f7ffffb 0x7f000000 0x7f400000 0x7e800000 0x00800000 0x3f800000 0x40000000 0x7f800000 0x00000000 0x80000000
// arg: buffer float 13*0
// arg: buffer float 13*0
// expect 1: float 0x5f7fffff 0x5f7fffff 0x5f7ffffe 0x5f7ffffd 0x5f3504f3 0x5f5db3d7 0x5f000000 0x20000000 0x3f800000 0x3fb504f3 0x7f800000 0x00000000 0x80000000 ulp 3
// expect 2: float 0x5f7fffff 0x5f7fffff 0x5f7ffffe 0x5f7ffffd 0x5f3504f3 0x5f5db3d7 0x5f000000 0x20000000 0x3f800000 0x3fb504f3 0x7f800000 0x00000000 0x80000000 ulp 8192
kernel void roots(global const float *x, global float *root, global float *half_root)
{
    size_t i = get_global_id(0);
    root[i] = sqrt(x[i]);
    half_root[i] = half_sqrt(x[i]);
}
