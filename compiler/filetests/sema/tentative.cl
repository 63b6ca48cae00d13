// test: sema
// options: -cl-std=CL3.0
struct later;
global struct later completed;
global int open[];
static global int open_static[];
global int sized_later[];
global int sized_later[3];
global short rows[][2];
global short rows[2][2] = { 1, 2, 3, 4 };
struct later { int a, b; };
__attribute__((weak)) global int weak_variable;
__attribute__((weak)) int weak_function(int a) { return a; }
int weak_declared(int a) __attribute__((weak));
int weak_declared(int a) { return a; }
kernel void k(global int *o) {
    o[0] = completed.b + open[0] + open_static[0] + rows[1][1];
    o[1] = sizeof(sized_later);
}
