// test: negative
//// [--device=full -cl-std=CL3.0] a block variable without an initialiser
void f(void) { void (^b)(void); }

//// [--device=full -cl-std=CL3.0] a block variable set to a number
void f(void) { void (^b)(void) = 0; }

//// [--device=full -cl-std=CL3.0] a block of another type
void f(void) { int (^b)(int) = ^(float x) { return 1; }; }

//// [--device=full -cl-std=CL3.0] a block as a value
void f(void) { void (^b)(void) = ^{ }; int x = b; }

//// [--device=full -cl-std=CL3.0] a block assigned to
void f(void) { void (^b)(void) = ^{ }; b = ^{ }; }

//// [--device=full -cl-std=CL3.0] a block as an argument
void f(void (^b)(void)) { }

//// [--device=full -cl-std=CL3.0] a function that returns a block
typedef void (^block)(void);
block f(void);

//// [--device=full -cl-std=CL3.0] an array of blocks
typedef void (^block)(void);
void f(void) { block b[2] = {^{ }, ^{ }}; }

//// [--device=full -cl-std=CL3.0] a block in a struct
struct s { void (^b)(void); };

//// [--device=full -cl-std=CL3.0] a pointer to a block
typedef void (^block)(void);
void f(void) { block *b; }

//// [--device=full -cl-std=CL3.0] an extern block
extern void (^b)(void);

//// [--device=full -cl-std=CL3.0] a block of something else than a function
void f(void) { int ^b = 0; }

//// [--device=full -cl-std=CL3.0] a block with variable arguments
void f(void) { void (^b)(int, ...) = ^(int a, ...) { }; }

//// [--device=full -cl-std=CL3.0] a captured variable assigned to
void f(void) { int n = 1; ^{ n = 2; }(); }

//// [--device=full -cl-std=CL3.0] a captured array, which is const
void f(void) { int n[2] = {1, 2}; ^{ n[0] = 3; }(); }

//// [--device=full -cl-std=CL3.0] a captured array in a block that is enqueued
void f(queue_t q, ndrange_t r) { int n[2] = {1, 2}; enqueue_kernel(q, 0, r, ^{ int x = n[0]; }); }

//// [--device=full -cl-std=CL3.0] a captured array in a block around the one that names it
void f(queue_t q, ndrange_t r) { int n[2] = {1, 2}; enqueue_kernel(q, 0, r, ^{ int x = ^{ return n[0]; }(); }); }

//// [--device=full -cl-std=CL3.0] the address of a capture
void f(int n) { ^{ int x = *&n; }(); }

//// [--device=full -cl-std=CL3.0] blocks that name blocks around them
void (^of_program)(void) = ^{ };
void f(void) {
  void (^a)(void) = ^{ of_program(); };
  void (^b)(void) = ^{ a(); };
  void (^c)(void) = ^{ void (^d)(void) = ^{ }; d(); ^{ d(); }(); };
}

//// [--device=full -cl-std=CL3.0] blocks in ?:
void f(int n) {
  int (^a)(int) = ^(int x) { return x; };
  int x = n ? a(1) : n;
  int y = n ? n : (a(2));
  int z = n ? a : n;
  int w = n ? : ^{ return 1; }();
}

//// [--device=full -cl-std=CL3.0] a block as an argument of a refused function
void f(int (^b)(void));
void g(void) { int (^b)(void) = ^{ return unknown; }; f(b); }

//// [--device=full -cl-std=CL3.0] a block of a refused type
typedef int (^block)(void);
void f(void) { int (^b)(block) = ^{ return unknown; }; }

//// [--device=full -cl-std=CL3.0] a block type with variable arguments
typedef int (^block)(int, ...);

//// [--device=full -cl-std=CL3.0] a captured image
void f(image2d_t i) { ^{ return get_image_width(i); }(); }

//// [--device=full -cl-std=CL3.0] too few arguments for a block
void f(void) { int (^b)(int, int) = ^(int x, int y) { return x; }; b(1); }

//// [--device=full -cl-std=CL3.0] a jump out of a block
void f(void) { for (;;) ^{ break; }(); }

//// [--device=full -cl-std=CL3.0] a label outside the block
void f(void) { here: ^{ goto here; }(); }

//// [--device=full -cl-std=CL3.0] two results of different types
void f(void) { int x = ^(int a) { if (a) return 1; return (int2)(1); }(1); }

//// [--device=full -cl-std=CL3.0] a block that calls itself
void f(void) { int (^b)(int) = ^(int x) { return b(x); }; }

//// [--device=full -cl-std=CL3.0] enqueue_kernel without a block
void f(queue_t q, ndrange_t r) { enqueue_kernel(q, 0, r, 1); }

//// [--device=full -cl-std=CL3.0] enqueue_kernel with too few arguments
void f(queue_t q) { enqueue_kernel(q, 0); }

//// [--device=full -cl-std=CL3.0] other arguments of enqueue_kernel of wrong types
void f(queue_t q, ndrange_t r, clk_event_t e, void *p) {
  enqueue_kernel(q, p, r, ^{ });
  enqueue_kernel(q, 0, 0, ^{ });
  enqueue_kernel(q, 0, r, ^(local void *a) { });
  enqueue_kernel(q, 0, r, p, &e, &e, ^{ });
  enqueue_kernel(q, 0, r, 1, &e, p, ^{ });
  enqueue_kernel(q, 0, r, 1, &e, &e, p);
  enqueue_kernel(q, 0, r, 1, 1);
  enqueue_kernel(q, 0, r, 1, &e, &e);
}

//// [--device=full -cl-std=CL3.0] queries about sub-groups with other arguments
uint f(ndrange_t r) {
  return get_kernel_max_sub_group_size_for_ndrange(0, ^{ }) + get_kernel_sub_group_count_for_ndrange(r, 1);
}

//// [--device=full -cl-std=CL3.0 -cl-ext=-cl_khr_subgroups,-__opencl_c_subgroups] queries about sub-groups where there are none
uint f(ndrange_t r) { return get_kernel_max_sub_group_size_for_ndrange(r, ^{ }); }

//// [--device=full -cl-std=CL3.0] comparisons of events and queues
int f(queue_t q, clk_event_t e, event_t g) {
  return (q == 1) + (q == e) + (e != 1) + (e < e) + (g == g) + (e == g) + (q == q);
}

//// [--device=full -cl-std=CL3.0] enqueue_kernel of a block that takes an int
void f(queue_t q, ndrange_t r) { enqueue_kernel(q, 0, r, ^(int x) { }, 4); }

//// [--device=full -cl-std=CL3.0] a size missing
void f(queue_t q, ndrange_t r) { enqueue_kernel(q, 0, r, ^(local void *a, local void *b) { }, 4); }

//// [--device=full -cl-std=CL3.0] a size that is no integer
void f(queue_t q, ndrange_t r) { enqueue_kernel(q, 0, r, ^(local void *a) { }, 4.0f); }

//// [--device=full -cl-std=CL3.0] a number in place of the queue
void f(ndrange_t r) { enqueue_kernel(7, 0, r, ^{ }); }

//// [--device=full -cl-std=CL3.0] an event list of ints
void f(queue_t q, ndrange_t r, int *e) { enqueue_kernel(q, 0, r, 1, e, 0, ^{ }); }

//// [--device=full -cl-std=CL3.0] a query about a number
void f(void) { get_kernel_work_group_size(1); }

//// [--device=full -cl-std=CL3.0] a query with too many arguments
void f(ndrange_t r) { get_kernel_work_group_size(r, ^{ }); }

//// [--device=full -cl-std=CL3.0] ndrange_2D with numbers
ndrange_t f(void) { return ndrange_2D(1, 2); }

//// [--device=full -cl-std=CL3.0] an event as a kernel's argument
kernel void k(clk_event_t e) { }

//// [--device=full -cl-std=CL3.0] an ndrange_t as a kernel's argument
kernel void k(ndrange_t e) { }

//// [-cl-std=CL3.0] a block that the device lacks
void f(void) { ^{ }(); }

//// [-cl-std=CL3.0] a queue that the device lacks
void f(queue_t q) { }

//// [--device=full -cl-std=CL3.0] a local pointer to int without cl_khr_device_enqueue_local_arg_types
void f(queue_t q, ndrange_t r) { enqueue_kernel(q, 0, r, ^(local int *a) { }, 4u); }
