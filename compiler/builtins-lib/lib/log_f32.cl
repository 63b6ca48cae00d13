// log, log2, log10, log1p for float.
//
// Method: x = 2^e * m with m in [sqrt(1/2), sqrt(2)), f = m - 1, s = f / (2 + f);
// log(m) = 2*atanh(s) = f - (f^2/2 - s*(f^2/2 + R(s^2))), R from derive/f32.sollya. log2 and
// log10 carry log(m) as a sum of a 12-bit head and a tail, so that the products with the heads
// of the constants are exact.
// Worst error over 45 million arguments: log 0.83, log2 0.74, log10 0.69, log1p 0.92 ULP.
#pragma OPENCL FP_CONTRACT ON

// Shared by all four functions: the exponent, f and s*(f^2/2 + R).
typedef struct {
    float exponent, f, half_square, series;
} log_parts;

// Not static, so that the logarithms of one program share it.
log_parts __pumice_split_log_f32(float x) {
    log_parts p;
    int e = 0;
    if (x < 0x1p-126f) {
        x *= 0x1p25f;
        e = -25;
    }
    uint bits = as_uint(x) + (0x3f800000 - 0x3f3504f3);
    e += (int)(bits >> 23) - 127;
    p.exponent = (float)e;
    p.f = as_float((bits & 0x7fffff) + 0x3f3504f3) - 1.0f;
    float s = native_divide(p.f, 2.0f + p.f), z = s * s;
    float r = z * (0x1.555556p-1f + z * (0x1.99986ep-2f + z * (0x1.24c14p-2f + z * 0x1.ce848ep-3f)));
    p.half_square = 0.5f * p.f * p.f;
    p.series = s * (p.half_square + r);
    return p;
}

// A logarithm of x; `result` is right for finite numbers above 0.
static float log_of_any(float x, float result) {
    // Infinity; NaN for itself and numbers below 0.
    float special = x > 0.0f ? x : as_float(0x7fc00000);
    result = as_uint(x) >= 0x7f800000 ? special : result;
    return x == 0.0f ? -INFINITY : result;
}

float __pumice_log_f32(float x) {
    log_parts p = __pumice_split_log_f32(x);
    float rest = p.half_square - (p.series + p.exponent * 0x1.7f7d1cp-20f);
    return log_of_any(x, p.exponent * 0x1.62e4p-1f + (p.f - rest));
}

float __pumice_log2_f32(float x) {
    log_parts p = __pumice_split_log_f32(x);
    float head = as_float(as_uint(p.f - p.half_square) & 0xfffff000);
    float tail = ((p.f - head) - p.half_square) + p.series;
    float small = (tail + head) * 0x1.47652cp-12f + tail * 0x1.714p0f;
    float large = head * 0x1.714p0f;
    // The sum exponent + large is exact when taken in two parts.
    float sum = p.exponent + large;
    float lost = (p.exponent - sum) + large;
    return log_of_any(x, sum + (small + lost));
}

float __pumice_log10_f32(float x) {
    log_parts p = __pumice_split_log_f32(x);
    float head = as_float(as_uint(p.f - p.half_square) & 0xfffff000);
    float tail = ((p.f - head) - p.half_square) + p.series;
    float small = p.exponent * 0x1.3509f8p-18f + ((tail + head) * 0x1.7b1526p-14f + tail * 0x1.bcap-2f);
    float large = head * 0x1.bcap-2f, power = p.exponent * 0x1.344p-2f;
    float sum = power + large;
    float lost = (power - sum) + large;
    return log_of_any(x, sum + (small + lost));
}

float __pumice_log1p_f32(float x) {
    // 1 + x = sum + lost exactly.
    float sum = 1.0f + x, of_x = sum - 1.0f;
    float lost = (1.0f - (sum - of_x)) + (x - of_x);
    uint bits = as_uint(sum) + (0x3f800000 - 0x3f3504f3);
    int e = (int)(bits >> 23) - 127;
    // What large numbers lose is nothing to their mantissa.
    float scale = as_float((127 - min(e, 126)) << 23);
    float m = as_float((bits & 0x7fffff) + 0x3f3504f3);
    // lost / sum: 1 / m is 2.06 - m within a sixteenth. Where the exponent is 0, x is f, and nothing is lost.
    float correction = e ? lost * scale * (2.06f - m) : 0.0f;
    float f = e ? m - 1.0f : x, exponent = (float)e;
    float s = native_divide(f, 2.0f + f), z = s * s;
    float r = z * (0x1.555556p-1f + z * (0x1.99986ep-2f + z * (0x1.24c14p-2f + z * 0x1.ce848ep-3f)));
    float half_square = 0.5f * f * f;
    float series = s * (half_square + r);
    float rest = half_square - (series + (exponent * 0x1.7f7d1cp-20f + correction));
    float result = exponent * 0x1.62e4p-1f + (f - rest);
    // Zeros keep their sign, infinity stays.
    result = x == INFINITY || fabs(x) < 0x1p-24f ? x : result;
    result = x > -1.0f ? result : as_float(0x7fc00000);
    return x == -1.0f ? -INFINITY : result;
}
