// test: parse
typedef int T;
void f(int n, T m) {
  T x = 1, *y;
  T * z;
  { float T; T * n; T = 2; }
  T: x = 1;
  goto T;
  if (n) x = 1; else if (m) x = 2; else x = 3;
  if (n) if (m) x = 1; else x = 2;
  for (int i = 0, j; i < n; i++, j--) { continue; }
  for (;;) break;
  for (x = 0; ; ) ;
  while (x) x--;
  do { x++; } while (x < 10);
  switch (x) {
    case 1: case 2: x = 3; break;
    case 4 ... 6: int here = 1; break;
    default: ;
    case 9:
  }
  #pragma unroll 4
  for (;;) {}
  __attribute__((opencl_unroll_hint(2))) while (1) ;
  __attribute__((unused)) int u;
  if (n)
    #pragma unroll
    for (;;) ;
  #pragma OPENCL FP_CONTRACT OFF
  _Static_assert(1);
  struct S { int a; } s = { 1 };
  label: ;
  return x;
  return;
  end: }
