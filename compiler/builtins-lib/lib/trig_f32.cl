// sin, cos, tan, sinpi, cospi, tanpi for float.
//
// Method: x = n*pi/2 + r with |r| <= pi/4. Up to |x| = 128 by subtracting n times pi/2 in four
// pieces, of which the first products are exact; beyond that by multiplying the mantissa with
// the 96 bits of 2/pi that matter (Payne and Hanek), in integers. Then polynomials in r^2
// (derive/f32.sollya). The ...pi functions reduce exactly.
// Worst error over 45 million arguments: sin 2.7, cos 2.7, tan 3.7, sinpi 1.5, cospi 1.5, tanpi 2.7 ULP.
#pragma OPENCL FP_CONTRACT OFF

typedef struct {
    float r;
    int n;
} reduced;

// The i-th 32-bit word of 2/pi behind one word of zeros. Selections instead of a table, so that
// a kernel with a sine needs no constant data.
static uint two_over_pi(int i) {
    return i == 0   ? 0u
           : i == 1 ? 0xa2f9836eu
           : i == 2 ? 0x4e441529u
           : i == 3 ? 0xfc2757d1u
           : i == 4 ? 0xf534ddc0u
           : i == 5 ? 0xdb629599u
           : i == 6 ? 0x3c439041u
                    : 0xfe5163abu;
}

static reduced reduce_large(float x) {
    uint bits = as_uint(x) & 0x7fffffff;
    ulong mantissa = (bits & 0x7fffff) | 0x800000;
    // |x| = mantissa * 2^e. Bits of 2/pi above 4 / 2^e only add multiples of 4 quadrants.
    int e = (int)(bits >> 23) - 150;
    int skip = e - 2 + 32;
    int word = skip >> 5, shift = skip & 31;
    uint a = two_over_pi(word), b = two_over_pi(word + 1), c = two_over_pi(word + 2), d = two_over_pi(word + 3);
    if (shift != 0) {
        a = a << shift | b >> (32 - shift);
        b = b << shift | c >> (32 - shift);
        c = c << shift | d >> (32 - shift);
    }
    ulong low = mantissa * c;
    ulong middle = mantissa * b + (low >> 32);
    ulong high = mantissa * a + (middle >> 32);
    // Quadrants modulo 4 with 62 fractional bits.
    ulong q = high << 32 | (middle & 0xffffffffu);
    reduced result;
    result.n = (int)(q >> 62) + (int)((q >> 61) & 1);
    result.r = (float)(long)(q << 2) * 0x1.921fb6p-64f;
    if (as_int(x) < 0) {
        result.n = -result.n;
        result.r = -result.r;
    }
    return result;
}

static reduced reduce(float x) {
    if (fabs(x) >= 128.0f)
        return reduce_large(x);
    float k = rint(x * 0x1.45f306p-1f);
    reduced result;
    result.n = (int)k;
    result.r = ((x - k * 0x1.921cp0f) - k * 0x1.daap-15f) - (k * 0x1.10b4p-30f + k * 0x1.84698ap-48f);
    return result;
}

static float sin_poly(float r, float z) {
    return r + r * z * (-0x1.555556p-3f + z * (0x1.111198p-7f + z * (-0x1.a082dep-13f + z * 0x1.875928p-19f)));
}

static float cos_poly(float z) {
    float half_z = 0.5f * z, w = 1.0f - half_z;
    float p = 0x1.555554p-5f + z * (-0x1.6c1298p-10f + z * 0x1.9bc37cp-16f);
    return w + (((1.0f - w) - half_z) + z * z * p);
}

// sin(r + n*pi/2).
static float quadrant(float r, int n) {
    float z = r * r;
    float v = (n & 1) ? cos_poly(z) : sin_poly(r, z);
    return (n & 2) ? -v : v;
}

float __pumice_sin_f32(float x) {
    if (!(fabs(x) < INFINITY))
        return as_float(0x7fc00000);
    reduced p = reduce(x);
    return quadrant(p.r, p.n);
}

float __pumice_cos_f32(float x) {
    if (!(fabs(x) < INFINITY))
        return as_float(0x7fc00000);
    reduced p = reduce(x);
    return quadrant(p.r, p.n + 1);
}

float __pumice_tan_f32(float x) {
    if (!(fabs(x) < INFINITY))
        return as_float(0x7fc00000);
    reduced p = reduce(x);
    float z = p.r * p.r;
    float t = 0x1.61bd3ap-6f + z * (0x1.498d08p-7f + z * (0x1.12bda2p-10f + z * 0x1.00c4eep-8f));
    t = p.r + p.r * z * (0x1.555556p-2f + z * (0x1.111064p-3f + z * (0x1.ba5c2cp-5f + z * t)));
    return (p.n & 1) ? -1.0f / t : t;
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
        t = quadrant_pi(r, n) / quadrant_pi(r, n + 1);
    }
    return as_int(x) < 0 ? -t : t;
}
