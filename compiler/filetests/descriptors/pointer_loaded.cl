// test: descriptors
// options: -g --abi=descriptors
kernel void foo(global ulong* a) {
    global int* p = (global int*)a[0];
    *p = 4;
}
