// test: run
// Common and geometric functions on vectors.
// kernel: geometry
// global: 1
// arg: buffer float 16*0
// expect 0: float 11 3 0 0 1 5 0.6 0.8 0 0 1 0.5 0 1 -1 90 ulp 4
__kernel void geometry(__global float *o) {
    float2 a = (float2)(1, 2), b = (float2)(3, 4);
    o[0] = dot(a, b);
    o[1] = length((float3)(1, 2, 2));
    float3 c = cross((float3)(1, 0, 0), (float3)(0, 1, 0));
    o[2] = c.x;
    o[3] = c.y;
    o[4] = c.z;
    o[5] = distance((float2)(0, 0), b);
    float2 n = normalize(b);
    o[6] = n.x;
    o[7] = n.y;
    float4 s = step((float4)(2), (float4)(1, 1, 2, 3));
    o[8] = s.x;
    o[9] = s.y;
    o[10] = s.w;
    o[11] = smoothstep(0.0f, 1.0f, 0.5f);
    float2 k = clamp((float2)(-1, 7), 0.0f, 1.0f);
    o[12] = k.x;
    o[13] = k.y;
    o[14] = sign(-3.0f);
    o[15] = degrees(1.57079637f);
}
