// test: run
// An attribute behind the star of a function's type is the function's.
// kernel: both
// global: 1
// arg: buffer int 2*0
// expect 0: int 1 2
static inline const int * __attribute__((overloadable)) next(const int *p) { return p + 1; }
static inline const float * __attribute__((overloadable)) next(const float *p) { return p + 1; }

kernel void both(global int *out)
{
    int ints[] = {7, 1};
    float floats[] = {7.0f, 2.0f};
    out[0] = *next(ints);
    out[1] = (int)*next(floats);
}
