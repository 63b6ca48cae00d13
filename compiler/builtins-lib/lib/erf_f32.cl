// erf, erfc for float.
//
// Method: below 0.65 a polynomial in x^2; above, erfc(a) = exp(-a^2) / (1 + 2a) * Q(t) with
// t = (a - 2) / (a + 2), where the rounding error of a^2 goes into the exponential and the power
// of two is put on last, in two steps (derive/erf.sollya).
// Worst errors: docs/numerics.md.
#pragma OPENCL FP_CONTRACT ON

float __pumice_product_tail_f32(float a, float b, float product);

// erf(x) for |x| < 0.65. The least arguments are multiplied at once: a correction would be a
// denormal, which the device may take for zero.
static float erf_small(float x) {
    if (fabs(x) < 0x1p-100f)
        return x * 0x1.20dd76p0f;
    float z = x * x;
    float p = -0x1.b7ef3ep-6f + z * (0x1.520d6ep-8f + z * -0x1.76b1e8p-11f);
    return x + x * (0x1.06eba8p-3f + z * (-0x1.812742p-2f + z * (0x1.ce2d7ep-4f + z * p)));
}

// erfc(a) for a >= 0.65.
static float erfc_large(float a) {
    if (a > 10.2f)
        return 0.0f;
    float t = native_divide(a - 2.0f, a + 2.0f);
    float q = 0x1.1e1c2ap-7f + t * (0x1.1b2f3ep-10f + t * (-0x1.6d86fcp-10f + t * -0x1.5375d2p-14f));
    q = 0x1.4ff8bap-3f + t * (-0x1.bc3482p-5f + t * (-0x1.0610bap-7f + t * q));
    q = 0x1.46e80ep0f + t * (-0x1.7bf5dep-4f + t * (-0x1.54078cp-3f + t * q));
    q = native_divide(q, 1.0f + 2.0f * a);
    // a^2 = square + lost, exactly.
    float square = a * a, lost = __pumice_product_tail_f32(a, a, square);
    float k = rint(square * -0x1.715476p0f);
    float r = ((-square - k * 0x1.62e4p-1f) - k * 0x1.7f7d1cp-20f) - lost;
    float p = 0x1.120c08p-7f + r * 0x1.6d4bfep-10f;
    p = 0x1p-1f + r * (0x1.5554dcp-3f + r * (0x1.5554eap-5f + r * p));
    int n = (int)k, half_n = n >> 1;
    return (q + q * (r + r * r * p)) * as_float((half_n + 127) << 23) * as_float((n - half_n + 127) << 23);
}

float __pumice_erf_f32(float x) {
    float a = fabs(x);
    if (isnan(x))
        return x;
    if (a < 0.65f)
        return erf_small(x);
    return copysign(1.0f - erfc_large(a), x);
}

float __pumice_erfc_f32(float x) {
    float a = fabs(x);
    if (isnan(x))
        return x;
    if (a < 0.65f) {
        float part = erf_small(x);
        return x > 0.5f ? 0.5f - (part - 0.5f) : 1.0f - part;
    }
    float c = erfc_large(a);
    return x < 0.0f ? 2.0f - c : c;
}
