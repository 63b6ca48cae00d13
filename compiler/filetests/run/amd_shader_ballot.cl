// test: run
// SPV_AMD_shader_ballot as OpenCL C functions, for sub-groups of eight and more lanes.
// needs: sub-groups-of-8
// options: -cl-std=CL3.0
// kernel: reductions
// global: 128
// local: 64
// arg: buffer int 128*-1
// expect 0: int 128*0
// kernel: lanes
// global: 128
// local: 64
// arg: buffer int 128*-1
// expect 0: int 128*0
#ifndef cl_pumice_amd_shader_ballot
#error the extension's macro
#endif
__kernel void reductions(__global int *wrong) {
    int bad = 0;
    int lane = get_sub_group_local_id(), size = get_sub_group_size();
    int item = get_local_id(0), items = get_local_size(0);
    bad |= (amd_sub_group_reduce_add(lane) != size * (size - 1) / 2) << 0;
    bad |= (amd_sub_group_scan_inclusive_add((uchar)1) != (uchar)(lane + 1)) << 1;
    bad |= (amd_sub_group_scan_exclusive_max((short)lane) != (lane ? lane - 1 : SHRT_MIN)) << 2;
    bad |= (amd_sub_group_reduce_min(0.5f * lane - 1) != -1.0f) << 3;
    bad |= (amd_sub_group_scan_exclusive_min((ulong)(size - lane)) !=
            (lane ? (ulong)(size - lane + 1) : ULONG_MAX)) << 4;
    bad |= (amd_work_group_reduce_add(item) != items * (items - 1) / 2) << 5;
    bad |= (amd_work_group_scan_exclusive_add(2.0f) != 2.0f * item) << 6;
    // Only the active lanes count.
    if (lane & 1)
        bad |= (amd_sub_group_reduce_add(1) != size / 2) << 7;
    else
        bad |= (amd_sub_group_reduce_max(lane) != size - 2) << 8;
    wrong[get_global_id(0)] = bad;
}
__kernel void lanes(__global int *wrong) {
    int bad = 0;
    uint lane = get_sub_group_local_id(), size = get_sub_group_size();
    bad |= (amd_sub_group_swizzle(lane, 3, 2, 1, 0) != (lane ^ 3)) << 0;
    bad |= (amd_sub_group_swizzle(0.5f * lane, 1, 1, 2, 0) !=
            0.5f * ((lane & ~3) + ((lane & 3) == 3 ? 0 : (lane & 3) == 2 ? 2 : 1))) << 1;
    bad |= (amd_sub_group_swizzle_masked(lane, 31, 0, 5) != (lane ^ 5)) << 2;
    uint2 pair = amd_sub_group_swizzle_masked((uint2)(lane, lane * 3), 28, 1, 2);
    bad |= (pair.x != ((lane & ~3) | 3) || pair.y != 3 * pair.x) << 3;
    // Beyond a small sub-group there is nobody: 0.
    uint far = (lane & 15) | 16 | (lane & 32);
    bad |= (amd_sub_group_swizzle_masked(lane + 1, 15, 16, 0) != (far < size ? far + 1 : 0)) << 4;
    bad |= (amd_sub_group_write_invocation(lane, 1000u, 2u) != (lane == 2 ? 1000 : lane)) << 5;
    bad |= (amd_sub_group_mbcnt(0x55) != popcount(0x55u & ((1u << lane) - 1))) << 6;
    if (lane & 1) {
        bad |= (amd_sub_group_swizzle(lane, 0, 0, 1, 1) !=
                ((lane & 3) == 3 ? (lane & ~3) + 1 : 0)) << 7;
    }
    wrong[get_global_id(0)] = bad;
}
