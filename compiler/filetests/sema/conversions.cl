// test: sema
void scalars(char c, uchar uc, short s, uint u, long l, ulong ul, float f, double d, bool b, half h)
{
    int i = c + uc;
    u = c;
    c = u;
    l = u + i;
    ul = i;
    l = i < u;
    f = i;
    i = f;
    d = f + i;
    f = d;
    b = f;
    b = i;
    i = b;
    i = !f;
    i = b && i;
    i = i && (f || u);
    c += 1;
    uc <<= l;
    s = s >> 1;
    u = u >> i;
    i = -c;
    i = ~uc;
    i = +s;
    h = h * 2;
    f = h + f;
    i++;
    --f;
    f = i ? f : u;
    i = (c, u);
    f = 1;
    d = 1.5f;
    i = 'a' + 0x7fffffff;
    l = 2147483648;
    u = 0x80000000;
    i = 010 + 1u;
}
