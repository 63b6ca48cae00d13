// test: check
// options: -pumice-check=all -cl-kernel-arg-info
// Local memory.

kernel void tile(global const int *in, global int *out)
{
    local int cache[4];
    int i = get_local_id(0);
    cache[i] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = cache[i + 1];
}

kernel void passed(global int *out, local int *scratch)
{
    int i = get_local_id(0);
    scratch[i + 2] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = scratch[i];
}

kernel void rows(global int *out)
{
    local int grid[2][2];
    int x = get_local_id(0), y = get_local_id(1);
    grid[y][x * 2] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[y * 2 + x] = 5;
}

// kernel: tile
// global: 4
// local: 4
// arg: buffer int 1 2 3 4
// arg: buffer int 4*9
// expect 1: int 2 3 4 0
// expect report: <source>:11:14: error: read of 4 bytes at byte 16 of 'tile.cache', which has 16 bytes
// expect report: out[i] = cache[i + 1];
// expect report: ^
// expect report: note: by work-item 3 of kernel 'tile': number 3 of work-group 0
// expect report: kernel 'tile': 1 fault at 1 place

// kernel: passed
// global: 2
// local: 2
// arg: buffer int 2*9
// arg: local 12
// expect 0: int ? ?
// expect report: <source>:17:5: error: write of 4 bytes at byte 12 of 'scratch', which has 12 bytes
// expect report: scratch[i + 2] = i;
// expect report: ^
// expect report: note: by work-item 1 of kernel 'passed': number 1 of work-group 0
// expect report: note: argument 1 'scratch' is local memory of 12 bytes
// expect report: <source>:19:14: error: read of 4 bytes at byte 0 of 'scratch' that nothing wrote
// expect report: out[i] = scratch[i];
// expect report: ^
// expect report: note: by work-item 0 of kernel 'passed': number 0 of work-group 0
// expect report: note: argument 1 'scratch' is local memory of 12 bytes
// expect report: note: once more at this place
// expect report: kernel 'passed': 3 faults at 2 places

// kernel: rows
// global: 2 2
// local: 2 2
// arg: buffer int 4*0
// expect 0: int 5 5 5 5
// expect report: <source>:26:5: error: write of 4 bytes at byte 16 of 'rows.grid', which has 16 bytes
// expect report: grid[y][x * 2] = 1;
// expect report: ^
// expect report: note: by work-item (1, 1) of kernel 'rows': number (1, 1) of work-group (0, 0)
// expect report: kernel 'rows': 1 fault at 1 place
