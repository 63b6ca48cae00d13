// test: matrices
// Arithmetic goes component by component, in helpers that are inlined.
void scale(matrix_c_int_16x16_t *z, int by) {
    matrix_c_int_16x16_t factor;
    cooperative_matrix_fill(&factor, by);
    *z = cooperative_matrix_mul(*z, factor);
}
kernel void multiply(global const char *a, global const char *b, global int *c, int by) {
    matrix_a_char_16x16_t x;
    matrix_b_char_16x16_t y;
    matrix_c_int_16x16_t z;
    cooperative_matrix_load_row_major(&x, a, 16);
    cooperative_matrix_load_row_major(&y, b, 16);
    cooperative_matrix_fill(&z, 0);
    z = cooperative_matrix_multiply_add(x, y, z);
    scale(&z, by);
    cooperative_matrix_store_row_major(cooperative_matrix_negate(z), c, 16);
}
