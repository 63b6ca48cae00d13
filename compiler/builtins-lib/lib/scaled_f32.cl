// exp, exp2, exp10, log, log2, log10 for float by the device's exp2 and log2, where these err by at
// most 2 and 1.5 ULP. Devices may flush denormals in them: such results and arguments are scaled.
//
// Worst error with a correctly rounded exp2 and log2 (70 million arguments): exp 1.00, exp2 0.75, exp10 1.00, log 1.54, log2 0.75,
// log10 1.39 ULP; the most where denormals are near. An error of log2 counts up to 1.39 times in log.
#pragma OPENCL FP_CONTRACT OFF

// The largest argument below 128: its power of two is finite.
#define LARGEST 0x1.fffffep6f

// 2^y.
static float power_of_two(float y) {
    bool small = y < -120.0f;
    float power = native_exp2(small ? y + 64.0f : y);
    return small ? power * 0x1p-64f : power;
}

// 2^(x * factor), the factor given in two pieces; x is not below `low`, where the result is 0.
static float scaled_exp(float x, float low, float factor, float rest) {
    x = x < low ? low : x;
    float y = fmin(x * factor, LARGEST);
    // What the product lost. It takes results beyond the largest number to infinity, and passes NaN on.
    float lost = fma(x, rest, fma(x, factor, -y)) * 0x1.62e43p-1f;
    bool small = y < -120.0f;
    float power = native_exp2(small ? y + 64.0f : y);
    power = fma(power, lost, power);
    return small ? power * 0x1p-64f : power;
}

float __pumice_exp_by_exp2_f32(float x) {
    return scaled_exp(x, -110.0f, 0x1.715476p+0f, 0x1.4ae0cp-26f);
}

float __pumice_exp2_by_exp2_f32(float x) {
    return power_of_two(x);
}

float __pumice_exp10_by_exp2_f32(float x) {
    return scaled_exp(x, -48.0f, 0x1.a934fp+1f, 0x1.2f346ep-24f);
}

static float scaled_log2(float x) {
    bool small = x < 0x1p-126f;
    float y = native_log2(small ? x * 0x1p32f : x);
    return small ? y - 32.0f : y;
}

float __pumice_log2_by_log2_f32(float x) {
    return scaled_log2(x);
}

// Both pieces of the factor are positive, so that an infinite logarithm stays one.
float __pumice_log_by_log2_f32(float x) {
    float y = scaled_log2(x);
    return fma(y, 0x1.62e42ep-1f, y * 0x1.efa39ep-25f);
}

float __pumice_log10_by_log2_f32(float x) {
    float y = scaled_log2(x);
    return fma(y, 0x1.344134p-2f, y * 0x1.09f7ap-26f);
}
