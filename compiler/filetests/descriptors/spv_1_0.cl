// test: descriptors
// options: -spv-version=1.0
// validate: vulkan1.0
kernel void foo(global uchar* a, global short* b, global float4* c, int n) {
    global float4* p = n > 3 ? c : c + 1;
    a[n] = (uchar)b[n];
    p[0] = (float4)(n);
}
