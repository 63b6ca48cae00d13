// test: matrices
// Local and constant memory hold matrices of the device; from private memory it cannot load them, nor where the access is volatile.
kernel void multiply(constant half *a, global volatile const half *b, global float *c) {
    local float staged[256];
    half own[256];
    matrix_a_half_16x16_t x;
    matrix_b_half_16x16_t y, v;
    matrix_c_float_16x16_t z;
    for (uint i = 0; i < 256; i++)
        own[i] = convert_half((float)i);
    cooperative_matrix_load_row_major(&x, a, 16);
    cooperative_matrix_load_row_major(&y, own, 16);
    cooperative_matrix_load_row_major(&v, b, 16);
    cooperative_matrix_fill(&z, 0.0f);
    z = cooperative_matrix_multiply_add(x, y, z);
    z = cooperative_matrix_multiply_add(x, v, z);
    cooperative_matrix_store_row_major(z, staged, 16);
    barrier(CLK_LOCAL_MEM_FENCE);
    c[get_local_id(0)] = staged[get_local_id(0)];
}
