// test: sema
static int helper(int a, float b) { return a + b; }
inline float twice(float x) { return x * 2; }
float elsewhere(__global float *p, int n);
__attribute__((overloadable)) int pick(int a) { return 1; }
__attribute__((overloadable)) int pick(float4 a) { return 2; }
__attribute__((overloadable)) int pick(__global const int *a) { return 3; }
__kernel __attribute__((reqd_work_group_size(8, 4, 1))) void k2(__global float *out, const __global float4 *restrict in,
    volatile __local unsigned int *l, uchar c, __constant int *table)
{
    __local float tile[16];
    size_t i = get_global_id(0);
    tile[get_local_id(0)] = twice(in[i].x);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = helper(c, tile[0]) + elsewhere(out, pick(1) + pick(in[0]) + pick(table ? 0 : 0));
    printf("%d %s %f\n", c, "x", tile[1]);
    out[0] = clamp(out[1], 0.0f, 1.0f) + fmax(out[2], 2.0f);
    vstore4(in[1], 0, out);
}
