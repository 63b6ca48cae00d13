// test: matrices
// An array whose index is known only at run time lies in memory, where matrices of the device cannot: plain code.
kernel void multiply(global const half *a, global const half *b, global float *c, uint which) {
    matrix_a_half_16x16_t x;
    matrix_b_half_16x16_t y;
    matrix_c_float_16x16_t z[3];
    cooperative_matrix_load_row_major(&x, a, 16);
    cooperative_matrix_load_row_major(&y, b, 16);
    for (uint i = 0; i < 3; i++)
        cooperative_matrix_load_row_major(&z[i], c + 256 * i, 16);
    z[which] = cooperative_matrix_multiply_add(x, y, z[which]);
    cooperative_matrix_store_row_major(z[which ^ 1], c, 16);
}
