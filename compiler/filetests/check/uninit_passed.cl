// test: check
// options: -pumice-check=all -cl-kernel-arg-info
// Private variables whose addresses functions get: what these write is written, what nobody wrote is reported.

struct matrix
{
    float m[16];
};

void corners(struct matrix *to, float x)
{
    to->m[0] = x;
    to->m[15] = 1.0f;
}

float corner_of(const struct matrix *from, int far)
{
    const float *m = from->m;
    return far ? m[15] : m[0];
}

float middle_of(const struct matrix *from)
{
    return from->m[7];
}

float inner(const struct matrix *from)
{
    return middle_of(from) + corner_of(from, 1);
}

kernel void unwritten(global float *out)
{
    struct matrix a;
    corners(&a, out[0]);
    out[0] = 2.0f + 0.0f * (a.m[3] == 5.0f);
}

kernel void unwritten_far(global float *out)
{
    struct matrix a;
    corners(&a, out[0]);
    out[0] = 3.0f + 0.0f * (inner(&a) == 5.0f);
}

void swap(float *a, float *b)
{
    float t = *a;
    *a = *b;
    *b = t;
}

kernel void silent(global float *out)
{
    struct matrix a;
    corners(&a, out[0]);
    float x = corner_of(&a, 0), y = corner_of(&a, 1);
    swap(&x, &y);
    out[0] = x;
    out[1] = y;
}

kernel void silent_loop(global float *out)
{
    float sums[2];
    float *to = &sums[1];
    for (int i = 0; i < 2; i++) {
        if (i > 0) {
            out[0] = *to;
        }
        to = &sums[0];
        *to = 7.0f;
    }
}

// kernel: unwritten
// global: 1
// arg: buffer float 4
// expect 0: float 2
// expect report: <source>:36:29: error: read of 4 bytes of a private variable that nothing wrote
// expect report: out[0] = 2.0f + 0.0f * (a.m[3] == 5.0f);
// expect report: ^
// expect report: note: by work-item 0 of kernel 'unwritten': number 0 of work-group 0
// expect report: kernel 'unwritten': 1 fault at 1 place

// kernel: unwritten_far
// global: 1
// arg: buffer float 4
// expect 0: float 3
// expect report: <source>:24:12: error: read of 4 bytes of a private variable that nothing wrote
// expect report: return from->m[7];
// expect report: ^
// expect report: note: by work-item 0 of kernel 'unwritten_far': number 0 of work-group 0
// expect report: kernel 'unwritten_far': 1 fault at 1 place

// kernel: silent
// global: 1
// arg: buffer float 4 0
// expect 0: float 1 4

// kernel: silent_loop
// global: 1
// arg: buffer float 0
// expect 0: float 7
