// test: descriptors
// options: -pod-pushconstant -max-pushconstant-size=64
kernel void exceeds(global int* a, int16 n, int m) { a[0] = n.s0 + m; }
