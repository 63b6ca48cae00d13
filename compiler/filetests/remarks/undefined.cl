// test: remarks
// A part of a program, which cannot be lowered by itself.

int other(int x);

kernel void k(global int *p) { p[0] = other(p[0]); }
