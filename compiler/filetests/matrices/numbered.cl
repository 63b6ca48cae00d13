// test: matrices
// Components of one type are numbered: the device's own.
kernel void multiply(global const half *a, global const half *b, global float *c) {
    matrix_a_half_16x16_t x;
    matrix_b_half_16x16_t y;
    matrix_c_float_16x16_t z;
    cooperative_matrix_load_row_major(&x, a, 16);
    cooperative_matrix_load_row_major(&y, b, 16);
    cooperative_matrix_fill(&z, 0.0f);
    z = cooperative_matrix_multiply_add(x, y, z);
    for (uint i = 0; i < cooperative_matrix_length(z); i++)
        cooperative_matrix_set(&z, i, fmax(cooperative_matrix_get(&z, i), 0.0f));
    cooperative_matrix_store_row_major(z, c, 16);
}
