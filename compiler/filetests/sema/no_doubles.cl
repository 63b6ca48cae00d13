// test: sema
// options: -cl-ext=-cl_khr_fp64 -cl-std=CL1.1 -cl-single-precision-constant
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
double d(float f) { return f; }
half h(half *p) { half v = 1.0h; return *p; }
double2 v(void);
void ok(half *p, float f) { f = vload_half(0, p) * 1.5; vstore_half(f, 1, p); }
