// test: sema
void v(int2 a, int4 b, float4 f, uint4 u, float2 f2, long n)
{
    a + b;
    b + f;
    b + u;
    b < a;
    b + n;
    (int4)a;
    (float)f;
    f = b;
    (float4)(1, 2, 3);
    (float4)(f2, f2, f2);
    (float4)(b.xy, f2);
    f.xx = f2;
    f.q;
    f2.z;
    f.xyzwx;
    f.xr;
    &f.x;
    f ? f : f;
    a ? b : b;
    int4 few = {1, 2};
}
