// The kernels of bench/kernels.cl as compute shaders, in the form that a programmer of Vulkan gives
// them: storage buffers, 32-bit indices, constant group sizes. One section is compiled at a time.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_8bit_storage : require

#if defined(saxpy)
layout(local_size_x = 64) in;
layout(binding = 0) readonly restrict buffer X { float x[]; };
layout(binding = 1) restrict buffer Y { float y[]; };
layout(push_constant) uniform P { float a; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    y[i] = a * x[i] + y[i];
}

#elif defined(copy4)
layout(local_size_x = 64) in;
layout(binding = 0) readonly restrict buffer X { vec4 x[]; };
layout(binding = 1) writeonly restrict buffer Y { vec4 y[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    y[i] = x[i];
}

#elif defined(reduction)
layout(local_size_x = 256) in;
layout(binding = 0) readonly restrict buffer X { float x[]; };
layout(binding = 1) writeonly restrict buffer S { float sums[]; };
shared float part[256];
void main()
{
    uint t = gl_LocalInvocationID.x;
    part[t] = x[gl_GlobalInvocationID.x];
    barrier();
    for (uint s = 256 / 2; s > 0; s >>= 1) {
        if (t < s)
            part[t] += part[t + s];
        barrier();
    }
    if (t == 0)
        sums[gl_WorkGroupID.x] = part[0];
}

#elif defined(scan)
layout(local_size_x = 256) in;
layout(binding = 0) readonly restrict buffer X { float x[]; };
layout(binding = 1) writeonly restrict buffer Y { float y[]; };
shared float part[256];
void main()
{
    uint t = gl_LocalInvocationID.x;
    part[t] = x[gl_GlobalInvocationID.x];
    barrier();
    for (uint s = 1; s < 256; s <<= 1) {
        float left = t >= s ? part[t - s] : 0.0;
        barrier();
        part[t] += left;
        barrier();
    }
    y[gl_GlobalInvocationID.x] = part[t];
}

#elif defined(histogram)
layout(local_size_x = 64) in;
layout(binding = 0) readonly restrict buffer X { uint8_t x[]; };
layout(binding = 1) restrict buffer C { int counts[]; };
layout(push_constant) uniform P { int each; };
shared int part[256];
void main()
{
    uint t = gl_LocalInvocationID.x;
    for (uint i = t; i < 256; i += 64)
        part[i] = 0;
    barrier();
    uint first = gl_GlobalInvocationID.x * each;
    for (int k = 0; k < each; ++k)
        atomicAdd(part[uint(x[first + k])], 1);
    barrier();
    for (uint i = t; i < 256; i += 64)
        atomicAdd(counts[i], part[i]);
}

#elif defined(sgemm)
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) readonly restrict buffer A { float a[]; };
layout(binding = 1) readonly restrict buffer B { float b[]; };
layout(binding = 2) writeonly restrict buffer C { float c[]; };
layout(push_constant) uniform P { int n; };
void main()
{
    uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
    float sum = 0.0;
    for (int k = 0; k < n; ++k)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

#elif defined(sgemm_tiled)
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) readonly restrict buffer A { float a[]; };
layout(binding = 1) readonly restrict buffer B { float b[]; };
layout(binding = 2) writeonly restrict buffer C { float c[]; };
layout(push_constant) uniform P { int n; };
shared float ta[16][16], tb[16][16];
void main()
{
    uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
    uint i = gl_LocalInvocationID.x, j = gl_LocalInvocationID.y;
    float sum = 0.0;
    for (int t = 0; t < n; t += 16) {
        ta[j][i] = a[y * n + t + i];
        tb[j][i] = b[(t + j) * n + x];
        barrier();
        for (int k = 0; k < 16; ++k)
            sum += ta[j][k] * tb[k][i];
        barrier();
    }
    c[y * n + x] = sum;
}

#elif defined(nbody)
layout(local_size_x = 64) in;
layout(binding = 0) readonly restrict buffer B { vec4 bodies[]; };
layout(binding = 1) writeonly restrict buffer F { vec4 forces[]; };
layout(push_constant) uniform P { int n; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec4 me = bodies[i], sum = vec4(0.0);
    for (int j = 0; j < n; ++j) {
        vec4 other = bodies[j];
        vec4 to = other - me;
        float d = to.x * to.x + to.y * to.y + to.z * to.z + 0.01;
        float inv = inversesqrt(d);
        sum += other.w * inv * inv * inv * to;
    }
    forces[i] = sum;
}

#elif defined(mandelbrot)
layout(local_size_x = 64) in;
layout(binding = 0) writeonly restrict buffer O { int result[]; };
layout(push_constant) uniform P { int w, h; };
void main()
{
    uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
    float cr = -2.0 + 3.0 * x / w, ci = -1.5 + 3.0 * y / h, zr = 0.0, zi = 0.0;
    int n = 0;
    while (n < 256 && zr * zr + zi * zi < 4.0) {
        float t = zr * zr - zi * zi + cr;
        zi = 2.0 * zr * zi + ci;
        zr = t;
        ++n;
    }
    result[y * w + x] = n;
}

#elif defined(black_scholes)
layout(local_size_x = 64) in;
layout(binding = 0) readonly restrict buffer A { float price[]; };
layout(binding = 1) writeonly restrict buffer O { float result[]; };
float normal(float d)
{
    return 1.0 / (1.0 + exp(-1.702 * d));
}
void main()
{
    uint i = gl_GlobalInvocationID.x;
    float s = price[i] * 50.0 + 50.0, x = 100.0, r = 0.02, v = 0.3;
    float d1 = log(s / x) / v + (r + 0.5 * v * v) / v, d2 = d1 - v;
    result[i] = s * normal(d1) - x * exp(-r) * normal(d2);
}

#elif defined(hash)
layout(local_size_x = 64) in;
layout(binding = 0) writeonly restrict buffer O { uint result[]; };
void main()
{
    uint x = gl_GlobalInvocationID.x;
    for (int i = 0; i < 64; ++i) {
        x ^= x >> 16;
        x *= 0x7feb352du;
        x ^= x >> 15;
        x *= 0x846ca68bu;
        x = (x << 13 | x >> 19) + i;
    }
    result[gl_GlobalInvocationID.x] = x;
}

#elif defined(stencil)
layout(local_size_x = 64) in;
layout(binding = 0) readonly restrict buffer A { float values[]; };
layout(binding = 1) writeonly restrict buffer O { float result[]; };
layout(push_constant) uniform P { int w; };
void main()
{
    uint x = gl_GlobalInvocationID.x + 1, y = gl_GlobalInvocationID.y + 1;
    uint at = y * w + x;
    result[at] = 0.2 * (values[at] + values[at - 1] + values[at + 1] + values[at - w] + values[at + w]);
}

#elif defined(transpose)
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) readonly restrict buffer A { float values[]; };
layout(binding = 1) writeonly restrict buffer O { float result[]; };
layout(push_constant) uniform P { int n; };
shared float tile[16][17];
void main()
{
    uint i = gl_LocalInvocationID.x, j = gl_LocalInvocationID.y;
    uint x = gl_WorkGroupID.x * 16, y = gl_WorkGroupID.y * 16;
    tile[j][i] = values[(y + j) * n + x + i];
    barrier();
    result[(x + j) * n + y + i] = tile[i][j];
}

#elif defined(bitonic)
layout(local_size_x = 64) in;
layout(binding = 0) restrict buffer X { float x[]; };
layout(push_constant) uniform P { int span, stage; };
void main()
{
    int i = int(gl_GlobalInvocationID.x), other = i ^ span;
    if (other > i) {
        float a = x[i], b = x[other];
        if ((a > b) == ((i & stage) == 0)) {
            x[i] = b;
            x[other] = a;
        }
    }
}

#elif defined(spmv)
layout(local_size_x = 64) in;
layout(binding = 0) readonly restrict buffer V { float values[]; };
layout(binding = 1) readonly restrict buffer X { float x[]; };
layout(binding = 2) writeonly restrict buffer Y { float y[]; };
layout(push_constant) uniform P { int n; };
void main()
{
    int row = int(gl_GlobalInvocationID.x);
    float sum = 0.0;
    for (int k = 0; k < 16; ++k)
        sum += values[row * 16 + k] * x[(row + k * 37) % n];
    y[row] = sum;
}

#elif defined(sha256)
layout(local_size_x = 64) in;
layout(binding = 0) writeonly restrict buffer D { uint digests[]; };
const uint round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
uint turned(uint x, int n)
{
    return x >> n | x << (32 - n);
}
void main()
{
    uint w[64], h[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    uint id = gl_GlobalInvocationID.x;
    for (int i = 0; i < 16; ++i)
        w[i] = 0;
    w[0] = id;
    w[1] = 0x80000000;
    w[15] = 32;
    for (int i = 16; i < 64; ++i) {
        uint a = w[i - 15], b = w[i - 2];
        uint s0 = turned(a, 7) ^ turned(a, 18) ^ (a >> 3);
        uint s1 = turned(b, 17) ^ turned(b, 19) ^ (b >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint s[8];
    for (int i = 0; i < 8; ++i)
        s[i] = h[i];
    for (int i = 0; i < 64; ++i) {
        uint e = s[4], a = s[0];
        uint s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
        uint t1 = s[7] + s1 + ((e & s[5]) ^ (~e & s[6])) + round_constants[i] + w[i];
        uint s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
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

#elif defined(fft)
layout(local_size_x = 128) in;
layout(binding = 0) readonly restrict buffer A { vec2 values[]; };
layout(binding = 1) writeonly restrict buffer O { vec2 result[]; };
shared vec2 work[256];
void main()
{
    uint t = gl_LocalInvocationID.x, first = gl_WorkGroupID.x * 256;
    for (uint i = t; i < 256; i += 128) {
        uint reversed = 0;
        for (int bit = 0; bit < 8; ++bit)
            reversed |= ((i >> bit) & 1) << (7 - bit);
        work[reversed] = values[first + i];
    }
    barrier();
    for (uint half_size = 1; half_size < 256; half_size <<= 1) {
        uint k = t & (half_size - 1), i = 2 * (t - k) + k;
        float angle = -3.14159265 * k / half_size;
        float c = cos(angle), s = sin(angle);
        vec2 a = work[i], b = work[i + half_size];
        vec2 turned = vec2(b.x * c - b.y * s, b.x * s + b.y * c);
        work[i] = a + turned;
        work[i + half_size] = a - turned;
        barrier();
    }
    for (uint i = t; i < 256; i += 128)
        result[first + i] = work[i];
}
#endif
