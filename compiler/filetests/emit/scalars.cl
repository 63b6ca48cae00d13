// test: emit
// Conversions, bool in memory, half, arithmetic of all widths, comma, updates, pointers.
kernel void scalars(global char *c, global ushort *s, global ulong *l, global half *h, global double *d, global int *i) {
    bool flag = c[0];
    bool flags[2] = { true, false };
    flags[1] = flag != flags[0];
    c[1] = flags[1] ? -1 : 1;
    c[0]++;
    s[0] = c[0] * s[1];
    l[0] = c[0] + (l[1] >> (c[2] & 7)) / 3;
    i[0] = i[1] / i[2] % 5;
    i[1] = -i[3] << 33;
    h[0] = h[1] * (half)2.0f + (half)i[0];
    d[0] = d[1] - 0.5 + h[0];
    i[2] = (d[0] < 1.0) + (d[1] != d[2]) + !i[0];
    i[3] = (int)d[0] + (uint)d[1];
    i[4] = (c[0]++, --c[1]);
    global int *p = i + 5;
    *p-- = p - i;
    p += c[3];
    i[6] = p > i && p != 0;
    l[2] = (ulong)p;
    *(global float *)p = 1.0f;
    float f = -0.0f;
    f *= 0.1f;
    i[7] = as_int(f) ^ ~0;
    i[8] = sizeof(double) + (i[9] | 3);
}
