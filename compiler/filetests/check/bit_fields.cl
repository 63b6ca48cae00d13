// test: check
// options: -pumice-check=all
// Writing a bit-field of a new variable is no use of its neighbours.
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
struct bits { uint low : 5; uint high : 11; };

kernel void silent(global int *out, int n)
{
    struct bits b, many[2];
    b.high = n;
    many[n & 1].low = n;
    out[0] = b.high + many[n & 1].low;
}

// kernel: silent
// global: 1
// arg: buffer int 9
// arg: int 3
// expect 0: int 6
