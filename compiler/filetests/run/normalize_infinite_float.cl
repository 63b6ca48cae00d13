// test: run
// Unit vectors of float where lanes are infinite: these count as ones, and all others as zeros of their sign; of NaN all lanes
// become NaN. The signs are in a buffer of their own (0 or 1, 7 for NaN).
// kernel: units
// global: 8
// arg: buffer float 0x7f800000 0x3f800000 0x40000000 0xff800000 0x3f800000 0xff800000 0x80000000 0x00000000 0x7f800000 0x7f800000 0x7f800000 0x7f800000 0x7f800000 0x7fc00000 0x3f800000 0x00000000 0xff61b1e6 0x7f800000 0x03800000 0xbf800000 0xc0000000 0x00000000 0xff800000 0x7f800000 0x7fc00000 0x7fc00000 0x7f800000 0xff800000 0xff800000 0x40400000 0xc0800000 0x00000000
// arg: buffer float 80*0x44444444
// arg: buffer int 80*9
// expect 1: float 0x3f800000 0x3f800000 0x00000000 0x3f800000 0x00000000 0x00000000 0x3f3504f3 0x00000000 0x00000000 0xbf3504f3 0x3f800000 0x00000000 0xbf800000 0x00000000 0xbf800000 0x80000000 0x00000000 0xbf800000 0x80000000 0x00000000 0x3f800000 0x3f3504f3 0x3f3504f3 0x3f13cd3a 0x3f13cd3a 0x3f13cd3a 0x3f000000 0x3f000000 0x3f000000 0x3f000000 0x3f800000 0x7fc00000 0x7fc00000 0x7fc00000 0x7fc00000 0x7fc00000 0x7fc00000 0x7fc00000 0x7fc00000 0x7fc00000 0xbf800000 0x80000000 0x3f800000 0x80000000 0x3f800000 0x00000000 0x80000000 0x3f800000 0x00000000 0x80000000 0xbf800000 0xbf800000 0x00000000 0x80000000 0x00000000 0xbf800000 0x80000000 0x00000000 0xbf3504f3 0x3f3504f3 0x7fc00000 0x7fc00000 0x7fc00000 0x7fc00000 0x7fc00000 0x7fc00000 0x7fc00000 0x7fc00000 0x7fc00000 0x7fc00000 0xbf800000 0xbf800000 0x00000000 0xbf800000 0x00000000 0x80000000 0xbf800000 0x00000000 0x80000000 0x00000000 ulp 6
// expect 2: int 0 0 0 0 0 0 0 0 0 1 0 0 1 0 1 1 0 1 1 0 0 0 0 0 0 0 0 0 0 0 0 7 7 7 7 7 7 7 7 7 1 1 0 1 0 0 1 0 0 1 1 1 0 1 0 1 1 0 1 0 7 7 7 7 7 7 7 7 7 7 1 1 0 1 0 1 1 0 1 0
#define TELL(place, lane)                                           \
    result[10 * i + (place)] = lane;                                \
    signs[10 * i + (place)] = isnan(lane) ? 7 : signbit(lane) ? 1 : 0;
kernel void units(global const float4 *x, global float *result, global int *signs)
{
    size_t i = get_global_id(0);
    float one = normalize(x[i].x);
    float2 two = normalize(x[i].xy);
    float3 three = normalize(x[i].xyz);
    float4 four = normalize(x[i]);
    TELL(0, one)
    TELL(1, two.x)
    TELL(2, two.y)
    TELL(3, three.x)
    TELL(4, three.y)
    TELL(5, three.z)
    TELL(6, four.x)
    TELL(7, four.y)
    TELL(8, four.z)
    TELL(9, four.w)
}
