// test: matrices
// A is in a product that the device lists and in one that it does not: both are plain code. The product of bytes shares no
// type with them, and is the device's.
kernel void halves(global const half *a, global const half *b, global float *c) {
    matrix_a_half_16x16_t x;
    matrix_b_half_16x16_t y;
    matrix_b_half_16x8_t narrow;
    matrix_c_float_16x16_t z;
    matrix_c_float_16x8_t thin;
    cooperative_matrix_load_row_major(&x, a, 16);
    cooperative_matrix_load_row_major(&y, b, 16);
    cooperative_matrix_load_row_major(&narrow, b, 8);
    cooperative_matrix_fill(&z, 0.0f);
    cooperative_matrix_fill(&thin, 0.0f);
    z = cooperative_matrix_multiply_add(x, y, z);
    thin = cooperative_matrix_multiply_add(x, narrow, thin);
    cooperative_matrix_store_row_major(z, c, 16);
    cooperative_matrix_store_row_major(thin, c + 256, 8);
}
kernel void bytes(global const char *a, global const char *b, global int *c) {
    matrix_a_char_16x16_t x;
    matrix_b_char_16x16_t y;
    matrix_c_int_16x16_t z;
    cooperative_matrix_load_row_major(&x, a, 16);
    cooperative_matrix_load_row_major(&y, b, 16);
    cooperative_matrix_fill(&z, 0);
    z = cooperative_matrix_multiply_add(x, y, z);
    cooperative_matrix_store_row_major(z, c, 16);
}
