// test: descriptors
// options: -int8=0
kernel void foo(global uchar* a, uchar n) { a[0] = n + 1; }
