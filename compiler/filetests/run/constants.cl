// test: run
// Program-scope constant data, arrays of structs, strings, addresses in initialisers.
// kernel: constants
// global: 4
// arg: buffer int 4*0
// arg: buffer int 8*0
// expect 0: int 1611 1722 1833 1907
// expect 1: int 104 105 0 7 3 9 30 20
__constant int table[4] = {1, 2, 3, 4};
__constant struct { short a; char b; } pairs[] = {{10, 1}, {20, 2}, {30, 3}, {0, 7}};
__constant float scale = 1.5f;
__constant char text[] = "hi";
__constant int *__constant middle = &table[2];
__constant int matrix[2][3] = {{1, 2, 3}, [1] = {[2] = 9}};
int pick(__constant int *t, int i) { return t[i]; }
__kernel void constants(__global int *out, __global int *more) {
    int g = get_global_id(0);
    out[g] = 100 * pick(table, g) + pairs[g].a + pairs[g].b + (int)(scale * 1000.0f);
    if (g == 0) {
        more[0] = text[0];
        more[1] = text[1];
        more[2] = text[2];
        more[3] = pairs[3].b;
        more[4] = *middle;
        more[5] = matrix[1][2];
        more[6] = pairs[2].a;
        more[7] = pairs[1].a;
    }
}
