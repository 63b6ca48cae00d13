// test: descriptors
// options: -constant-args-ubo
typedef struct { float4 v; int n[4]; } Bad;
kernel void foo(constant Bad* a, global float* o) { o[0] = a[0].v.x; }
