// test: run
// Unit vectors: zeros keep their signs; squares that vanish or overflow, and a length beyond the largest number, do no harm;
// a lane far below the others keeps its digits.
// kernel: units
// global: 5
// arg: buffer float -0 0 -0 0 3e-37 4e-37 0 0 2.4e38 3.2e38 0 0 1e20 1e-15 0 0 1e-20 -1e-20 1e-20 1e-20
// arg: buffer float 20*0
// arg: buffer int 20*2
// expect 1: float 0 0 0 0 0.6 0.8 0 0 0.6 0.8 0 0 1 1e-35 0 0 0.5 -0.5 0.5 0.5 ulp 6
// expect 2: int 1 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 0
__kernel void units(__global const float4 *x, __global float4 *unit, __global int4 *negative) {
    int i = get_global_id(0);
    unit[i] = normalize(x[i]);
    negative[i] = signbit(normalize(x[i])) & 1;
}
