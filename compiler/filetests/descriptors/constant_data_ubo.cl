// test: descriptors
// options: -constant-args-ubo -module-constants-in-storage-buffer
// Constants are uniform buffers, the module's too.

__constant float4 table[2] = {(float4)(1), (float4)(2)};
kernel void foo(global float4* o, int i) { o[i] = table[i]; }
