// test: run
// Unit vectors: zeros keep their signs; squares that vanish or overflow, and a length beyond the largest number, do no harm;
// a lane far below the others keeps its digits. All sums of squares are exact, contracted or not.
// kernel: units
// global: 5
// arg: buffer float -0 0 -0 0 5.64237288e-37 7.52316385e-37 0 0 1.27605888e+38 1.70141183e+38 0 0 7.37869763e+19 8.8817842e-16 0 0 6.77626358e-21 -6.77626358e-21 6.77626358e-21 6.77626358e-21
// arg: buffer float 20*0
// arg: buffer int 20*2
// expect 1: float 0 0 0 0 0.6 0.8 0 0 0.6 0.8 0 0 1 1.20370622e-35 0 0 0.5 -0.5 0.5 0.5 ulp 6
// expect 2: int 1 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 0
__kernel void units(__global const float4 *x, __global float4 *unit, __global int4 *negative) {
    int i = get_global_id(0);
    unit[i] = normalize(x[i]);
    negative[i] = signbit(normalize(x[i])) & 1;
}
