// test: run
// Vector arithmetic, swizzles in every spelling, literals, comparisons, wide vectors.
// kernel: vectors
// global: 1
// arg: buffer int 16*0
// arg: buffer float 16*0
// expect 0: int 4 3 2 1 10 14 12 13 -1 0 -1 0 136 8 0 28
// expect 1: float 1 2 3 4 5 6 7 8 2 4 6 8 10 12 14 16
__kernel void vectors(__global int *out, __global float *fout) {
    int4 v = (int4)(1, 2, 3, 4);
    vstore4(v.wzyx, 0, out);
    int4 w = (int4)((int2)(10, 11), 12, 13);
    w.s1 = w.x + v.hi.y;
    vstore4(w, 1, out);
    int4 c = v.xyzw > (int4)(0, 2, 2, 4);
    c.w = 0;
    vstore4(c, 2, out);
    int16 wide = (int16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    int8 half_sum = wide.lo + wide.hi;
    int4 q = half_sum.even + half_sum.odd;
    out[12] = q.x + q.y + q.z + q.w;
    out[13] = wide.s7;
    out[14] = any(wide == 0);
    wide.sAbC = (int3)(7, 8, 13);
    out[15] = wide.sa + wide.sB + wide.sc;
    float8 f = (float8)(1, 2, 3, 4, 5, 6, 7, 8);
    vstore8(f, 0, fout);
    *(__global float8 *)(fout + 8) = f * 2.0f;
}
