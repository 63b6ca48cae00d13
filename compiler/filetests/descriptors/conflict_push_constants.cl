// test: descriptors
// options: -pod-pushconstant -global-offset-push-constant
// "Module scope push constants are currently incompatible with plain-old-data arguments sent as
// push constants."
kernel void foo(global int* a) { *a = 1; }
