// fma, division and sqrt for double: correctly rounded, for devices whose own are not.
//
// Method: fma in pairs of doubles, the product as Dekker's exact pair. Where the plain sum of the parts could
// be rounded twice, or a part overflow or be denormal, which is rare, a branch does it again: operands are
// scaled, the sum rounds the tail to odd (Boldo and Melquiond, "Emulation of FMA and correctly rounded
// sums", 2008), and a denormal result is rounded by adding the power of two whose last place is 2^-1074.
// The quotient by long division in digits of ten bits.
#pragma OPENCL FP_CONTRACT OFF

// The significand of a finite number that is not zero, from its bits without sign: 53 bits, times 2^exponent.
ulong __pumice_mantissa_f64(ulong bits, int *exponent) {
    int e = (int)(bits >> 52);
    ulong m = bits & 0xffffffffffffful;
    if (e != 0) {
        *exponent = e - 1075;
        return m | 0x10000000000000ul;
    }
    int shift = m == 0 ? 0 : (int)clz(m) - 11;
    *exponent = -1074 - shift;
    return m << shift;
}

// (-1)^sign * value * 2^e to the nearest double; value is not zero, its lowest bit may be sticky.
double __pumice_nearest_f64(ulong sign, ulong value, int e) {
    int zeros = (int)clz(value);
    value <<= zeros;
    e -= zeros;
    int biased = e + 63 + 1023;
    int drop = 11;
    if (biased < 1) {
        drop += 1 - biased;
        biased = 0;
    }
    ulong kept = drop > 63 ? 0ul : value >> drop;
    ulong rest = drop > 64 ? 1ul : drop == 64 ? value : value << (64 - drop);
    bool up = rest > 0x8000000000000000ul || (rest == 0x8000000000000000ul && (kept & 1));
    ulong result = kept + (up ? 1ul : 0ul) + ((ulong)(biased > 0 ? biased - 1 : 0) << 52);
    if (biased > 2046)
        result = 0x7ff0000000000000ul;
    return as_double(sign << 63 | result);
}

typedef struct {
    double high, low;
} pair;

static pair two_sum(double a, double b) {
    pair r;
    r.high = a + b;
    double back = r.high - a;
    r.low = (a - (r.high - back)) + (b - back);
    return r;
}

// a + b; when inexact, the neighbour whose last bit is set.
static double odd_sum(double a, double b) {
    pair r = two_sum(a, b);
    long bits = as_long(r.high);
    // Toward zero first: one less where the rest has the other sign.
    long odd = (bits + ((bits ^ as_long(r.low)) >> 63)) | 1l;
    return r.low != 0.0 ? as_double(odd) : r.high;
}

static double upper_half(double a) {
    double t = a * 134217729.0;
    return t - (t - a);
}

static pair two_product(double a, double b) {
    pair r;
    r.high = a * b;
    double ah = upper_half(a), bh = upper_half(b);
    double al = a - ah, bl = b - bh;
    r.low = ((ah * bh - r.high) + ah * bl + al * bh) + al * bl;
    return r;
}

// The significand of a finite number that is not zero, between 1 and 2 and with its sign, times 2^exponent.
static double significand(ulong bits, int *exponent) {
    ulong magnitude = bits & 0x7ffffffffffffffful;
    int biased = (int)(magnitude >> 52);
    int shift = biased == 0 ? (int)clz(magnitude) - 11 : 0;
    *exponent = (biased == 0 ? 1 - shift : biased) - 1023;
    ulong fraction = magnitude << (shift & 63) & 0xffffffffffffful;
    return as_double((bits & 0x8000000000000000ul) | 0x3ff0000000000000ul | fraction);
}

// fma of any operands.
static double fma_scaled(double a, double b, double c) {
    ulong ua = as_ulong(a), ub = as_ulong(b), uc = as_ulong(c);
    ulong sign = 0x8000000000000000ul, top = 0x7ff0000000000000ul;
    ulong aa = ua & ~sign, ab = ub & ~sign, ac = uc & ~sign;
    // The product, between 1 and 4, stands for itself times 2^scale, and the addend beside it. One
    // that is far off counts by its sign alone.
    int ea, eb, ec;
    double x = significand(ua, &ea), y = significand(ub, &eb), z = significand(uc, &ec);
    int scale = ea + eb;
    int distance = ac == 0 ? 0 : ec - scale;
    scale = distance > 120 ? ec - 120 : max(scale, -1500);
    double unscaled = as_double((ulong)(clamp(distance, -120, 120) + 1023) << 52);
    double addend = ac == 0 ? 0.0 : z * unscaled;
    pair product = two_product(x, y);
    pair low = two_sum(addend, product.low);
    pair high = two_sum(product.high, low.high);
    double rest = odd_sum(low.low, high.low);
    double sum = high.high + rest;
    ulong bits = as_ulong(sum), of_sign = bits & sign;
    int e = (int)((bits & ~sign) >> 52) + scale;
    // Normal: between 1 and 2046 is the biased exponent.
    ulong result = bits + ((ulong)(long)scale << 52);
    result = e > 2046 ? of_sign | top : result;
    // Denormal: what the places of `unit` hold beside it.
    ulong unit = (ulong)(clamp(1 - scale, 1, 2046)) << 52;
    pair places = two_sum(as_double(of_sign | unit), high.high);
    double rounded = places.high + odd_sum(places.low, rest);
    ulong denormal = of_sign | ((as_ulong(rounded) & ~sign) - unit);
    result = e < 1 ? denormal : result;
    result = sum == 0.0 ? 0ul : result;
    // A zero factor, infinities and NaN.
    ulong plain = ac == 0 ? (ua ^ ub) & uc : uc;
    result = aa == 0 || ab == 0 || ac >= top ? plain : result;
    // A device may take a denormal factor of an infinity for zero.
    double factor_a = aa == 0 || aa >= top ? a : x, factor_b = ab == 0 || ab >= top ? b : y;
    return aa >= top || ab >= top ? factor_a * factor_b + c : as_double(result);
}

// Whether a number is not zero and below a bound, given by its bits.
static bool tiny(double x, ulong bound) {
    return (as_ulong(x) << 1) - 1 < (bound << 1) - 1;
}

double __pumice_fma_f64(double a, double b, double c) {
    pair product = two_product(a, b);
    pair high = two_sum(product.high, c);
    double low = high.low + product.low;
    double sum = high.high + low;
    // What this sum loses. What `low` lost is less than its last place, and counts only where `sum` lies half way
    // between two numbers: there `lost` is a power of two.
    double lost = low - (sum - high.high);
    bool half_way = lost != 0.0 && as_ulong(lost) << 12 == 0;
    // Factors below 2^-400, whose product may have denormal parts, and denormal addends, which a device may take for
    // zeros; sums that overflowed, infinities and NaN.
    bool small = tiny(a, 0x26f0000000000000ul) || tiny(b, 0x26f0000000000000ul) || tiny(c, 0x0010000000000000ul);
    bool finite = fabs(sum) < INFINITY;
    // By bits: drivers are not to be trusted with signs of zeros.
    ulong zero = (as_ulong(a) ^ as_ulong(b)) & as_ulong(c) & 0x8000000000000000ul;
    double result = sum == 0.0 ? as_double(zero) : sum;
    if (half_way || small || !finite)
        result = fma_scaled(a, b, c);
    return result;
}

double __pumice_div_f64(double a, double b) {
    ulong ua = as_ulong(a), ub = as_ulong(b);
    ulong mask = 0x7ffffffffffffffful, top = 0x7ff0000000000000ul;
    ulong aa = ua & mask, ab = ub & mask, sign = (ua ^ ub) >> 63;
    if (aa > top || ab > top || (aa == ab && (aa == 0 || aa == top)))
        return as_double(0x7ff8000000000000ul);
    if (aa == top || ab == 0)
        return as_double(sign << 63 | top);
    if (aa == 0 || ab == top)
        return as_double(sign << 63);
    int ea, eb;
    ulong rest = __pumice_mantissa_f64(aa, &ea), divisor = __pumice_mantissa_f64(ab, &eb);
    ulong quotient = 0;
    if (rest >= divisor) {
        rest -= divisor;
        quotient = 1;
    }
    for (int i = 0; i < 6; i++) {
        rest <<= 10;
        ulong digit = rest / divisor;
        rest -= digit * divisor;
        quotient = quotient << 10 | digit;
    }
    return __pumice_nearest_f64(sign, quotient | (ulong)(rest != 0), ea - eb - 60);
}

double __pumice_sqrt_f64(double x) {
    ulong bits = as_ulong(x), top = 0x7ff0000000000000ul;
    if ((bits & 0x7ffffffffffffffful) == 0 || bits == top)
        return x;
    if (bits > top)
        return as_double(0x7ff8000000000000ul);
    int e;
    ulong m = __pumice_mantissa_f64(bits, &e);
    if (e & 1) {
        m <<= 1;
        e -= 1;
    }
    // 27 pairs of bits hold the mantissa; 58 bits of root are enough.
    ulong root = 0, rest = 0, radicand = m << 10;
    for (int i = 0; i < 58; i++) {
        rest = rest << 2 | radicand >> 62;
        radicand <<= 2;
        ulong trial = root << 2 | 1;
        root <<= 1;
        if (rest >= trial) {
            rest -= trial;
            root |= 1;
        }
    }
    // 58 pairs of m * 2^10: the root of m * 2^62.
    return __pumice_nearest_f64(0, root << 1 | (ulong)(rest != 0), (e - 62) / 2 - 1);
}
