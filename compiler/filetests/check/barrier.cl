// test: check
// options: -pumice-check=all -cl-std=CL3.0
// Barriers that not all work-items of a work-group reach. Each kernel has a corrected twin.

kernel void half_of_them(global int *out)
{
    int i = get_local_id(0);
    if (i < 2)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = i;
}

kernel void half_right(global int *out, int n)
{
    int i = get_local_id(0);
    if (n > 2)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = i;
}

kernel void either(global int *out)
{
    int i = get_local_id(0);
    if (i & 1) {
        out[i] = 1;
        barrier(CLK_GLOBAL_MEM_FENCE);
    } else {
        out[i] = 2;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

kernel void either_right(global int *out)
{
    int i = get_local_id(0);
    out[i] = i & 1 ? 1 : 2;
    barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void early(global int *out, int n)
{
    local int tile[4];
    int i = get_local_id(0);
    if (i >= n)
        return;
    tile[i] = i + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[n - 1 - i];
}

kernel void early_right(global int *out, int n)
{
    local int tile[4];
    int i = get_local_id(0);
    if (i < n)
        tile[i] = i + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i >= n)
        return;
    out[i] = tile[n - 1 - i];
}

kernel void rounds(global int *out)
{
    int i = get_local_id(0), sum = 0;
    for (int k = 0; k <= i; ++k) {
        sum += k;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = sum;
}

kernel void rounds_right(global int *out, global const int *limit)
{
    local int shown[4];
    int i = get_local_id(0), sum = 0;
    for (int k = 0; k < limit[k]; ++k) {
        shown[i] = i * k;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += shown[3 - i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = sum;
}

kernel void reduced(global int *out)
{
    int i = get_local_id(0), all = 7;
    if (i < 3)
        all = work_group_reduce_add(i + 1);
    out[i] = all;
}

kernel void reduced_right(global int *out, global const int *flag)
{
    int i = get_local_id(0), all = 7;
    if (flag[0] == 1)
        all = work_group_reduce_add(i + 1);
    out[i] = all;
}

void wait(int i, int limit)
{
    if (i > limit)
        barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void called(global int *out, global const int *limit)
{
    int x = get_local_id(0), y = get_local_id(1);
    wait(y, limit[0]);
    out[y * 2 + x] = y;
}

kernel void called_right(global int *out, global const int *limit)
{
    int x = get_local_id(0), y = get_local_id(1);
    wait(2, limit[0]);
    out[y * 2 + x] = y;
}

kernel void switched(global int *out)
{
    int i = get_local_id(0);
    switch (i & 3) {
    case 0:
        out[i] = 10;
        break;
    case 1:
        barrier(CLK_LOCAL_MEM_FENCE);
        out[i] = 11;
        break;
    default:
        barrier(CLK_LOCAL_MEM_FENCE);
        out[i] = 12;
    }
}

// Behind barriers that a loop from memory decides, values and loops are what they were.
kernel void scan(global const int *in, global int *out, global const int *sizes)
{
    local int data[8];
    int i = get_local_id(0);
    data[i] = in[i];
    for (int step = 1; step < sizes[0]; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int before = i >= step ? data[i - step] : 0;
        float4 unused = (float4)(before);
        if (sizes[step] != 0) {
            barrier(CLK_LOCAL_MEM_FENCE);
            data[i] += before;
        }
        if (unused.w > 1000.0f)
            break;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = data[i];
}

// kernel: half_of_them
// global: 4
// local: 4
// arg: buffer int 4*9
// expect 0: int 0 1 2 3
// expect report: <source>:9:9: error: barrier that not all work-items of the work-group reach
// expect report: barrier(CLK_LOCAL_MEM_FENCE);
// expect report: ^
// expect report: note: by work-item 0 of kernel 'half_of_them': number 0 of work-group 0
// expect report: note: number 2 of the work-group has ended
// expect report: kernel 'half_of_them': 1 fault at 1 place

// kernel: half_right
// global: 4
// local: 4
// arg: buffer int 4*9
// arg: int 3
// expect 0: int 0 1 2 3

// kernel: either
// global: 4
// local: 4
// arg: buffer int 4*9
// expect 0: int 2 1 2 1
// expect fault: error: barrier that not all work-items of the work-group reach
// expect fault: of the work-group is at the barrier in line
// expect fault: kernel 'either': 1 fault at 1 place

// kernel: either_right
// global: 4
// local: 4
// arg: buffer int 4*9
// expect 0: int 2 1 2 1

// kernel: early
// global: 4
// local: 4
// arg: buffer int 4*9
// arg: int 3
// expect 0: int 3 2 1 9
// expect report: <source>:47:5: error: barrier that not all work-items of the work-group reach
// expect report: barrier(CLK_LOCAL_MEM_FENCE);
// expect report: ^
// expect report: note: by work-item 0 of kernel 'early': number 0 of work-group 0
// expect report: note: number 3 of the work-group has ended
// expect report: kernel 'early': 1 fault at 1 place

// kernel: early_right
// global: 4
// local: 4
// arg: buffer int 4*9
// arg: int 3
// expect 0: int 3 2 1 9

// kernel: rounds
// global: 4
// local: 4
// arg: buffer int 4*9
// expect 0: int 0 1 3 6
// expect report: <source>:68:9: error: barrier that not all work-items of the work-group reach
// expect report: barrier(CLK_LOCAL_MEM_FENCE);
// expect report: ^
// expect report: note: by work-item 1 of kernel 'rounds': number 1 of work-group 0
// expect report: note: number 0 of the work-group has ended
// expect report: note: 2 times more at this place
// expect report: kernel 'rounds': 3 faults at 1 place

// kernel: rounds_right
// global: 4
// local: 4
// arg: buffer int 4*9
// arg: buffer int 3 3 3 0
// expect 0: int 9 6 3 0

// kernel: reduced
// global: 4
// local: 4
// arg: buffer int 4*9
// expect 0: int 0 0 0 7
// expect report: <source>:90:37: error: work-group function that not all work-items of the work-group reach
// expect report: all = work_group_reduce_add(i + 1);
// expect report: ^
// expect report: note: by work-item 0 of kernel 'reduced': number 0 of work-group 0
// expect report: note: number 3 of the work-group has ended
// expect report: kernel 'reduced': 1 fault at 1 place

// kernel: reduced_right
// global: 4
// local: 4
// arg: buffer int 4*9
// arg: buffer int 1
// expect 0: int 10 10 10 10

// kernel: called
// global: 2 2
// local: 2 2
// arg: buffer int 4*9
// arg: buffer int 0
// expect 0: int 0 0 1 1
// expect report: <source>:105:9: error: barrier that not all work-items of the work-group reach
// expect report: barrier(CLK_LOCAL_MEM_FENCE);
// expect report: ^
// expect report: note: by work-item (0, 1) of kernel 'called': number (0, 1) of work-group (0, 0)
// expect report: note: number (0, 0) of the work-group has ended
// expect report: kernel 'called': 1 fault at 1 place

// kernel: called_right
// global: 2 2
// local: 2 2
// arg: buffer int 4*9
// arg: buffer int 0
// expect 0: int 0 0 1 1

// kernel: switched
// global: 4
// local: 4
// arg: buffer int 4*9
// expect 0: int 10 11 12 12
// expect fault: error: barrier that not all work-items of the work-group reach
// expect fault: number 0 of the work-group has ended
// expect fault: kernel 'switched': 1 fault at 1 place

// kernel: scan
// global: 8
// local: 8
// arg: buffer int 1 2 3 4 5 6 7 8
// arg: buffer int 8*9
// arg: buffer int 8 1 1 1 1 1 1 1
// expect 1: int 1 3 6 10 15 21 28 36
