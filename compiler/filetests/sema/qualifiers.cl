// test: sema
global int not_here = 1;
local int nor_here;
constant int fine = 3;
constant int no_init;
kernel int returns(int a) { return 0; }
kernel void pointers(int *p, global int **pp, bool b, size_t s) {}
kernel void args(local int l, private int *q) {}
int recursive(int n) { return 1 + recursive(n - 1); }
__attribute__((reqd_work_group_size(0, 1, 1))) kernel void zero(void) {}
__attribute__((reqd_work_group_size(1, 1))) kernel void two(void) {}
static extern int both;
int int twice;
unsigned float uf;
long long ll;
int array[-1];
int array2[];
void function(void) { local int in_function; }
kernel void scopes(global int *o) { if (o[0]) { local int inner; } }
