// test: sema
typedef struct { int a; float b[2]; } S;
__constant int from_call = get_global_id(0);
__constant int from_name = undeclared;
void init(int n)
{
    int scalar = {1, 2};
    int array[2] = {1, 2, 3};
    S s = {.c = 1};
    S t = {[0] = 1};
    int u[2] = {[5] = 1};
    int v[2] = {.a = 1};
    int w[4] = {[3 ... 1] = 0};
    char text[2] = "abc";
    int x[2] = n;
    __constant int y = n;
    int4 z = {1, 2, 3, 4, 5};
    S a = {1, {n, n, n}};
    int b[2] = {{1, 2}, 3};
}
void vectors(float2 pair)
{
    struct { float4 v; int k; } s = {pair}, t = {{0}}, u = {1, 2, 3};
    float4 rows[2] = {1, 2, 3, 4};
}
