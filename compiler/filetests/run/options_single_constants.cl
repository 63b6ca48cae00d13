// test: run
// -cl-single-precision-constant: a literal without suffix is a float.
// options: -cl-single-precision-constant
// kernel: sizes
// global: 1
// arg: buffer int 2*0
// arg: buffer float 3
// expect 0: int 4 1
__kernel void sizes(__global int *out, __global const float *in)
{
    out[0] = sizeof(1.0);
    out[1] = in[0] * 0.1 == in[0] * 0.1f;
}
