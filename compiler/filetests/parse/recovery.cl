// test: parse
kernel void first(global int *o) {
  o[0] = 1 +;
  {
    o[1] = (2;
    o[2] = 3;
  }
  for (int i = 0; i < 4; ++i {
    o[i] = i;
  }
  while o[0] { o[0]--; }
  o[3] = 4 o[4] = 5;
  switch (o[0]) { case 1 o[0] = 2; default: break; }
  struct { int a; float ; int b } s;
  int array[2 = { 1, 2 };
  do { } until (0);
}
kernel void second(global int *o) { o[0] = ]; }
int after = ;
