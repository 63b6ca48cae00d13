// test: run
// needs: doubles
// Doubles near and below the least normal float, rounded away from zero: devices that flush denormals got one step from zero.
// kernel: upward
// global: 6
// arg: buffer double 0x380ffffffff00000 0x3810000000000000 0x3800000000000001 0x36a0000000000000 0x369fffffffffffff 0x380ffffffffffffe
// arg: buffer uint 6*7
// expect 1: uint 0x800000 0x800000 0x400001 0x1 0x1 0x800000
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void upward(global const double *x, global uint *r) { int i = get_global_id(0); r[i] = as_uint(convert_float_rtp(x[i])); }
