// test: descriptors
// options: -spv-version=1.3 -no-8bit-storage=ssbo,ubo,pushconstant -no-16bit-storage=ubo,pushconstant
// validate: vulkan1.1
// The document's example of a device with 16-bit accesses to storage buffers only.

kernel void foo(global uchar* a, global short* b, uchar n, short2 m) {
    a[n] = 3;
    b[n] = m.y;
}
