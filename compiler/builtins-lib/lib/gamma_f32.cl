// tgamma, lgamma, lgamma_r for float.
//
// Method: below 8, a = n + f with |f| <= 1/2 and 1/gamma(2 + f) = 1 + f*P(f), times or divided by
// the factors between 2 + f and a. The logarithm takes log1p around 1 and 2, so that its zeros
// there keep their relative accuracy. From 8 on Stirling's formula, gamma with the power split
// in two so that neither half overflows. Negative arguments by reflection (derive/gamma.sollya).
// Between -8 and -1/2 lgamma has zeros at irrational arguments, near which its error is absolute.
// Worst errors: docs/numerics.md.
#pragma OPENCL FP_CONTRACT ON

float __pumice_exp_f32(float x);
float __pumice_log_f32(float x);
float __pumice_log1p_f32(float x);
float __pumice_pow_f32(float x, float y);
float __pumice_sinpi_f32(float x);

// 1/gamma(2 + f) - 1 = f * reciprocal_poly(f), |f| <= 1/2.
static float reciprocal_poly(float f) {
    float p = -0x1.213e1p-6f + f * (0x1.06ebd4p-7f + f * (-0x1.82b6e4p-11f + f * -0x1.80ccaep-12f));
    p = -0x1.b0ee6p-2f + f * (-0x1.dd604p-3f + f * (0x1.875ae4p-3f + f * (-0x1.92448p-6f + f * p)));
    return p;
}

// a * (log(gamma(a)) - ((a - 1/2) * log(a) - a + log(2*pi)/2)), a >= 8; y = 1/a^2.
static float stirling_poly(float y) {
    float d = 0x1.555556p-4f + y * (-0x1.6c2acp-9f + y * 0x1.ab55eap-11f);
    return d;
}

// (2 + f)(3 + f)...(n - 1 + f).
static float factors(float n, float f) {
    float product = 1.0f;
    for (float i = 2.0f; i < n; i += 1.0f)
        product *= i + f;
    return product;
}

// gamma(a) for -1/2 < a < 8.
static float gamma_small(float a) {
    float n = rint(a), f = a - n;
    float g = 1.0f + f * reciprocal_poly(f);
    if (n < 2.0f) {
        // The least arguments are far from 1: their reciprocals may be infinite.
        float scale = fabs(a) < 0x1p-60f ? 0x1p64f : 1.0f;
        float divisor = n == 0.0f ? g * (1.0f + a) * a : g * a;
        return half_divide(1.0f, divisor * scale) * scale;
    }
    return half_divide(factors(n, f), g);
}

float __pumice_tgamma_f32(float x) {
    float a = fabs(x);
    if (isnan(x) || x == INFINITY)
        return x;
    if (x == 0.0f)
        return copysign((float)INFINITY, x);
    if (x > -0.5f && x < 8.0f)
        return gamma_small(x);
    if (x > 35.1f)
        return INFINITY;
    float divisor = 1.0f;
    if (x < 0.0f) {
        if (x == rint(x))
            return as_float(0x7fc00000);
        // gamma(-a) = -pi / (a * sin(pi*a) * gamma(a)).
        divisor = a * __pumice_sinpi_f32(a);
        if (a > 42.0f)
            return copysign(0.0f, -divisor);
        if (a < 8.0f)
            return half_divide(-0x1.921fb6p1f, divisor * gamma_small(a));
    }
    float y = half_divide(1.0f, a), u = y * stirling_poly(y * y);
    float half_power = __pumice_pow_f32(a, 0.5f * (a - 0.5f));
    float rest = __pumice_exp_f32(-a) * 0x1.40d932p1f * (1.0f + u * (1.0f + u * (0.5f + u * 0x1.555556p-3f)));
    if (x < 0.0f)
        return half_divide(half_divide(half_divide(-0x1.921fb6p1f, divisor), rest * half_power), half_power);
    return (half_power * rest) * half_power;
}

// log(|gamma(a)|) for a > -1/2, a != 0.
static float lgamma_positive(float a) {
    bool large = a >= 8.0f;
    float n = rint(a), argument = a;
    if (!large) {
        float f = a - n, p = reciprocal_poly(f), q = f * p;
        if (n == 1.0f || n == 2.0f)
            // Subtracted: the zeros are positive.
            return 0.0f - __pumice_log1p_f32(n == 2.0f ? q : f * (1.0f + p * a));
        float near_zero = fabs(a) * ((1.0f + a) * (1.0f + q));
        argument = n == 0.0f ? near_zero : half_divide(factors(n, f), 1.0f + q);
    }
    float log_argument = __pumice_log_f32(argument);
    if (!large)
        return n == 0.0f ? -log_argument : log_argument;
    float y = half_divide(1.0f, a);
    return (a - 0.5f) * (log_argument - 1.0f) + (0x1.acfe3ap-2f + y * stirling_poly(y * y));
}

float __pumice_lgamma_f32(float x) {
    float a = fabs(x);
    if (isnan(x))
        return x;
    if (a == INFINITY || x == 0.0f || (x < 0.0f && x == rint(x)))
        return INFINITY;
    bool reflected = x <= -0.5f;
    float result = lgamma_positive(reflected ? a : x);
    if (reflected)
        result = __pumice_log_f32(half_divide(0x1.921fb6p1f, a * fabs(__pumice_sinpi_f32(a)))) - result;
    return result;
}

// The sign is that of gamma(x), 0 where gamma has none: NaN, zeros and negative whole numbers.
float __pumice_lgamma_r_f32(float x, __private int *sign) {
    float whole = floor(x);
    int s = 1;
    if (isnan(x) || (x <= 0.0f && x == whole))
        s = 0;
    else if (x < 0.0f)
        s = 0.5f * whole == floor(0.5f * whole) ? 1 : -1;
    *sign = s;
    return __pumice_lgamma_f32(x);
}
