// fma, division and sqrt for double: correctly rounded, for devices whose own are not.
//
// Method: as exact_f32.cl; fma in 128 bits, the quotient by long division in digits of ten bits.
#pragma OPENCL FP_CONTRACT OFF

typedef struct {
    ulong high, low;
} wide;

// value >> count with a sticky lowest bit.
static wide shift_sticky(wide value, int count) {
    wide r = value;
    if (count == 0)
        return r;
    if (count > 127) {
        r.high = 0;
        r.low = (value.high | value.low) != 0 ? 1ul : 0ul;
    } else if (count >= 64) {
        int rest = count - 64;
        ulong lost = value.low | (rest == 0 ? 0ul : value.high << (64 - rest));
        r.high = 0;
        r.low = value.high >> rest | (ulong)(lost != 0);
    } else {
        ulong lost = value.low << (64 - count);
        r.high = value.high >> count;
        r.low = value.low >> count | value.high << (64 - count) | (ulong)(lost != 0);
    }
    return r;
}

static wide shift_left(wide value, int count) {
    wide r = value;
    if (count >= 64) {
        r.high = value.low << (count - 64);
        r.low = 0;
    } else if (count > 0) {
        r.high = value.high << count | value.low >> (64 - count);
        r.low = value.low << count;
    }
    return r;
}

static ulong mantissa_of(ulong bits, int *exponent) {
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
static double round_f64(ulong sign, ulong value, int e) {
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

double __pumice_fma_f64(double a, double b, double c) {
    ulong ua = as_ulong(a), ub = as_ulong(b), uc = as_ulong(c);
    ulong mask = 0x7ffffffffffffffful, top = 0x7ff0000000000000ul;
    ulong aa = ua & mask, ab = ub & mask, ac = uc & mask;
    if (aa >= top || ab >= top)
        return a * b + c;
    if (ac >= top)
        return c;
    if (aa == 0 || ab == 0)
        return ac == 0 ? as_double((ua ^ ub) & uc) : c;
    int ea, eb, ec;
    ulong ma = mantissa_of(aa, &ea), mb = mantissa_of(ab, &eb);
    ulong sp = (ua ^ ub) >> 63, sc = uc >> 63;
    wide p;
    p.high = mul_hi(ma, mb);
    p.low = ma * mb;
    p = shift_left(p, 20);
    int e = ea + eb - 20;
    wide q;
    q.high = 0;
    q.low = 0;
    if (ac != 0) {
        q.low = mantissa_of(ac, &ec);
        q = shift_left(q, 73);
        ec -= 73;
        if (e >= ec) {
            q = shift_sticky(q, e - ec);
        } else {
            p = shift_sticky(p, ec - e);
            e = ec;
        }
    } else {
        sc = sp;
    }
    wide sum;
    ulong sign = sp;
    if (sp == sc) {
        sum.low = p.low + q.low;
        sum.high = p.high + q.high + (sum.low < p.low ? 1ul : 0ul);
    } else if (p.high > q.high || (p.high == q.high && p.low >= q.low)) {
        sum.low = p.low - q.low;
        sum.high = p.high - q.high - (p.low < q.low ? 1ul : 0ul);
    } else {
        sum.low = q.low - p.low;
        sum.high = q.high - p.high - (q.low < p.low ? 1ul : 0ul);
        sign = sc;
    }
    if ((sum.high | sum.low) == 0)
        return 0.0;
    int zeros = sum.high != 0 ? (int)clz(sum.high) : 64 + (int)clz(sum.low);
    sum = shift_left(sum, zeros);
    e -= zeros;
    // 64 bits and a sticky one are enough for the rounding.
    ulong value = sum.high | (ulong)(sum.low != 0);
    return round_f64(sign, value, e + 64);
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
    ulong rest = mantissa_of(aa, &ea), divisor = mantissa_of(ab, &eb);
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
    return round_f64(sign, quotient | (ulong)(rest != 0), ea - eb - 60);
}

double __pumice_sqrt_f64(double x) {
    ulong bits = as_ulong(x), top = 0x7ff0000000000000ul;
    if ((bits & 0x7ffffffffffffffful) == 0 || bits == top)
        return x;
    if (bits > top)
        return as_double(0x7ff8000000000000ul);
    int e;
    ulong m = mantissa_of(bits, &e);
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
    return round_f64(0, root << 1 | (ulong)(rest != 0), (e - 62) / 2 - 1);
}
