// test: run
// -cl-mad-enable and -cl-no-signed-zeros do no harm.
// options: -cl-mad-enable -cl-no-signed-zeros
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

// kernel: functions
// global: 4
// arg: buffer float 12*0
// arg: buffer float 0.5 1.25 2 10
// expect 0: float 0.47942555 1.6487212 -0.6931472 0.9489846 3.4903429 0.22314355 0.9092974 7.389056 0.6931472 -0.54402113 22026.465 2.3025851 ulp 4
__kernel void functions(__global float *out, __global const float *in)
{
    int i = get_global_id(0);
    out[i * 3] = sin(in[i]);
    out[i * 3 + 1] = exp(in[i]);
    out[i * 3 + 2] = log(in[i]);
}

