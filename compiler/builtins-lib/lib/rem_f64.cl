// fmod, remainder, remquo for double: exact.
//
// Method: as rem_f32.cl, eleven bits at a time.
#pragma OPENCL FP_CONTRACT OFF

typedef struct {
    ulong mantissa;
    int exponent;
} parts;

static parts take_apart(double a) {
    ulong bits = as_ulong(a);
    int e = (int)(bits >> 52);
    parts p;
    p.mantissa = e == 0 ? bits : (bits & 0xffffffffffffful) | 0x10000000000000ul;
    p.exponent = e == 0 ? 1 : e;
    return p;
}

static double put_together(ulong mantissa, int exponent) {
    if (mantissa == 0)
        return 0.0;
    int shift = (int)clz(mantissa) - 11;
    if (exponent - shift >= 1)
        return as_double(((mantissa << shift) & 0xffffffffffffful) | (ulong)(exponent - shift) << 52);
    return as_double(mantissa << (exponent - 1));
}

static double reduce_exactly(double ax, double ay, uint *quotient) {
    parts a = take_apart(ax), b = take_apart(ay);
    if (ax < ay) {
        *quotient = 0;
        return ax;
    }
    int steps = a.exponent - b.exponent;
    ulong rest = a.mantissa, q = rest / b.mantissa;
    rest -= q * b.mantissa;
    while (steps > 0) {
        int shift = min(steps, 11);
        ulong wide = rest << shift, part = wide / b.mantissa;
        rest = wide - part * b.mantissa;
        q = q << shift | part;
        steps -= shift;
    }
    *quotient = (uint)q & 0x7fffffff;
    return put_together(rest, b.exponent);
}

// |x| mod |y| for a quotient up to 512, as in rem_f32.cl with 26 bits of y in the head.
static double reduce_near(double ax, double ay) {
    double q = rint(ax / ay), head = as_double(as_ulong(ay) & 0xfffffffff8000000ul);
    double rest = (ax - q * head) - q * (ay - head);
    return rest < 0.0 ? rest + ay : rest;
}

double __pumice_fmod_f64(double x, double y) {
    double ax = fabs(x), ay = fabs(y);
    if (!(ax < INFINITY) || isnan(y) || ay == 0.0)
        return as_double(0x7ff8000000000000ul);
    if (ay == INFINITY)
        return x;
    if (ax < ay)
        return x;
    if (ax < ay * 512.0 && ax < 0x1p1022)
        return copysign(reduce_near(ax, ay), x);
    uint quotient;
    return copysign(reduce_exactly(ax, ay, &quotient), x);
}

double __pumice_remquo_f64(double x, double y, __private int *quo) {
    double ax = fabs(x), ay = fabs(y);
    *quo = 0;
    if (!(ax < INFINITY) || isnan(y) || ay == 0.0)
        return as_double(0x7ff8000000000000ul);
    if (ay == INFINITY)
        return x;
    uint q;
    double r = reduce_exactly(ax, ay, &q);
    double other = ay - r;
    if (r > other || (r == other && (q & 1))) {
        r = r - ay;
        q += 1;
    }
    int low = (int)(q & 0x7f);
    *quo = (as_long(x) < 0) != (as_long(y) < 0) ? -low : low;
    return as_long(x) < 0 ? -r : r;
}

double __pumice_remainder_f64(double x, double y) {
    int quo;
    return __pumice_remquo_f64(x, y, &quo);
}
