// fmod, remainder, remquo for float: exact.
//
// Method: both arguments as integers times a power of two; the dividend's mantissa is shifted by
// up to 32 bits at a time and reduced, the low bits of the quotient are kept. fmod takes a short cut
// where the quotient is small.
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

// |x| mod |y| for finite x and y != 0; *quotient gets the quotient's low 31 bits.
static float reduce_exactly(float ax, float ay, uint *quotient) {
    parts a = take_apart(ax), b = take_apart(ay);
    if (ax < ay) {
        *quotient = 0;
        return ax;
    }
    int steps = a.exponent - b.exponent;
    ulong rest = a.mantissa, q = rest / b.mantissa;
    rest -= q * b.mantissa;
    while (steps > 0) {
        int shift = min(steps, 32);
        ulong wide = rest << shift, part = wide / b.mantissa;
        rest = wide - part * b.mantissa;
        q = q << shift | part;
        steps -= shift;
    }
    *quotient = (uint)q & 0x7fffffff;
    return put_together((uint)rest, b.exponent);
}

// |x| mod |y| for a quotient up to 512. In units of y's last place y is below 2^24: the products of
// the rounded quotient with y's first 12 bits and with the rest are exact, and so are the
// differences, which stay below 2^24; the sign of what is left tells how the quotient was rounded.
static float reduce_near(float ax, float ay) {
    float q = rint(ax / ay), head = as_float(as_uint(ay) & 0xfffff000);
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
    if (ax < ay * 512.0f && ax < 0x1p126f)
        return copysign(reduce_near(ax, ay), x);
    uint quotient;
    return copysign(reduce_exactly(ax, ay, &quotient), x);
}

float __pumice_remquo_f32(float x, float y, __private int *quo) {
    float ax = fabs(x), ay = fabs(y);
    *quo = 0;
    if (!(ax < INFINITY) || isnan(y) || ay == 0.0f)
        return as_float(0x7fc00000);
    if (ay == INFINITY)
        return x;
    uint q;
    float r = reduce_exactly(ax, ay, &q);
    // Round the quotient to nearest, ties to even: compare r with ay - r, both exact.
    float other = ay - r;
    if (r > other || (r == other && (q & 1))) {
        r = r - ay;
        q += 1;
    }
    int low = (int)(q & 0x7f);
    *quo = (as_int(x) < 0) != (as_int(y) < 0) ? -low : low;
    return as_int(x) < 0 ? -r : r;
}

float __pumice_remainder_f32(float x, float y) {
    int quo;
    return __pumice_remquo_f32(x, y, &quo);
}
