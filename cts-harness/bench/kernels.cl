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

constant uint round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

// SHA-256 of the work-item's number as four bytes.
kernel void sha256(global uint *digests)
{
    uint w[64], h[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    int id = get_global_id(0);
    for (int i = 0; i < 16; ++i)
        w[i] = 0;
    w[0] = id;
    w[1] = 0x80000000;
    w[15] = 32;
    for (int i = 16; i < 64; ++i) {
        uint a = w[i - 15], b = w[i - 2];
        uint s0 = rotate(a, 25u) ^ rotate(a, 14u) ^ (a >> 3);
        uint s1 = rotate(b, 15u) ^ rotate(b, 13u) ^ (b >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint s[8];
    for (int i = 0; i < 8; ++i)
        s[i] = h[i];
    for (int i = 0; i < 64; ++i) {
        uint e = s[4], a = s[0];
        uint s1 = rotate(e, 26u) ^ rotate(e, 21u) ^ rotate(e, 7u);
        uint t1 = s[7] + s1 + bitselect(s[6], s[5], e) + round_constants[i] + w[i];
        uint s0 = rotate(a, 30u) ^ rotate(a, 19u) ^ rotate(a, 10u);
        uint t2 = s0 + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        s[7] = s[6];
        s[6] = s[5];
        s[5] = s[4];
        s[4] = s[3] + t1;
        s[3] = s[2];
        s[2] = s[1];
        s[1] = s[0];
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; ++i)
        digests[id * 8 + i] = h[i] + s[i];
}

// Fast Fourier transforms of 256 complex numbers, one for each work-group of 128.
kernel void fft(global const float2 *in, global float2 *out, local float2 *work)
{
    int t = get_local_id(0), first = get_group_id(0) * 256;
    for (int i = t; i < 256; i += 128) {
        int reversed = 0;
        for (int bit = 0; bit < 8; ++bit)
            reversed |= ((i >> bit) & 1) << (7 - bit);
        work[reversed] = in[first + i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = 1; half_size < 256; half_size <<= 1) {
        int k = t & (half_size - 1), i = 2 * (t - k) + k;
        float angle = -M_PI_F * k / half_size;
        float c = native_cos(angle), s = native_sin(angle);
        float2 a = work[i], b = work[i + half_size];
        float2 turned = (float2)(b.x * c - b.y * s, b.x * s + b.y * c);
        work[i] = a + turned;
        work[i + half_size] = a - turned;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = t; i < 256; i += 128)
        out[first + i] = work[i];
}
