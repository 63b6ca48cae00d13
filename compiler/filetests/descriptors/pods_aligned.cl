// test: descriptors
// options: --abi=descriptors
// Plain data is as aligned in its block as its type is, on words at least.

typedef struct { char a; short b; } S;
kernel void foo(global int* o, char a, float4 b, uchar2 c, double d, S s) {
    o[0] = a + (int)b.w + c.y + (int)d + s.b;
}
