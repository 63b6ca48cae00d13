// test: emit
// Bit-fields by their bytes, and AMD's byte operations.
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
struct s { uint a : 5; int b : 13; bool c : 1; long d : 40; };
constant struct s table = { 9, -3, true, -5 };
kernel void fields(global struct s *p, local struct s *q, global int *out) {
    struct s own = { .b = p->b, .c = q->c };
    own.a += 3;
    q->d = own.d = table.d;
    out[0] = own.a + table.b;
}
kernel void media(global uint4 *p, global ulong *q, float4 f, int i) {
    p[0] = amd_bitalign(p[1], p[2], p[3]) + amd_sadhi(p[1], p[2], p[3]);
    q[0] = amd_mqsad(q[1], amd_pack(f), q[2]);
    p[1].x = amd_sad4(p[2], p[3], (uint)amd_bfe(i, 3u, 4u));
    p[2].y = (uint)amd_median3(f.x, amd_unpack2(p[2].z), f.z);
}
