// pow, powr, pown, rootn for double.
//
// Method: as pow_f32.cl. The cubic term of the logarithm's series is a sum of two doubles as
// well, since results near the largest double leave only ten bits of the error to lose.
// Worst error over 4 million arguments: pow 1.2 ULP.
#pragma OPENCL FP_CONTRACT OFF

int __pumice_is_zero_f64(double x);
double __pumice_raised_f64(double x);
double __pumice_scaled_f64(double x, int n);

// The first 26 bits of a double.
static double head26(double x) {
    return as_double(as_ulong(x) & 0xfffffffff8000000ul);
}

// a*b = product + result, exactly.
static double product_tail(double a, double b, double product) {
    double ah = head26(a), al = a - ah, bh = head26(b), bl = b - bh;
    return ((ah * bh - product) + ah * bl + al * bh) + al * bl;
}

// A zero with the sign of x; a product with 0 may lose it on the device.
static double zero_like(double x) {
    return as_double(as_ulong(x) & 0x8000000000000000ul);
}

// x with its sign turned if `sign` has one.
static double with_sign(double sign, double x) {
    return as_double(as_ulong(x) ^ as_ulong(zero_like(sign)));
}

// 2^((yh + yl) * log2(x)) for finite x > 0.
static double pow_positive(double x, double yh, double yl) {
    int e = 0;
    if (x < 0x1p-1022) {
        x = __pumice_raised_f64(x);
        e = -54;
    }
    ulong bits = as_ulong(x) + (0x3ff0000000000000ul - 0x3fe6a09e667f3bcdul);
    e += (int)(bits >> 52) - 1023;
    double m = as_double((bits & 0xffffffffffffful) + 0x3fe6a09e667f3bcdul);
    double f = m - 1.0;
    // s = f / (m + 1) as a sum of two doubles.
    double d = m + 1.0, d_tail = m - (d - 1.0);
    double s = f / d;
    double sd = s * d;
    double s_tail = (((f - sd) - product_tail(s, d, sd)) - s * d_tail) / d;
    // s^3 as a sum of two doubles.
    double z = s * s, z_tail = product_tail(s, s, z) + 2.0 * s * s_tail;
    double w = s * z, w_tail = product_tail(s, z, w) + (s * z_tail + s_tail * z);
    // log2(m) = 2/ln(2) * (s + s^3/3 + s^5/5 + ...).
    double series = 0x1.3703c1f4d0ffep-3 + z * (0x1.1964ec6fc9491p-3 + z * (0x1.00ecd7e080215p-3 + z * 0x1.d8be0817f5ffep-4));
    series = 0x1.c68f568d3176p-3 + z * (0x1.89f3b1694cffep-3 + z * (0x1.5b9ac9b743f0dp-3 + z * series));
    series = w * z * (0x1.2776c50ef9bfep-1 + z * (0x1.a61762a7aded9p-2 + z * (0x1.484b13d7c02a9p-2 + z * (0x1.0c9a84994022dp-2 + z * series))));
    double cube = w * 0x1.ec709dc3a03fdp-1;
    double cube_tail = product_tail(w, 0x1.ec709dc3a03fdp-1, cube) + (w * 0x1.d27f05548af0cp-55 + w_tail * 0x1.ec709dc3a03fdp-1);
    double top = s * 0x1.71547652b82fep1;
    double tail = product_tail(s, 0x1.71547652b82fep1, top) + (s * 0x1.777d0ffda0d24p-55 + s_tail * 0x1.71547652b82fep1);
    // Sum, largest first, keeping what each addition loses.
    double sum = top + cube;
    tail += ((top - sum) + cube) + (cube_tail + series);
    double high = sum + tail;
    tail = (sum - high) + tail;
    double ef = (double)e, log_head = ef + high;
    double log_tail = e == 0 ? tail : ((ef - log_head) + high) + tail;
    double rough = yh * log_head;
    if (rough > 1100.0)
        return INFINITY;
    if (rough < -1200.0)
        return 0.0;
    double t_tail = product_tail(yh, log_head, rough) + (yh * log_tail + yl * log_head);
    double k = rint(rough), r = (rough - k) + t_tail;
    double p = 0x1.e4d407e190f37p-28 + r * (0x1.01c622382519cp-31 + r * (0x1.bdeac2c0a91fcp-36 + r * -0x1.f6c977a6be43fp-36));
    p = 0x1.ffcbfedaa1a31p-17 + r * (0x1.62c020e4f86efp-20 + r * (0x1.b51ce0d0bddccp-24 + r * p));
    p = 0x1.3b2ab6fba4d46p-7 + r * (0x1.5d87fe7848d1fp-10 + r * (0x1.430912f8c2fe2p-13 + r * p));
    p = 0x1.62e42fefa39efp-1 + r * (0x1.ebfbdff82c58fp-3 + r * (0x1.c6b08d704a236p-5 + r * p));
    return __pumice_scaled_f64(1.0 + r * p, (int)k);
}

static double pow_finite(double ax, double y) {
    if (fabs(y) > 0x1p70)
        return (ax > 1.0) == (y > 0.0) ? INFINITY : 0.0;
    return pow_positive(ax, y, 0.0);
}

double __pumice_pow_f64(double x, double y) {
    double ax = fabs(x), ay = fabs(y);
    if (x == 1.0 || __pumice_is_zero_f64(y))
        return 1.0;
    if (isnan(x) || isnan(y))
        return x + y;
    bool integer = ay >= 0x1p53 || (ay >= 1.0 && rint(y) == y);
    bool odd = integer && ay < 0x1p53 && ((long)ay & 1);
    double sign = odd && as_long(x) < 0 ? -1.0 : 1.0;
    if (ay == INFINITY)
        return ax == 1.0 ? 1.0 : (ax > 1.0) == (y > 0.0) ? INFINITY : 0.0;
    if (__pumice_is_zero_f64(ax))
        return as_long(y) < 0 ? sign * INFINITY : zero_like(sign);
    if (ax == INFINITY)
        return as_long(y) < 0 ? zero_like(sign) : sign * INFINITY;
    if (as_long(x) < 0 && !integer)
        return as_double(0x7ff8000000000000ul);
    if (ax == 1.0)
        return sign;
    return with_sign(sign, pow_finite(ax, y));
}

double __pumice_powr_f64(double x, double y) {
    if (isnan(x) || isnan(y))
        return x + y;
    bool no_base = __pumice_is_zero_f64(x), no_power = __pumice_is_zero_f64(y);
    if ((as_long(x) < 0 && !no_base) || (no_base && no_power) || (x == INFINITY && no_power) ||
        (x == 1.0 && fabs(y) == INFINITY))
        return as_double(0x7ff8000000000000ul);
    if (no_power || x == 1.0)
        return 1.0;
    if (fabs(y) == INFINITY)
        return (x > 1.0) == (y > 0.0) ? INFINITY : 0.0;
    if (no_base)
        return as_long(y) < 0 ? INFINITY : 0.0;
    if (x == INFINITY)
        return as_long(y) < 0 ? 0.0 : INFINITY;
    return pow_finite(x, y);
}

double __pumice_pown_f64(double x, int n) {
    if (n == 0)
        return 1.0;
    if (isnan(x))
        return x;
    double ax = fabs(x), sign = (n & 1) && as_long(x) < 0 ? -1.0 : 1.0;
    if (__pumice_is_zero_f64(ax))
        return n < 0 ? sign * INFINITY : zero_like(sign);
    if (ax == INFINITY)
        return n < 0 ? zero_like(sign) : sign * INFINITY;
    if (ax == 1.0)
        return sign;
    return with_sign(sign, pow_positive(ax, (double)n, 0.0));
}

double __pumice_rootn_f64(double x, int n) {
    if (n == 0 || isnan(x))
        return as_double(0x7ff8000000000000ul);
    bool odd = n & 1;
    if (as_long(x) < 0 && !odd && !__pumice_is_zero_f64(x))
        return as_double(0x7ff8000000000000ul);
    double ax = fabs(x), sign = odd && as_long(x) < 0 ? -1.0 : 1.0;
    if (__pumice_is_zero_f64(ax))
        return n < 0 ? sign * INFINITY : zero_like(sign);
    if (ax == INFINITY)
        return n < 0 ? zero_like(sign) : sign * INFINITY;
    double nf = (double)n, y = 1.0 / nf, yn = y * nf;
    return with_sign(sign, pow_positive(ax, y, ((1.0 - yn) - product_tail(y, nf, yn)) / nf));
}
