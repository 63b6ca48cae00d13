// test: run
// Functions of float at the least and the largest denormal numbers: values of the C library.
// needs: denormals
typedef float real;
#define TELL(place)                                                                                     \
    result[(place) * n + i] = r;                                                                        \
    signs[(place) * n + i] = isnan(r) ? 7 : signbit(r) ? 1 : 0;
#define EDGE(place, f)                                                                                  \
    r = f(a);                                                                                           \
    TELL(place)

// kernel: circle
// global: 4
// arg: buffer float 0x00000001 0x80000001 0x007fffff 0x807fffff
// arg: buffer float 24*7
// arg: buffer int 24*9
// expect 1: float 0x00000001 0x80000001 0x007fffff 0x807fffff 0x3f800000 0x3f800000 0x3f800000 0x3f800000 0x00000001 0x80000001 0x007fffff 0x807fffff 0x00000003 0x80000003 0x01490fd9 0x81490fd9 0x3f800000 0x3f800000 0x3f800000 0x3f800000 0x00000003 0x80000003 0x01490fd9 0x81490fd9 ulp 6
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
// arg: buffer float 0x00000001 0x80000001 0x007fffff 0x807fffff
// arg: buffer float 24*7
// arg: buffer int 24*9
// expect 1: float 0x00000001 0x80000001 0x007fffff 0x807fffff 0x3fc90fdb 0x3fc90fdb 0x3fc90fdb 0x3fc90fdb 0x00000001 0x80000001 0x007fffff 0x807fffff 0x00000000 0x80000000 0x0028be61 0x8028be61 0x3f000000 0x3f000000 0x3f000000 0x3f000000 0x00000000 0x80000000 0x0028be61 0x8028be61 ulp 5
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
// arg: buffer float 0x00000001 0x80000001 0x007fffff 0x807fffff
// arg: buffer float 24*7
// arg: buffer int 24*9
// expect 1: float 0x00000001 0x80000001 0x007fffff 0x807fffff 0x3f800000 0x3f800000 0x3f800000 0x3f800000 0x00000001 0x80000001 0x007fffff 0x807fffff 0x00000001 0x80000001 0x007fffff 0x807fffff 0x7fc00000 0x7fc00000 0x7fc00000 0x7fc00000 0x00000001 0x80000001 0x007fffff 0x807fffff ulp 5
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
// arg: buffer float 0x00000001 0x80000001 0x007fffff 0x807fffff
// arg: buffer float 44*7
// arg: buffer int 44*9
// expect 1: float 0x3f800000 0x3f800000 0x3f800000 0x3f800000 0x3f800000 0x3f800000 0x3f800000 0x3f800000 0x3f800000 0x3f800000 0x3f800000 0x3f800000 0x00000001 0x80000001 0x007fffff 0x807fffff 0xc2ce8ed0 0x7fc00000 0xc2aeac50 0x7fc00000 0xc3150000 0x7fc00000 0xc2fc0000 0x7fc00000 0xc23369f4 0x7fc00000 0xc217b818 0x7fc00000 0x00000001 0x80000001 0x007fffff 0x807fffff 0x1a3504f3 0x7fc00000 0x1fffffff 0x7fc00000 0x64b504f3 0x7fc00000 0x5f000001 0x7fc00000 0x26a14518 0xa6a14518 0x2a7fffff 0xaa7fffff ulp 3
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
// arg: buffer float 0x00000001 0x80000001 0x007fffff 0x807fffff
// arg: buffer float 16*7
// arg: buffer int 16*9
// expect 1: float 0x00000001 0x80000001 0x00906eb9 0x80906eb9 0x3f800000 0x3f800000 0x3f800000 0x3f800000 0x7f800000 0xff800000 0x7e800001 0xfe800001 0x42ce8ed0 0x42ce8ed0 0x42aeac50 0x42aeac50 ulp 16
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
// arg: buffer float 0x00000001 0x80000001 0x007fffff 0x807fffff
// arg: buffer float 32*7
// arg: buffer int 32*9
// expect 1: float 0x00000000 0x80000000 0x00000000 0x80000000 0x00000000 0x80000000 0x00000000 0x80000000 0x00000000 0x80000000 0x00000000 0x80000000 0x3f800000 0x80000000 0x3f800000 0x80000000 0x00000000 0xbf800000 0x00000000 0xbf800000 0x00000001 0x00000001 0x007fffff 0x007fffff 0xc3150000 0xc3150000 0xc2fe0000 0xc2fe0000 0x3f800000 0xbf800000 0x3f800000 0xbf800000
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
