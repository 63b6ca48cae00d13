// test: run
// Local and private variables may be arrays without elements, as in GNU C: programs have them where a
// macro is 0, and do not use them then.
// kernel: empty_arrays
// global: 2
// local: 2
// arg: buffer float 1 2 3 4
// arg: int 0
// expect 0: float 5 2 3 0
#define COUNT 0
__kernel void empty_arrays(__global float *out, int n) {
    __local float shared[COUNT][4];
    float own[COUNT], rows[3][COUNT];
    for (int i = 0; i < n; i++) {
        shared[i][0] = out[i];
        own[i] = shared[i][1];
        rows[2][i] = own[i];
        out[i] = rows[2][i] + own[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_global_id(0) == 0) {
        out[0] = sizeof(shared) + sizeof(own) + 5;
        out[3] = sizeof(rows);
    }
}
