// test: negative
//// a kernel of CUDA
__global__ void add(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += warpSize + gridDim.x;
}
//// a function and shared memory of CUDA
__device__ float square(float x) { return x * x; }
__kernel void k(__global float *a) { __shared__ float t[64]; t[0] = sqrtf(a[0]); __syncthreads(); a[0] = square(t[0]); }
//// functions of CUDA
__kernel void k(__global int *a) { atomicAdd(a, 1); atomicCAS(a, 1, 2); float4 v = make_float4(1, 2, 3, 4); a[0] = __ldg(a); }
//// names of CUDA that the program declares
int f(int threadIdx) { int malloc = threadIdx; return malloc + missing; }
//// GLSL
__kernel void k(__global float *a) { vec4 v; a[gl_GlobalInvocationID.x] = inversesqrt(a[0]); }
//// HLSL
__kernel void k(__global float *a) { a[0] = saturate(a[0]); a[1] = lerp(a[0], a[1], 0.5f); a[2] = frac(a[0]); }
//// matrices
__kernel void k(__global float *a) { float4x4 m; mat4 n; }
//// functions of the C library
__kernel void k(__global int *a) { __private int *p = malloc(4); free(p); memset(a, 0, 4); assert(a[0]); exit(1); puts("x"); a[0] = rand(); }
//// integers by their width
__kernel void k(__global uint32_t *a, int64_t n, const uint8_t *b) { int32 i = 1; }
//// integers by their width as a result
uint16_t f(uint16_t x) { int8_t y = x; return y; }
//// a null pointer of C++
int f(__global int *a) { return a == nullptr; }
//// a header of C++
#include <iostream>
//// a reference and a default argument, after which the functions are declared
void swap(int &a, int &b) { int t = a; a = b; b = t; }
int scale(int a, int factor = 2) { return a * factor; }
int f(int a, int b) { swap(a, b); return scale(a, b) + missing; }
//// vectors of other lengths
__kernel void k(__global float5 *a) { bool4 b; int32 c; uchar7 d; }
