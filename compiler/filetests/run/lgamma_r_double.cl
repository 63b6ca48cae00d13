// test: run
// The sign beside the logarithm of gamma, for double: 0 for zeros and negative whole numbers, where gamma has none.
// needs: doubles
// kernel: signs
// global: 16
// arg: buffer double 0x0000000000000000 0x8000000000000000 0x3ff0000000000000 0x4000000000000000 0xbff0000000000000 0xc000000000000000 0xbfe0000000000000 0xbff8000000000000 0xc00c000000000000 0x7ff0000000000000 0xfff0000000000000 0x7ff8000000000000 0xc020000000000000 0x4010000000000000 0xbfd0000000000000 0x4008000000000000
// arg: buffer double 16*0
// arg: buffer int 16*9
// expect 1: double 0x7ff0000000000000 0x7ff0000000000000 0x0000000000000000 0x0000000000000000 0x7ff0000000000000 0x7ff0000000000000 0x3ff43f89a3f0edd4 0x3feb858151820f88 0xbff4f1b0fe64a5d7 0x7ff0000000000000 0x7ff0000000000000 0x7ff8000000000000 0x7ff0000000000000 0x3ffcab0bfa2a2004 0x3ff96ee685defb2e 0x3fe62e42fefa39ec ulp 16
// expect 2: int 0 0 1 1 0 0 -1 1 1 1 0 0 0 1 -1 1
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void signs(global const double *x, global double *result, global int *sign)
{
    size_t i = get_global_id(0);
    int s = 5;
    result[i] = lgamma_r(x[i], &s);
    sign[i] = s;
}
