// test: descriptors
// options: -g --abi=descriptors
kernel void foo(global int* a, global int* b) {
    if (a != b)
        a[0] = 1;
}
