// test: run
// A fixed work-group size and sub-groups that rows of work-items do not hold whole.
// options: -cl-std=CL3.0 -cl-uniform-work-group-size
// kernel: fixed
// global: 12 6 2
// local: 6 3 2
// arg: buffer int 144*-1
// expect 0: int 144*36
kernel __attribute__((reqd_work_group_size(6, 3, 2))) void fixed(global int *out)
{
    local int partial[64];
    int sum = sub_group_reduce_add(1);
    if (get_sub_group_local_id() == 0)
        partial[get_sub_group_id()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    int total = 0;
    for (uint i = 0; i < get_num_sub_groups(); ++i)
        total += partial[i];
    out[(get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0)] = total;
}
