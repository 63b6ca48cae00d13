// test: run
// cl_pumice_cooperative_matrix: products beside sums of single work-items, both layouts, arithmetic, conversions and
// components, matrices in functions, loops and arrays.
// options: -cl-std=CL3.0
// kernel: integers
// global: 64
// local: 64
// arg: buffer int 64*-1
// arg: pattern 160
// arg: pattern 72
// arg: pattern 512
// arg: buffer int 160*7
// expect 0: int 64*0
// kernel: saturated
// global: 64
// local: 64
// arg: buffer int 128*-1
// expect 0: int 128*0
// kernel: halves
// global: 64
// local: 64
// arg: buffer int 64*-1
// expect 0: int 64*0
// kernel: lane_wise
// global: 64
// local: 64
// arg: buffer int 64*-1
// expect 0: int 64*0
// kernel: tiles
// global: 128
// local: 64
// arg: buffer int 128*-1
// arg: buffer float 1024*0
// expect 0: int 128*0
#ifndef cl_pumice_cooperative_matrix
#error the extension's macro
#endif

__kernel void integers(__global int *wrong, __global const char *a, __global const uchar *b, __global const int *c,
                       __global int *r) {
    if (get_sub_group_id() == 0) {
        matrix_a_char_16x8_t left;
        matrix_b_uchar_8x8_t right;
        matrix_c_int_16x8_t sum;
        cooperative_matrix_load_row_major(&left, a, 10);
        cooperative_matrix_load_column_major(&right, b, 9);
        cooperative_matrix_load_row_major(&sum, c, 8);
        sum = cooperative_matrix_multiply_add(left, right, sum);
        cooperative_matrix_store_column_major(sum, r, 20);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    int bad = 0;
    for (int at = get_local_id(0); at < 128; at += 64) {
        int row = at / 8, column = at % 8;
        uint expected = c[at];
        for (int k = 0; k < 8; k++)
            expected += (uint)(a[row * 10 + k] * b[column * 9 + k]);
        bad |= r[column * 20 + row] != (int)expected;
    }
    // What lies between the columns is as it was.
    for (int at = get_local_id(0); at < 32; at += 64)
        bad |= (r[at / 4 * 20 + 16 + at % 4] != 7) << 1;
    wrong[get_local_id(0)] = bad;
}

__kernel void saturated(__global int *wrong) {
    __local char ones[256];
    __local int results[4][64];
    for (int at = get_local_id(0); at < 256; at += 64)
        ones[at] = at / 8 % 2 ? 1 : -1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() == 0) {
        matrix_a_char_8x8_t a;
        matrix_b_char_8x8_t b;
        matrix_c_int_8x8_t most, least;
        matrix_c_uint_8x8_t top;
        // Rows of -1 and of 1.
        cooperative_matrix_load_row_major(&a, ones, 8);
        cooperative_matrix_fill(&b, 2);
        cooperative_matrix_fill(&most, INT_MAX - 3);
        cooperative_matrix_fill(&least, INT_MIN + 3);
        cooperative_matrix_fill(&top, UINT_MAX - 3);
        cooperative_matrix_store_row_major(cooperative_matrix_multiply_add_sat(a, b, most), results[0], 8);
        cooperative_matrix_store_row_major(cooperative_matrix_multiply_add_sat(a, b, least), results[1], 8);
        cooperative_matrix_store_row_major(cooperative_matrix_multiply_add(a, b, most), results[2], 8);
        matrix_a_uchar_8x8_t twos;
        cooperative_matrix_fill(&twos, 2);
        __local uint *last = (__local uint *)results[3];
        cooperative_matrix_store_row_major(cooperative_matrix_multiply_add_sat(twos, b, top), last, 8);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int at = get_local_id(0), product = at / 8 % 2 ? 16 : -16;
    wrong[at] = (results[0][at] != add_sat(INT_MAX - 3, product)) |
                (results[1][at] != add_sat(INT_MIN + 3, product)) << 1;
    wrong[64 + at] = (results[2][at] != (int)((uint)INT_MAX - 3 + product)) | (results[3][at] != -1) << 1;
}

__kernel void halves(__global int *wrong) {
    __local half a[8 * 8], b[8 * 16], h[8 * 16];
    __local float f[8 * 16];
    for (int at = get_local_id(0); at < 128; at += 64) {
        a[at % 64] = (half)(at % 64 * 3 % 7 - 3);
        b[at] = (half)(at * 5 % 9 - 4) / 2;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() == 0) {
        matrix_a_half_8x8_t left;
        matrix_b_half_8x16_t right;
        matrix_c_half_8x16_t narrow;
        matrix_c_float_8x16_t wide;
        cooperative_matrix_load_column_major(&left, a, 8);
        cooperative_matrix_load_row_major(&right, b, 16);
        cooperative_matrix_fill(&narrow, (half)0.5f);
        cooperative_matrix_fill(&wide, -1000.25f);
        cooperative_matrix_store_row_major(cooperative_matrix_multiply_add(left, right, narrow), h, 16);
        cooperative_matrix_store_row_major(cooperative_matrix_multiply_add(left, right, wide), f, 16);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int bad = 0;
    for (int at = get_local_id(0); at < 128; at += 64) {
        float sum = 0;
        for (int k = 0; k < 8; k++)
            sum += (float)a[k * 8 + at / 16] * (float)b[k * 16 + at % 16];
        bad |= (f[at] != sum - 1000.25f) | ((float)h[at] != sum + 0.5f) << 1;
    }
    wrong[get_local_id(0)] = bad;
}

__kernel void lane_wise(__global int *wrong) {
    __local float x[64], y[64], out[7][64];
    __local half small[64];
    __local uint counts[64];
    int at = get_local_id(0);
    x[at] = at - 20;
    y[at] = 1 << at % 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() == 0) {
        matrix_c_float_8x8_t a, b, r;
        cooperative_matrix_load_row_major(&a, x, 8);
        cooperative_matrix_load_row_major(&b, y, 8);
        cooperative_matrix_store_row_major(cooperative_matrix_add(a, b), out[0], 8);
        cooperative_matrix_store_row_major(cooperative_matrix_sub(a, b), out[1], 8);
        cooperative_matrix_store_row_major(cooperative_matrix_mul(a, b), out[2], 8);
        cooperative_matrix_store_row_major(cooperative_matrix_div(a, b), out[3], 8);
        cooperative_matrix_store_row_major(cooperative_matrix_negate(a), out[4], 8);
        r = a;
        uint count = cooperative_matrix_length(r);
        for (uint i = 0; i < count; i++) {
            float value = cooperative_matrix_get(&r, i);
            cooperative_matrix_set(&r, i, value < 0 ? value * 8 : value + 1);
        }
        cooperative_matrix_store_row_major(r, out[5], 8);
        matrix_c_half_8x8_t h;
        cooperative_matrix_convert(&h, a);
        cooperative_matrix_store_row_major(h, small, 8);
        matrix_c_uint_8x8_t u;
        cooperative_matrix_convert(&u, b);
        cooperative_matrix_store_column_major(u, counts, 8);
        matrix_c_int_8x8_t signs;
        cooperative_matrix_convert(&signs, cooperative_matrix_negate(u));
        matrix_c_float_8x8_t back;
        cooperative_matrix_convert(&back, signs);
        cooperative_matrix_store_row_major(back, out[6], 8);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float a = x[at], b = y[at];
    wrong[at] = (out[0][at] != a + b) | (out[1][at] != a - b) << 1 | (out[2][at] != a * b) << 2 |
                (out[3][at] != a / b) << 3 | (out[4][at] != -a) << 4 |
                (out[5][at] != (a < 0 ? a * 8 : a + 1)) << 5 | ((float)small[at] != a) << 6 |
                (counts[at % 8 * 8 + at / 8] != (uint)b) << 7 | (out[6][at] != -b) << 8;
}

matrix_c_float_8x8_t one_more(matrix_a_float_8x8_t a, matrix_b_float_8x8_t b, matrix_c_float_8x8_t c) __attribute__((noinline));
matrix_c_float_8x8_t one_more(matrix_a_float_8x8_t a, matrix_b_float_8x8_t b, matrix_c_float_8x8_t c) {
    return cooperative_matrix_multiply_add(a, b, c);
}

// 16 x 16 numbers as four tiles, each a sum of three products; a work-group of its own for each half of them.
__kernel void tiles(__global int *wrong, __global float *r) {
    __local float a[16 * 24], b[24 * 16];
    for (int at = get_local_id(0); at < 16 * 24; at += 64) {
        a[at] = at % 11 - 5;
        b[at] = at % 13 - 6;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int part = get_group_id(0);
    if (get_sub_group_id() == 0) {
        matrix_c_float_8x8_t sums[2];
        for (int tile = 0; tile < 2; tile++)
            cooperative_matrix_fill(&sums[tile], 100.0f * part);
        for (int k = 0; k < 24; k += 8) {
            matrix_a_float_8x8_t left;
            cooperative_matrix_load_row_major(&left, a + part * 8 * 24 + k, 24);
            for (int tile = 0; tile < 2; tile++) {
                matrix_b_float_8x8_t right;
                cooperative_matrix_load_row_major(&right, b + k * 16 + tile * 8, 16);
                sums[tile] = one_more(left, right, sums[tile]);
            }
        }
        for (int tile = 0; tile < 2; tile++)
            cooperative_matrix_store_row_major(sums[tile], r + part * 128 + tile * 8, 16);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    int bad = 0;
    for (int at = get_local_id(0); at < 128; at += 64) {
        int row = part * 8 + at / 16, column = at % 16;
        float sum = 100.0f * part;
        for (int k = 0; k < 24; k++)
            sum += a[row * 24 + k] * b[k * 16 + column];
        bad |= r[part * 128 + at] != sum;
    }
    wrong[get_global_id(0)] = bad;
}
