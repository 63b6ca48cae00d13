// test: matrices
// exact: no
// options: -cl-std=CL3.0 -cl-unsafe-math-optimizations
// Fast arithmetic takes them.
kernel void halves(global const half *a, global const half *b, global float *c) {
    matrix_a_half_16x16_t x;
    matrix_b_half_16x16_t y;
    matrix_c_float_16x16_t z;
    cooperative_matrix_load_row_major(&x, a, 16);
    cooperative_matrix_load_row_major(&y, b, 16);
    cooperative_matrix_fill(&z, 0.0f);
    z = cooperative_matrix_multiply_add(x, y, z);
    cooperative_matrix_store_row_major(z, c, 16);
}
