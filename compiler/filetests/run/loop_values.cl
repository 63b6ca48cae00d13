// test: run
// Values of a loop's last round, behind the loop: work-items that left keep theirs although others
// go on (Mesa 22.3's lavapipe took what a load gives that is executed for others only).
// needs: doubles
// kernel: one_exit
// global: 4
// local: 2
// arg: buffer long 4*9
// arg: buffer int -114
// expect 0: long 4*0xffffffffffffff8e
// kernel: compared
// global: 4
// local: 4
// arg: buffer long 4*9
// arg: buffer float -114.5
// expect 0: long 4*0x0
// kernel: two_values
// global: 4
// local: 4
// arg: buffer long 8*9
// arg: buffer int 5 6 7 8
// expect 0: long 0x5 0x0 0x6 0xa 0x7 0x1e 0x8 0x3c
// kernel: nested
// global: 4
// local: 4
// arg: buffer long 4*9
// arg: buffer int 5 6 7 8
// expect 0: long 0x5 0x6 0xd 0x15
// kernel: three_loops
// global: 8
// local: 8
// arg: buffer uint 8*0
// arg: uint 38
// arg: buffer uint 40000 5 3 4 50000 65000 1 33
// expect 0: uint 40000 5 3 4 50000 65000 1 33
__kernel void one_exit(__global long *out, __global const int *in) {
    uint gid = get_global_id(0), i = 0;
    int v;
    do {
        v = in[0];
    } while (++i < gid);
    out[gid] = v;
}
__kernel void compared(__global long *out, __global const float *in) {
    uint gid = get_global_id(0), i = 0;
    long v;
    do {
        v = in[0] >= 0;
    } while (++i < gid);
    out[gid] = v;
}
__kernel void two_values(__global long *out, __global const int *in) {
    uint gid = get_global_id(0), i = 0;
    int v, w;
    while (1) {
        v = in[i];
        w = (int)(i * (i + 1)) * 5;
        if (i++ >= gid)
            break;
    }
    out[gid * 2] = v;
    out[gid * 2 + 1] = w;
}
__kernel void nested(__global long *out, __global const int *in) {
    uint gid = get_global_id(0), i = 0;
    int sum = 0;
    do {
        uint j = 0;
        int v;
        do {
            v = in[j];
        } while (++j <= i);
        sum += i == 0 && gid != 0 ? 0 : v;
    } while (++i <= gid);
    out[gid] = sum;
}
__kernel void three_loops(__global uint *out, uint y, __global const uint *in) {
    uint lid = get_local_id(0), last = 0;
    for (uint i = 0; i < 2; i++) {
        uint fuel = 0;
    outer: ;
        uint more = 0;
    inner: ;
        if ((float)y * in[lid] && more++ < 1)
            goto inner;
        last = (double)in[lid];
        if ((in[lid] >> 15) & 1)
            y = 0;
        if (fuel++ && lid > 77)
            goto outer;
    }
    out[lid] = last;
}
