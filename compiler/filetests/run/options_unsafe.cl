// test: run
// The freedom of -cl-unsafe-math-optimizations (no signed zeros, mad) does no harm.
// options: -cl-unsafe-math-optimizations
// kernel: arithmetic
// global: 4
// arg: buffer float 16*0
// arg: buffer float 3 0.5 -12 7.75 2 -8 0.25 4
// expect 0: float 9 1.5 3 3 -1 -0.0625 0.5 -4.5 0 -48 12 9 34 1.9375 7.75 23.25 ulp 3
__kernel void arithmetic(__global float *out, __global const float *in)
{
    int i = get_global_id(0);
    float x = in[i], y = in[i + 4];
    out[i * 4] = x * y + 3.0f;
    out[i * 4 + 1] = x / y;
    out[i * 4 + 2] = sqrt(x * x);
    out[i * 4 + 3] = mad(x, y, -x);
}

// The limits of relaxed arithmetic: 2^-11 for sines of numbers between -pi and pi; 3 + 2x ULP for exponentials, here of 3;
// 2^-21 for logarithms of numbers between 0.5 and 2, else 3 ULP.
// kernel: functions
// global: 4
// arg: buffer float 12*0
// arg: buffer float 0.5 1.25 2 3
// expect 0: float 0.47942554 ? ? 0.94898462 ? ? 0.90929743 ? ? 0.14112001 ? ? abs 0.00048828125
// expect 0: float ? 1.6487213 ? ? 3.4903430 ? ? 7.3890561 ? ? 20.085537 ? ulp 9
// expect 0: float ? ? -0.69314718 ? ? 0.22314355 ? ? 0.69314718 ? ? ? abs 0.000000476837158
// expect 0: float 11*? 1.0986123 ulp 3
__kernel void functions(__global float *out, __global const float *in)
{
    int i = get_global_id(0);
    out[i * 3] = sin(in[i]);
    out[i * 3 + 1] = exp(in[i]);
    out[i * 3 + 2] = log(in[i]);
}

