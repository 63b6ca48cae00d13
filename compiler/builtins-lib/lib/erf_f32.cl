// erf, erfc for float.
//
// Method: below 0.65 a polynomial in x^2. Above, erf(a) = 1 - 2^(-a*P(a)), where an error counts only
// beside 1, and erfc(a) = exp(-a^2) / (1 + 2a) * Q(t) with t = (a - 2) / (a + 2), where the rounding
// error of a^2 goes into the exponential and the power of two is put on last, in two steps
// (derive/erf.sollya).
// Worst errors: docs/numerics.md.
#pragma OPENCL FP_CONTRACT ON

float __pumice_product_tail_f32(float a, float b, float product);

// erf(x) for |x| < 0.65, by products alone: the least results are rounded once.
static float erf_small(float x) {
    float z = x * x;
    float p = -0x1.b7ef3ep-6f + z * (0x1.520d6ep-8f + z * -0x1.76b1e8p-11f);
    return x * (0x1.20dd76p0f + z * (-0x1.812742p-2f + z * (0x1.ce2d7ep-4f + z * p)));
}

// erfc(a) for a >= 0.65.
static float erfc_large(float a) {
    if (a > 10.2f)
        return 0.0f;
    // One reciprocal serves both quotients.
    float d = a + 2.0f, e = 1.0f + 2.0f * a, inverse = native_divide(1.0f, d * e);
    float t = (a - 2.0f) * (e * inverse);
    float q = 0x1.1e1c2ap-7f + t * (0x1.1b2f3ep-10f + t * (-0x1.6d86fcp-10f + t * -0x1.5375d2p-14f));
    q = 0x1.4ff8bap-3f + t * (-0x1.bc3482p-5f + t * (-0x1.0610bap-7f + t * q));
    q = 0x1.46e80ep0f + t * (-0x1.7bf5dep-4f + t * (-0x1.54078cp-3f + t * q));
    q = q * (d * inverse);
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
    if (!(a >= 0.65f))
        return erf_small(x);
    // Beyond 4 the result is 1.
    a = fmin(a, 4.0f);
    float p = 0x1.370104p-3f + a * (-0x1.0e5b56p-5f + a * (0x1.2f1958p-8f + a * -0x1.410348p-12f));
    p = a * (0x1.a0cbe6p0f + a * (0x1.d5924cp-1f + a * p));
    return copysign(1.0f - native_exp2(-p), x);
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
