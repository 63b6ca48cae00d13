// sin, cos, tan, sinpi, cospi, tanpi for float.
//
// Method: x = n*pi/2 + r with |r| <= pi/4. Up to |x| = 128 by subtracting n times pi/2 in four
// pieces, of which the first products are exact; beyond that by multiplying the mantissa with
// the 96 bits of 2/pi that matter (Payne and Hanek), in integers. Then polynomials in r^2
// (derive/f32.sollya). The ...pi functions reduce exactly.
// Worst error over 45 million arguments: sin 2.7, cos 2.7, tan 3.7, sinpi 1.5, cospi 1.5, tanpi 2.7 ULP.
#pragma OPENCL FP_CONTRACT ON

typedef struct {
    float r;
    int n;
} reduced;

// 32 bits of high:low from bit `shift` of high on, shift < 32.
static uint funnel(uint high, uint low, uint shift) {
    return high << shift | low >> 1 >> (31 - shift);
}

// For positive arguments, as __pumice_reduce_f32.
static reduced reduce_large(float x) {
    uint bits = as_uint(x);
    uint mantissa = (bits & 0x7fffff) | 0x800000;
    // x = mantissa * 2^e, e = exponent - 150. Bits of 2/pi above 4 / 2^e only add multiples of 4
    // quadrants: what counts begins `skip` bits behind the start of a word of zeros before 2/pi.
    // Its words are selected by the bits of skip, so that a kernel with a sine needs no constant data.
    uint skip = (bits >> 23) - 120, shift = skip & 31;
    bool second = skip & 64, next = skip & 32, last = skip >= 128;
    uint w0 = second ? 0x4e441529u : 0u, w1 = second ? 0xfc2757d1u : 0xa2f9836eu;
    uint w2 = second ? 0xf534ddc0u : 0x4e441529u, w3 = second ? 0xdb629599u : 0xfc2757d1u;
    uint w4 = second ? 0x3c439041u : 0xf534ddc0u;
    uint a = last ? 0xf534ddc0u : next ? w1 : w0, b = last ? 0xdb629599u : next ? w2 : w1;
    uint c = last ? 0x3c439041u : next ? w3 : w2, d = last ? 0xfe5163abu : next ? w4 : w3;
    a = funnel(a, b, shift);
    b = funnel(b, c, shift);
    c = funnel(c, d, shift);
    ulong middle = (ulong)mantissa * b + mul_hi(mantissa, c);
    uint high = mantissa * a + (uint)(middle >> 32), low = (uint)middle;
    // Quadrants modulo 4: two bits of high, then the fraction, of which 30 bits stand in high. A
    // fraction beyond one half counts down from the next quadrant. The first 24 bits of its magnitude
    // and the rest are converted apart, so that the sum is rounded once.
    uint down = (uint)((int)(high << 2) >> 31);
    uint top = (high << 2 | low >> 30) ^ down, rest = low << 2 ^ down;
    float head = (float)(top & 0xffffff00u), tail = (float)(top << 24 | rest >> 8);
    float r = (head + tail * 0x1p-24f) * 0x1.921fb6p-32f;
    reduced result;
    result.n = (int)((high + 0x20000000u) >> 30);
    result.r = as_float(as_uint(r) | (down & 0x80000000u));
    return result;
}

// Reduces |x|: sines and tangents get the sign of x last, so that those of -0 are -0.
// Not static, so that sine, cosine and tangent of one program share it.
reduced __pumice_reduce_f32(float a) {
    if (a >= 128.0f)
        return reduce_large(a);
    float k = rint(a * 0x1.45f306p-1f);
    reduced result;
    result.n = (int)k;
    result.r = ((a - k * 0x1.921cp0f) - k * 0x1.daap-15f) - (k * 0x1.10b4p-30f + k * 0x1.84698ap-48f);
    return result;
}

static float sin_poly(float r, float z) {
    return r + r * z * (-0x1.555556p-3f + z * (0x1.111198p-7f + z * (-0x1.a082dep-13f + z * 0x1.875928p-19f)));
}

static float cos_poly(float z) {
    float p = 0x1.555554p-5f + z * (-0x1.6c1298p-10f + z * 0x1.9bc37cp-16f);
    return 1.0f + z * (-0.5f + z * p);
}

// v, or -v where the topmost bit of `sign` is set.
static float turned(float v, uint sign) {
    return as_float(as_uint(v) ^ (sign & 0x80000000u));
}

// sin(r + n*pi/2), its sign changed where n is 2 or 3 modulo 4.
static float quadrant(float r, int n) {
    float z = r * r;
    return (n & 1) ? cos_poly(z) : sin_poly(r, z);
}

float __pumice_sin_f32(float x) {
    float a = fabs(x);
    reduced p = __pumice_reduce_f32(a);
    float v = turned(quadrant(p.r, p.n), (uint)p.n << 30 ^ as_uint(x));
    return a < INFINITY ? v : as_float(0x7fc00000);
}

float __pumice_cos_f32(float x) {
    float a = fabs(x);
    reduced p = __pumice_reduce_f32(a);
    int n = p.n + 1;
    float v = turned(quadrant(p.r, n), (uint)n << 30);
    return a < INFINITY ? v : as_float(0x7fc00000);
}

// sin(x), with the cosine in memory; one reduction for both.
float __pumice_sincos_f32(float x, __private float *cosine) {
    float a = fabs(x);
    reduced p = __pumice_reduce_f32(a);
    float z = p.r * p.r, s = sin_poly(p.r, z), c = cos_poly(z);
    float v = (p.n & 1) ? c : s, w = (p.n & 1) ? s : c;
    bool finite = a < INFINITY;
    w = turned(w, (uint)(p.n + 1) << 30);
    *cosine = finite ? w : as_float(0x7fc00000);
    v = turned(v, (uint)p.n << 30 ^ as_uint(x));
    return finite ? v : as_float(0x7fc00000);
}

float __pumice_tan_f32(float x) {
    float a = fabs(x);
    reduced p = __pumice_reduce_f32(a);
    float z = p.r * p.r;
    float t = 0x1.61bd3ap-6f + z * (0x1.498d08p-7f + z * (0x1.12bda2p-10f + z * 0x1.00c4eep-8f));
    t = p.r + p.r * z * (0x1.555556p-2f + z * (0x1.111064p-3f + z * (0x1.ba5c2cp-5f + z * t)));
    t = (p.n & 1) ? half_divide(-1.0f, t) : t;
    t = turned(t, as_uint(x));
    return a < INFINITY ? t : as_float(0x7fc00000);
}

// sin(pi*(r + n/2)) for |r| <= 1/4.
static float quadrant_pi(float r, int n) {
    float z = r * r;
    if (n & 1) {
        float c = -0x1.555e32p0f + z * (0x1.938ffep-3f + z * 0x1.f89c62p-3f);
        c = 1.0f + z * (-0x1.3bd3ccp2f + z * (0x1.03c16ep2f + z * c));
        return (n & 2) ? -c : c;
    }
    float s = -0x1.4abbcep2f + z * (0x1.466b62p1f + z * (-0x1.329df2p-1f + z * 0x1.3efdf2p-4f));
    s = 0x1.921fb6p1f * r + r * z * s;
    return (n & 2) ? -s : s;
}

float __pumice_sinpi_f32(float x) {
    float a = fabs(x);
    if (!(a < INFINITY))
        return as_float(0x7fc00000);
    if (a >= 0x1p23f || a == rint(a))
        return copysign(0.0f, x);
    float k = rint(2.0f * a);
    float s = quadrant_pi(a - 0.5f * k, (int)k);
    return x < 0.0f ? -s : s;
}

float __pumice_cospi_f32(float x) {
    float a = fabs(x);
    if (!(a < INFINITY))
        return as_float(0x7fc00000);
    if (a >= 0x1p24f)
        return 1.0f;
    float k = rint(2.0f * a);
    // Adding zero turns the -0 at odd multiples of 1/2 into +0.
    float r = a - 0.5f * k;
    int n = (int)k + 1;
    // The zeros are positive on both sides.
    if (r == 0.0f && (n & 1) == 0)
        return 0.0f;
    return quadrant_pi(r, n);
}

float __pumice_tanpi_f32(float x) {
    float a = fabs(x);
    if (!(a < INFINITY))
        return as_float(0x7fc00000);
    if (a >= 0x1p24f)
        return copysign(0.0f, x);
    float k = rint(2.0f * a), r = a - 0.5f * k;
    int n = (int)k;
    float t;
    if (r == 0.0f) {
        // Multiples of 1/2: zeros and infinities with the signs of the standard's table.
        t = (n & 1) ? INFINITY : 0.0f;
        t = (n & 2) ? -t : t;
    } else {
        t = half_divide(quadrant_pi(r, n), quadrant_pi(r, n + 1));
    }
    return as_int(x) < 0 ? -t : t;
}
