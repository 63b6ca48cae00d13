// test: run
// A function that stays a function loads local memory by a generic pointer; loops access it before.
// options: -cl-std=CL2.0
// kernel: summed
// global: 8
// local: 4
// arg: buffer int 8*0
// arg: local 16
// arg: int 3
// expect 0: int 18 18 18 18 18 18 18 18

__attribute__((noinline)) int sum_of(const int *from, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += from[i];
    return sum;
}

kernel void summed(global int *out, local int *tile, int rounds) {
    int id = get_local_id(0);
    for (int i = 0; i < rounds; i++)
        tile[id] = i + id;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sum_of(tile, get_local_size(0)) + rounds + 1;
}
