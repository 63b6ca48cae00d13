// test: run
// Half in arithmetic, comparisons, conversions, library functions, vectors and groups.
// options: -cl-std=CL3.0
// kernel: arithmetic
// global: 4
// arg: buffer half 0x3c00 0x4000 0x0001 0x7bff
// arg: buffer half 0x4200 0xc400 0x0001 0x7bff
// arg: buffer half 28*0
// sums, differences, products, quotients, a * b + a, square roots, least
// expect 2: half 0x4400 0xc000 0x0002 0x7c00 0xc000 0x4600 0x0000 0x0000 0x4200 0xc800 0x0000 0x7c00 0x3555 0xb800 0x3c00 0x3c00 0x4400 0xc600 0x0001 0x7c00 0x3c00 0x3da8 0x0c00 0x5bff 0x3c00 0xc400 0x0001 0x7bff
// kernel: compared
// global: 4
// arg: buffer half 0x3c00 0x7e00 0x8000 0x0001
// arg: buffer half 0x3c00 0x3c00 0x0000 0x0002
// arg: buffer int 4*0
// expect 2: int 37 2 37 30
// kernel: converted
// global: 4
// arg: buffer int 5 -3 2049 70000
// arg: buffer half 8*0
// arg: buffer int 4*0
// expect 1: half 0x4500 0xc200 0x6800 0x7c00 0x4500 0xc200 0x6801 0x7c00
// expect 2: int 5 -3 2048 2147483647
// kernel: vectors
// global: 1
// arg: buffer half 0x3c00 0x4000 0x4200 0x4400
// arg: buffer half 5*0
// expect 1: half 0x4400 0x4200 0x4000 0x3c00 0x4f80
// kernel: groups
// global: 4
// local: 4
// arg: buffer half 0x3c00 0x4000 0x4200 0x4400
// arg: buffer half 28*0
// expect 1: half 0x4900 0x4900 0x4900 0x4900 0x3c00 0x4200 0x4600 0x4900 0x0000 0x3c00 0x4200 0x4600 0x4400 0x4400 0x4400 0x4400 0x3c00 0x3c00 0x3c00 0x3c00 0x4200 0x4200 0x4200 0x4200 0x3c00 0x4000 0x4200 0x4400
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void arithmetic(global const half *a, global const half *b, global half *out) {
    size_t i = get_global_id(0), n = get_global_size(0);
    half x = a[i], y = b[i];
    out[i] = x + y;
    out[n + i] = x - y;
    out[2 * n + i] = x * y;
    out[3 * n + i] = x / y;
    out[4 * n + i] = fma(x, y, x);
    out[5 * n + i] = sqrt(x);
    out[6 * n + i] = fmin(x, y);
}
kernel void compared(global const half *a, global const half *b, global int *out) {
    size_t i = get_global_id(0);
    half x = a[i], y = b[i];
    out[i] = (x == y) | (x != y) << 1 | (x <= y) << 2 | (x < y) << 3 | (isless(x, y) != 0) << 4 | (isequal(x, y) != 0) << 5;
}
kernel void converted(global const int *a, global half *out, global int *back) {
    size_t i = get_global_id(0), n = get_global_size(0);
    half h = convert_half(a[i]);
    out[i] = h;
    out[n + i] = convert_half_rtp(a[i]);
    back[i] = convert_int_sat(h);
}
kernel void vectors(global const half *a, global half *out) {
    half4 v = vload4(0, a);
    vstore4(v.wzyx, 0, out);
    out[4] = dot(v, v);
}
kernel void groups(global const half *a, global half *out) {
    size_t i = get_global_id(0), n = get_global_size(0);
    half x = a[i];
    out[i] = work_group_reduce_add(x);
    out[n + i] = work_group_scan_inclusive_add(x);
    out[2 * n + i] = work_group_scan_exclusive_add(x);
    out[3 * n + i] = work_group_reduce_max(x);
    out[4 * n + i] = work_group_reduce_min(x);
    out[5 * n + i] = work_group_broadcast(x, 2);
    // One work-item each: whatever the sub-group's size, its own value.
    out[6 * n + i] = sub_group_clustered_reduce_add(x, 1);
}
