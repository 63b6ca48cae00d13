// test: check
// options: -pumice-check=all -cl-kernel-arg-info
// Data races in local memory. Each kernel has a corrected twin.

kernel void reversed(global int *out)
{
    local int tile[4];
    int i = get_local_id(0);
    tile[i] = i;
    out[i] = tile[3 - i] & 0;
}

kernel void reversed_right(global int *out)
{
    local int tile[4];
    int i = get_local_id(0);
    tile[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[3 - i];
}

kernel void last(global int *out)
{
    local int winner;
    winner = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = winner & 0;
}

// All write one value.
kernel void last_right(global int *out)
{
    local int winner;
    winner = 7;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = winner;
}

kernel void total(global const int *in, global int *out)
{
    local int sum;
    int i = get_local_id(0);
    if (i == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = sum & 0;
}

kernel void total_right(global const int *in, global int *out)
{
    local int sum;
    int i = get_local_id(0);
    if (i == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sum, in[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = sum;
}

kernel void reduce(global const int *in, global int *out, local int *scratch)
{
    int i = get_local_id(0);
    scratch[i] = in[i];
    for (int step = 4; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < step * 2 - 1)
            scratch[i] += scratch[i + step & 7];
    }
    if (i == 0)
        out[0] = scratch[0] & 0;
}

kernel void reduce_right(global const int *in, global int *out, local int *scratch)
{
    int i = get_local_id(0);
    scratch[i] = in[i];
    for (int step = 4; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < step)
            scratch[i] += scratch[i + step];
    }
    if (i == 0)
        out[0] = scratch[0];
}

kernel void wrong_fence(global int *out)
{
    local int tile[4];
    int i = get_local_id(0);
    tile[i] = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = tile[3 - i] & 0;
}

kernel void bytes(global uchar *out)
{
    local uchar tile[8];
    int i = get_local_id(0);
    tile[i] = i;
    out[i] = tile[i ^ 1] & 0;
}

// Neighbouring bytes are places of their own.
kernel void bytes_right(global uchar *out)
{
    local uchar tile[8];
    int i = get_local_id(0);
    tile[i] = i;
    tile[i] += 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[i ^ 1];
}

kernel void shift(global int *out)
{
    local int data[5];
    int i = get_local_id(0);
    data[i] = i;
    if (i == 0)
        data[4] = 4;
    barrier(CLK_LOCAL_MEM_FENCE);
    data[i] = data[i + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = data[i] & 0;
}

kernel void shift_right(global int *out)
{
    local int data[5];
    int i = get_local_id(0);
    data[i] = i;
    if (i == 0)
        data[4] = 4;
    barrier(CLK_LOCAL_MEM_FENCE);
    int next = data[i + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    data[i] = next;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = data[i];
}

kernel void pairs(global float *out)
{
    local float4 rows[3];
    int i = get_local_id(0);
    rows[i] = (float4)(i);
    ((local float *)rows)[i * 4 + 4] = 5.0f;
    out[i] = 1.0f;
}

kernel void pairs_right(global float *out)
{
    local float4 rows[3];
    int i = get_local_id(0);
    rows[i] = (float4)(i);
    ((local float *)rows)[i * 4 + 3] = 5.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = rows[1 - i].w;
}

// An atomic access elsewhere orders nothing.
kernel void counted(global int *out)
{
    local int count, tile[4];
    int i = get_local_id(0);
    if (i == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[i] = i;
    atomic_inc(&count);
    out[i] = tile[3 - i] & 0;
}

kernel void kept_right(global int *out)
{
    local int all[4];
    int i = get_local_id(0);
    all[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int other = all[3 - i];
    barrier(CLK_GLOBAL_MEM_FENCE);
    all[i] = other;
    out[i] = all[i];
}

// The neighbour writes the number that was there.
kernel void same_right(global int *out)
{
    local int all[5];
    int i = get_local_id(0);
    all[i] = 7;
    out[i] = all[i];
    all[i + 1] = 7;
}

kernel void other_number(global int *out)
{
    local int all[5];
    int i = get_local_id(0);
    all[i] = 7;
    out[i] = all[i] & 0;
    all[i + 1] = 8;
}

// kernel: counted
// global: 4
// local: 4
// arg: buffer int 4*9
// expect 0: int 0 0 0 0
// expect fault: error: data race:
// expect fault: of 4 bytes at byte ? of 'counted.tile'

// kernel: reversed
// global: 4
// local: 4
// arg: buffer int 4*9
// expect 0: int 0 0 0 0
// expect fault: of 4 bytes at byte ? of 'reversed.tile'
// expect fault: error: data race:
// expect fault: of the work-group

// kernel: reversed_right
// global: 4
// local: 4
// arg: buffer int 4*9
// expect 0: int 3 2 1 0

// kernel: last
// global: 4
// local: 4
// arg: buffer int 4*9
// expect 0: int 0 0 0 0
// expect report: <source>:25:14: error: data race: write of 4 bytes at byte 0 of 'last.winner'
// expect report: winner = get_local_id(0);
// expect report: ^
// expect report: note: by work-item 1 of kernel 'last': number 1 of work-group 0
// expect report: note: number 0 of the work-group wrote there, and no barrier for local memory is between
// expect report: note: 2 times more at this place
// expect report: kernel 'last': 3 faults at 1 place

// kernel: last_right
// global: 4
// local: 4
// arg: buffer int 4*9
// expect 0: int 7 7 7 7

// kernel: total
// global: 4
// local: 4
// arg: buffer int 1 2 3 4
// arg: buffer int 4*9
// expect 1: int 0 0 0 0
// expect fault: <source>:46:
// expect fault: error: data race:
// expect fault: of 4 bytes at byte 0 of 'total.sum'

// kernel: total_right
// global: 4
// local: 4
// arg: buffer int 1 2 3 4
// arg: buffer int 4*9
// expect 1: int 10 10 10 10

// kernel: reduce
// global: 8
// local: 8
// arg: buffer int 1 2 3 4 5 6 7 8
// arg: buffer int 9
// arg: local 32
// expect 1: int 0
// expect fault: error: data race:
// expect fault: of 4 bytes at byte ? of 'scratch'

// kernel: reduce_right
// global: 8
// local: 8
// arg: buffer int 1 2 3 4 5 6 7 8
// arg: buffer int 9
// arg: local 32
// expect 1: int 36

// kernel: wrong_fence
// global: 4
// local: 4
// arg: buffer int 4*9
// expect 0: int 0 0 0 0
// expect fault: <source>:95:14: error: data race: read of 4 bytes at byte ? of 'wrong_fence.tile'
// expect fault: no barrier for local memory is between

// kernel: bytes
// global: 8
// local: 8
// arg: buffer uchar 8*9
// expect 0: uchar 8*0
// expect fault: error: data race:
// expect fault: of 1 byte at byte ? of 'bytes.tile'

// kernel: bytes_right
// global: 8
// local: 8
// arg: buffer uchar 8*9
// expect 0: uchar 2 1 4 3 6 5 8 7

// kernel: shift
// global: 4
// local: 4
// arg: buffer int 4*9
// expect 0: int 0 0 0 0
// expect fault: <source>:125:
// expect fault: error: data race:
// expect fault: of 4 bytes at byte ? of 'shift.data'

// kernel: shift_right
// global: 4
// local: 4
// arg: buffer int 4*9
// expect 0: int 1 2 3 4

// kernel: pairs
// global: 2
// local: 2
// arg: buffer float 9 9
// expect 0: float 1 1
// expect fault: error: data race: write of
// expect fault: of 'pairs.rows'

// kernel: pairs_right
// global: 2
// local: 2
// arg: buffer float 9 9
// expect 0: float 5 5

// kernel: kept_right
// global: 4
// local: 4
// arg: buffer int 4*9
// expect 0: int 3 2 1 0

// kernel: same_right
// global: 4
// local: 4
// arg: buffer int 4*9
// expect 0: int 7 7 7 7

// kernel: other_number
// global: 4
// local: 4
// arg: buffer int 4*9
// expect 0: int 0 0 0 0
// expect fault: data race:
