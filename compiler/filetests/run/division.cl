// test: run
// Quotients and remainders of every width and sign, beside multiples of the divisor too: how many
// break what defines them.
// options: -cl-std=CL3.0
// kernel: divide
// global: 64
// arg: buffer int 64*-1
// expect 0: int 64*0
#define SIGNED(T, U, LEAST)                                                     \
    {                                                                           \
        T n = (T)a, d = (T)b;                                                   \
        if (k & 2) n = n / 7 * d + (T)(k & 1);                                  \
        if (d != 0 && !(n == LEAST && d == (T)-1)) {                            \
            T q = n / d, r = n % d;                                             \
            U ur = r < 0 ? -(U)r : (U)r, ud = d < 0 ? -(U)d : (U)d;             \
            bad += (T)(q * d + r) != n || ur >= ud || (r != 0 && (r < 0) != (n < 0)); \
        }                                                                       \
    }
#define UNSIGNED(T)                                                             \
    {                                                                           \
        T n = (T)a, d = (T)b;                                                   \
        if (k & 2) n = (T)(n / 7 * d) - (T)(k & 1);                             \
        if (d != 0) {                                                           \
            T q = n / d, r = n % d;                                             \
            bad += (T)(q * d + r) != n || r >= d || q > n;                      \
        }                                                                       \
    }
__kernel void divide(__global int *out)
{
    ulong s = get_global_id(0) * 0x9E3779B97F4A7C15UL + 1;
    int bad = 0;
    for (int k = 0; k < 200; ++k) {
        s = s * 6364136223846793005UL + 1442695040888963407UL;
        ulong a = s >> (s >> 58);
        s = s * 6364136223846793005UL + 1442695040888963407UL;
        ulong b = s >> (s >> 58);
        if (k % 11 == 0) b = 0UL - (ulong)(k & 3);
        if (k % 13 == 0) a = 0x8000000000000000UL >> (k & 63);
        SIGNED(char, uchar, CHAR_MIN)
        SIGNED(short, ushort, SHRT_MIN)
        SIGNED(int, uint, INT_MIN)
        SIGNED(long, ulong, LONG_MIN)
        UNSIGNED(uchar)
        UNSIGNED(ushort)
        UNSIGNED(uint)
        UNSIGNED(ulong)
        int4 n = (int4)((int)a, -(int)a, (int)a >> 3, 7), d = (int4)((int)b, 3, -5, (int)b) | 1;
        if (all(n != INT_MIN)) {
            int4 q = n / d, r = n % d;
            bad += any(q * d + r != n) || any(abs(r) >= abs(d));
        }
    }
    out[get_global_id(0)] = bad;
}
