// test: emit
// __local variables and arguments, barriers, fences.
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void reduce(global const int *in, global int *out, local int *scratch) {
    local int tile[64];
    local int done;
    uint l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    scratch[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (l < s) tile[l] += tile[l + s];
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (l == 0) out[get_group_id(0)] = tile[0];
}
