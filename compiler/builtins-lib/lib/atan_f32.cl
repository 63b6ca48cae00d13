// atan, atan2, asin, acos and their ...pi forms for float.
//
// Method: arctangents of quotients p/q through a polynomial on |t| <= tan(pi/8), where t is p/q,
// (p-q)/(p+q) or -q/p, one division in each case; arcsine through a polynomial on |x| <= 1/2 and
// sqrt((1-|x|)/2) beyond. Results are base*pi + part with pi in two pieces; the ...pi forms add base
// itself, so that exact cases are exact.
// Worst error over 45 million arguments: atan 2.1, atan2 2.4, asin 2.3, acos 1.1, atanpi 2.2,
// asinpi 3.8, acospi 2.4, atan2pi 2.5 ULP.
#pragma OPENCL FP_CONTRACT ON

// atan(t) for |t| <= tan(pi/8).
static float atan_poly(float t) {
    float z = t * t;
    float p = -0x1.241e94p-3f + z * (0x1.b7fe84p-4f + z * -0x1.08256ep-4f);
    p = -0x1.555554p-2f + z * (0x1.999714p-3f + z * p);
    return t + t * z * p;
}

// atan(a) = *base * pi + result, for a >= 0.
static float atan_parts(float a, float *base) {
    // p/q is the tangent of the angle less 0, pi/4 or pi/2. The last one's divisor may be infinite.
    bool large = a > 0x1.3504f4p1f;
    float sine = a > 0x1.a8279ap-2f ? 1.0f : 0.0f, cosine = large ? 0.0f : 1.0f;
    float p = large ? -1.0f : a - sine, q = a * sine + cosine;
    *base = 0.25f * (sine - cosine) + 0.25f;
    return atan_poly(native_divide(p, q));
}

static float join_pi(float base, float part) {
    return base * 0x1.921fb6p1f + (part + base * -0x1.777a5cp-24f);
}

float __pumice_atan_f32(float x) {
    float base, part = atan_parts(fabs(x), &base);
    return copysign(join_pi(base, part), x);
}

float __pumice_atanpi_f32(float x) {
    float base, part = atan_parts(fabs(x), &base);
    return copysign(base + part * 0x1.45f306p-2f, x);
}

// The angle of (x, y) above the x axis as base*pi + result, for |y|.
static float atan2_parts(float y, float x, float *base) {
    float ax = fabs(x), ay = fabs(y);
    float small = fmin(ax, ay), large = fmax(ax, ay);
    // Keep the quotient away from the ends of the range, where division may be inexact. Two zeros
    // count as 0/1, infinities as numbers far from any other.
    float scale = large > 0x1p60f ? 0x1p-60f : large < 0x1p-60f ? 0x1p60f : 1.0f;
    small = small == INFINITY ? 0x1p100f : large == INFINITY ? 0.0f : small * scale;
    large = large == INFINITY ? 0x1p100f : large == 0.0f ? 1.0f : large * scale;
    bool near = small > 0x1.a8279ap-2f * large;
    float p = near ? small - large : small, q = near ? small + large : large;
    *base = near ? 0.25f : 0.0f;
    float part = atan_poly(half_divide(p, q));
    if (ay > ax) {
        *base = 0.5f - *base;
        part = -part;
    }
    if (as_int(x) < 0) {
        *base = 1.0f - *base;
        part = -part;
    }
    return part;
}

float __pumice_atan2_f32(float y, float x) {
    float base, part = atan2_parts(y, x, &base);
    float r = copysign(join_pi(base, part), y);
    return isnan(x) || isnan(y) ? x + y : r;
}

float __pumice_atan2pi_f32(float y, float x) {
    float base, part = atan2_parts(y, x, &base);
    float r = copysign(base + part * 0x1.45f306p-2f, y);
    return isnan(x) || isnan(y) ? x + y : r;
}

// asin(s) for |s| <= 1/2, z = s*s.
static float asin_poly(float s, float z) {
    float p = 0x1.ffbf34p-6f + z * (0x1.0fe1b2p-6f + z * 0x1.1acb92p-5f);
    return s + s * z * (0x1.555554p-3f + z * (0x1.3334cep-4f + z * (0x1.6d3e6ap-5f + z * p)));
}

// asin(|x|) = *base * pi + result; NaN beyond 1.
static float asin_parts(float a, float *base) {
    bool large = a > 0.5f;
    float half_rest = 0.5f * (1.0f - a);
    float z = large ? half_rest : a * a, s = large ? native_sqrt(half_rest) : a;
    float part = asin_poly(s, z);
    *base = large ? 0.5f : 0.0f;
    return large ? -2.0f * part : part;
}

float __pumice_asin_f32(float x) {
    float base, part = asin_parts(fabs(x), &base);
    return copysign(join_pi(base, part), x);
}

// 1/pi in two pieces.
float __pumice_asinpi_f32(float x) {
    float base, part = asin_parts(fabs(x), &base);
    return copysign(base + (part * 0x1.45f306p-2f + part * 0x1.b9391p-27f), x);
}

// acos(x) = *base * pi + result.
static float acos_parts(float x, float *base) {
    float part = asin_parts(fabs(x), base);
    if (as_int(x) < 0) {
        *base = 0.5f + *base;
        return part;
    }
    *base = 0.5f - *base;
    return -part;
}

float __pumice_acos_f32(float x) {
    float base, part = acos_parts(x, &base);
    return join_pi(base, part);
}

float __pumice_acospi_f32(float x) {
    float base, part = acos_parts(x, &base);
    return base + part * 0x1.45f306p-2f;
}
