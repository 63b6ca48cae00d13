// test: emit
kernel void math(global float *f, global float4 *v, global double *d, global int *i, global uint4 *u) {
    f[0] = sin(f[1]) + pow(f[2], 2.0f) + native_exp(f[3]) + half_sqrt(f[4]);
    v[0] = fma(v[1], v[2], v[3]) + fmax(v[4], 0.5f) + clamp(v[5], 0.0f, 1.0f) + mix(v[6], v[7], f[5]);
    d[0] = sqrt(d[1]) + ldexp(d[2], 3) + nan(4ul);
    float whole; int e;
    f[6] = modf(f[7], &whole) + frexp(f[8], &e) + fract(f[9], f + 10);
    i[0] = e + ilogb(f[1]) + isnan(f[0]) + isless(d[0], d[1]) + any(i[1]) + all((int2)(i[2], 3));
    v[1] = isgreater(v[2], v[3]) ? v[1] : select(v[1], v[2], u[0]);
    v[2] = bitselect(v[2], v[3], v[4]) + step(0.5f, v[4]) + smoothstep(0.0f, 1.0f, v[5]);
    f[11] = dot(v[0], v[1]) + dot(f[1], f[2]) + length(v[2]) + distance(v[3], v[4]) + fast_length(v[3]);
    v[3] = normalize(v[4]) + cross(v[5], v[6]);
}
kernel void ints(global int *i, global uint4 *u, global char4 *c, global long *l) {
    i[0] = abs(i[1]) + max(i[2], 3) + clamp(i[3], 0, 255) + mul24(i[4], i[5]) + mad24(i[6], i[7], i[8]);
    u[0] = abs_diff(u[1], u[2]) + add_sat(u[3], u[4]) + rotate(u[5], u[6]) + clz(u[7]) + popcount(u[8]) + min(u[9], 7u);
    i[9] = mul_hi(i[10], i[11]) + mad_hi(i[12], i[13], i[14]) + mad_sat(i[15], i[16], i[17]) + hadd(i[18], i[19]) + rhadd(i[20], i[21]) + sub_sat(i[22], i[23]);
    u[1] = mul_hi(u[1], u[2]) + mad_sat(u[3], u[4], u[5]);
    l[0] = upsample(i[0], u[0].x);
    c[0] = select(c[1], c[2], c[3]);
}
