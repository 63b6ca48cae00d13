// test: emit
// vload/vstore families, conversions, as_type, shuffles, printf, async copies.
kernel void data(global float *f, constant uchar *c, local short *s, global half *h, global int4 *i, global uint3 *u) {
    float4 v = vload4(2, f);
    vstore3(v.xyz, 1, f);
    vstore16(convert_short16(vload16(0, c)), 0, s);
    v += vload_half4(1, h) + vload_half(3, h) + vloada_half4(0, h);
    vstore_half(v.x, 0, h);
    vstore_half_rtz(v.y, 1, h);
    vstore_half4_rte(v, 2, h);
    vstorea_half3(v.xyz, 0, h);
    i[0] = convert_int4_rte(v) + convert_int4_sat(v) + as_int4(v);
    uchar4 b = convert_uchar4_sat_rtz(v);
    b += convert_uchar4_sat(i[1]) + convert_uchar4(i[2]);
    char4 m = convert_char4_sat(i[3]) + convert_char4_sat(convert_uint4(i[3]));
    v = convert_float4_rtp(i[0]) + shuffle(v, (uint4)(3, 2, 1, 0)) + shuffle2(v.xy, v.zw, (uint4)(0, 1, 2, 3));
    u[0] = as_uint3(v);
    v = as_float4(u[1]);
    vstore4(v, 0, f);
    i[4] = convert_int4(b) + convert_int4(m);
    printf("%d %v4f %s\n", i[0].x, v, "text");
}
kernel void copy(local float4 *l, global float4 *g) {
    event_t e = async_work_group_copy(l, g, 64, 0);
    e = async_work_group_strided_copy(g, l, 16, 2, e);
    prefetch(g, 4);
    wait_group_events(1, &e);
}
