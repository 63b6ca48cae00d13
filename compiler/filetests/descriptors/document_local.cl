// test: descriptors
// options: --abi=descriptors
// "Descriptor map": the example with pointer-to-local arguments.

kernel void foo(local float* L, global float* A, local float4 *L2) {
    L[0] = A[0];
    L2[0] = (float4)(A[1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    A[get_local_id(0)] = L[0] + L2[0].y;
}
