// Shapes of memory accesses, for the statistics of shader compilers.

kernel void strided(global const float *x, global float *y, int stride)
{
    int i = get_global_id(0);
    y[i] = x[i * stride];
}

// A polynomial whose coefficients every work-item reads.
kernel void uniform_constant(global float *y, constant float *table, int n)
{
    int i = get_global_id(0);
    float v = y[i], sum = 0.0f;
    for (int k = 0; k < n; ++k)
        sum = sum * v + table[k];
    y[i] = sum;
}

kernel void uniform_restrict(global float *restrict y, global const float *restrict table, int n)
{
    int i = get_global_id(0);
    float v = y[i], sum = 0.0f;
    for (int k = 0; k < n; ++k)
        sum = sum * v + table[k];
    y[i] = sum;
}

// The same where only the kernel as a whole tells that nothing writes the table.
kernel void uniform_plain(global const float *x, global const float *table, global float *y, int n)
{
    int i = get_global_id(0);
    float v = x[i], sum = 0.0f;
    for (int k = 0; k < n; ++k)
        sum = sum * v + table[k];
    y[i] = sum;
}

struct camera {
    float4 rows[3];
};

kernel void uniform_struct(constant struct camera *camera, global const float4 *x, global float4 *y)
{
    int i = get_global_id(0);
    float4 v = x[i];
    y[i] = (float4)(dot(camera->rows[0], v), dot(camera->rows[1], v), dot(camera->rows[2], v), 1.0f);
}

kernel void vectors3(global const float *x, global float *y)
{
    int i = get_global_id(0);
    vstore3(vload3(i, x) * 2.0f, i, y);
}

kernel void bytes(global const uchar *x, global uchar *y)
{
    int i = get_global_id(0);
    y[i] = x[i] / 2 + y[i] / 2;
}

kernel void bytes4(global const uchar4 *x, global uchar4 *y)
{
    int i = get_global_id(0);
    y[i] = x[i] ^ y[i];
}

kernel void shorts(global const short *x, global short *y)
{
    int i = get_global_id(0);
    y[i] = x[i] + y[i];
}

kernel void longs(global const ulong *x, global ulong *y)
{
    int i = get_global_id(0);
    y[i] = x[i] * 3 + y[i];
}

kernel void size_t_index(global const float *x, global float *y, ulong n)
{
    size_t i = get_global_id(0);
    if (i < n)
        y[i] = x[i];
}

kernel void image_row(global const float *x, global float *y, int w, int h)
{
    int i = get_global_id(0), j = get_global_id(1);
    if (i < w && j < h)
        y[j * w + i] = x[(h - 1 - j) * w + i];
}

kernel void local_reverse(global float *x, local float *part)
{
    int t = get_local_id(0);
    part[t] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = part[63 - t];
}

kernel void private_array(global const int *x, global int *y)
{
    int i = get_global_id(0);
    int bins[16];
    for (int k = 0; k < 16; ++k)
        bins[k] = 0;
    for (int k = 0; k < 16; ++k)
        bins[x[i * 16 + k] & 15] += k;
    y[i] = bins[x[i] & 15];
}

kernel void atomics(global const int *x, global int *counts)
{
    int i = get_global_id(0);
    atomic_add(&counts[x[i]], i);
}

// Each work-item goes through its part of the range.
kernel void grid_loop(global const float *x, global float *y, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        y[i] = x[i] * 2.0f;
}
