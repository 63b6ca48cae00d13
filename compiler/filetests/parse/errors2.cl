// test: parse
#define BAD(x) ((x) + )
#define OUTER(y) BAD(y)
int f(int a) {
  return OUTER(a);
}
#pragma OPENCL EXTENSION nothing
#pragma OPENCL FP_CONTRACT MAYBE
#pragma unroll 3 4
kernel void g(int a, ) { }
kernel void h(a) { }
int array[3;
union;
enum { 1 };
typedef int;
static;
3;
