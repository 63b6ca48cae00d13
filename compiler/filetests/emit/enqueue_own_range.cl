// test: emit
// options: -cl-std=CL2.0
// A header for compilers without ndrange_t brings a struct of that name: it is the built-in type.
typedef struct { int a; } ndrange_t;

kernel void k(global int *p)
{
  ndrange_t range = ndrange_1D(4);
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, range, ^{ p[0] = 1; });
}
