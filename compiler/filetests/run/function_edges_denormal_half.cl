// test: run
// Functions of half at the least and the largest denormal numbers: values of the C library.
// options: -cl-std=CL3.0
// needs: denormals
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef half real;
#define TELL(place)                                                                                     \
    result[(place) * n + i] = r;                                                                        \
    signs[(place) * n + i] = isnan(r) ? 7 : signbit(r) ? 1 : 0;
#define EDGE(place, f)                                                                                  \
    r = f(a);                                                                                           \
    TELL(place)

// kernel: circle
// global: 4
// arg: buffer half 0x0001 0x8001 0x03ff 0x83ff
// arg: buffer half 24*7
// arg: buffer int 24*9
// expect 1: half 0x0001 0x8001 0x03ff 0x83ff 0x3c00 0x3c00 0x3c00 0x3c00 0x0001 0x8001 0x03ff 0x83ff 0x0003 0x8003 0x0a47 0x8a47 0x3c00 0x3c00 0x3c00 0x3c00 0x0003 0x8003 0x0a47 0x8a47 ulp 2
// expect 2: int 0 1 0 1 0 0 0 0 0 1 0 1 0 1 0 1 0 0 0 0 0 1 0 1
kernel void circle(global const real *x, global real *result, global int *signs)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    real a = x[i], r;
    EDGE(0, sin)
    EDGE(1, cos)
    EDGE(2, tan)
    EDGE(3, sinpi)
    EDGE(4, cospi)
    EDGE(5, tanpi)
}

// kernel: arcs
// global: 4
// arg: buffer half 0x0001 0x8001 0x03ff 0x83ff
// arg: buffer half 24*7
// arg: buffer int 24*9
// expect 1: half 0x0001 0x8001 0x03ff 0x83ff 0x3e48 0x3e48 0x3e48 0x3e49 0x0001 0x8001 0x03ff 0x83ff 0x0000 0x8000 0x0146 0x8146 0x3800 0x3800 0x3800 0x3800 0x0000 0x8000 0x0146 0x8146 ulp 2
// expect 2: int 0 1 0 1 0 0 0 0 0 1 0 1 0 1 0 1 0 0 0 0 0 1 0 1
kernel void arcs(global const real *x, global real *result, global int *signs)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    real a = x[i], r;
    EDGE(0, asin)
    EDGE(1, acos)
    EDGE(2, atan)
    EDGE(3, asinpi)
    EDGE(4, acospi)
    EDGE(5, atanpi)
}

// kernel: hyperbolic
// global: 4
// arg: buffer half 0x0001 0x8001 0x03ff 0x83ff
// arg: buffer half 24*7
// arg: buffer int 24*9
// expect 1: half 0x0001 0x8001 0x03ff 0x83ff 0x3c00 0x3c00 0x3c00 0x3c00 0x0001 0x8001 0x03ff 0x83ff 0x0001 0x8001 0x03ff 0x83ff 0x7e00 0x7e00 0x7e00 0x7e00 0x0001 0x8001 0x03ff 0x83ff ulp 2
// expect 2: int 0 1 0 1 0 0 0 0 0 1 0 1 0 1 0 1 7 7 7 7 0 1 0 1
kernel void hyperbolic(global const real *x, global real *result, global int *signs)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    real a = x[i], r;
    EDGE(0, sinh)
    EDGE(1, cosh)
    EDGE(2, tanh)
    EDGE(3, asinh)
    EDGE(4, acosh)
    EDGE(5, atanh)
}

// kernel: powers
// global: 4
// arg: buffer half 0x0001 0x8001 0x03ff 0x83ff
// arg: buffer half 44*7
// arg: buffer int 44*9
// expect 1: half 0x3c00 0x3c00 0x3c00 0x3c00 0x3c00 0x3c00 0x3c00 0x3c00 0x3c00 0x3c00 0x3c00 0x3c00 0x0001 0x8001 0x03ff 0x83ff 0xcc29 0x7e00 0xc8da 0x7e00 0xce00 0x7e00 0xcb00 0x7e00 0xc73a 0x7e00 0xc437 0x7e00 0x0001 0x8001 0x03ff 0x83ff 0x0c00 0x7e00 0x1fff 0x7e00 0x6c00 0x7e00 0x5801 0x7e00 0x1c00 0x9c00 0x290a 0xa90a ulp 2
// expect 2: int 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 1 1 7 1 7 1 7 1 7 1 7 1 7 0 1 0 1 0 7 0 7 0 7 0 7 0 1 0 1
kernel void powers(global const real *x, global real *result, global int *signs)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    real a = x[i], r;
    EDGE(0, exp)
    EDGE(1, exp2)
    EDGE(2, exp10)
    EDGE(3, expm1)
    EDGE(4, log)
    EDGE(5, log2)
    EDGE(6, log10)
    EDGE(7, log1p)
    EDGE(8, sqrt)
    EDGE(9, rsqrt)
    EDGE(10, cbrt)
}

// kernel: special
// global: 4
// arg: buffer half 0x0001 0x8001 0x03ff 0x83ff
// arg: buffer half 16*7
// arg: buffer int 16*9
// expect 1: half 0x0001 0x8001 0x0482 0x8482 0x3c00 0x3c00 0x3c00 0x3c00 0x7c00 0xfc00 0x7401 0xf401 0x4c29 0x4c29 0x48da ? ulp 4
// expect 2: int 0 1 0 1 0 0 0 0 0 1 0 1 0 0 0 ?
kernel void special(global const real *x, global real *result, global int *signs)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    real a = x[i], r;
    EDGE(0, erf)
    EDGE(1, erfc)
    EDGE(2, tgamma)
    EDGE(3, lgamma)
}

// kernel: whole
// global: 4
// arg: buffer half 0x0001 0x8001 0x03ff 0x83ff
// arg: buffer half 32*7
// arg: buffer int 32*9
// expect 1: half 0x0000 0x8000 0x0000 0x8000 0x0000 0x8000 0x0000 0x8000 0x0000 0x8000 0x0000 0x8000 0x3c00 0x8000 0x3c00 0x8000 0x0000 0xbc00 0x0000 0xbc00 0x0001 0x0001 0x03ff 0x03ff 0xce00 0xce00 0xcb80 0xcb80 0x3c00 0xbc00 0x3c00 0xbc00
// expect 2: int 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 0 0 0 1 1 1 1 0 1 0 1
kernel void whole(global const real *x, global real *result, global int *signs)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    real a = x[i], r;
    EDGE(0, rint)
    EDGE(1, round)
    EDGE(2, trunc)
    EDGE(3, ceil)
    EDGE(4, floor)
    EDGE(5, fabs)
    EDGE(6, logb)
    EDGE(7, sign)
}
