// test: run
// Functions of double at the least and the largest denormal numbers: values of the C library.
// needs: doubles
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
#define TELL(place)                                                                                     \
    result[(place) * n + i] = r;                                                                        \
    signs[(place) * n + i] = isnan(r) ? 7 : signbit(r) ? 1 : 0;
#define EDGE(place, f)                                                                                  \
    r = f(a);                                                                                           \
    TELL(place)

// kernel: circle
// global: 4
// arg: buffer double 0x0000000000000001 0x8000000000000001 0x000fffffffffffff 0x800fffffffffffff
// arg: buffer double 24*7
// arg: buffer int 24*9
// expect 1: double 0x0000000000000001 0x8000000000000001 0x000fffffffffffff 0x800fffffffffffff 0x3ff0000000000000 0x3ff0000000000000 0x3ff0000000000000 0x3ff0000000000000 0x0000000000000001 0x8000000000000001 0x000fffffffffffff 0x800fffffffffffff 0x0000000000000003 0x8000000000000003 0x002921fb54442d16 0x802921fb54442d16 0x3ff0000000000000 0x3ff0000000000000 0x3ff0000000000000 0x3ff0000000000000 0x0000000000000003 0x8000000000000003 0x002921fb54442d16 0x802921fb54442d16 ulp 6
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
// arg: buffer double 0x0000000000000001 0x8000000000000001 0x000fffffffffffff 0x800fffffffffffff
// arg: buffer double 24*7
// arg: buffer int 24*9
// expect 1: double 0x0000000000000001 0x8000000000000001 0x000fffffffffffff 0x800fffffffffffff 0x3ff921fb54442d18 0x3ff921fb54442d18 0x3ff921fb54442d18 0x3ff921fb54442d18 0x0000000000000001 0x8000000000000001 0x000fffffffffffff 0x800fffffffffffff 0x0000000000000000 0x8000000000000000 0x000517cc1b727220 0x800517cc1b727220 0x3fe0000000000000 0x3fe0000000000000 0x3fe0000000000000 0x3fe0000000000000 0x0000000000000000 0x8000000000000000 0x000517cc1b727220 0x800517cc1b727220 ulp 5
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
// arg: buffer double 0x0000000000000001 0x8000000000000001 0x000fffffffffffff 0x800fffffffffffff
// arg: buffer double 24*7
// arg: buffer int 24*9
// expect 1: double 0x0000000000000001 0x8000000000000001 0x000fffffffffffff 0x800fffffffffffff 0x3ff0000000000000 0x3ff0000000000000 0x3ff0000000000000 0x3ff0000000000000 0x0000000000000001 0x8000000000000001 0x000fffffffffffff 0x800fffffffffffff 0x0000000000000001 0x8000000000000001 0x000fffffffffffff 0x800fffffffffffff 0x7ff8000000000000 0x7ff8000000000000 0x7ff8000000000000 0x7ff8000000000000 0x0000000000000001 0x8000000000000001 0x000fffffffffffff 0x800fffffffffffff ulp 5
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
// arg: buffer double 0x0000000000000001 0x8000000000000001 0x000fffffffffffff 0x800fffffffffffff
// arg: buffer double 44*7
// arg: buffer int 44*9
// expect 1: double 0x3ff0000000000000 0x3ff0000000000000 0x3ff0000000000000 0x3ff0000000000000 0x3ff0000000000000 0x3ff0000000000000 0x3ff0000000000000 0x3ff0000000000000 0x3ff0000000000000 0x3ff0000000000000 0x3ff0000000000000 0x3ff0000000000000 0x0000000000000001 0x8000000000000001 0x000fffffffffffff 0x800fffffffffffff 0xc0874385446d71c3 0x7ff8000000000000 0xc086232bdd7abcd2 0x7ff8000000000000 0xc090c80000000000 0x7ff8000000000000 0xc08ff00000000000 0x7ff8000000000000 0xc07434e6420f4374 0x7ff8000000000000 0xc0733a7146f72a42 0x7ff8000000000000 0x0000000000000001 0x8000000000000001 0x000fffffffffffff 0x800fffffffffffff 0x1e60000000000000 0x7ff8000000000000 0x1fffffffffffffff 0x7ff8000000000000 0x6180000000000000 0x7ff8000000000000 0x5fe0000000000001 0x7ff8000000000000 0x298fffffffffffff 0xa98fffffffffffff 0x2aa428a2f98d728b 0xaaa428a2f98d728b ulp 3
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
// arg: buffer double 0x0000000000000001 0x8000000000000001 0x000fffffffffffff 0x800fffffffffffff
// arg: buffer double 16*7
// arg: buffer int 16*9
// expect 1: double 0x0000000000000001 0x8000000000000001 0x00120dd750429b6c 0x80120dd750429b6c 0x3ff0000000000000 0x3ff0000000000000 0x3ff0000000000000 0x3ff0000000000000 0x7ff0000000000000 0xfff0000000000000 0x7fd0000000000001 0xffd0000000000001 0x40874385446d71c3 0x40874385446d71c3 0x4086232bdd7abcd2 0x4086232bdd7abcd2 ulp 16
// expect 2: int 0 1 0 1 0 0 0 0 0 1 0 1 0 0 0 0
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
// arg: buffer double 0x0000000000000001 0x8000000000000001 0x000fffffffffffff 0x800fffffffffffff
// arg: buffer double 32*7
// arg: buffer int 32*9
// expect 1: double 0x0000000000000000 0x8000000000000000 0x0000000000000000 0x8000000000000000 0x0000000000000000 0x8000000000000000 0x0000000000000000 0x8000000000000000 0x0000000000000000 0x8000000000000000 0x0000000000000000 0x8000000000000000 0x3ff0000000000000 0x8000000000000000 0x3ff0000000000000 0x8000000000000000 0x0000000000000000 0xbff0000000000000 0x0000000000000000 0xbff0000000000000 0x0000000000000001 0x0000000000000001 0x000fffffffffffff 0x000fffffffffffff 0xc090c80000000000 0xc090c80000000000 0xc08ff80000000000 0xc08ff80000000000 0x3ff0000000000000 0xbff0000000000000 0x3ff0000000000000 0xbff0000000000000
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
