// Reduction, scan and histogram by the functions of work-groups and of sub-groups. Built three times, with LOCAL_MEMORY,
// WORK_GROUP or SUB_GROUP defined: what a platform lacks fails alone. The rows `reduction` and `scan` are the first two in
// local memory.

#define BINS 16

#ifdef WORK_GROUP
kernel void reduction(global const float *x, global float *sums)
{
    float sum = work_group_reduce_add(x[get_global_id(0)]);
    if (get_local_id(0) == 0)
        sums[get_group_id(0)] = sum;
}

kernel void scan(global const float *x, global float *y)
{
    y[get_global_id(0)] = work_group_scan_inclusive_add(x[get_global_id(0)]);
}
#endif

#ifdef SUB_GROUP
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

kernel void reduction(global const float *x, global float *sums)
{
    local float part[256];
    float sum = sub_group_reduce_add(x[get_global_id(0)]);
    if (get_sub_group_local_id() == 0)
        part[get_sub_group_id()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        for (uint i = 1; i < get_num_sub_groups(); ++i)
            sum += part[i];
        sums[get_group_id(0)] = sum;
    }
}

kernel void scan(global const float *x, global float *y)
{
    local float part[256];
    // The elements in the order of sub-groups and their work-items, which need not be that of local ids.
    uint at = get_sub_group_id() * get_max_sub_group_size() + get_sub_group_local_id();
    at += get_group_id(0) * get_local_size(0);
    float sum = sub_group_scan_inclusive_add(x[at]);
    if (get_sub_group_local_id() == get_sub_group_size() - 1)
        part[get_sub_group_id()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < get_sub_group_id(); ++i)
        sum += part[i];
    y[at] = sum;
}
#endif

#ifdef LOCAL_MEMORY
kernel void histogram(global const uchar *x, global int *counts, int each)
{
    local int part[BINS];
    int t = get_local_id(0);
    if (t < BINS)
        part[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int first = get_global_id(0) * each;
    for (int k = 0; k < each; ++k)
        atomic_inc(&part[x[first + k] % BINS]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < BINS)
        atomic_add(&counts[t], part[t]);
}
#else
// Each work-item counts for itself.
kernel void histogram(global const uchar *x, global int *counts, int each)
{
    int mine[BINS];
    for (int i = 0; i < BINS; ++i)
        mine[i] = 0;
    int first = get_global_id(0) * each;
    for (int k = 0; k < each; ++k)
        ++mine[x[first + k] % BINS];
    for (int i = 0; i < BINS; ++i) {
#ifdef WORK_GROUP
        int sum = work_group_reduce_add(mine[i]);
        if (get_local_id(0) == 0)
#else
        int sum = sub_group_reduce_add(mine[i]);
        if (get_sub_group_local_id() == 0)
#endif
            atomic_add(&counts[i], sum);
    }
}
#endif
