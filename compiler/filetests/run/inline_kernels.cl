// test: run
// A kernel may be declared inline, as with clang: who else may call it says nothing of the application.

// kernel: doubled
// global: 4
// arg: buffer int 1 2 3 4
// expect 0: int 2 4 6 8
inline kernel void doubled(global int *data) { data[get_global_id(0)] *= 2; }

// kernel: twice
// global: 4
// arg: buffer int 1 2 3 4
// expect 0: int 4 8 12 16
kernel void twice(global int *data)
{
    doubled(data);
    doubled(data);
}
