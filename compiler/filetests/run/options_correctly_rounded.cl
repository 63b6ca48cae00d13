// test: run
// Quotients and roots of single precision to the last bit, on whatever device. One quotient
// and one operand are denormal, which a device may flush.
// options: -cl-fp32-correctly-rounded-divide-sqrt
// kernel: divide
// global: 6
// arg: buffer uint 6*0
// arg: buffer float 1 2 10 1.1754944e-38 3.4028235e38 1e-45
// arg: buffer float 3 3 7 3 1.5e38 2
// expect 0: uint 0x3eaaaaab 0x3f2aaaab 0x3fb6db6e ? 0x40112fe8 0
__kernel void divide(__global uint *out, __global const float *a, __global const float *b)
{
    int i = get_global_id(0);
    out[i] = as_uint(a[i] / b[i]);
}

// kernel: root
// global: 5
// arg: buffer uint 5*0
// arg: buffer float 2 3 5 1e-45 3.4028235e38
// expect 0: uint 0x3fb504f3 0x3fddb3d7 0x400f1bbd ? 0x5f7fffff
__kernel void root(__global uint *out, __global const float *a)
{
    int i = get_global_id(0);
    out[i] = as_uint(sqrt(a[i]));
}
