// test: descriptors
// options: -pod-ubo -pod-pushconstant
// "-pod-ubo and -pod-pushconstant are exclusive options."
kernel void foo(global int* a) { *a = 1; }
