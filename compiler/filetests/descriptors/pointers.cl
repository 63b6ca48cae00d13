// test: descriptors
// options: -g --abi=descriptors -module-constants-in-storage-buffer
// Pointers that know their buffer, and choices between buffers.

__constant int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
int sum(global const int* p, int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += *p++;
    return s;
}
kernel void foo(global int* a, global int* b, constant int* c, int n) {
    global int* p = n & 1 ? a : b + 2;
    for (int i = 0; i < n; i++) {
        p[i] += table[i & 7];
        if (i == 5)
            p = b;
    }
    constant int* q = n > 4 ? c : table;
    atomic_add(p, q[n]);
    a[((size_t)p & 7) == 0 ? 1 : 0] = sum(a, n) + sum(b, n);
}
