// fma for float: correctly rounded, for devices whose own is not one rounding.
//
// Method: integers. Product and addend stand in 64 bits with the larger's leading bit at 61 or
// 62; what the alignment shifts out is kept as a sticky lowest bit. Bits are lost only where the
// exponents lie so far apart that no leading bits cancel, so the one rounding is right.
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

float __pumice_fma_f32(float a, float b, float c) {
    uint ua = as_uint(a), ub = as_uint(b), uc = as_uint(c);
    uint aa = ua & 0x7fffffff, ab = ub & 0x7fffffff, ac = uc & 0x7fffffff;
    // NaNs, infinities and zeros: the separate operations are exact there.
    if (aa >= 0x7f800000 || ab >= 0x7f800000 || aa == 0 || ab == 0)
        return a * b + c;
    if (ac >= 0x7f800000)
        return c;
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
    // Normalise the leading bit to 63, then keep 24 bits, fewer for a subnormal result.
    int zeros = (int)clz(sum);
    sum <<= zeros;
    e -= zeros;
    int biased = e + 63 + 127;
    int drop = 40;
    if (biased < 1) {
        drop += 1 - biased;
        biased = 0;
    }
    ulong kept = drop > 63 ? 0ul : sum >> drop;
    ulong rest = drop > 64 ? 1ul : drop == 64 ? sum : sum << (64 - drop);
    bool up = rest > 0x8000000000000000ul || (rest == 0x8000000000000000ul && (kept & 1));
    // For a subnormal the leading bit, if rounding makes one, is the exponent 1; for a normal
    // number it is taken off. A carry moves into the exponent, up to infinity.
    uint result = (uint)kept + (up ? 1u : 0u) + ((uint)(biased > 0 ? biased - 1 : 0) << 23);
    if (biased > 254)
        result = 0x7f800000;
    return as_float(sign << 31 | result);
}
