// test: run
// Unroll hints change nothing but how fast it goes.
// kernel: hints
// global: 4
// arg: buffer int 24*0
// arg: buffer int 1 2 3 4 5 6 7 8 9 10
// arg: int 10
// expect 0: int 10 45 10 8 120 3 10 45 10 9 120 4 10 45 10 10 120 5 10 45 10 11 120 6
__kernel void hints(__global int *out, __global const int *in, int n)
{
    int id = get_global_id(0);
    int s = 0, t = 0, u = 0, v = 0, w = 0, z = 3;
#pragma unroll
    for (int i = 0; i < 4; i++)
        s += in[i];
    __attribute__((opencl_unroll_hint(4)))
    for (int i = 0; i < n; i++) {
        if (in[i] == 10)
            break;
        t += in[i];
    }
    __attribute__((opencl_unroll_hint(1)))
    while (u < n)
        u++;
#pragma unroll 3
    do {
        v++;
    } while (v < 8 + id);
#pragma unroll
    for (int i = 0; i < 5; i++) {
#pragma unroll 2
        for (int j = 0; j < 5; j++) {
            if (j == 4)
                continue;
            w += i + in[j] + j;
        }
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        if (i >= id)
            break;
        z++;
    }
    __global int *to = out + id * 6;
    to[0] = s; to[1] = t; to[2] = u; to[3] = v; to[4] = w; to[5] = z;
}

// kernel: long_loop
// global: 1
// arg: buffer uint 2*0
// expect 0: uint 1388487781 1758676470
// Many more rounds than a count or a hint may make copies.
__kernel void long_loop(__global uint *out)
{
    uint x = 1, y = 0;
#pragma unroll 8
    for (uint i = 0; i < 1700; i++)
        x = x * 1664525u + 1013904223u;
#pragma unroll
    for (uint i = 0; i < 1700; i++)
        y = y * 1664525u + i;
    out[0] = x;
    out[1] = y;
}
