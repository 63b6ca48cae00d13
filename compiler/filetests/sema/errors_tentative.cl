// test: sema
// options: -cl-std=CL3.0
global struct never completed;
static __attribute__((weak)) int weak_function(int a) { return a; }
static __attribute__((weak)) global int weak_variable;
extern global int known[];
kernel void k(global int *o) {
    global int *p = known;
    o[0] = sizeof(known);
}
