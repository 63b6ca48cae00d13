// test: run
// The sign beside the logarithm of gamma, for float: 0 for zeros and negative whole numbers, where gamma has none.
// kernel: signs
// global: 16
// arg: buffer float 0x00000000 0x80000000 0x3f800000 0x40000000 0xbf800000 0xc0000000 0xbf000000 0xbfc00000 0xc0600000 0x7f800000 0xff800000 0x7fc00000 0xc1000000 0x40800000 0xbe800000 0x40400000
// arg: buffer float 16*0
// arg: buffer int 16*9
// expect 1: float 0x7f800000 0x7f800000 0x00000000 0x00000000 0x7f800000 0x7f800000 0x3fa1fc4d 0x3f5c2c0b 0xbfa78d88 0x7f800000 0x7f800000 0x7fc00000 0x7f800000 0x3fe55860 0x3fcb7734 0x3f317218 ulp 8
// expect 2: int 0 0 1 1 0 0 -1 1 1 1 0 0 0 1 -1 1
kernel void signs(global const float *x, global float *result, global int *sign)
{
    size_t i = get_global_id(0);
    int s = 5;
    result[i] = lgamma_r(x[i], &s);
    sign[i] = s;
}
