// test: negative
//// too few elements
float4 f(void) { return (float4)(1, 2); }
//// too many elements
float4 f(void) { return (float4)(1, 2, 3, 4, 5); }
//// too many elements by a vector
float4 f(float3 v) { return (float4)(v, v); }
//// a component that the vector lacks
float f(float2 v) { return v.z; }
//// a component that does not exist
float f(float4 v) { return v.q; }
//// a numbered component that the vector lacks
float f(float4 v) { return v.s7; }
//// a numbered component that does not exist
float f(float16 v) { return v.sg; }
//// five components
void f(float8 v) { v.s01234; }
//// a component twice on the left
void f(float4 v) { v.xx = (float2)(1, 2); }
//// mixed spellings
void f(float4 v) { v.xs1; }
//// vectors of two lengths
float4 f(float4 a, float2 b) { return a + b; }
//// vectors of two types
float4 f(float4 a, int4 b) { return a + b; }
//// signed and unsigned vectors
int4 f(int4 a, uint4 b) { return a + b; }
//// a vector from another length
float4 f(float2 a) { return a; }
//// a vector from another type
float4 f(int4 a) { return a; }
//// a vector cast to another vector
float4 f(int4 a) { return (float4)a; }
//// a vector cast to a scalar
float f(float4 a) { return (float)a; }
//// a vector as a condition
void f(int4 a) { if (a) return; }
//// a vector as a loop's condition
void f(float4 a) { while (a) a -= 1; }
//// the remainder of float vectors
float4 f(float4 a, float4 b) { return a % b; }
//// shifting a float vector
float4 f(float4 a) { return a << 1; }
//// ?: with a float vector
float4 f(float4 c, float4 a, float4 b) { return c ? a : b; }
//// ?: with another number of elements
float4 f(int2 c, float4 a, float4 b) { return c ? a : b; }
//// ?: with elements of another size
float4 f(long4 c, float4 a, float4 b) { return c ? a : b; }
//// a greater scalar
int4 f(int4 a, long b) { return a + b; }
//// the address of a component
void f(float4 v) { float *p = &v.x; }
//// a vector index that is a float
float f(float4 v, float i) { return v[i]; }
//// warning: a vector index that is too large
float f(float4 v) { return v[4]; }
//// a vector in a switch
void f(int4 v) { switch (v) { default: ; } }
//// a vector that initialises a scalar
void f(float4 v) { float a = v; }
//// a vector passed as a scalar
void g(float); void f(float4 v) { g(v); }
//// a vector passed as another vector
void g(float8); void f(float4 v) { g(v); }
//// a vector returned as a scalar
int f(int4 v) { return v; }
//// as_ with another size
float4 f(int2 v) { return as_float4(v); }
//// convert_ with another length
float4 f(int2 v) { return convert_float4(v); }
//// an unknown rounding mode
int4 f(float4 v) { return convert_int4_rtx(v); }
//// the rounding of convert_ in the wrong order
int4 f(float4 v) { return convert_int4_rte_sat(v); }
//// vload of a vector pointer
float4 f(__global float4 *p) { return vload4(0, p); }
//// vload5
float4 f(__global float *p) { return vload5(0, p); }
//// vstore with the wrong length
void f(__global float *p, float4 v) { vstore2(v, 0, p); }
//// vstore to const memory
void f(__constant float *p, float4 v) { vstore4(v, 0, p); }
//// shuffle with a float mask
float4 f(float4 v, float4 m) { return shuffle(v, m); }
//// vec_step of a struct
typedef struct { int a; } S; int f(void) { return vec_step(S); }
//// the logical operators on vectors of two lengths
int4 f(int4 a, int2 b) { return a && b; }
//// comparing vectors of two lengths
int4 f(int4 a, int2 b) { return a == b; }
//// '~' of a float vector
float4 f(float4 a) { return ~a; }
//// a vector initialised by too many values
void f(void) { int2 a = { 1, 2, 3 }; }
//// a constant of greater rank than the elements (OpenCL C 3.0 §6.4.6)
uchar3 f(uchar3 a) { return a + 1; }
//// the same in front of the vector
char4 f(char4 a) { return -1 - a; }
//// the same assigned
void f(char4 *a) { *a += 1; }
//// the same compared
char4 f(char4 a) { return a == 1; }
//// an unsigned scalar beside signed elements of its width
int2 f(int2 a, uint b) { return a + b; }
//// an unsigned char beside chars
char4 f(char4 a, uchar b) { return a + b; }
//// a double constant beside floats
float4 f(float4 a) { return a * 0.1; }

//// a swizzle of a swizzle that names a component twice
void k(float4 v, global float4 *o) {
    v.xyxy.xy = (float2)(1, 2);
    v.xxxx.x = 3;
    v.xyxy[0] += 1;
    o->xyxy.hi = v.lo;
    (v.xyxy).x++;
    v.wzyx.lo = v.xx;
}
