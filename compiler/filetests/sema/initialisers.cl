// test: sema
typedef struct { int a; float b[2]; float4 v; } S;
typedef union { int i; float f; } U;
void init(int n, float f, S s)
{
    int scalar = 1, braced = {2}, copy = scalar;
    int full[3] = {1, 2, 3};
    int part[3] = {n};
    int open[] = {n, n, 3};
    int designated[5] = {[1] = 1, 2, [4] = n};
    int range[4] = {[0 ... 2] = 7};
    int nested[2][2] = {{1}, {n, 2}};
    int elided[2][2] = {1, 2, n};
    S all = {1, {2, 3}, (float4)(4)};
    S flat = {1, 2, f, (float4)(f)};
    S some = {.b[1] = f, .a = 2};
    S same = s;
    S two[2] = {s, {1}};
    U u = {1};
    U uf = {.f = f};
    char text[] = "hi";
    char longer[5] = "hi";
    uchar more[2][3] = {"a", "b"};
    float4 vec = {1, f, 3, 4};
    float4 halves = {vec.xy, 1, 2};
    float4 rows[2] = {{1, 2, 3, 4}, (float4)(f)};
    float4 splat = f;
    S literal = (S){n, {f}};
    int *p = (int[]){1, n};
    struct { int x; union { int y; float z; }; } anonymous = {1, {.z = f}};
    anonymous.y = anonymous.x;
}
typedef struct { float4 v; int k; } V;
__constant V zero = {0};
__constant float4 zeros[2] = {0.0f};
void vectors_without_braces(int n, float2 pair)
{
    V all_zero = {0}, both = {1, 2}, vector = {(float4)(n), n};
    V pairs = {pair, 1, 2, n}, later = {.k = n, .v = 3};
    float4 rows[3] = {0.0f, 2, (float4)(3)};
    struct { V inner; int last; } nested = {1, 2, 3};
    union { int4 i; float4 f; } either = {n};
}
