// test: run
// Blocks capture structs by value and arrays by reference (OpenCL C 3.0 §6.14, example 5).
// options: -cl-std=CL3.0
// needs: device-queues

struct pair { int arr[2]; };

// kernel: by_value_and_reference
// global: 1
// arg: buffer int 6*0
// expect 0: int 1 8 8 4 5 3
kernel void by_value_and_reference(global int *out)
{
    struct pair s = {{0, 1}};
    int (^const of_struct)(void) = ^{ return s.arr[1]; };
    int arr[2] = {0, 1};
    int (^const of_array)(void) = ^{ return arr[1]; };
    s.arr[1] = arr[1] = 8;
    out[0] = of_struct();
    out[1] = of_array();
    // Through a block around.
    int (^const nested)(void) = ^{ return ^{ return arr[1]; }(); };
    out[2] = nested();
    int rows[2][2] = {{3, 4}, {5, 6}};
    int (^const of_rows)(int, int) = ^(int row, int column) { return rows[row][column]; };
    out[3] = of_rows(0, 1);
    out[4] = of_rows(1, 0);
    out[5] = ^{ const private int *p = rows[0]; return *p; }();
}
