// test: robust
// options: -pumice-check=all -cl-kernel-arg-info
// Data races through two arguments that share their memory, which only the interpreter's files can have.

kernel void moved(global const int *from, global int *to)
{
    int i = get_global_id(0);
    to[i] = from[i + 1];
}

// kernel: moved
// global: 4
// local: 4
// arg: buffer int 1 2 3 4 5
// arg: buffer int 4*0
// expect 1: int 2 3 4 5

// kernel: moved
// global: 4
// local: 2
// arg: buffer int 1 2 3 4 5
// arg: alias 0 0
// expect 0: int ? ? ? ? 5
// expect fault: <source>:8:
// expect fault: error: data race:
// expect fault: of 4 bytes at byte ? of '

// Parts that do not overlap are no race, parts that do are one.
// kernel: moved
// global: 2
// local: 2
// arg: buffer int 1 2 3 4 5 6
// arg: alias 0 12
// expect 0: int 1 2 3 2 3 6

// kernel: moved
// global: 2
// local: 2
// arg: buffer int 1 2 3 4 5 6
// arg: alias 0 8
// expect 0: int ? ? ? ? ? 6
// expect fault: error: data race:
