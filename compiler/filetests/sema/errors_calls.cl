// test: sema
int two(int a, float b) { return a; }
__attribute__((overloadable)) int over(int a) { return 1; }
__attribute__((overloadable)) int over(float a) { return 2; }
void calls(int i, float f, float4 v, int *p)
{
    two(1);
    two(1, 2.0f, 3);
    two(v, 1);
    two(p, 1);
    over(1L);
    over(v);
    over(p);
    get_global_id();
    get_global_id(0, 1);
    get_global_idd(0);
    min(1, 2.0f);
    dot(i, i);
    sqrt(p);
    barrier(1, 2, 3);
    void *q = two;
}
