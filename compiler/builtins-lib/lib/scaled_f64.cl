// Denormals of doubles in the library's functions. The arithmetic of some devices takes them for zeros; there these
// functions are made of integers, and the rest of the library sees normal numbers only (the compiler does not lower
// its arithmetic). On other devices they are plain arithmetic with the same results.
#pragma OPENCL FP_CONTRACT OFF

// Whether the device takes denormals for zeros.
int __pumice_flushes_f64(void) {
    return 0;
}

// The same on devices that do, for which link_builtins takes it.
int __pumice_flushes_indeed_f64(void) {
    return 1;
}

#define GRID 0x4330000000000000ul
#define SIGN 0x8000000000000000ul

// Whether x is a zero.
int __pumice_is_zero_f64(double x) {
    return __pumice_flushes_f64() ? as_ulong(x) << 1 == 0 : x == 0.0;
}

// Whether x is so small that an odd function is x times its slope, and the device takes denormals for zeros.
int __pumice_is_tiny_f64(double x) {
    return __pumice_flushes_f64() && fabs(x) < 0x1p-60;
}

// A whole number below 2^52 as a double.
static double whole(ulong number) {
    return as_double(number | GRID) - 0x1p52;
}

// x * 2^54 for a denormal x.
double __pumice_raised_f64(double x) {
    if (!__pumice_flushes_f64())
        return x * 0x1p54;
    ulong bits = as_ulong(x);
    return as_double(as_ulong(whole(bits & ~SIGN) * 0x1p-1020) | (bits & SIGN));
}

// The double of `units` times 2^-1074, rounded to a whole number.
static double of_units(double units) {
    ulong bits = as_ulong(units), sign = bits & SIGN;
    return as_double((as_ulong(as_double(bits ^ sign) + 0x1p52) - GRID) | sign);
}

// x * 2^n for a normal x, |n| < 2000. For a NaN n may be anything.
double __pumice_scaled_f64(double x, int n) {
    int half_n = n >> 1;
    double result = x * as_double((long)(half_n + 1023) << 52) * as_double((long)(n - half_n + 1023) << 52);
    if (!__pumice_flushes_f64())
        return result;
    int exponent = (int)((as_ulong(x) & ~SIGN) >> 52) + n;
    // Below 2^-1000 in units nothing is left.
    int up = max(n + 1074, -1000);
    return x == x && exponent < 1 && up < 1000 ? of_units(x * as_double((long)(up + 1023) << 52)) : result;
}

// x * c for c between 1/4 and 4.
double __pumice_small_product_f64(double x, double c) {
    if (!__pumice_flushes_f64())
        return x * c;
    ulong bits = as_ulong(x), size = bits & ~SIGN, sign = bits & SIGN;
    bool is_denormal = size < 0x10000000000000ul;
    double units = is_denormal ? whole(size) : as_double(size) * 0x1p537 * 0x1p537;
    double product = units * c;
    // Sums with 2^52 have no places after the point: the product is rounded once.
    ulong rounded = as_ulong(fma(units, c, 0x1p52)) - GRID;
    if (product < 0x1p52)
        return as_double(rounded | sign);
    return is_denormal ? as_double(as_ulong(product * 0x1p-537 * 0x1p-537) | sign) : x * c;
}
