// test: descriptors
// options: --abi=descriptors
// "Compilation": the macro VULKAN is 100.

#if VULKAN != 100
#error VULKAN
#endif
kernel void foo(global int* a) { *a = VULKAN; }
