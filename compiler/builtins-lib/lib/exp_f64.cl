// exp, exp2, exp10, expm1 for double.
//
// Method: as exp_f32.cl, with ln(2) in a piece of 40 bits and the rest; polynomials from
// derive/f64.sollya.
// Worst error over 4 million arguments: exp 0.93, exp2 1.05, exp10 1.40, expm1 1.46 ULP.
#pragma OPENCL FP_CONTRACT OFF

double __pumice_scaled_f64(double x, int n);

// Keeps x where the result is neither certainly infinite nor certainly zero; NaN passes.
static double limit_exp(double x, double low, double high) {
    x = x > high ? high : x;
    return x < low ? low : x;
}

// exp(r + lost) for |r| <= 0.3466.
static double exp_poly(double r, double lost) {
    double p = 0x1.a019b8b2468d4p-16 + r * (0x1.71ddf783208c6p-19 + r * (0x1.2891d915cad64p-22 + r * 0x1.af61c91537733p-26));
    p = 0x1.111111110f8d9p-7 + r * (0x1.6c16c178acbaap-10 + r * (0x1.a01a01afb874ap-13 + r * p));
    p = 0x1.0000000000001p-1 + r * (0x1.5555555555558p-3 + r * (0x1.5555555553cd6p-5 + r * p));
    return 1.0 + (r + (r * r * p + lost));
}

double __pumice_exp_f64(double x) {
    x = limit_exp(x, -800.0, 720.0);
    double k = rint(x * 0x1.71547652b82fep0);
    double high = x - k * 0x1.62e42fefa2p-1, low = k * 0x1.9ef35793c7673p-41;
    double r = high - low;
    return __pumice_scaled_f64(exp_poly(r, (high - r) - low), (int)k);
}

double __pumice_exp2_f64(double x) {
    x = limit_exp(x, -1100.0, 1030.0);
    double k = rint(x), r = x - k;
    double p = 0x1.e4d407e190f37p-28 + r * (0x1.01c622382519cp-31 + r * (0x1.bdeac2c0a91fcp-36 + r * -0x1.f6c977a6be43fp-36));
    p = 0x1.ffcbfedaa1a31p-17 + r * (0x1.62c020e4f86efp-20 + r * (0x1.b51ce0d0bddccp-24 + r * p));
    p = 0x1.3b2ab6fba4d46p-7 + r * (0x1.5d87fe7848d1fp-10 + r * (0x1.430912f8c2fe2p-13 + r * p));
    p = 0x1.62e42fefa39efp-1 + r * (0x1.ebfbdff82c58fp-3 + r * (0x1.c6b08d704a236p-5 + r * p));
    return __pumice_scaled_f64(1.0 + r * p, (int)k);
}

double __pumice_exp10_f64(double x) {
    x = limit_exp(x, -340.0, 312.0);
    double k = rint(x * 0x1.a934f0979a371p1);
    double r = (x - k * 0x1.34413509f6p-2) - k * 0x1.9fef311f12b36p-42;
    // r * ln(10) as a sum: the head of r has 26 bits, the first piece of ln(10) 30.
    double head = as_double(as_ulong(r) & 0xfffffffffc000000ul), tail = r - head;
    double t = r * 0x1.26bb1bbb55516p1;
    double lost = ((head * 0x1.26bb1bb8p1 - t) + tail * 0x1.26bb1bb8p1) + r * 0x1.aaa8ac16ea56dp-30;
    return __pumice_scaled_f64(exp_poly(t, lost), (int)k);
}

double __pumice_expm1_f64(double x) {
    if (x < -40.0)
        return -1.0;
    if (x > 709.0)
        return __pumice_exp_f64(x);
    // Keeps the sign of zero and the smallest numbers.
    if (fabs(x) < 0x1p-54)
        return x;
    double k = rint(x * 0x1.71547652b82fep0);
    double high = x - k * 0x1.62e42fefa2p-1, low = k * 0x1.9ef35793c7673p-41;
    double r = high - low, lost = (high - r) - low;
    double p = 0x1.71de01acf7607p-19 + r * (0x1.27e4cfaf0e60fp-22 + r * (0x1.af4ecab92d52fp-26 + r * 0x1.1f86f0b035526p-29));
    p = 0x1.6c16c16c156a5p-10 + r * (0x1.a01a01ac1de81p-13 + r * (0x1.a01a01ab9882bp-16 + r * p));
    p = 0x1p-1 + r * (0x1.5555555555557p-3 + r * (0x1.5555555555557p-5 + r * (0x1.1111111110051p-7 + r * p)));
    double e = r + (r * r * p + lost);
    if (k == 0.0)
        return e;
    double s = as_double((long)((int)k + 1023) << 52);
    return s * e + (s - 1.0);
}
