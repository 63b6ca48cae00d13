// sinh, cosh, tanh, asinh, acosh, atanh for float.
//
// Method: polynomials near zero (derive/f32.sollya), exponentials and logarithms elsewhere. The
// exponential is halved through its exponent, so that results near the largest float are right.
// Worst error over 45 million arguments: sinh 1.60, cosh 1.45, tanh 1.39, asinh 1.67, acosh 1.93, atanh 1.01 ULP.
#pragma OPENCL FP_CONTRACT ON

float __pumice_log_f32(float x);
float __pumice_log1p_f32(float x);

// (exp(a) / 2, exp(-a) / 2) for a >= 0.
static float2 half_exps(float a) {
    a = a > 100.0f ? 100.0f : a;
    float k = rint(a * 0x1.715476p0f);
    float r = (a - k * 0x1.62e4p-1f) - k * 0x1.7f7d1cp-20f;
    float p = 0x1.120c08p-7f + r * 0x1.6d4bfep-10f;
    p = 0x1p-1f + r * (0x1.5554dcp-3f + r * (0x1.5554eap-5f + r * p));
    p = 1.0f + (r + r * r * p);
    int n = (int)k - 1, half_n = n >> 1;
    float up = p * as_float((half_n + 127) << 23) * as_float((n - half_n + 127) << 23);
    // The quotient vanishes beside numbers beyond 2^60.
    return (float2)(up, half_divide(0.25f, min(up, 0x1p60f)));
}

float __pumice_sinh_f32(float x) {
    float a = fabs(x);
    if (!(a < INFINITY))
        return x;
    if (a < 1.0f) {
        float z = x * x;
        return x + x * z * (0x1.555556p-3f + z * (0x1.1110c6p-7f + z * (0x1.a03554p-13f + z * 0x1.725236p-19f)));
    }
    float2 e = half_exps(a);
    return copysign(e.x - e.y, x);
}

float __pumice_cosh_f32(float x) {
    float a = fabs(x);
    if (!(a < INFINITY))
        return a;
    float2 e = half_exps(a);
    return e.x + e.y;
}

float __pumice_tanh_f32(float x) {
    float a = fabs(x);
    if (a < 0.55f) {
        float z = a * a;
        float p = -0x1.b99a8p-5f + z * (0x1.5cf31p-6f + z * -0x1.b0319cp-8f);
        return copysign(a + a * z * (-0x1.555554p-2f + z * (0x1.110fc8p-3f + z * p)), x);
    }
    if (a > 10.0f)
        return copysign(1.0f, x);
    return copysign(1.0f - half_divide(2.0f, exp(2.0f * a) + 1.0f), x);
}

float __pumice_asinh_f32(float x) {
    float a = fabs(x);
    if (!(a < INFINITY))
        return x;
    if (a < 0.5f) {
        float z = a * a;
        float p = 0x1.f56858p-6f + z * (-0x1.847756p-6f + z * (0x1.523c2ap-6f + z * -0x1.c133d8p-7f));
        return copysign(a + a * z * (-0x1.555556p-3f + z * (0x1.3333c6p-4f + z * (-0x1.6dda7ep-5f + z * p))), x);
    }
    if (a > 0x1p12f)
        return copysign(__pumice_log_f32(a) + 0x1.62e43p-1f, x);
    float square = a * a;
    return copysign(__pumice_log1p_f32(a + half_divide(square, 1.0f + half_sqrt(square + 1.0f))), x);
}

float __pumice_acosh_f32(float x) {
    if (!(x >= 1.0f))
        return as_float(0x7fc00000);
    if (x > 0x1p12f)
        return __pumice_log_f32(x) + 0x1.62e43p-1f;
    float t = x - 1.0f;
    return __pumice_log1p_f32(t + half_sqrt(2.0f * t + t * t));
}

float __pumice_atanh_f32(float x) {
    float a = fabs(x);
    if (a < 0.5f) {
        float z = x * x;
        float p = 0x1.c2bebap-4f + z * (0x1.9c3c0ap-4f + z * (0x1.f904b2p-6f + z * 0x1.59baa4p-3f));
        return x + x * z * (0x1.555556p-2f + z * (0x1.9998dap-3f + z * (0x1.24b138p-3f + z * p)));
    }
    // log1p gives NaN beyond 1, where 2 stands for all numbers.
    float c = min(a, 2.0f), r = 0.5f * __pumice_log1p_f32(half_divide(2.0f * c, 1.0f - c));
    return copysign(a == 1.0f ? INFINITY : r, x);
}
