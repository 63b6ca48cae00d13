// The kernels of pumice-bench. Plain textbook forms: what a program has that nobody tuned.

kernel void saxpy(global const float *x, global float *y, float a)
{
    int i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}

kernel void copy4(global const float4 *x, global float4 *y)
{
    size_t i = get_global_id(0);
    y[i] = x[i];
}

kernel void reduction(global const float *x, global float *sums, local float *part)
{
    int t = get_local_id(0);
    part[t] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (t < s)
            part[t] += part[t + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
        sums[get_group_id(0)] = part[0];
}

// Inclusive scan of each work-group.
kernel void scan(global const float *x, global float *y, local float *part)
{
    int t = get_local_id(0);
    part[t] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 1; s < (int)get_local_size(0); s <<= 1) {
        float left = t >= s ? part[t - s] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        part[t] += left;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    y[get_global_id(0)] = part[t];
}

kernel void histogram(global const uchar *x, global int *counts, int each)
{
    local int part[256];
    int t = get_local_id(0);
    for (int i = t; i < 256; i += get_local_size(0))
        part[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int first = get_global_id(0) * each;
    for (int k = 0; k < each; ++k)
        atomic_inc(&part[x[first + k]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = t; i < 256; i += get_local_size(0))
        atomic_add(&counts[i], part[i]);
}

kernel void sgemm(global const float *a, global const float *b, global float *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

kernel void sgemm_tiled(global const float *a, global const float *b, global float *c, int n)
{
    local float ta[16][16], tb[16][16];
    int x = get_global_id(0), y = get_global_id(1);
    int i = get_local_id(0), j = get_local_id(1);
    float sum = 0.0f;
    for (int t = 0; t < n; t += 16) {
        ta[j][i] = a[y * n + t + i];
        tb[j][i] = b[(t + j) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; ++k)
            sum += ta[j][k] * tb[k][i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}

kernel void nbody(global const float4 *bodies, global float4 *forces, int n)
{
    int i = get_global_id(0);
    float4 me = bodies[i], sum = (float4)(0.0f);
    for (int j = 0; j < n; ++j) {
        float4 other = bodies[j];
        float4 to = other - me;
        float d = to.x * to.x + to.y * to.y + to.z * to.z + 0.01f;
        float inv = native_rsqrt(d);
        sum += other.w * inv * inv * inv * to;
    }
    forces[i] = sum;
}

kernel void mandelbrot(global int *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    float cr = -2.0f + 3.0f * x / w, ci = -1.5f + 3.0f * y / h, zr = 0.0f, zi = 0.0f;
    int n = 0;
    while (n < 256 && zr * zr + zi * zi < 4.0f) {
        float t = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = t;
        ++n;
    }
    out[y * w + x] = n;
}

float normal(float d)
{
    return 1.0f / (1.0f + exp(-1.702f * d));
}

kernel void black_scholes(global const float *price, global float *out)
{
    int i = get_global_id(0);
    float s = price[i] * 50.0f + 50.0f, x = 100.0f, r = 0.02f, v = 0.3f;
    float d1 = log(s / x) / v + (r + 0.5f * v * v) / v, d2 = d1 - v;
    out[i] = s * normal(d1) - x * exp(-r) * normal(d2);
}

kernel void hash(global uint *out)
{
    uint x = get_global_id(0);
    for (int i = 0; i < 64; ++i) {
        x ^= x >> 16;
        x *= 0x7feb352du;
        x ^= x >> 15;
        x *= 0x846ca68bu;
        x = rotate(x, 13u) + i;
    }
    out[get_global_id(0)] = x;
}

kernel void stencil(global const float *in, global float *out, int w)
{
    int x = get_global_id(0) + 1, y = get_global_id(1) + 1;
    global const float *at = in + y * w + x;
    out[y * w + x] = 0.2f * (at[0] + at[-1] + at[1] + at[-w] + at[w]);
}

kernel void transpose(global const float *in, global float *out, int n)
{
    local float tile[16][17];
    int i = get_local_id(0), j = get_local_id(1);
    int x = get_group_id(0) * 16, y = get_group_id(1) * 16;
    tile[j][i] = in[(y + j) * n + x + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(x + j) * n + y + i] = tile[i][j];
}

// One step of a bitonic sort.
kernel void bitonic(global float *x, int span, int stage)
{
    int i = get_global_id(0), other = i ^ span;
    if (other > i) {
        float a = x[i], b = x[other];
        if ((a > b) == ((i & stage) == 0)) {
            x[i] = b;
            x[other] = a;
        }
    }
}

// A band matrix with sixteen numbers a row.
kernel void spmv(global const float *values, global const float *x, global float *y, int n)
{
    int row = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < 16; ++k)
        sum += values[row * 16 + k] * x[(row + k * 37) % n];
    y[row] = sum;
}
