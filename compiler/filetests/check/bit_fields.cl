// test: check
// options: -pumice-check=all
// Writing a bit-field of a new variable is no use of its neighbours.
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
struct bits { uint low : 5; uint high : 11; };

kernel void silent(global int *out, int n)
{
    struct bits b, many[2];
    b.high = n;
    many[n & 1].low = n;
    out[0] = b.high + many[n & 1].low;
}

kernel void silent_local(global int *out, local struct bits *given)
{
    local struct bits tile[4];
    int i = get_local_id(0);
    tile[i].high = i + 7;
    tile[i].low = i;
    given[i].high = i + 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[3 - i].high + tile[3 - i].low + given[3 - i].high;
}

// A bit-field whose byte nothing wrote, and a byte that is masked and used elsewhere.
kernel void unwritten(global int *out)
{
    local struct bits tile[2];
    int i = get_local_id(0);
    if (i == 0)
        tile[0].low = 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = (tile[i].low & 0) + 4;
}

kernel void masked(global int *out)
{
    local uchar bytes[2];
    uchar byte = bytes[1] & 3;
    bytes[0] = byte;
    out[0] = 4;
}

// kernel: silent
// global: 1
// arg: buffer int 9
// arg: int 3
// expect 0: int 6

// kernel: silent_local
// global: 4
// local: 4
// arg: buffer int 4*9
// arg: local 16
// expect 0: int 19 16 13 10

// kernel: unwritten
// global: 2
// local: 2
// arg: buffer int 2*9
// expect 0: int 4 4
// expect report: <source>:34:15: error: read of 1 byte of 'unwritten.tile' that nothing wrote
// expect report: out[i] = (tile[i].low & 0) + 4;
// expect report: ^
// expect report: note: by work-item 1 of kernel 'unwritten': number 1 of work-group 0
// expect report: kernel 'unwritten': 1 fault at 1 place

// kernel: masked
// global: 1
// arg: buffer int 9
// expect 0: int 4
// expect report: <source>:40:18: error: read of 1 byte of 'masked.bytes' that nothing wrote
// expect report: uchar byte = bytes[1] & 3;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'masked': number 0 of work-group 0
// expect report: kernel 'masked': 1 fault at 1 place
