// test: descriptors
// options: -no-16bit-storage=ssbo,ubo,pushconstant -no-8bit-storage=ssbo -pod-ubo
kernel void foo(global uchar* a, global short* b, global half* h, uchar n, short2 m) {
    a[n] = 3;
    b[n] = m.y;
    vstore_half(1.5f, n, h);
}
