// test: matrices
// A product in a loop: the device's own.
kernel void multiply(global const half *a, global const half *b, global float *c, uint k) {
    matrix_c_float_16x16_t sum;
    cooperative_matrix_fill(&sum, 0.0f);
    for (uint i = 0; i < k; i += 16) {
        matrix_a_half_16x16_t x;
        matrix_b_half_16x16_t y;
        cooperative_matrix_load_row_major(&x, a + i, k);
        cooperative_matrix_load_column_major(&y, b + i, k);
        sum = cooperative_matrix_multiply_add(x, y, sum);
    }
    cooperative_matrix_store_row_major(sum, c, 16);
}
