// test: run
// cl_amd_media_ops and cl_amd_media_ops2 against the sums and shifts of their definitions, and single values.
// kernel: bytes
// global: 64
// arg: buffer int 64*-1
// expect 0: int 64*0
// kernel: fields
// global: 64
// arg: buffer int 64*-1
// expect 0: int 64*0
// kernel: values
// global: 1
// arg: buffer uint 16*0
// expect 0: uint 305419896 878082202 2309737967 4278190080 8355588 765 131072 4294967288 240 15 0 1 2 3 255 67305985
#if !defined(cl_amd_media_ops) || !defined(cl_amd_media_ops2)
#error the extensions' macros
#endif
#pragma OPENCL EXTENSION cl_amd_media_ops : enable
#pragma OPENCL EXTENSION cl_amd_media_ops2 : enable

uint number(uint seed) {
    seed = (seed ^ 61) ^ (seed >> 16);
    seed *= 9;
    seed ^= seed >> 4;
    seed *= 0x27d4eb2d;
    return seed ^ (seed >> 15);
}
uint byte(uint v, int n) { return (v >> (8 * n)) & 0xff; }
uint distance(uint a, uint b, uint sum, int masked) {
    for (int n = 0; n < 4; n++)
        if (!masked || byte(b, n))
            sum += abs_diff(byte(a, n), byte(b, n));
    return sum;
}
ulong quads(ulong a, uint b, ulong sums, int masked) {
    ulong result = 0;
    for (int n = 0; n < 4; n++)
        result |= (ulong)(ushort)distance((uint)(a >> (8 * n)), b, (ushort)(sums >> (16 * n)), masked) << (16 * n);
    return result;
}
__kernel void bytes(__global int *wrong) {
    uint id = get_global_id(0);
    uint a = number(id * 3), b = number(id * 3 + 1) & (id % 3 ? ~0u : 0xff00ff00u), c = number(id * 3 + 2);
    ulong pair = ((ulong)a << 32) | b;
    int bad = 0;
    bad |= (amd_bitalign(a, b, c) != (uint)(pair >> (c & 31))) << 0;
    bad |= (amd_bytealign(a, b, c) != (uint)(pair >> (c % 4 * 8))) << 1;
    bad |= (amd_bitalign(a, b, 0u) != b || amd_bitalign(a, b, 32u) != b || amd_bitalign(a, b, 31u) != (uint)(pair >> 31)) << 2;
    uint average = 0;
    for (int n = 0; n < 4; n++)
        average |= ((byte(a, n) + byte(b, n) + (byte(c, n) & 1)) >> 1) << (8 * n);
    bad |= (amd_lerp(a, b, c) != average) << 3;
    bad |= (amd_sad(a, b, c) != distance(a, b, c, 0)) << 4;
    bad |= (amd_sadhi(a, b, c) != c + (distance(a, b, 0, 0) << 16)) << 5;
    bad |= (amd_msad(a, b, c) != distance(a, b, c, 1)) << 6;
    uint4 many = (uint4)(a, b, c, ~a), more = (uint4)(b, c, a, c);
    uint sum = c;
    for (int n = 0; n < 4; n++)
        sum = distance(many[n], more[n], sum, 0);
    bad |= (amd_sad4(many, more, c) != sum) << 7;
    bad |= (amd_sadw(a, b, c) != c + abs_diff(a & 0xffff, b & 0xffff) + abs_diff(a >> 16, b >> 16)) << 8;
    bad |= (amd_sadd(a, b, c) != c + abs_diff(a, b)) << 9;
    ulong sums = ((ulong)c << 32) | ~a;
    bad |= (amd_qsad(pair, c, sums) != quads(pair, c, sums, 0)) << 10;
    bad |= (amd_mqsad(pair, b, sums) != quads(pair, b, sums, 1)) << 11;
    bad |= (amd_unpack0(a) != (float)byte(a, 0) || amd_unpack1(a) != (float)byte(a, 1)) << 12;
    bad |= (amd_unpack2(a) != (float)byte(a, 2) || amd_unpack3(a) != (float)byte(a, 3)) << 13;
    bad |= (amd_pack((float4)(amd_unpack0(a), amd_unpack1(a), amd_unpack2(a), amd_unpack3(a))) != a) << 14;
    // Vectors do the same in each component.
    uint3 v = amd_bitalign(many.xyz, more.xyz, (uint3)(c, a, b));
    bad |= (v.y != amd_bitalign(b, c, a)) << 15;
    bad |= (amd_sad((uint16)(a), (uint16)(b), (uint16)(c)).sf != amd_sad(a, b, c)) << 16;
    bad |= (amd_unpack1((uint2)(a, b)).y != amd_unpack1(b)) << 17;
    bad |= (amd_mqsad((ulong2)(sums, pair), (uint2)(a, b), (ulong2)(pair, sums)).y != quads(pair, b, sums, 1)) << 18;
    bad |= (amd_lerp((uint8)(a), (uint8)(b), (uint8)(c)).s7 != average) << 19;
    wrong[id] = bad;
}
__kernel void fields(__global int *wrong) {
    uint id = get_global_id(0);
    uint a = number(id * 3 + 500), offset = id % 33, width = number(id) % 33;
    int bad = 0;
    uint w = width & 31, o = offset & 31;
    uint field = w == 0 ? 0 : o + w < 32 ? (a << (32 - o - w)) >> (32 - w) : a >> o;
    int signs = w == 0 ? 0 : o + w < 32 ? ((int)(a << (32 - o - w))) >> (32 - w) : (int)a >> o;
    bad |= (amd_bfe(a, offset, width) != field) << 0;
    bad |= (amd_bfe((int)a, offset, width) != signs) << 1;
    bad |= (amd_bfe((int4)(a), (uint4)(offset), (uint4)(width)).z != signs) << 2;
    bad |= (amd_bfm(width, offset) != ((1u << w) - 1) << o) << 3;
    int x = (int)a, y = (int)number(a), z = (int)number(a + 1);
    bad |= (amd_min3(x, y, z) != min(x, min(y, z)) || amd_max3(x, y, z) != max(x, max(y, z))) << 4;
    long middle = (long)x + y + z - min(x, min(y, z)) - max(x, max(y, z));
    bad |= (amd_median3(x, y, z) != middle) << 5;
    uint u = a, v = number(a), t = number(a + 1);
    ulong between = (ulong)u + v + t - min(u, min(v, t)) - max(u, max(v, t));
    bad |= (amd_median3(u, v, t) != between || amd_max3(u, v, t) != max(u, max(v, t)) || amd_min3(u, v, t) != min(u, min(v, t))) << 6;
    float f = x * 0x1p-20f, g = y * 0x1p-20f, h = z * 0x1p-20f;
    float least = fmin(f, fmin(g, h)), greatest = fmax(f, fmax(g, h));
    float median = amd_median3(f, g, h);
    bad |= (amd_min3(f, g, h) != least || amd_max3(f, g, h) != greatest) << 7;
    bad |= (median < least || median > greatest || (median != f && median != g && median != h)) << 8;
    bad |= (isless(median, f) + isless(median, g) + isless(median, h) > 1) << 9;
    bad |= (amd_median3((float2)(f, 1), (float2)(g, 2), (float2)(h, 0)).y != 1.0f) << 10;
    wrong[id] = bad;
}
__kernel void values(__global uint *o) {
    volatile uint zero = 0;
    uint a = 0x12345678 + zero;
    o[0] = amd_bitalign(a, a, 0u);
    o[1] = amd_bytealign(a, 0x9abcdef0u, 3u);
    o[2] = amd_bitalign(a, 0x9abcdef0u, 4u);
    o[3] = amd_pack((float4)(zero, 256.0f, 512.75f, 255.99f));
    o[4] = amd_lerp(0x00ff0003u + zero, 0x0000ff04u, 0x00000001u);
    o[5] = amd_sad(0xff000000u + zero, 0x00ff00ffu, 0u);
    o[6] = amd_sadhi(1 + zero, 0x100u, 0u);
    o[7] = (uint)amd_bfe((int)(0x80000000u + zero), 28u, 7u);
    o[8] = amd_bfm(4 + zero, 4u);
    o[9] = amd_bfe(0xf0u + zero, 4u, 4u);
    o[10] = amd_bfe(0xf0u + zero, 4u, 32u);
    o[11] = amd_min3(1 + zero, 2u, 3u);
    o[12] = amd_median3(3 + zero, 1u, 2u);
    o[13] = amd_max3(3 + zero, 1u, 2u);
    o[14] = amd_msad(0xff + zero, 0xff00u, 0u);
    o[15] = amd_pack((float4)(1 + zero, 2, 3, 4));
}
