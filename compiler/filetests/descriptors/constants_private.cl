// test: descriptors
// options: --abi=descriptors
// Without a buffer, constant data is a private array: no line for it.

__constant int table[5] = {3, 1, 4, 1, 5};
kernel void foo(global int* o, int i) { o[i] = table[i]; }
