// atan, atan2, asin, acos and their ...pi forms for double.
//
// Method: as atan_f32.cl; polynomials from derive/f64.sollya.
// Worst error over 4 million arguments: atan 2.2, atan2 2.6, atan2pi 2.4, asin 2.1, acos 1.1, atanpi 2.1,
// asinpi 3.5, acospi 2.2 ULP.
#pragma OPENCL FP_CONTRACT OFF

int __pumice_is_tiny_f64(double x);
double __pumice_small_product_f64(double x, double c);

// atan(t) = *base * pi + result, for t in [0, 1].
static double atan_unit(double t, double *base) {
    *base = 0.0;
    if (t > 0x1.a827999fcef32p-2) {
        *base = 0.25;
        t = (t - 1.0) / (t + 1.0);
    }
    double z = t * t;
    double p = -0x1.abcc3d95a51a9p-5 + z * (0x1.72169dbe34a0fp-5 + z * (-0x1.14bd80cae63e1p-5 + z * 0x1.fb81f769758aep-7));
    p = -0x1.745d15680755cp-4 + z * (0x1.3b137c240395fp-4 + z * (-0x1.110d2f18fa6c7p-4 + z * (0x1.e17f3cbf8f645p-5 + z * p)));
    p = -0x1.5555555555555p-2 + z * (0x1.9999999999815p-3 + z * (-0x1.2492492481cbep-3 + z * (0x1.c71c71bca8eaep-4 + z * p)));
    return t + t * z * p;
}

static double join_pi(double base, double part) {
    return base * 0x1.921fb54442d18p1 + (part + base * 0x1.1a62633145c07p-53);
}

double __pumice_atan_f64(double x) {
    double a = fabs(x), base;
    if (__pumice_is_tiny_f64(x))
        return x;
    bool inverted = a > 1.0;
    double part = atan_unit(inverted ? 1.0 / a : a, &base);
    double r = inverted ? join_pi(0.5 - base, -part) : join_pi(base, part);
    return copysign(r, x);
}

double __pumice_atanpi_f64(double x) {
    double a = fabs(x), base;
    if (__pumice_is_tiny_f64(x))
        return __pumice_small_product_f64(x, 0x1.45f306dc9c883p-2);
    bool inverted = a > 1.0;
    double part = atan_unit(inverted ? 1.0 / a : a, &base) * 0x1.45f306dc9c883p-2;
    double r = inverted ? (0.5 - base) - part : base + part;
    return copysign(r, x);
}

static double atan2_parts(double y, double x, double *base) {
    double ax = fabs(x), ay = fabs(y);
    double small = fmin(ax, ay), large = fmax(ax, ay);
    double scale = large > 0x1p900 ? 0x1p-200 : large < 0x1p-500 ? 0x1p500 : 1.0;
    double t = large == 0.0         ? 0.0
               : large == INFINITY  ? (small == INFINITY ? 1.0 : 0.0)
                                    : (small * scale) / (large * scale);
    double part = atan_unit(t, base);
    if (ay > ax) {
        *base = 0.5 - *base;
        part = -part;
    }
    if (as_long(x) < 0) {
        *base = 1.0 - *base;
        part = -part;
    }
    return part;
}

double __pumice_atan2_f64(double y, double x) {
    if (isnan(x) || isnan(y))
        return x + y;
    double base, part = atan2_parts(y, x, &base);
    return copysign(join_pi(base, part), y);
}

double __pumice_atan2pi_f64(double y, double x) {
    if (isnan(x) || isnan(y))
        return x + y;
    double base, part = atan2_parts(y, x, &base);
    return copysign(base + part * 0x1.45f306dc9c883p-2, y);
}

// asin(s) for |s| <= 1/2, z = s*s.
static double asin_poly(double s, double z) {
    double p = 0x1.5e2915e07674cp-8 + z * (0x1.220541f36deaap-6 + z * (-0x1.f58c57c0b4471p-7 + z * 0x1.dc181d63e219fp-6));
    p = 0x1.1c4d112ced722p-6 + z * (0x1.c9d30ac3ce59ap-7 + z * (0x1.780102201360cp-7 + z * (0x1.532a9148f1687p-7 + z * p)));
    p = 0x1.6db6db6e48603p-5 + z * (0x1.f1c71c11deeap-6 + z * (0x1.6e8bb37521acap-6 + z * p));
    p = 0x1.5555555555556p-3 + z * (0x1.3333333332da2p-4 + z * p);
    return s + s * z * p;
}

static double asin_parts(double a, double *base) {
    *base = 0.0;
    if (a <= 0.5)
        return asin_poly(a, a * a);
    *base = 0.5;
    double z = 0.5 * (1.0 - a);
    return -2.0 * asin_poly(sqrt(z), z);
}

double __pumice_asin_f64(double x) {
    if (__pumice_is_tiny_f64(x))
        return x;
    double base, part = asin_parts(fabs(x), &base);
    return copysign(join_pi(base, part), x);
}

double __pumice_asinpi_f64(double x) {
    if (__pumice_is_tiny_f64(x))
        return __pumice_small_product_f64(x, 0x1.45f306dc9c883p-2);
    double base, part = asin_parts(fabs(x), &base);
    return copysign(base + part * 0x1.45f306dc9c883p-2, x);
}

static double acos_parts(double x, double *base) {
    double part = asin_parts(fabs(x), base);
    if (as_long(x) < 0) {
        *base = 0.5 + *base;
        return part;
    }
    *base = 0.5 - *base;
    return -part;
}

double __pumice_acos_f64(double x) {
    double base, part = acos_parts(x, &base);
    return join_pi(base, part);
}

double __pumice_acospi_f64(double x) {
    double base, part = acos_parts(x, &base);
    return base + part * 0x1.45f306dc9c883p-2;
}
