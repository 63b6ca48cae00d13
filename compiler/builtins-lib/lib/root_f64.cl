// cbrt, hypot for double.
//
// Method: as root_f32.cl, with one more Newton step.
// Worst error over 4 million arguments: cbrt 0.74, hypot 1.2 ULP.
#pragma OPENCL FP_CONTRACT OFF

int __pumice_is_zero_f64(double x);
double __pumice_raised_f64(double x);

double __pumice_cbrt_f64(double x) {
    double a = fabs(x);
    if (!(a < INFINITY) || __pumice_is_zero_f64(a))
        return x;
    double back = 1.0;
    if (a < 0x1p-1022) {
        a = __pumice_raised_f64(a);
        back = 0x1p-18;
    }
    double t = as_double(as_ulong(a) / 3 + 0x2a9f7893782da1ceul);
    for (int i = 0; i < 4; ++i)
        t = t - (t - a / (t * t)) * (1.0 / 3.0);
    return copysign(t * back, x);
}

double __pumice_hypot_f64(double x, double y) {
    double ax = fabs(x), ay = fabs(y);
    if (ax == INFINITY || ay == INFINITY)
        return INFINITY;
    if (isnan(x) || isnan(y))
        return x + y;
    double large = fmax(ax, ay);
    double down = 1.0, up = 1.0;
    if (large > 0x1p500) {
        down = 0x1p-600;
        up = 0x1p600;
    } else if (large < 0x1p-400) {
        down = 0x1p700;
        up = 0x1p-700;
    }
    ax *= down;
    ay *= down;
    return sqrt(ax * ax + ay * ay) * up;
}
