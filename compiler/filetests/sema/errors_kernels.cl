// test: sema
__kernel int not_void(void) { return 1; }
__kernel void args(int *p, bool b, size_t s, __global int **pp, event_t e) { }
struct Holder { int *p; };
__kernel void holder(struct Holder h) { }
__attribute__((reqd_work_group_size(8, 8))) __kernel void two(void) { }
__attribute__((reqd_work_group_size(0, 1, 1))) __kernel void zero(void) { }
__attribute__((vec_type_hint(3))) __kernel void hint(void) { }
__attribute__((made_up)) __kernel void made_up(void) { }
