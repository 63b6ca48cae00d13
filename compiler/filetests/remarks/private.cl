// test: remarks
// An array whose index is known only at run time, one that is too large, and one that needs no memory.
// options: -g

kernel void indexed(global int *p, int n)
{
    int table[16];
    for (int i = 0; i < 16; i++)
        table[i] = p[i];
    p[0] = table[n & 15];
}

kernel void large(global int *p, int n)
{
    int table[2000];
    for (int i = 0; i < 2000; i++)
        table[i] = p[i] + n;
    p[0] = table[n % 2000];
}

kernel void registers(global int *p)
{
    int pair[2] = { p[0], p[1] };
    p[0] = pair[1];
    p[1] = pair[0];
}
