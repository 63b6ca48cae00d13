// test: descriptors
// options: --abi=descriptors
// "If foo were the second kernel in the translation unit, then its arguments would also use
// descriptor set 0."

kernel void first(global int* x, int y) { *x = y; }
kernel void foo(global int* a, float f, global float* b, uint c) { a[c] = 1; b[c] = f; }
