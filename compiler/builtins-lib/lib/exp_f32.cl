// exp, exp2, exp10, expm1 for float.
//
// Method: x = k*ln(2) + r with |r| <= ln(2)/2, the multiple of ln(2) subtracted in two pieces of
// which k times the first is exact; a polynomial in r (derive/f32.sollya); the power of two put
// back in two steps, so that results in the subnormal range are rounded once.
// Worst error over 45 million arguments: exp 1.00, exp2 1.03, exp10 1.24, expm1 1.47 ULP.
#pragma OPENCL FP_CONTRACT ON

// p * 2^k for p near 1 and |k| < 250.
static float scale_exp(float p, int k) {
    int half_k = k >> 1;
    return p * as_float((half_k + 127) << 23) * as_float((k - half_k + 127) << 23);
}

// Keeps x where the result is neither certainly infinite nor certainly zero; NaN passes.
static float limit_exp(float x, float low, float high) {
    x = x > high ? high : x;
    return x < low ? low : x;
}

// exp(r) for |r| <= 0.3466.
static float exp_poly(float r) {
    float p = 0x1.120c08p-7f + r * 0x1.6d4bfep-10f;
    p = 0x1p-1f + r * (0x1.5554dcp-3f + r * (0x1.5554eap-5f + r * p));
    return 1.0f + (r + r * r * p);
}

float __pumice_exp_f32(float x) {
    x = limit_exp(x, -110.0f, 100.0f);
    float k = rint(x * 0x1.715476p0f);
    float r = (x - k * 0x1.62e4p-1f) - k * 0x1.7f7d1cp-20f;
    return scale_exp(exp_poly(r), (int)k);
}

float __pumice_exp2_f32(float x) {
    x = limit_exp(x, -160.0f, 140.0f);
    float k = rint(x), r = x - k;
    float p = 0x1.5da97ap-10f + r * (0x1.44175ep-13f + r * 0x1.da675cp-17f);
    p = 0x1.62e43p-1f + r * (0x1.ebfbep-3f + r * (0x1.c6b06cp-5f + r * (0x1.3b2a54p-7f + r * p)));
    return scale_exp(1.0f + r * p, (int)k);
}

float __pumice_exp10_f32(float x) {
    x = limit_exp(x, -50.0f, 42.0f);
    float k = rint(x * 0x1.a934fp1f);
    // In base 10: r = x - k*log10(2), then exp(r*ln(10)) with ln(10) in two pieces.
    float r = (x - k * 0x1.344p-2f) - k * 0x1.3509f8p-18f;
    float t = r * 0x1.26bb1cp1f;
    return scale_exp(exp_poly(t), (int)k);
}

// The power of two is halved, so that it is finite for the largest results; doubling is exact.
float __pumice_expm1_f32(float x) {
    float a = fmin(fmax(x, -18.0f), 89.0f);
    float k = rint(a * 0x1.715476p0f);
    float high = a - k * 0x1.62e4p-1f, low = k * 0x1.7f7d1cp-20f;
    float r = high - low, lost = (high - r) - low;
    float p = 0x1.6d2e06p-10f + r * 0x1.a2d99ap-13f;
    p = 0x1p-1f + r * (0x1.555556p-3f + r * (0x1.555502p-5f + r * (0x1.110fc2p-7f + r * p)));
    float e = r + (r * r * p + lost);
    float s = as_float(((int)k + 126) << 23);
    float result = s * e + (s - 0.5f);
    // Zeros keep their sign, NaN stays.
    return fabs(x) >= 0x1p-26f ? result + result : x;
}
