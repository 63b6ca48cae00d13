// test: descriptors
// options: -distinct-kernel-descriptor-sets
// "If foo were the second kernel in the translation unit and option
// -distinct-kernel-descriptor-sets is used, then its arguments would use descriptor set 1."

kernel void first(global int* x, int y) { *x = y; }
kernel void foo(global int* a, float f, global float* b, uint c) { a[c] = 1; b[c] = f; }
