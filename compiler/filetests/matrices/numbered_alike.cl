// test: matrices
// The same number means the same place in two types of one shape: plain code, which promises it.
kernel void multiply(global const half *a, global const half *b, global half *c) {
    matrix_a_half_16x16_t x;
    matrix_b_half_16x16_t y;
    matrix_c_float_16x16_t z;
    matrix_c_half_16x16_t h;
    cooperative_matrix_load_row_major(&x, a, 16);
    cooperative_matrix_load_row_major(&y, b, 16);
    cooperative_matrix_fill(&z, 0.0f);
    z = cooperative_matrix_multiply_add(x, y, z);
    for (uint i = 0; i < cooperative_matrix_length(z); i++)
        cooperative_matrix_set(&h, i, convert_half(cooperative_matrix_get(&z, i) * 2.0f));
    cooperative_matrix_store_row_major(h, c, 16);
}
