// test: emit
// Unroll hints on loops of each kind.
__kernel void hints(__global int *a, int n)
{
    int s = 0;
#pragma unroll
    for (int i = 0; i < 4; i++)
        s += a[i];
    __attribute__((opencl_unroll_hint(4)))
    for (int i = 0; i < n; i++)
        s ^= a[i];
    __attribute__((opencl_unroll_hint(1)))
    while (s > n)
        s >>= 1;
#pragma unroll 2
    do {
        s += n;
    } while (s < 0);
    a[0] = s;
}
