// test: descriptors
// options: --abi=descriptors
// "Kernels": the form that OpenCL C kernels take.

void kernel foo(global int* a, global float* b, uint c, float2 local* d) {
    d[c].x = b[c];
    a[c] = (int)d[c].x;
}
