// test: descriptors
// options: -pod-pushconstant -cluster-pod-kernel-args=0
// "-pod-pushconstant cannot be specified with -cluster-pod-kernel-args=0."
kernel void foo(global int* a) { *a = 1; }
