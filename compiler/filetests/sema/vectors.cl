// test: sema
void vectors(float4 f, int4 i, uint4 u, char4 c, float3 t, float8 w, double2 d, int n, float s)
{
    f = f * s + 1;
    f = 2.0f * f;
    i = i + 1;
    c = c + (char)1;
    i = i << 1;
    i = i << u;
    c = c >> 3;
    i = f < s;
    i = f == f;
    c = c != c;
    long2 l = d > 1.0;
    i = i && i;
    i = i || f == f;
    i = !f;
    i = ~i;
    f = -f;
    f = i ? f : 0.0f;
    f = n ? f : 1.0f;
    i = i ? 1 : 2;
    f = (float4)(1, s, f.xy);
    f = (float4)(n);
    f = (float4)1.0f;
    i = (int4)(n > 2);
    i = (int4)((bool)n);
    f.xy = f.zw;
    f.hi.x = 1;
    f.even = f.odd;
    w.s7654 = f.wzyx;
    w.lo.hi.y = f.s3;
    s = f.x + w.s7;
    f[n] = f[2];
    s = (f + f)[n];
    s = (f + f).y;
    t = t.zyx;
    f.xyz = t;
    f += 1;
    f *= f;
    i++;
    f = (float4){1, 2, 3, 4};
    i = as_int4(f);
    i = __builtin_astype(f, int4);
    n = vec_step(t) + sizeof(float3);
}
