// fmod, remainder, remquo for float: exact.
//
// Method: both arguments as integers times a power of two; the dividend's mantissa is shifted by
// up to 7 bits at a time, which keeps it in 32 bits, and reduced; the low bits of the quotient are
// kept. fmod takes a short cut where the quotient is small.
#pragma OPENCL FP_CONTRACT OFF

typedef struct {
    uint mantissa;
    int exponent;
} parts;

static parts take_apart(float a) {
    uint bits = as_uint(a);
    int e = (int)(bits >> 23);
    parts p;
    p.mantissa = e == 0 ? bits : (bits & 0x7fffff) | 0x800000;
    p.exponent = e == 0 ? 1 : e;
    return p;
}

// mantissa * 2^exponent for mantissa < 2^24; exact, because the value is a float's remainder.
static float put_together(uint mantissa, int exponent) {
    if (mantissa == 0)
        return 0.0f;
    int shift = (int)clz(mantissa) - 8;
    if (exponent - shift >= 1)
        return as_float(((mantissa << shift) & 0x7fffff) | (uint)(exponent - shift) << 23);
    return as_float(mantissa << (exponent - 1));
}

// A quotient's low 31 bits and what is left, in units of 2^exponent, in which |y| is the divisor.
typedef struct {
    uint quotient, rest, divisor;
    int exponent;
} division;

// |x| / |y| for y != 0 and |x| of at least half of |y|'s power of two.
static division divide_exactly(float ax, float ay) {
    parts a = take_apart(ax), b = take_apart(ay);
    if (a.exponent < b.exponent) {
        b.mantissa <<= 1;
        b.exponent -= 1;
    }
    int steps = a.exponent - b.exponent;
    uint rest = a.mantissa, q = 0;
    int shift = 0;
    while (true) {
        uint wide = rest << shift, part = wide / b.mantissa;
        rest = wide - part * b.mantissa;
        q = q << shift | part;
        steps -= shift;
        if (steps <= 0)
            break;
        shift = min(steps, 7);
    }
    division d = {q & 0x7fffffff, rest, b.mantissa, b.exponent};
    return d;
}

// |x| mod |y| for a quotient up to 512. In units of y's last place y is below 2^24: the products of
// the rounded quotient with y's first 12 bits and with the rest are exact, and so are the
// differences, which stay below 2^24; the sign of what is left tells how the quotient was rounded.
// For |y| >= 2^-100, so that none of them is a denormal, which the device may take for zero.
static float reduce_near(float ax, float ay) {
    float q = rint(half_divide(ax, ay)), head = as_float(as_uint(ay) & 0xfffff000);
    float rest = (ax - q * head) - q * (ay - head);
    return rest < 0.0f ? rest + ay : rest;
}

float __pumice_fmod_f32(float x, float y) {
    float ax = fabs(x), ay = fabs(y);
    if (!(ax < INFINITY) || isnan(y) || ay == 0.0f)
        return as_float(0x7fc00000);
    if (ay == INFINITY)
        return x;
    if (ax < ay)
        return x;
    if (ax < ay * 512.0f && ax < 0x1p126f && ay >= 0x1p-100f)
        return copysign(reduce_near(ax, ay), x);
    division d = divide_exactly(ax, ay);
    return copysign(put_together(d.rest, d.exponent), x);
}

// The same by an exact fma: the mantissas' quotient, 12 bits at a time. A rounded quotient below 2^13 is
// at most one more than the whole one, what an fma leaves is exact, and its sign tells.
float __pumice_fmod_by_fma_f32(float x, float y) {
    float ax = fabs(x), ay = fabs(y);
    uint ua = as_uint(ax), ub = as_uint(ay);
    bool tiny_a = ua < 0x800000, tiny_b = ub < 0x800000;
    // Denormals in units of 2^-149.
    uint na = tiny_a ? as_uint((float)ua) : ua, nb = tiny_b ? as_uint((float)ub) : ub;
    int n = (int)(na >> 23) - (int)(nb >> 23) - (tiny_a ? 149 : 0) + (tiny_b ? 149 : 0);
    float rest = as_float((na & 0x7fffff) | 0x3f800000), divisor = as_float((nb & 0x7fffff) | 0x3f800000);
    float inverse = native_recip(divisor);
    do {
        int step = min(n, 12);
        rest *= as_float((step + 127) << 23);
        rest = fma(-rint(rest * inverse), divisor, rest);
        rest = rest < 0.0f ? rest + divisor : rest;
        n -= step;
    } while (n > 0);
    rest *= as_float(nb & 0x7f800000);
    rest = tiny_b ? rest * 0x1p-75f * 0x1p-74f : rest;
    float result = ax < ay ? x : copysign(rest, x);
    return ax < INFINITY && ay > 0.0f ? result : as_float(0x7fc00000);
}

float __pumice_remquo_f32(float x, float y, __private int *quo) {
    float ax = fabs(x), ay = fabs(y);
    *quo = 0;
    if (!(ax < INFINITY) || isnan(y) || ay == 0.0f)
        return as_float(0x7fc00000);
    if (ay == INFINITY)
        return x;
    if ((as_uint(ax) >> 23) + 1 < as_uint(ay) >> 23)
        return x;
    division d = divide_exactly(ax, ay);
    // Round the quotient to nearest, ties to even; in integers, since the device may take denormals
    // for zeros.
    uint other = d.divisor - d.rest;
    bool up = d.rest > other || (d.rest == other && (d.quotient & 1));
    int low = (int)((d.quotient + (up ? 1u : 0u)) & 0x7f);
    *quo = (as_int(x) < 0) != (as_int(y) < 0) ? -low : low;
    float r = put_together(up ? other : d.rest, d.exponent);
    return (as_int(x) < 0) != up ? -r : r;
}

float __pumice_remainder_f32(float x, float y) {
    int quo;
    return __pumice_remquo_f32(x, y, &quo);
}
