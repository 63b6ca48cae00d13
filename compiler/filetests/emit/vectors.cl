// test: emit
// Swizzles as values and targets, literals, lanes by index, comparisons, select, shifts.
kernel void vectors(global float4 *a, global int4 *b, global float3 *c, global uchar16 *d, int i) {
    float4 v = (float4)(1.0f, a[0].xy, 2.0f);
    v.xz = a[1].wy;
    v.w += 3.0f;
    a[2].yw = v.hi;
    a[3] = v.wzyx * 2.0f;
    a[4].s2 = v[i];
    v[i] = 5.0f;
    a[5][i] = v.x;
    int4 m = (v < a[0]) && !(b[0]);
    b[1] = m ? b[2] : -b[3];
    b[2] = b[1] << i;
    b[3] = ~b[1] % 3 + (b[0] == 2);
    c[0] = c[1].zyx + (float3)(i);
    d[0] = d[1].s0246ace8fdb97531;
    d[1].even = d[0].lo;
    b[4] = (int4)(1, 2, 3, 4);
    b[5].x++;
}
