// fma for double: correctly rounded, for devices whose own is not one rounding.
//
// Method: as fma_f32.cl in 128 bits.
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

double __pumice_fma_f64(double a, double b, double c) {
    ulong ua = as_ulong(a), ub = as_ulong(b), uc = as_ulong(c);
    ulong mask = 0x7ffffffffffffffful, top = 0x7ff0000000000000ul;
    ulong aa = ua & mask, ab = ub & mask, ac = uc & mask;
    if (aa >= top || ab >= top || aa == 0 || ab == 0)
        return a * b + c;
    if (ac >= top)
        return c;
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
    int biased = e + 127 + 1023;
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
        result = top;
    return as_double(sign << 63 | result);
}
