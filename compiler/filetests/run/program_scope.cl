// test: run
// Variables at program scope in global memory: static variables of functions, atomics, what one
// statement leaves for the next. (Addresses in memory would need devices with addresses.)
// options: -cl-std=CL3.0
// kernel: k
// global: 1
// arg: buffer int 8*-1
// expect 0: int 5 6 3 4 6 7 21 4
global int counter = 5;
static global int4 vectors[2] = {(int4)(1), (int4)(6, 7, 8, 9)};
global struct { char c; short s; int i; } record = {'c', 2, 3};
global int table[4] = {1, 2, [3] = 4};
global uchar untouched[3];

int bump(void) { static int calls = 3; return calls++; }

__kernel void k(global int *o) {
    o[0] = counter++;
    o[1] = counter;
    o[2] = bump();
    o[3] = bump();
    o[4] = vectors[1].x;
    vectors[1].y += table[2];
    o[5] = vectors[1].y;
    o[6] = atomic_add(&table[1], 19) + 19;
    record.s += record.i - 1;
    untouched[1] = record.s;
    o[7] = untouched[1] + untouched[2];
}
