// test: descriptors
// options: -g --abi=descriptors
kernel void foo(global int* a) {
    if (a)
        a[0] = 1;
}
