// test: matrices
// A sum of floats becomes halves, rounded to nearest.
kernel void multiply(global const half *a, global const half *b, global half *c) {
    matrix_a_half_16x16_t x;
    matrix_b_half_16x16_t y;
    matrix_c_float_16x16_t z;
    matrix_c_half_16x16_t h;
    cooperative_matrix_load_row_major(&x, a, 16);
    cooperative_matrix_load_row_major(&y, b, 16);
    cooperative_matrix_fill(&z, 0.0f);
    z = cooperative_matrix_multiply_add(x, y, z);
    cooperative_matrix_convert(&h, z);
    cooperative_matrix_store_row_major(h, c, 16);
}
