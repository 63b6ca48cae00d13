// test: matrices
// The signs of integers are those of the device's types; a saturating form is a product of its own.
kernel void multiply(global const uchar *a, global const char *b, global int *c) {
    matrix_a_uchar_16x16_t x;
    matrix_b_char_16x16_t y;
    matrix_c_int_16x16_t z;
    cooperative_matrix_load_row_major(&x, a, 16);
    cooperative_matrix_load_row_major(&y, b, 16);
    cooperative_matrix_load_row_major(&z, c, 16);
    z = cooperative_matrix_multiply_add_sat(x, y, z);
    cooperative_matrix_store_row_major(z, c, 16);
}
