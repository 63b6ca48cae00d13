// The kernels of memory.cl; see bench.comp.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_scalar_block_layout : require

layout(local_size_x = 64) in;
#define I gl_GlobalInvocationID.x

#if defined(strided)
layout(binding = 0) readonly restrict buffer X { float x[]; };
layout(binding = 1) writeonly restrict buffer Y { float y[]; };
layout(push_constant) uniform P { uint stride; };
void main()
{
    y[I] = x[I * stride];
}

#elif defined(uniform_constant) || defined(uniform_restrict)
layout(binding = 0) restrict buffer Y { float y[]; };
layout(binding = 1) readonly restrict buffer T { float table[]; };
layout(push_constant) uniform P { int n; };
void main()
{
    float v = y[I], sum = 0.0;
    for (int k = 0; k < n; ++k)
        sum = sum * v + table[k];
    y[I] = sum;
}

#elif defined(uniform_plain)
layout(binding = 0) readonly restrict buffer X { float x[]; };
layout(binding = 1) readonly restrict buffer T { float table[]; };
layout(binding = 2) writeonly restrict buffer Y { float y[]; };
layout(push_constant) uniform P { int n; };
void main()
{
    float v = x[I], sum = 0.0;
    for (int k = 0; k < n; ++k)
        sum = sum * v + table[k];
    y[I] = sum;
}

#elif defined(uniform_struct)
layout(binding = 0) readonly restrict buffer C { vec4 rows[3]; };
layout(binding = 1) readonly restrict buffer X { vec4 x[]; };
layout(binding = 2) writeonly restrict buffer Y { vec4 y[]; };
void main()
{
    vec4 v = x[I];
    y[I] = vec4(dot(rows[0], v), dot(rows[1], v), dot(rows[2], v), 1.0);
}

#elif defined(vectors3)
layout(binding = 0, scalar) readonly restrict buffer X { vec3 x[]; };
layout(binding = 1, scalar) writeonly restrict buffer Y { vec3 y[]; };
void main()
{
    y[I] = x[I] * 2.0;
}

#elif defined(bytes)
layout(binding = 0) readonly restrict buffer X { uint8_t x[]; };
layout(binding = 1) restrict buffer Y { uint8_t y[]; };
void main()
{
    y[I] = uint8_t((uint(x[I]) >> 1) + (uint(y[I]) >> 1));
}

#elif defined(bytes4)
layout(binding = 0) readonly restrict buffer X { uint x[]; };
layout(binding = 1) restrict buffer Y { uint y[]; };
void main()
{
    y[I] = x[I] ^ y[I];
}

#elif defined(shorts)
layout(binding = 0) readonly restrict buffer X { int16_t x[]; };
layout(binding = 1) restrict buffer Y { int16_t y[]; };
void main()
{
    y[I] = int16_t(int(x[I]) + int(y[I]));
}

#elif defined(longs)
layout(binding = 0) readonly restrict buffer X { uint64_t x[]; };
layout(binding = 1) restrict buffer Y { uint64_t y[]; };
void main()
{
    y[I] = x[I] * 3ul + y[I];
}

#elif defined(size_t_index)
layout(binding = 0) readonly restrict buffer X { float x[]; };
layout(binding = 1) writeonly restrict buffer Y { float y[]; };
layout(push_constant) uniform P { uint64_t n; };
void main()
{
    if (uint64_t(I) < n)
        y[I] = x[I];
}

#elif defined(image_row)
layout(binding = 0) readonly restrict buffer X { float x[]; };
layout(binding = 1) writeonly restrict buffer Y { float y[]; };
layout(push_constant) uniform P { int w, h; };
void main()
{
    int i = int(I), j = int(gl_GlobalInvocationID.y);
    if (i < w && j < h)
        y[j * w + i] = x[(h - 1 - j) * w + i];
}

#elif defined(local_reverse)
layout(binding = 0) restrict buffer X { float x[]; };
shared float part[64];
void main()
{
    uint t = gl_LocalInvocationID.x;
    part[t] = x[I];
    barrier();
    x[I] = part[63 - t];
}

#elif defined(private_array)
layout(binding = 0) readonly restrict buffer X { int x[]; };
layout(binding = 1) writeonly restrict buffer Y { int y[]; };
void main()
{
    int bins[16];
    for (int k = 0; k < 16; ++k)
        bins[k] = 0;
    for (int k = 0; k < 16; ++k)
        bins[x[I * 16 + k] & 15] += k;
    y[I] = bins[x[I] & 15];
}

#elif defined(atomics)
layout(binding = 0) readonly restrict buffer X { int x[]; };
layout(binding = 1) restrict buffer C { int counts[]; };
void main()
{
    atomicAdd(counts[x[I]], int(I));
}

#elif defined(grid_loop)
layout(binding = 0) readonly restrict buffer X { float x[]; };
layout(binding = 1) writeonly restrict buffer Y { float y[]; };
layout(push_constant) uniform P { uint n; };
void main()
{
    for (uint i = I; i < n; i += gl_NumWorkGroups.x * 64)
        y[i] = x[i] * 2.0;
}
#endif
