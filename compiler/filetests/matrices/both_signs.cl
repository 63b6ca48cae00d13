// test: matrices
// One type of IL, whose integers have no sign, is signed in one product and unsigned in the other: plain code.
kernel void multiply(global const uchar *a, global const char *b, global int *c) {
    matrix_a_uchar_16x16_t x;
    matrix_a_char_16x16_t w;
    matrix_b_char_16x16_t y;
    matrix_c_int_16x16_t z;
    cooperative_matrix_load_row_major(&x, a, 16);
    cooperative_matrix_load_row_major(&w, b, 16);
    cooperative_matrix_load_row_major(&y, b, 16);
    cooperative_matrix_fill(&z, 0);
    z = cooperative_matrix_multiply_add(x, y, z);
    z = cooperative_matrix_multiply_add(w, y, z);
    cooperative_matrix_store_row_major(z, c, 16);
}
