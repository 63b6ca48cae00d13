// test: unwritten
// options: -pumice-check=all -cl-kernel-arg-info
// A kernel with many accesses, whose reads are reported in groups.

kernel void moved(global int *data, global int *out)
{
    data[0] = 0;
    data[1] = 1;
    data[2] = 2;
    data[3] = 3;
    data[4] = 4;
    data[5] = 5;
    data[9] = 6;
    data[7] = 7;
    data[8] = 8;
    out[0] = data[0] + 0;
    out[1] = data[1] + 1;
    out[2] = data[2] + 2;
    out[3] = data[3] + 3;
    out[4] = data[4] + 4;
    out[5] = data[5] + 5;
    out[6] = data[6] + 6;
    out[7] = data[7] + 7;
    out[8] = data[8] + 8;
    out[9] = data[9] + 9;
    out[10] = data[10] + 10;
    out[11] = data[11] + 11;
}

// kernel: moved
// global: 1
// arg: buffer int 12*0
// arg: buffer int 12*0
// unwritten: 0 1
// expect 1: int 0 2 4 6 8 10 6 14 16 15 10 11
// expect fault: <source>:22:14: error: read of 4 bytes at byte 24 of 'data' that nothing wrote
// expect fault: <source>:26:15: error: read of 4 bytes at byte 40 of 'data' that nothing wrote
// expect fault: <source>:27:15: error: read of 4 bytes at byte 44 of 'data' that nothing wrote
// expect fault: kernel 'moved': 3 faults at 3 places
