// log, log2, log10, log1p for double.
//
// Method: as log_f32.cl, heads of 32 bits; polynomial from derive/f64.sollya.
// Worst error over 4 million arguments: log 0.79, log2 0.72, log10 0.64, log1p 0.80 ULP.
#pragma OPENCL FP_CONTRACT OFF

int __pumice_is_zero_f64(double x);
double __pumice_raised_f64(double x);

typedef struct {
    double exponent, f, half_square, series;
} log_parts;

static void finish_log(log_parts *p) {
    double f = p->f;
    double s = f / (2.0 + f), z = s * s;
    double r = 0x1.c71c62d649d8cp-3 + z * (0x1.7462b925fa03ep-3 + z * (0x1.39fdcbbceb4c6p-3 + z * 0x1.2b5f5b2f9f871p-3));
    r = z * (0x1.5555555555558p-1 + z * (0x1.99999999952b9p-2 + z * (0x1.2492492dfb9b8p-2 + z * r)));
    p->half_square = 0.5 * f * f;
    p->series = s * (p->half_square + r);
}

static log_parts split_log(double x) {
    log_parts p;
    int e = 0;
    if (x < 0x1p-1022) {
        x = __pumice_raised_f64(x);
        e = -54;
    }
    ulong bits = as_ulong(x) + (0x3ff0000000000000ul - 0x3fe6a09e667f3bcdul);
    e += (int)(bits >> 52) - 1023;
    p.exponent = (double)e;
    p.f = as_double((bits & 0xffffffffffffful) + 0x3fe6a09e667f3bcdul) - 1.0;
    finish_log(&p);
    return p;
}

static bool special_log(double x, double *result) {
    if (__pumice_is_zero_f64(x)) {
        *result = -INFINITY;
        return true;
    }
    if (as_long(x) < 0 || isnan(x)) {
        *result = as_double(0x7ff8000000000000ul);
        return true;
    }
    *result = x;
    return x == INFINITY;
}

double __pumice_log_f64(double x) {
    double result;
    if (special_log(x, &result))
        return result;
    log_parts p = split_log(x);
    return p.exponent * 0x1.62e42fefa2p-1 - ((p.half_square - (p.series + p.exponent * 0x1.9ef35793c7673p-41)) - p.f);
}

double __pumice_log2_f64(double x) {
    double result;
    if (special_log(x, &result))
        return result;
    log_parts p = split_log(x);
    double head = as_double(as_ulong(p.f - p.half_square) & 0xffffffff00000000ul);
    double tail = ((p.f - head) - p.half_square) + p.series;
    double small = (tail + head) * 0x1.5c17f0bbbe88p-31 + tail * 0x1.7154765p0;
    double large = head * 0x1.7154765p0;
    double sum = p.exponent + large;
    double lost = (p.exponent - sum) + large;
    return sum + (small + lost);
}

double __pumice_log10_f64(double x) {
    double result;
    if (special_log(x, &result))
        return result;
    log_parts p = split_log(x);
    double head = as_double(as_ulong(p.f - p.half_square) & 0xffffffff00000000ul);
    double tail = ((p.f - head) - p.half_square) + p.series;
    double small = p.exponent * 0x1.9fef311f12b36p-42 + ((tail + head) * 0x1.37287195355bbp-33 + tail * 0x1.bcb7b15p-2);
    double large = head * 0x1.bcb7b15p-2, power = p.exponent * 0x1.34413509f6p-2;
    double sum = power + large;
    double lost = (power - sum) + large;
    return sum + (small + lost);
}

double __pumice_log1p_f64(double x) {
    if (x == -1.0)
        return -INFINITY;
    if (!(x > -1.0))
        return as_double(0x7ff8000000000000ul);
    if (x == INFINITY || fabs(x) < 0x1p-53)
        return x;
    double correction = 0.0;
    log_parts p;
    p.exponent = 0.0;
    p.f = x;
    if (x > 0x1.a8p-2 || x < -0x1.2cp-2) {
        double u = 1.0 + x;
        ulong bits = as_ulong(u) + (0x3ff0000000000000ul - 0x3fe6a09e667f3bcdul);
        int e = (int)(bits >> 52) - 1023;
        if (e < 54)
            correction = (e >= 2 ? 1.0 - (u - x) : x - (u - 1.0)) / u;
        p.exponent = (double)e;
        p.f = as_double((bits & 0xffffffffffffful) + 0x3fe6a09e667f3bcdul) - 1.0;
    }
    finish_log(&p);
    double low = p.exponent * 0x1.9ef35793c7673p-41 + correction;
    return p.exponent * 0x1.62e42fefa2p-1 - ((p.half_square - (p.series + low)) - p.f);
}
