// Arithmetic on doubles by integers, for devices without doubles (the pass soft_doubles calls these functions). Each
// gives the nearest result, with denormals. Quotients and roots are in exact_f64.cl.
#pragma OPENCL FP_CONTRACT OFF

ulong __pumice_mantissa_f64(ulong bits, int *exponent);
double __pumice_nearest_f64(ulong sign, ulong value, int e);

#define SIGN 0x8000000000000000ul
#define MAGNITUDE 0x7ffffffffffffffful
#define INFINITE 0x7ff0000000000000ul
#define QUIET_NAN 0x7ff8000000000000ul
#define FRACTION 0xffffffffffffful
#define HIDDEN 0x10000000000000ul
#define ONE 0x3ff0000000000000ul

// value >> n, whose last bit tells of what was cut off too.
static ulong shifted(ulong value, int n) {
    if (n > 63)
        return (ulong)(value != 0);
    return value >> n | (ulong)((value & ((1ul << n) - 1)) != 0);
}

// The significand of a finite number in its own exponent, or in that of the least normal number for a denormal.
static ulong significand(ulong magnitude) {
    return (magnitude & FRACTION) | (magnitude >= HIDDEN ? HIDDEN : 0ul);
}

double __pumice_soft_add_f64(double a, double b) {
    ulong ua = as_ulong(a), ub = as_ulong(b);
    // The larger one first.
    bool swap = (ua & MAGNITUDE) < (ub & MAGNITUDE);
    ulong first = swap ? ub : ua, second = swap ? ua : ub;
    ulong large = first & MAGNITUDE, small = second & MAGNITUDE;
    if (large >= INFINITE)
        return as_double(large > INFINITE || (small == INFINITE && first != second) ? QUIET_NAN : first);
    int e = max((int)(large >> 52), 1), below = e - max((int)(small >> 52), 1);
    ulong m = significand(large) << 10, n = shifted(significand(small) << 10, below);
    ulong sum = (first ^ second) >> 63 ? m - n : m + n;
    if (sum == 0)
        return as_double(first & second & SIGN);
    return __pumice_nearest_f64(first >> 63, sum, e - 1085);
}

double __pumice_soft_mul_f64(double a, double b) {
    ulong ua = as_ulong(a), ub = as_ulong(b);
    ulong aa = ua & MAGNITUDE, ab = ub & MAGNITUDE, sign = (ua ^ ub) & SIGN;
    bool empty = aa == 0 || ab == 0;
    if (aa >= INFINITE || ab >= INFINITE)
        return as_double(aa > INFINITE || ab > INFINITE || empty ? QUIET_NAN : sign | INFINITE);
    if (empty)
        return as_double(sign);
    int ea, eb;
    ulong m = __pumice_mantissa_f64(aa, &ea) << 11, n = __pumice_mantissa_f64(ab, &eb) << 10;
    return __pumice_nearest_f64(sign >> 63, mul_hi(m, n) | (ulong)(m * n != 0), ea + eb + 64 - 21);
}

// 128 bits: the product needs 106.
typedef struct {
    ulong high, low;
} wide;

// value >> n, whose last bit tells of what was cut off too.
static wide wide_shifted(wide value, int n) {
    wide r = value;
    if (n > 63) {
        r.low = shifted(value.high, n - 64) | (ulong)(value.low != 0);
        r.high = 0;
    } else if (n > 0) {
        ulong rest = value.low << (64 - n);
        r.low = value.low >> n | value.high << (64 - n) | (ulong)(rest != 0);
        r.high = value.high >> n;
    }
    return r;
}

static wide wide_difference(wide a, wide b) {
    wide r = {a.high - b.high - (ulong)(a.low < b.low), a.low - b.low};
    return r;
}

double __pumice_soft_fma_f64(double a, double b, double c) {
    ulong ua = as_ulong(a), ub = as_ulong(b), uc = as_ulong(c);
    ulong aa = ua & MAGNITUDE, ab = ub & MAGNITUDE, ac = uc & MAGNITUDE;
    ulong sign = (ua ^ ub) & SIGN, of_c = uc & SIGN;
    bool empty = aa == 0 || ab == 0, infinite = aa == INFINITE || ab == INFINITE;
    if (aa > INFINITE || ab > INFINITE || ac > INFINITE || (empty && infinite)
        || (infinite && ac == INFINITE && sign != of_c))
        return as_double(QUIET_NAN);
    if (infinite)
        return as_double(sign | INFINITE);
    if (ac == INFINITE || (empty && ac != 0))
        return c;
    if (empty)
        return as_double(sign & of_c);
    // The product between 2^124 and 2^126, and the addend's first bit at 2^124.
    int ea, eb, ec;
    ulong m = __pumice_mantissa_f64(aa, &ea) << 10, n = __pumice_mantissa_f64(ab, &eb) << 10;
    wide product = {mul_hi(m, n), m * n}, addend = {__pumice_mantissa_f64(ac, &ec) << 8, 0};
    int e = ea + eb - 20, apart = ac == 0 ? 0 : e - (ec - 72);
    addend = wide_shifted(addend, max(apart, 0));
    product = wide_shifted(product, max(-apart, 0));
    e += max(-apart, 0);
    wide sum = {product.high + addend.high, product.low + addend.low};
    sum.high += (ulong)(sum.low < addend.low);
    if (sign != of_c) {
        bool less = product.high < addend.high || (product.high == addend.high && product.low < addend.low);
        sum = less ? wide_difference(addend, product) : wide_difference(product, addend);
        sign = less ? of_c : sign;
    }
    if (sum.high == 0)
        return sum.low == 0 ? 0.0 : __pumice_nearest_f64(sign >> 63, sum.low, e);
    int zeros = (int)clz(sum.high);
    ulong top = sum.high << zeros | sum.low >> (64 - zeros);
    return __pumice_nearest_f64(sign >> 63, top | (ulong)(sum.low << zeros != 0), e + 64 - zeros);
}

double __pumice_soft_from_ulong_f64(ulong number) {
    return number == 0 ? 0.0 : __pumice_nearest_f64(0, number, 0);
}

double __pumice_soft_from_long_f64(long number) {
    return number == 0 ? 0.0 : __pumice_nearest_f64((ulong)number >> 63, abs(number), 0);
}

// Cut toward zero; unspecified out of range.
ulong __pumice_soft_to_ulong_f64(double x) {
    ulong bits = as_ulong(x) & MAGNITUDE, m = (bits & FRACTION) | HIDDEN;
    int e = (int)(bits >> 52) - 1075;
    return e >= 0 ? m << (e & 63) : e < -63 ? 0ul : m >> -e;
}

// The same for negative numbers too.
long __pumice_soft_to_long_f64(double x) {
    long magnitude = (long)__pumice_soft_to_ulong_f64(x);
    return as_long(x) < 0 ? -magnitude : magnitude;
}

double __pumice_soft_from_float_f64(float x) {
    uint bits = as_uint(x), magnitude = bits & 0x7fffffffu;
    ulong sign = (ulong)(bits ^ magnitude) << 32;
    if (magnitude >= 0x7f800000u)
        return as_double(sign | (magnitude > 0x7f800000u ? QUIET_NAN : INFINITE));
    if (magnitude == 0)
        return as_double(sign);
    int zeros = magnitude < 0x800000u ? (int)clz(magnitude) - 8 : 0;
    return as_double(sign | (((ulong)(magnitude << zeros) << 29) + ((ulong)(1023 - 127 - zeros) << 52)));
}

float __pumice_soft_to_float_f64(double x) {
    ulong bits = as_ulong(x), magnitude = bits & MAGNITUDE;
    uint sign = (uint)(bits >> 32) & 0x80000000u;
    int e = (int)(magnitude >> 52) - 1023 + 127;
    if (magnitude > INFINITE)
        return as_float(sign | 0x7fc00000u);
    if (e > 254)
        return as_float(sign | 0x7f800000u);
    // The lowest bit tells of what is below the places of a denormal.
    ulong kept = shifted(significand(magnitude), min(1 - min(e, 1), 63));
    uint result = (uint)(kept >> 29) + ((uint)(max(e, 1) - 1) << 23);
    ulong rest = kept & 0x1ffffffful;
    bool up = rest > 0x10000000ul || (rest == 0x10000000ul && (result & 1));
    return as_float(sign | (result + (up ? 1u : 0u)));
}

// The bits of the integral magnitude at or below one, and, if the number is not integral and `away`, the next above it.
static ulong integral(ulong magnitude, bool away) {
    if (magnitude > INFINITE)
        return QUIET_NAN;
    int e = (int)(magnitude >> 52) - 1023;
    if (e > 51)
        return magnitude;
    if (e < 0)
        return magnitude != 0 && away ? ONE : 0ul;
    ulong whole = magnitude & ~(FRACTION >> e);
    return whole != magnitude && away ? whole + (1ul << (52 - e)) : whole;
}

double __pumice_soft_trunc_f64(double x) {
    ulong bits = as_ulong(x);
    return as_double((bits & SIGN) | integral(bits & MAGNITUDE, false));
}

double __pumice_soft_floor_f64(double x) {
    ulong bits = as_ulong(x);
    return as_double((bits & SIGN) | integral(bits & MAGNITUDE, bits >> 63));
}

double __pumice_soft_ceil_f64(double x) {
    ulong bits = as_ulong(x);
    return as_double((bits & SIGN) | integral(bits & MAGNITUDE, !(bits >> 63)));
}

double __pumice_soft_rint_f64(double x) {
    ulong bits = as_ulong(x), magnitude = bits & MAGNITUDE;
    int e = (int)(magnitude >> 52) - 1023;
    // Which of both neighbours is nearer, and for a tie, which is even.
    ulong middle = 1ul << (51 - clamp(e, 0, 51));
    ulong rest = magnitude & (2 * middle - 1);
    bool odd = magnitude & 2 * middle;
    bool away = e < 0 ? magnitude > ONE - HIDDEN : rest > middle || (rest == middle && (e == 0 || odd));
    return as_double((bits & SIGN) | integral(magnitude, away));
}
