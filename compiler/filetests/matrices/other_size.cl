// test: matrices
// A size that the device does not list: plain code.
kernel void multiply(global const half *a, global const half *b, global float *c) {
    matrix_a_half_8x8_t x;
    matrix_b_half_8x8_t y;
    matrix_c_float_8x8_t z;
    cooperative_matrix_load_row_major(&x, a, 8);
    cooperative_matrix_load_row_major(&y, b, 8);
    cooperative_matrix_fill(&z, 0.0f);
    z = cooperative_matrix_multiply_add(x, y, z);
    cooperative_matrix_store_row_major(z, c, 8);
}
