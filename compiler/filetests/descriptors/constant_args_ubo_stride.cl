// test: descriptors
// options: -constant-args-ubo
// An array of float has a stride of 4 bytes, the layout wants 16.

kernel void foo(constant float* a, global float* o) { o[0] = a[0]; }
