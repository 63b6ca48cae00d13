// test: descriptors
// options: -cl-std=CL3.0 --device=full --abi=descriptors -module-constants-in-storage-buffer
// Constants, program-scope variables and printf have sets behind the kernels'.

__constant int table[5] = {3, 1, 4, 1, 5};
global int counter = 7;
kernel void foo(global int* o, int i) {
    o[i] = table[i] + counter++;
    printf("%d\n", i);
}
