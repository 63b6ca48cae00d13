// test: descriptors
// options: -pod-pushconstant -max-pushconstant-size=64
kernel void fits(global int* a, int16 n) { a[0] = n.s0; }
