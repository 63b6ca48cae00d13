// test: run
// Local memory in the kernel and by argument, with a barrier between writers and readers.
// kernel: fixed
// global: 8
// local: 4
// arg: buffer int 0..7
// expect 0: int 3 2 1 0 7 6 5 4
// kernel: passed
// global: 8
// local: 4
// arg: buffer int 0..7
// arg: local 16
// arg: local 8
// expect 0: int 33 22 11 0 77 66 55 44
__kernel void fixed(__global int *data) {
    __local int tile[4];
    int l = get_local_id(0);
    tile[l] = data[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    data[get_global_id(0)] = tile[3 - l];
}
__kernel void passed(__global int *data, __local int *tile, __local short *tens) {
    int l = get_local_id(0), n = get_local_size(0);
    tile[l] = data[get_global_id(0)];
    tens[l] = (short)(10 * tile[l]);
    barrier(CLK_LOCAL_MEM_FENCE);
    data[get_global_id(0)] = tile[n - 1 - l] + tens[n - 1 - l];
}
