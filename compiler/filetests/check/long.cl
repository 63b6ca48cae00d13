// test: check
// options: -pumice-check=all -cl-kernel-arg-info
// Kernels with many accesses, whose tests are looked at in groups.

kernel void copied(global const int *in, global const int *map, global int *out)
{
    out[map[0]] = in[0];
    out[map[1]] = in[1];
    out[map[2]] = in[2];
    out[map[3]] = in[3];
    out[map[4]] = in[4];
    out[map[5]] = in[5];
    out[map[6]] = in[6];
    out[map[7]] = in[7];
    out[map[8]] = in[8];
    out[map[9]] = in[9];
    out[map[10]] = in[10];
    out[map[11]] = in[11];
}

kernel void shared(global const int *in, global const int *map, global int *out)
{
    int i = get_global_id(0);
    out[map[0] + i * 16] = in[0] + i;
    out[map[1] + i * 16] = in[1] + i;
    out[map[2] + i * 16] = in[2] + i;
    out[map[3] + i * 16] = in[3] + i;
    out[map[4] + i * 16] = in[4] + i;
    out[map[5] + i * 16] = in[5] + i;
    out[map[6] + i * 16] = in[6] + i;
    out[map[7] + i * 16] = in[7] + i;
    out[map[8] + i * 16] = in[8] + i;
    out[map[9] + i * 16] = in[9] + i;
    out[map[10] + i * 16] = in[10] + i;
    out[map[11]] = in[11] + i;
}

kernel void shared_right(global const int *in, global const int *map, global int *out)
{
    int i = get_global_id(0);
    out[map[0] + i * 16] = in[0] + i;
    out[map[1] + i * 16] = in[1] + i;
    out[map[2] + i * 16] = in[2] + i;
    out[map[3] + i * 16] = in[3] + i;
    out[map[4] + i * 16] = in[4] + i;
    out[map[5] + i * 16] = in[5] + i;
    out[map[6] + i * 16] = in[6] + i;
    out[map[7] + i * 16] = in[7] + i;
    out[map[8] + i * 16] = in[8] + i;
    out[map[9] + i * 16] = in[9] + i;
    out[map[10] + i * 16] = in[10] + i;
    if (i == 0)
        out[map[11]] = in[11];
}

// A barrier orders the halves.
kernel void halves(global const int *map, global int *data)
{
    int i = get_global_id(0), j = get_global_size(0) - 1 - i;
    data[map[0] + i * 16] = 0;
    data[map[1] + i * 16] = 1;
    data[map[2] + i * 16] = 2;
    data[map[3] + i * 16] = 3;
    data[map[4] + i * 16] = 4;
    data[map[5] + i * 16] = 5;
    data[map[6] + i * 16] = 6;
    data[map[7] + i * 16] = 7;
    barrier(CLK_GLOBAL_MEM_FENCE);
    data[map[0] + 8 + i * 16] = data[map[0] + j * 16] + 0;
    data[map[1] + 8 + i * 16] = data[map[1] + j * 16] + 1;
    data[map[2] + 8 + i * 16] = data[map[2] + j * 16] + 2;
    data[map[3] + 8 + i * 16] = data[map[3] + j * 16] + 3;
    data[map[4] + 8 + i * 16] = data[map[4] + j * 16] + 4;
    data[map[5] + 8 + i * 16] = data[map[5] + j * 16] + 5;
    data[map[6] + 8 + i * 16] = data[map[6] + j * 16] + 6;
    data[map[7] + 8 + i * 16] = data[map[7] + j * 16] + 7;
}

kernel void halves_without_barrier(global const int *map, global int *data)
{
    int i = get_global_id(0), j = get_global_size(0) - 1 - i;
    data[map[0] + i * 16] = 0;
    data[map[1] + i * 16] = 1;
    data[map[2] + i * 16] = 2;
    data[map[3] + i * 16] = 3;
    data[map[4] + i * 16] = 4;
    data[map[5] + i * 16] = 5;
    data[map[6] + i * 16] = 6;
    data[map[7] + i * 16] = 7;
    data[map[0] + 8 + i * 16] = data[map[0] + j * 16] + 0;
    data[map[1] + 8 + i * 16] = data[map[1] + j * 16] + 1;
    data[map[2] + 8 + i * 16] = data[map[2] + j * 16] + 2;
    data[map[3] + 8 + i * 16] = data[map[3] + j * 16] + 3;
    data[map[4] + 8 + i * 16] = data[map[4] + j * 16] + 4;
    data[map[5] + 8 + i * 16] = data[map[5] + j * 16] + 5;
    data[map[6] + 8 + i * 16] = data[map[6] + j * 16] + 6;
    data[map[7] + 8 + i * 16] = data[map[7] + j * 16] + 7;
}

// Work-items write bytes of one word.
kernel void bytes(global const uchar *in, global const int *map, global uchar *out)
{
    int i = get_global_id(0);
    vstore3(vload3(0, in) + (uchar)i, map[0] * 4 + i, out);
    vstore3(vload3(1, in) + (uchar)i, map[1] * 4 + i, out);
    vstore3(vload3(2, in) + (uchar)i, map[2] * 4 + i, out);
    vstore3(vload3(3, in) + (uchar)i, map[3] * 4 + i, out);
    vstore3(vload3(4, in) + (uchar)i, map[4] * 4 + i, out);
    vstore3(vload3(5, in) + (uchar)i, map[5] * 4 + i, out);
    vstore3(vload3(6, in) + (uchar)i, map[6] * 4 + i, out);
    vstore3(vload3(7, in) + (uchar)i, map[7] * 4 + i, out);
    vstore3(vload3(8, in) + (uchar)i, map[8] * 4 + i, out);
    out[map[9] * 12 + i] = i;
    out[map[10] * 12 + i] = i;
    out[map[11] * 12 + i] = i;
}

kernel void bytes_shared(global const uchar *in, global const int *map, global uchar *out)
{
    int i = get_global_id(0);
    vstore3(vload3(0, in) + (uchar)i, map[0] * 4 + i, out);
    vstore3(vload3(1, in) + (uchar)i, map[1] * 4 + i, out);
    vstore3(vload3(2, in) + (uchar)i, map[2] * 4 + i, out);
    vstore3(vload3(3, in) + (uchar)i, map[3] * 4 + i, out);
    vstore3(vload3(4, in) + (uchar)i, map[4] * 4 + i, out);
    vstore3(vload3(5, in) + (uchar)i, map[5] * 4 + i, out);
    vstore3(vload3(6, in) + (uchar)i, map[6] * 4 + i, out);
    vstore3(vload3(7, in) + (uchar)i, map[7] * 4 + i, out);
    vstore3(vload3(8, in) * (uchar)i, 0, out + map[8] * 12 + i);
    out[map[9] * 12 + i] = i;
    out[map[10] * 12 + i] = i;
    out[map[11] * 12 + i] = i;
}

// kernel: copied
// global: 1
// arg: buffer int 10..19
// arg: buffer int 0 1 2 3 4 12 6 7 8 9 10 11
// arg: buffer int 12*-1
// expect 2: int 10 11 12 13 14 -1 16 17 18 19 0 0
// expect fault: <source>:12:5: error: write of 4 bytes at byte 48 of 'out', which has 48 bytes
// expect fault: <source>:17:20: error: read of 4 bytes at byte 40 of 'in', which has 40 bytes
// expect fault: <source>:18:20: error: read of 4 bytes at byte 44 of 'in', which has 40 bytes
// expect fault: kernel 'copied': 3 faults at 3 places

// kernel: shared
// global: 4
// local: 2
// arg: buffer int 12*1
// arg: buffer int 0..11
// arg: buffer int 64*0
// expect 2: int 64*?
// expect fault: <source>:35:
// expect fault: error: data race: write of 4 bytes at byte 44 of 'out'
// expect fault: nothing orders the two

// kernel: shared_right
// global: 4
// local: 2
// arg: buffer int 12*1
// arg: buffer int 0..11
// arg: buffer int 64*0
// expect 2: int 12*1 4*0 11*2 5*0 11*3 5*0 11*4 5*0

// kernel: halves
// global: 4
// local: 4
// arg: buffer int 0..7
// arg: buffer int 64*-1
// expect 1: int 0..7 0 2 4 6 8 10 12 14 0..7 0 2 4 6 8 10 12 14 0..7 0 2 4 6 8 10 12 14 0..7 0 2 4 6 8 10 12 14

// kernel: halves_without_barrier
// global: 4
// local: 4
// arg: buffer int 0..7
// arg: buffer int 64*-1
// expect 1: int 64*?
// expect fault: error: data race:
// expect fault: of 'data'

// kernel: bytes
// global: 4
// local: 2
// arg: buffer uchar 0..26
// arg: buffer int 0..11
// arg: buffer uchar 144*0
// expect 2: uchar 0 1 2 1 2 3 2 3 4 3 4 5 3 4 5 4 5 6 5 6 7 6 7 8 6 7 8 7 8 9 8 9 10 9 10 11 9 10 11 10 11 12 11 12 13 12 13 14 12 13 14 13 14 15 14 15 16 15 16 17 15 16 17 16 17 18 17 18 19 18 19 20 18 19 20 19 20 21 20 21 22 21 22 23 21 22 23 22 23 24 23 24 25 24 25 26 24 25 26 25 26 27 26 27 28 27 28 29 0 1 2 3 8*0 0 1 2 3 8*0 0 1 2 3 8*0

// kernel: bytes_shared
// global: 4
// local: 2
// arg: buffer uchar 0..26
// arg: buffer int 0..11
// arg: buffer uchar 144*0
// expect 2: uchar 144*?
// expect fault: <source>:129:
// expect fault: error: data race: write of 3 bytes at byte
// expect fault: nothing orders the two
