// test: descriptors
// options: -cluster-pod-kernel-args=0
// "Descriptor map": the first example, and "Example descriptor set mapping" without clusters.

kernel void foo(global int* a, float f, global float* b, uint c) { a[c] = 1; b[c] = f; }
