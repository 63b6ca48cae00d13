// test: parse
void f(void) {
  a = b = c + d * e - f / g % h;
  a += b << 2 >> c, d -= e & f | g ^ h;
  x = a && b || c == d != e <= f;
  y = a ? b, c : d ? e : f;
  z = -a + +b - ~c * !d + *p - &q + ++i - --j + k++ - l--;
  v = (float4)(1, 2, 3, 4) + (float4)(x) + (float4)x + ((float4)(1)).xyzw;
  v = (float2)(1, 2).yx;
  v.s0 = p->next->v[3].hi.x;
  w = (int)(char)x + (int *)p + (struct s *)q - (float (*)(int))r;
  s = (struct s){ 1, .b = 2 };
  n = sizeof x + sizeof(int) + sizeof(x) + sizeof (int[3]) + vec_step(float3) + _Alignof(int) + vec_step v;
  call(), call(a), call(a, b)(c)[d];
  lit = 1 + 2u + 3UL + 0x10 + 'c' + 1.5 + 2.5f + 0x1p3 + 1e5 + 1.h;
  str = "a" "b";
  o = __builtin_offsetof(struct s, a.b[2]);
  t = __builtin_astype(x, float4);
  t = __builtin_convertvector(x, float4).x + __builtin_bit_cast(float4, x);
  t = __builtin_types_compatible_p(int, const float *);
  e = ({ int y = 1; y; }) ?: 2;
  bl = ^(int x){ return x; };
  m = a*b + (c)*d + (int)*d + (x)(y) + (int)-1;
}
