// test: run
// Cooperative matrices of doubles.
// needs: doubles
// options: -cl-std=CL3.0
// kernel: doubles
// global: 64
// local: 64
// arg: buffer int 64*-1
// expect 0: int 64*0
__kernel void doubles(__global int *wrong) {
    __local double a[128], b[128], r[64];
    for (int at = get_local_id(0); at < 128; at += 64) {
        a[at] = at * 0.5;
        b[at] = at - 0x1p-30;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() == 0) {
        matrix_a_double_8x16_t left;
        matrix_b_double_16x8_t right;
        matrix_c_double_8x8_t sum;
        cooperative_matrix_load_row_major(&left, a, 16);
        cooperative_matrix_load_column_major(&right, b, 16);
        cooperative_matrix_fill(&sum, 0x1p-40);
        cooperative_matrix_store_row_major(cooperative_matrix_multiply_add(left, right, sum), r, 8);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int at = get_local_id(0);
    double sum = 0x1p-40;
    for (int k = 0; k < 16; k++)
        sum += a[at / 8 * 16 + k] * b[at % 8 * 16 + k];
    wrong[at] = fabs(r[at] - sum) > fabs(sum) * 0x1p-45;
}
