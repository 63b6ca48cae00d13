// sin, cos, tan, sinpi, cospi, tanpi for double.
//
// Method: as trig_f32.cl. Up to |x| = 2^19 by subtracting n times pi/2 in four pieces of 33 bits;
// beyond that the mantissa is multiplied with the 192 bits of 2/pi that matter, in integers. The
// reduced argument is a sum r + tail. Polynomials from derive/f64.sollya.
// Worst error over 4 million arguments: sin 0.77, cos 0.78, tan 1.63, sinpi 1.5, cospi 1.5, tanpi 2.7 ULP.
#pragma OPENCL FP_CONTRACT OFF

int __pumice_is_tiny_f64(double x);
double __pumice_small_product_f64(double x, double c);

typedef struct {
    double r, tail;
    int n;
} reduced;

// 2/pi in 64-bit words behind one word of zeros.
static __constant ulong TWO_OVER_PI[20] = {
    0x0000000000000000ul, 0xa2f9836e4e441529ul, 0xfc2757d1f534ddc0ul, 0xdb6295993c439041ul, 0xfe5163abdebbc561ul,
    0xb7246e3a424dd2e0ul, 0x06492eea09d1921cul, 0xfe1deb1cb129a73eul, 0xe88235f52ebb4484ul, 0xe99c7026b45f7e41ul,
    0x3991d639835339f4ul, 0x9c845f8bbdf9283bul, 0x1ff897ffde05980ful, 0xef2f118b5a0a6d1ful, 0x6d367ecf27cb09b7ul,
    0x4f463f669e5fea2dul, 0x7527bac7ebe5f17bul, 0x3d0739f78a5292eaul, 0x6bfb5fb1f8d5d085ul, 0x56033046fc7b6babul};

static reduced reduce_large(double x) {
    ulong bits = as_ulong(x) & 0x7ffffffffffffffful;
    ulong mantissa = (bits & 0xffffffffffffful) | 0x10000000000000ul;
    // |x| = mantissa * 2^e; bits of 2/pi above 4 / 2^e only add multiples of 4 quadrants.
    int e = (int)(bits >> 52) - 1075;
    int skip = e - 2 + 64;
    int word = skip >> 6, shift = skip & 63;
    ulong a = TWO_OVER_PI[word], b = TWO_OVER_PI[word + 1], c = TWO_OVER_PI[word + 2], d = TWO_OVER_PI[word + 3];
    if (shift != 0) {
        a = a << shift | b >> (64 - shift);
        b = b << shift | c >> (64 - shift);
        c = c << shift | d >> (64 - shift);
    }
    // The low 192 bits of mantissa * (a, b, c): quadrants modulo 4 with 190 fractional bits.
    ulong middle = mantissa * b, carry = mul_hi(mantissa, c);
    middle += carry;
    ulong high = mantissa * a + mul_hi(mantissa, b) + (middle < carry ? 1ul : 0ul);
    reduced result;
    result.n = (int)(high >> 62) + (int)((high >> 61) & 1);
    // The signed fraction as head and tail of 64 bits each.
    long head = (long)(high << 2 | middle >> 62);
    ulong rest = middle << 2;
    // Leading bits that are all sign would cost precision: move them out first.
    ulong magnitude_high = (ulong)(head < 0 ? ~head : head), magnitude_low = head < 0 ? ~rest : rest;
    int zeros = (int)clz(magnitude_high);
    if (zeros == 64) {
        magnitude_high = magnitude_low;
        magnitude_low = 0;
    } else if (zeros != 0) {
        magnitude_high = magnitude_high << zeros | magnitude_low >> (64 - zeros);
        magnitude_low <<= zeros;
    }
    // fraction = (high 53 bits) + (next 53 bits), each exact.
    double f1 = (double)(magnitude_high >> 11);
    double f2 = (double)((magnitude_high & 0x7ff) << 42 | magnitude_low >> 22);
    double scale = as_double((long)(1023 - 53 - zeros) << 52);
    f1 *= scale;
    f2 *= scale * 0x1p-53;
    // Times pi/2 in two pieces.
    double f1_head = as_double(as_ulong(f1) & 0xfffffffff8000000ul), f1_tail = f1 - f1_head;
    double p = f1 * 0x1.921fb54442d18p0;
    double q = ((f1_head * 0x1.921fb54p0 - p) + f1_head * 0x1.10b4611a62633p-30 + f1_tail * 0x1.921fb54p0) +
               f1_tail * 0x1.10b4611a62633p-30 + f2 * 0x1.921fb54442d18p0;
    result.r = p + q;
    result.tail = (p - result.r) + q;
    if ((head < 0) != (as_long(x) < 0)) {
        result.r = -result.r;
        result.tail = -result.tail;
    }
    if (as_long(x) < 0)
        result.n = -result.n;
    return result;
}

static reduced reduce(double x) {
    if (fabs(x) >= 0x1p19)
        return reduce_large(x);
    double k = rint(x * 0x1.45f306dc9c883p-1);
    reduced result;
    result.n = (int)k;
    double a = x - k * 0x1.921fb544p0;
    double b = k * 0x1.0b4611a6p-34, c = a - b;
    // Rounding error of the second subtraction, and the last two pieces.
    double lost = ((a - c) - b) - k * 0x1.3198a2ep-69 - k * 0x1.b839a252049c1p-104;
    result.r = c + lost;
    result.tail = (c - result.r) + lost;
    return result;
}

static double sin_poly(double r, double tail) {
    double z = r * r;
    double p = 0x1.71de3a1032ce5p-19 + z * (-0x1.ae63f7f5d45cap-26 + z * (0x1.60e5c369cdbf1p-33 + z * -0x1.8d4c2cd43d45fp-41));
    p = -0x1.5555555555555p-3 + z * (0x1.111111111101ep-7 + z * (-0x1.a01a019fe884cp-13 + z * p));
    return r + (r * z * p + tail * (1.0 - 0.5 * z));
}

static double cos_poly(double r, double tail) {
    double z = r * r, half_z = 0.5 * z, w = 1.0 - half_z;
    double p = -0x1.27e4fa037cc16p-22 + z * (0x1.1eeb5865374f9p-29 + z * -0x1.9073e56390a19p-37);
    p = 0x1.5555555555555p-5 + z * (-0x1.6c16c16c168ccp-10 + z * (0x1.a01a019f38b6dp-16 + z * p));
    return w + (((1.0 - w) - half_z) + (z * z * p - r * tail));
}

// sin(r + tail + n*pi/2).
static double quadrant(double r, double tail, int n) {
    double v = (n & 1) ? cos_poly(r, tail) : sin_poly(r, tail);
    return (n & 2) ? -v : v;
}

double __pumice_sin_f64(double x) {
    if (!(fabs(x) < INFINITY))
        return as_double(0x7ff8000000000000ul);
    // Keeps the sign of zero and the smallest numbers.
    if (fabs(x) < 0x1p-27)
        return x;
    reduced p = reduce(x);
    return quadrant(p.r, p.tail, p.n);
}

double __pumice_cos_f64(double x) {
    if (!(fabs(x) < INFINITY))
        return as_double(0x7ff8000000000000ul);
    reduced p = reduce(x);
    return quadrant(p.r, p.tail, p.n + 1);
}

double __pumice_tan_f64(double x) {
    if (!(fabs(x) < INFINITY))
        return as_double(0x7ff8000000000000ul);
    if (fabs(x) < 0x1p-27)
        return x;
    reduced p = reduce(x);
    double z = p.r * p.r;
    double t = -0x1.49ac8c02db576p-17 + z * (0x1.2a32a825a8d9cp-15 + z * (-0x1.2b70c05ce72aep-16 + z * 0x1.1941e72a050a2p-17));
    t = 0x1.3523a404b1f93p-11 + z * (0x1.f970965e79fa7p-13 + z * (0x1.7baeee7aa0581p-14 + z * (0x1.ca3e14ac38d58p-15 + z * t)));
    t = 0x1.226e360b0cb0ap-7 + z * (0x1.d6d3a2eae475p-9 + z * (0x1.7da728f9ba358p-10 + z * t));
    t = 0x1.5555555555555p-2 + z * (0x1.111111111114bp-3 + z * (0x1.ba1ba1ba1eaf8p-5 + z * (0x1.664f488018215p-6 + z * t)));
    t = p.r + (p.r * z * t + p.tail * (1.0 + z));
    return (p.n & 1) ? -1.0 / t : t;
}

// sin(pi*(r + n/2)) for |r| <= 1/4.
static double quadrant_pi(double r, int n) {
    double z = r * r;
    if (n & 1) {
        double c = -0x1.a6d18b26ca84bp-6 + z * (0x1.f94c112bf28e2p-10 + z * (-0x1.5c8fc4ec8541p-14 + z * -0x1.6f6987862e3bcp-14));
        c = 0x1.03c1f081b59f1p2 + z * (-0x1.55d3c7e3a870fp0 + z * (0x1.e1f5063471d21p-3 + z * c));
        c = 1.0 + z * (-0x1.3bd3cc9be45dep2 + z * c);
        return (n & 2) ? -c : c;
    }
    double s = 0x1.507834b835953p-4 + z * (-0x1.e3079f38d6a3p-8 + z * (0x1.e931e2be0bfecp-12 + z * -0x1.80fb29be58b19p-16));
    s = -0x1.4abbce625be53p2 + z * (0x1.466bc6775abc6p1 + z * (-0x1.32d2cce6483b7p-1 + z * s));
    s = 0x1.921fb54442d18p1 * r + r * z * s;
    return (n & 2) ? -s : s;
}

double __pumice_sinpi_f64(double x) {
    double a = fabs(x);
    if (__pumice_is_tiny_f64(x))
        return __pumice_small_product_f64(x, 0x1.921fb54442d18p1);
    if (!(a < INFINITY))
        return as_double(0x7ff8000000000000ul);
    if (a >= 0x1p52 || a == rint(a))
        return copysign(0.0, x);
    double k = rint(2.0 * a);
    double s = quadrant_pi(a - 0.5 * k, (int)((long)k & 3));
    return x < 0.0 ? -s : s;
}

double __pumice_cospi_f64(double x) {
    double a = fabs(x);
    if (!(a < INFINITY))
        return as_double(0x7ff8000000000000ul);
    if (a >= 0x1p53)
        return 1.0;
    double k = rint(2.0 * a);
    double r = a - 0.5 * k;
    int n = (int)(((long)k + 1) & 3);
    // The zeros are positive on both sides.
    if (r == 0.0 && (n & 1) == 0)
        return 0.0;
    return quadrant_pi(r, n);
}

double __pumice_tanpi_f64(double x) {
    double a = fabs(x);
    if (__pumice_is_tiny_f64(x))
        return __pumice_small_product_f64(x, 0x1.921fb54442d18p1);
    if (!(a < INFINITY))
        return as_double(0x7ff8000000000000ul);
    if (a >= 0x1p53)
        return copysign(0.0, x);
    double k = rint(2.0 * a), r = a - 0.5 * k;
    int n = (int)((long)k & 3);
    double t;
    if (r == 0.0) {
        t = (n & 1) ? INFINITY : 0.0;
        t = (n & 2) ? -t : t;
    } else {
        t = quadrant_pi(r, n) / quadrant_pi(r, n + 1);
    }
    return as_long(x) < 0 ? -t : t;
}
