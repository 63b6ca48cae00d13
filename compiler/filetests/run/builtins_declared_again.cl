// test: run
// options: -cl-std=CL3.0
// Built-in functions that the program declares again stay what they are; one with a body, further down, is the
// program's. clang accepts both.

#define AGAIN __attribute__((overloadable))

void AGAIN barrier(cl_mem_fence_flags flags);
float AGAIN fabs(float x);
int AGAIN max(int x, int y);

void wait_for_all(void)
{
    barrier(CLK_LOCAL_MEM_FENCE);
}

// kernel: exchange
// global: 4
// local: 4
// arg: buffer int 10 20 30 40
// expect 0: int 40 30 20 10
kernel void exchange(global int *p)
{
    local int shared[4];
    uint at = get_local_id(0);
    shared[at] = p[at];
    wait_for_all();
    p[at] = shared[3 - at];
}

// kernel: others
// global: 1
// arg: buffer float 0 0 0
// expect 0: float 2.5 3 -7
kernel void others(global float *p)
{
    // The other overloads of a name stay too.
    p[0] = fabs(-2.5f);
    p[1] = fabs((float2)(1, -3)).y;
    // Not the built-in function, which gives 9.
    p[2] = max(2, 9);
}

int AGAIN max(int x, int y)
{
    return x - y;
}
