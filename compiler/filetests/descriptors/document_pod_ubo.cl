// test: descriptors
// options: -pod-ubo
// "Sending in plain-old-data kernel arguments in uniform buffers".

kernel void foo(global int* a, float f, global float* b, uint c) { a[c] = 1; b[c] = f; }
