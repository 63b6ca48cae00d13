// fma, division and sqrt for float: correctly rounded, for devices whose own are not.
//
// Method: integers. A result is computed to more bits than a float has, what is left of it kept
// as a sticky lowest bit, and rounded once. In fma product and addend stand in 64 bits with the
// larger's leading bit at 61 or 62; bits are lost only where the exponents lie so far apart that
// no leading bits cancel.
//
// fma_by_f64 is for devices that have doubles and keep denormals of floats. The product is exact there; the sum
// is rounded to odd only where rounding it twice could give another float, which is rare.
//
// div_fma and sqrt_fma are for devices whose fma is exact and that keep denormals: the device's
// reciprocal, wrong by up to 4 ULP, is refined until what an fma says is left decides the rounding.
#pragma OPENCL FP_CONTRACT OFF

// value >> count with a sticky lowest bit.
static ulong shift_sticky(ulong value, int count) {
    if (count == 0)
        return value;
    if (count > 63)
        return value != 0 ? 1ul : 0ul;
    return value >> count | (ulong)((value << (64 - count)) != 0);
}

// mantissa * 2^exponent of |x|, the mantissa normalised to 24 bits; 0 for zero.
static uint mantissa_of(uint bits, int *exponent) {
    int e = (int)(bits >> 23);
    uint m = bits & 0x7fffff;
    if (e != 0) {
        *exponent = e - 150;
        return m | 0x800000;
    }
    int shift = m == 0 ? 0 : (int)clz(m) - 8;
    *exponent = -149 - shift;
    return m << shift;
}

// (-1)^sign * value * 2^e to the nearest float; value is not zero, its lowest bit may be sticky.
static float round_f32(uint sign, ulong value, int e) {
    // Normalise the leading bit to 63, then keep 24 bits, fewer for a subnormal result.
    int zeros = (int)clz(value);
    value <<= zeros;
    e -= zeros;
    int biased = e + 63 + 127;
    int drop = 40;
    if (biased < 1) {
        drop += 1 - biased;
        biased = 0;
    }
    ulong kept = drop > 63 ? 0ul : value >> drop;
    ulong rest = drop > 64 ? 1ul : drop == 64 ? value : value << (64 - drop);
    bool up = rest > 0x8000000000000000ul || (rest == 0x8000000000000000ul && (kept & 1));
    // For a subnormal the leading bit, if rounding makes one, is the exponent 1; for a normal
    // number it is taken off. A carry moves into the exponent, up to infinity.
    uint result = (uint)kept + (up ? 1u : 0u) + ((uint)(biased > 0 ? biased - 1 : 0) << 23);
    if (biased > 254)
        result = 0x7f800000;
    return as_float(sign << 31 | result);
}

// What product + addend, of which sum is the nearest double, is as a float.
static float round_once(double product, double addend, double sum) {
    double back = sum - product, rest = sum - back;
    double lost = (product - rest) + (addend - back);
    // Rounded to odd: toward zero, where the rest has the other sign one less, and the last bit set.
    long bits = as_long(sum);
    long odd = (bits + ((bits ^ as_long(lost)) >> 63)) | 1l;
    return (float)(lost != 0.0 ? as_double(odd) : sum);
}

float __pumice_fma_by_f64_f32(float a, float b, float c) {
    double product = (double)a * (double)b, addend = c, sum = product + addend;
    float result = (float)sum;
    // Half way between two floats the sum may stand for more or less. Among denormals and beside them other bits tell.
    bool half_way = ((uint)as_ulong(sum) & 0x1fffffffu) == 0x10000000u;
    bool small = (as_uint(result) & 0x7fffffffu) - 1u < 0x800000u;
    if (half_way || small)
        result = round_once(product, addend, sum);
    // By bits: drivers are not to be trusted with signs of zeros.
    uint zero = (as_uint(a) ^ as_uint(b)) & as_uint(c) & 0x80000000u;
    return sum == 0.0 ? as_float(zero) : result;
}

float __pumice_fma_f32(float a, float b, float c) {
    uint ua = as_uint(a), ub = as_uint(b), uc = as_uint(c);
    uint aa = ua & 0x7fffffff, ab = ub & 0x7fffffff, ac = uc & 0x7fffffff;
    // NaNs and infinities: the separate operations are exact there.
    if (aa >= 0x7f800000 || ab >= 0x7f800000)
        return a * b + c;
    if (ac >= 0x7f800000)
        return c;
    // By bits: drivers are not to be trusted with signs of zeros.
    if (aa == 0 || ab == 0)
        return ac == 0 ? as_float((ua ^ ub) & uc) : c;
    int ea, eb, ec;
    uint ma = mantissa_of(aa, &ea), mb = mantissa_of(ab, &eb);
    uint sp = (ua ^ ub) >> 31, sc = uc >> 31;
    ulong p = (ulong)ma * mb << 14;
    int e = ea + eb - 14;
    ulong q = 0;
    if (ac != 0) {
        q = (ulong)mantissa_of(ac, &ec) << 38;
        ec -= 38;
        if (e >= ec) {
            q = shift_sticky(q, e - ec);
        } else {
            p = shift_sticky(p, ec - e);
            e = ec;
        }
    } else {
        sc = sp;
    }
    ulong sum;
    uint sign = sp;
    if (sp == sc) {
        sum = p + q;
    } else if (p >= q) {
        sum = p - q;
    } else {
        sum = q - p;
        sign = sc;
    }
    if (sum == 0)
        return 0.0f;
    return round_f32(sign, sum, e);
}

float __pumice_div_f32(float a, float b) {
    uint ua = as_uint(a), ub = as_uint(b);
    uint aa = ua & 0x7fffffff, ab = ub & 0x7fffffff, sign = (ua ^ ub) >> 31;
    if (aa > 0x7f800000 || ab > 0x7f800000 || (aa == ab && (aa == 0 || aa == 0x7f800000)))
        return as_float(0x7fc00000);
    if (aa == 0x7f800000 || ab == 0)
        return as_float(sign << 31 | 0x7f800000);
    if (aa == 0 || ab == 0x7f800000)
        return as_float(sign << 31);
    int ea, eb;
    uint ma = mantissa_of(aa, &ea), mb = mantissa_of(ab, &eb);
    // 27 or 28 bits of quotient.
    ulong dividend = (ulong)ma << 27;
    ulong quotient = dividend / mb;
    ulong rest = dividend - quotient * mb;
    return round_f32(sign, quotient | (ulong)(rest != 0), ea - eb - 27);
}

float __pumice_sqrt_f32(float x) {
    uint bits = as_uint(x);
    if ((bits & 0x7fffffff) == 0 || bits == 0x7f800000)
        return x;
    if (bits > 0x7f800000)
        return as_float(0x7fc00000);
    int e;
    uint m = mantissa_of(bits, &e);
    if (e & 1) {
        m <<= 1;
        e -= 1;
    }
    // Two bits of the radicand give one of the root: 12 pairs hold the mantissa, 27 bits of root
    // are enough. The remainder never exceeds twice the root.
    uint root = 0, rest = 0;
    ulong radicand = (ulong)m << 38;
    for (int i = 0; i < 27; i++) {
        rest = rest << 2 | (uint)(radicand >> 62);
        radicand <<= 2;
        uint trial = root << 2 | 1;
        root <<= 1;
        if (rest >= trial) {
            rest -= trial;
            root |= 1;
        }
    }
    // 27 pairs of m * 2^38: the root of m * 2^28.
    return round_f32(0, (ulong)root << 1 | (ulong)(rest != 0), (e - 28) / 2 - 1);
}

float __pumice_div_fma_f32(float a, float b) {
    uint ua = as_uint(a), ub = as_uint(b);
    uint aa = ua & 0x7fffffff, ab = ub & 0x7fffffff, sign = (ua ^ ub) & 0x80000000;
    bool tiny_a = aa < 0x800000, tiny_b = ab < 0x800000;
    uint na = tiny_a ? as_uint(as_float(aa) * 0x1p32f) : aa;
    uint nb = tiny_b ? as_uint(as_float(ab) * 0x1p32f) : ab;
    // The quotient of the mantissas, 0.5 to 2, and the power of two that it lacks.
    int n = (int)(na >> 23) - (int)(nb >> 23) - (tiny_a ? 32 : 0) + (tiny_b ? 32 : 0);
    float ma = as_float((na & 0x7fffff) | 0x3f800000), mb = as_float((nb & 0x7fffff) | 0x3f800000);
    float y = native_recip(mb);
    y = fma(fma(-mb, y, 1.0f), y, y);
    float q = ma * y;
    q = fma(fma(-mb, q, ma), y, q);
    q = fma(fma(-mb, q, ma), y, q);
    float rest = fma(-mb, q, ma);
    uint uq = as_uint(q);
    int biased = (int)(uq >> 23) + n;
    // A subnormal result is rounded from two more bits, of which the remainder is the lower one.
    int drop = clamp(3 - biased, 2, 30);
    uint m = ((uq & 0x7fffff) | 0x800000) * 4 + (rest > 0.0f ? 1u : 0u) - (rest < 0.0f ? 1u : 0u);
    uint kept = m >> drop, lost = m << (32 - drop);
    kept += lost > 0x80000000u || (lost == 0x80000000u && (kept & 1)) ? 1u : 0u;
    uint result = biased > 254 ? 0x7f800000 : biased < 1 ? kept : uq + ((uint)n << 23);
    result = aa == 0 || ab == 0x7f800000 ? 0 : result;
    result = ab == 0 || aa == 0x7f800000 ? 0x7f800000 : result;
    bool nan = aa > 0x7f800000 || ab > 0x7f800000 || (aa == ab && (aa == 0 || aa == 0x7f800000));
    return as_float(nan ? 0x7fc00000 : result | sign);
}

float __pumice_sqrt_fma_f32(float x) {
    uint bits = as_uint(x);
    bool small = x < 0x1p-96f;
    float v = small ? x * 0x1p64f : x;
    float y = native_rsqrt(v), g = v * y, h = 0.5f * y;
    g = fma(fma(-h, g, 0.5f), g, g);
    // Within 1 ULP: the nearest is it or a neighbour, which the remainders of both tell.
    float down = as_float(as_uint(g) - 1), up = as_float(as_uint(g) + 1);
    float below = fma(-down, g, v), above = fma(-up, g, v);
    g = below <= 0.0f ? down : g;
    g = above > 0.0f ? up : g;
    g = small ? g * 0x1p-32f : g;
    g = bits > 0x7f800000 ? as_float(0x7fc00000) : g;
    return (bits & 0x7fffffff) == 0 || bits == 0x7f800000 ? x : g;
}
