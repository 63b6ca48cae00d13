// test: run
// Local memory that loops access, reached by generic pointers too, which may lead to private memory as well; beside it a variable
// of atomic operations.
// options: -cl-std=CL2.0
// kernel: chosen
// global: 16
// local: 4
// arg: buffer int 16*0
// arg: local 16
// arg: int 3
// expect 0: int 6 130 22 330 6 130 22 330 6 130 22 330 6 130 22 330

void put(int *to, int value) { *to += value; }

int sum_of(const int *from, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += from[i];
    return sum;
}

kernel void chosen(global int *out, local int *tile, int rounds) {
    local int count;
    int id = get_local_id(0), own[2] = {10, 20};
    if (id == 0)
        count = 0;
    for (int i = 0; i < rounds; i++)
        tile[id] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *to = own;
    if (id & 1)
        to = &tile[id];
    put(to, 100 * id);
    atomic_inc(&count);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = id & 1 ? sum_of(tile + id, 1) + sum_of(own, 2) - count + 2 : id * 8 + 2 + count;
}
