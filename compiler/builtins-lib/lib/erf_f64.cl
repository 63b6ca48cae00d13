// erf, erfc for double.
//
// Method: as erf_f32.cl, with t = (a - 3) / (a + 3).
// Worst errors: docs/numerics.md.
#pragma OPENCL FP_CONTRACT OFF

int __pumice_flushes_f64(void);
double __pumice_scaled_f64(double x, int n);
double __pumice_small_product_f64(double x, double c);

// erf(x) for |x| < 0.65.
static double erf_small(double x) {
    if (__pumice_flushes_f64() && fabs(x) < 0x1p-900)
        return __pumice_small_product_f64(x, 0x1.20dd750429b6dp0);
    double z = x * x;
    double p = 0x1.f99f052ba4e22p-14 + z * (-0x1.f46609b1c4a0ap-17 + z * (0x1.b31ceac4e1509p-20 + z * -0x1.21dd0faebe765p-23));
    p = 0x1.ce2f21a03ece9p-4 + z * (-0x1.b82ce310df3fep-6 + z * (0x1.565bccaed7116p-8 + z * (-0x1.c02d9aba1361ep-11 + z * p)));
    p = 0x1.06eba8214db68p-3 + z * (-0x1.812746b0379a6p-2 + z * p);
    return x + x * p;
}

// erfc(a) for a >= 0.65.
static double erfc_large(double a) {
    if (a > 27.3)
        return 0.0;
    double t = (a - 3.0) / (a + 3.0);
    double q = 0x1.3dd385cb3059cp-22 + t * (-0x1.48b9e11a7af6cp-21 + t * (-0x1.2ef5a4c5745fap-24 + t * 0x1.6b424a8873a66p-24));
    q = 0x1.4b8456d805bc9p-18 + t * (-0x1.514fc0a7c24d3p-16 + t * (-0x1.785ec1a515fa8p-21 + t * (0x1.d2c5e0e1f3994p-19 + t * q)));
    q = 0x1.ef1bd95381b58p-10 + t * (-0x1.98db5cca3a448p-11 + t * (-0x1.b91075ffed855p-14 + t * (0x1.065b246ef6eb5p-13 + t * q)));
    q = -0x1.e88b803a54c1bp-4 + t * (0x1.17ca2877ca89fp-4 + t * (-0x1.8574c4072b451p-6 + t * (0x1.4b884e96f026bp-9 + t * q)));
    q = 0x1.40c522d7e4987p0 + t * (-0x1.15c084bb9e902p-3 + t * (-0x1.85a15c58a9fabp-5 + t * (0x1.098366a5b4eb7p-3 + t * q)));
    q = q / (1.0 + 2.0 * a);
    // a^2 = square + lost, exactly.
    double head = as_double(as_ulong(a) & 0xfffffffff8000000ul), tail = a - head;
    double square = a * a, lost = ((head * head - square) + 2.0 * head * tail) + tail * tail;
    double k = rint(square * -0x1.71547652b82fep0);
    double high = -square - k * 0x1.62e42fefa2p-1, low = k * 0x1.9ef35793c7673p-41 + lost;
    double r = high - low;
    lost = (high - r) - low;
    double p = 0x1.a019b8b2468d4p-16 + r * (0x1.71ddf783208c6p-19 + r * (0x1.2891d915cad64p-22 + r * 0x1.af61c91537733p-26));
    p = 0x1.111111110f8d9p-7 + r * (0x1.6c16c178acbaap-10 + r * (0x1.a01a01afb874ap-13 + r * p));
    p = 0x1.0000000000001p-1 + r * (0x1.5555555555558p-3 + r * (0x1.5555555553cd6p-5 + r * p));
    return __pumice_scaled_f64(q + q * (r + (r * r * p + lost)), (int)k);
}

double __pumice_erf_f64(double x) {
    double a = fabs(x);
    if (isnan(x))
        return x;
    if (a < 0.65)
        return erf_small(x);
    return copysign(1.0 - erfc_large(a), x);
}

double __pumice_erfc_f64(double x) {
    double a = fabs(x);
    if (isnan(x))
        return x;
    if (a < 0.65)
        return x > 0.5 ? 0.5 - (erf_small(x) - 0.5) : 1.0 - erf_small(x);
    double c = erfc_large(a);
    return x < 0.0 ? 2.0 - c : c;
}
