// test: descriptors
// options: --abi=descriptors
// "Clustering plain-old-data kernel arguments to save descriptors" and "Example descriptor set
// mapping": the default.

void kernel foo(global int* a, float f, global float* b, uint c) { a[c] = 1; b[c] = f; }
