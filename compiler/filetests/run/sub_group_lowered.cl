// test: run
// Sub-group operations that not every device has: rotations and clustered reductions.
// options: -cl-std=CL3.0
// kernel: rotations
// global: 128
// local: 64
// arg: buffer int 128*-1
// expect 0: int 128*0
// kernel: clusters
// global: 128
// local: 64
// arg: buffer int 128*-1
// expect 0: int 128*0
#pragma OPENCL EXTENSION all : enable
__kernel void rotations(__global int *wrong) {
    int bad = 0;
    int lane = get_sub_group_local_id(), size = get_sub_group_size();
    bad |= (sub_group_rotate(lane * 3, 1) != (lane + 1) % size * 3) << 0;
    bad |= (sub_group_rotate((float)lane, size - 1) != (float)((lane + size - 1) % size)) << 1;
    bad |= (sub_group_clustered_rotate(lane, 3, 4) != ((lane & ~3) | ((lane + 3) & 3))) << 2;
    bad |= (sub_group_clustered_rotate((long)lane << 40, 1, 2) != (long)(lane ^ 1) << 40) << 3;
    wrong[get_global_id(0)] = bad;
}
__kernel void clusters(__global int *wrong) {
    int bad = 0;
    int lane = get_sub_group_local_id(), first = lane & ~3;
    bad |= (sub_group_clustered_reduce_add(lane, 4) != 4 * first + 6) << 0;
    bad |= (sub_group_clustered_reduce_min(-lane, 2) != -(lane | 1)) << 1;
    bad |= (sub_group_clustered_reduce_mul(2, 4) != 16) << 2;
    bad |= (sub_group_clustered_reduce_max((float)lane, 4) != (float)(first + 3)) << 3;
    bad |= (sub_group_clustered_reduce_or(1 << (lane & 7), 4) != 15 << (first & 7)) << 4;
    bad |= (sub_group_clustered_reduce_logical_and(lane & 1, 2) != 0) << 5;
    bad |= (sub_group_clustered_reduce_add((long)lane, 1) != lane) << 6;
    // Lanes that are elsewhere do not count.
    if (lane & 1)
        bad |= (sub_group_clustered_reduce_add(lane, 4) != 2 * first + 4) << 7;
    wrong[get_global_id(0)] = bad;
}
