// test: run
// needs: doubles
// NaNs of many kinds stay NaNs: devices that flush denormals scaled those by integers, with an exponent made of the NaN.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// kernel: nans
// global: 8
// arg: buffer double 0xfff00ffffffff800 0x7ff00ffffffff800 0xfff80ffffffff800 0x7ff8000000000000 0xfff8000000000000 0xfff0000000000001 0x7ff7ffffffffffff 0xffffffffffffffff
// arg: buffer int 8*7
// expect 1: int 1023 1023 1023 1023 1023 1023 1023 1023
kernel void nans(global const double *x, global int *result)
{
    size_t i = get_global_id(0);
    double v = x[i];
    int all = isnan(exp(v)) | isnan(exp2(v)) << 1 | isnan(exp10(v)) << 2 | isnan(expm1(v)) << 3 | isnan(erfc(v)) << 4;
    all |= isnan(tgamma(v)) << 5 | isnan(pow(v, 1.5)) << 6 | isnan(cosh(v)) << 7 | isnan(tanh(v)) << 8 | isnan(sqrt(v)) << 9;
    result[i] = all;
}
