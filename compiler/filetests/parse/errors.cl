// test: parse
foo bar;
int missing_semicolon
int x = 3 +;
void f(undefined_t a, int b) {
  int y = (1 + 2;
  y = 1
  y = 2;
  float4(1, 2);
  else y = 3;
  if y == 2) return;
  asm("nop");
  y = a[1;
  int z = 08 + 1.5x;
  "unfinished
  @ y;
  struct { int q int r; } st;
  for (int i = 0; i < 3, i++) ;
  if (1) int w;
  unknown thing = 3;
  _Generic(y, int: 1);
}
}
