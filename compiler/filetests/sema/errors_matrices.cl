// test: sema
// options: -cl-std=CL3.0 -cl-ext=+cl_pumice_cooperative_matrix,+cl_khr_fp16
// Cooperative matrices where they cannot be, and calls that do not fit.
struct S { matrix_a_half_16x16_t m; };
matrix_a_half_16x16_t at_program_scope;
kernel void parameter(matrix_a_half_16x16_t m) {}
void unknown(void) { matrix_a_half_16x4_t m; }
void calls(global float *f, global half *h, constant half *c, local int *i) {
    matrix_a_half_16x16_t a;
    matrix_b_half_16x16_t b;
    matrix_b_half_16x8_t narrow;
    matrix_c_float_16x16_t sum;
    cooperative_matrix_load_row_major(&a, h, 16);
    cooperative_matrix_load_row_major(&a, c, 16);
    cooperative_matrix_load_row_major(&a, f, 16);
    cooperative_matrix_load_row_major(a, h, 16);
    cooperative_matrix_load_row_major(&a, h);
    cooperative_matrix_store_row_major(a, c, 16);
    cooperative_matrix_store_row_major(a, h, 16);
    sum = cooperative_matrix_multiply_add(a, b, sum);
    sum = cooperative_matrix_multiply_add(b, a, sum);
    sum = cooperative_matrix_multiply_add(a, narrow, sum);
    sum = cooperative_matrix_multiply_add_sat(a, b, sum);
    sum = cooperative_matrix_add(sum, a);
    cooperative_matrix_convert(&sum, a);
    cooperative_matrix_fill(&sum, &a);
    sum = sum + sum;
    a = b;
    *i = cooperative_matrix_length(i);
    const matrix_a_half_16x16_t fixed = a;
    cooperative_matrix_set(&fixed, 0, 1);
}
