// test: descriptors
// options: -constant-args-ubo
// "Sending in pointer-to-constant kernel arguments in uniform buffers": types that have the
// layout.

typedef struct { float4 a[2]; int n; float2 pair; } Good;
kernel void foo(constant float4* a, constant Good* g, constant int4* n, global float4* o, int i) {
    o[i] = a[i] + g[i].a[1] + g[i].pair.y;
    o[i + 1].x = (float)n[i].z;
}
