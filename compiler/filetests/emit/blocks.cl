// test: emit
// options: -cl-std=CL2.0
// Blocks that are called: values captured when the literal is reached, blocks in blocks.
int (^const twice)(int) = ^(int x) { return 2 * x; };

kernel void called(global int *p, int n)
{
  float4 v = (float4)(n);
  int (^add)(int) = ^int(int x) { return x + n + (int)v.x; };
  n = 7;
  p[0] = add(twice(3));
  void (^outer)(void) = ^{
    int inner = n;
    void (^nested)(void) = ^{ p[1] = inner + twice(n); };
    nested();
  };
  outer();
  p[2] = ^(int y) { return y + 1; }(5);
  typedef global int *place;
  place (^next)(place) = ^place(place at) { return at + 1; };
  *next(p + 3) = 9;
}
