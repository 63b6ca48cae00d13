// tgamma, lgamma, lgamma_r for double.
//
// Method: as gamma_f32.cl.
// Worst errors: docs/numerics.md.
#pragma OPENCL FP_CONTRACT OFF

int __pumice_flushes_f64(void);
int __pumice_is_tiny_f64(double x);
int __pumice_is_zero_f64(double x);
double __pumice_raised_f64(double x);
double __pumice_scaled_f64(double x, int n);
double __pumice_exp_f64(double x);
double __pumice_log_f64(double x);
double __pumice_log1p_f64(double x);
double __pumice_pow_f64(double x, double y);
double __pumice_sinpi_f64(double x);

// 1/gamma(2 + f) - 1 = f * reciprocal_poly(f), |f| <= 1/2.
static double reciprocal_poly(double f) {
    double p = -0x1.5bc0476bfa9b6p-19 + f * (0x1.67659f156a267p-20 + f * (-0x1.ad3bb4fb453ffp-23 + f * -0x1.504fb5eb44264p-30));
    p = -0x1.a5b351af15ba2p-11 + f * (-0x1.7a5da98640fa7p-12 + f * (0x1.315683d3d1aep-13 + f * (-0x1.265f282beef99p-16 + f * p)));
    p = 0x1.875ac5782221ep-3 + f * (-0x1.92449b66f2293p-6 + f * (-0x1.211985111b635p-6 + f * (0x1.06e8179e3e523p-7 + f * p)));
    p = -0x1.b0ee6072093cdp-2 + f * (-0x1.dd603fb6ac11dp-3 + f * p);
    return p;
}

// a * (log(gamma(a)) - ((a - 1/2) * log(a) - a + log(2*pi)/2)), a >= 8; y = 1/a^2.
static double stirling_poly(double y) {
    double d = -0x1.38133196072c6p-11 + y * (0x1.b920adccbc915p-11 + y * (-0x1.ee671198c65f6p-10 + y * 0x1.4659366bddcf3p-8));
    d = 0x1.5555555555555p-4 + y * (-0x1.6c16c16c108f5p-9 + y * (0x1.a01a015d61e2fp-11 + y * d));
    return d;
}

// (2 + f)(3 + f)...(n - 1 + f).
static double factors(double n, double f) {
    double product = 1.0;
    for (double i = 2.0; i < n; i += 1.0)
        product *= i + f;
    return product;
}

// gamma(a) for -1/2 < a < 8.
static double gamma_small(double a) {
    double n = rint(a), f = a - n;
    double g = 1.0 + f * reciprocal_poly(f);
    if (n < 2.0)
        return 1.0 / (n == 0.0 ? g * (1.0 + a) * a : g * a);
    return factors(n, f) / g;
}

double __pumice_tgamma_f64(double x) {
    double a = fabs(x);
    if (isnan(x) || x == INFINITY)
        return x;
    if (__pumice_is_zero_f64(x))
        return copysign((double)INFINITY, x);
    if (__pumice_flushes_f64() && a < 0x1p-1022)
        return 0x1p54 / __pumice_raised_f64(x);
    if (x > -0.5 && x < 8.0)
        return gamma_small(x);
    if (x > 171.7)
        return INFINITY;
    double divisor = 1.0;
    if (x < 0.0) {
        if (x == rint(x))
            return as_double(0x7ff8000000000000ul);
        // gamma(-a) = -pi / (a * sin(pi*a) * gamma(a)).
        divisor = a * __pumice_sinpi_f64(a);
        if (a > 185.0)
            return copysign(0.0, -divisor);
        if (a < 8.0)
            return -0x1.921fb54442d18p1 / (divisor * gamma_small(a));
    }
    double y = 1.0 / a, u = y * stirling_poly(y * y);
    double half_power = __pumice_pow_f64(a, 0.5 * (a - 0.5));
    double rest = __pumice_exp_f64(-a) * 0x1.40d931ff62705p1 * (1.0 + u * (1.0 + u * (0.5 + u * (0x1.5555555555555p-3 + u * (0x1.5555555555555p-5 + u * (0x1.1111111111111p-7 + u * 0x1.6c16c16c16c17p-10))))));
    if (x < 0.0)
        return __pumice_scaled_f64((-0x1.921fb54442d18p201 / divisor) / rest / half_power / half_power, -200);
    return (half_power * rest) * half_power;
}

// log(|gamma(a)|) for a > -1/2, a != 0.
static double lgamma_positive(double a) {
    if (a >= 8.0) {
        double y = 1.0 / a;
        return (a - 0.5) * (__pumice_log_f64(a) - 1.0) + (0x1.acfe390c97d69p-2 + y * stirling_poly(y * y));
    }
    double n = rint(a), f = a - n, p = reciprocal_poly(f), q = f * p;
    if (n == 1.0 || n == 2.0)
        // Subtracted: the zeros are positive.
        return 0.0 - __pumice_log1p_f64(n == 2.0 ? q : f * (1.0 + p * a));
    if (__pumice_is_tiny_f64(a))
        return -__pumice_log_f64(fabs(a));
    if (n == 0.0)
        return -__pumice_log_f64(fabs(a) * ((1.0 + a) * (1.0 + q)));
    return __pumice_log_f64(factors(n, f) / (1.0 + q));
}

double __pumice_lgamma_f64(double x) {
    double a = fabs(x);
    if (isnan(x))
        return x;
    if (a == INFINITY || __pumice_is_zero_f64(x) || (x < 0.0 && x == rint(x)))
        return INFINITY;
    if (x > -0.5)
        return lgamma_positive(x);
    return __pumice_log_f64(0x1.921fb54442d18p1 / (a * fabs(__pumice_sinpi_f64(a)))) - lgamma_positive(a);
}

// The sign is that of gamma(x), 0 where gamma has none: NaN, zeros and negative whole numbers.
double __pumice_lgamma_r_f64(double x, __private int *sign) {
    double whole = floor(x);
    int s = 1;
    if (isnan(x) || __pumice_is_zero_f64(x) || (x < 0.0 && x == whole))
        s = 0;
    else if (x < 0.0)
        s = 0.5 * whole == floor(0.5 * whole) ? 1 : -1;
    else if (copysign(1.0, x) < 0.0) // A denormal on a device that compares it as a zero.
        s = -1;
    *sign = s;
    return __pumice_lgamma_f64(x);
}
