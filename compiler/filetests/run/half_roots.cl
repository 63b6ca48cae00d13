// test: run
// Roots of halves are correctly rounded: of the denormal ones, of all digits in two binades, of the greatest, of those
// that have no root; as vectors and alone. The middles between a root and its neighbours, squared, lie on its two sides.
// options: -cl-std=CL3.0
// kernel: roots
// global: 1024
// arg: buffer ushort 0 0x3c00 0x4000 0x7800
// arg: buffer int 1024*1
// expect 1: int 1024*0
// kernel: special
// global: 1
// arg: buffer half 0x0000 0x8000 0x7c00 0xfc00 0x7e00 0x8001 0xbc00 0xfbff
// arg: buffer half 8*1
// arg: buffer int 8*7
// expect 1: half 0x0000 0x8000 0x7c00 ? ? ? ? ?
// expect 2: int 0 0 0 1 1 1 1 1
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
// A positive normal half in units of 2^-23.
ulong units(uint half_bits)
{
    return (ulong)(half_bits & 0x3ff | 0x400) << ((half_bits >> 10) - 2);
}
// The square of the middle between two neighbours in units of 2^-48.
ulong square(uint a, uint b)
{
    ulong middle = units(a) + units(b);
    return middle * middle;
}
int is_root(uint x, uint root)
{
    ulong number = x < 0x400 ? x : (ulong)(x & 0x3ff | 0x400) << ((x >> 10) - 1);
    number <<= 24;
    return square(root - 1, root) < number && number < square(root, root + 1);
}
kernel void roots(global const ushort *starts, global int *wrong)
{
    size_t i = get_global_id(0);
    uint first = starts[i >> 8] + ((i & 0xff) << 2);
    if (first == 0)
        first = 1;
    ushort4 x = (ushort4)(first, first + 1, first + 2, first + 3);
    ushort4 together = as_ushort4(sqrt(as_half4(x)));
    ushort alone = as_ushort(sqrt(as_half(x.z)));
    wrong[i] = !is_root(x.x, together.x) + !is_root(x.y, together.y) + !is_root(x.z, together.z)
        + !is_root(x.w, together.w) + (alone != together.z);
}
kernel void special(global const half *x, global half *root, global int *none)
{
    half8 roots = sqrt(vload8(0, x));
    vstore8(roots, 0, root);
    for (int i = 0; i < 8; i++)
        none[i] = isnan(root[i]);
}
