// test: sema
kernel void k(global float *g, local int *l, constant float *c)
{
  float *p = g;
  global int *gi = g;
  local float *lf = l;
  c[0] = 1.0f;
  const int k = 1;
  k = 2;
  float4 v = (float4)(1, 2, 3);
  float3 w = (float3)(1, 2, 3, 4);
  int4 i = v;
  v = v + i;
  5 = k;
  *k = 3;
  int a[3] = { 1, 2, 3, 4 };
  a = 0;
  if (v) g[0] = 1;
  g[1] = v % v;
  struct unknown u;
  void x;
  return 1;
}
int f(int a) { return; }
int g(int a, int a) { break; case 1: ; }
