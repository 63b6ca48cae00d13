"""Variants of three kernels by Kernel Tuner; it refuses those whose result is not NumPy's."""

import numpy
from kernel_tuner import tune_kernel

PRODUCT = """
kernel void product(global float *c, global const float *a, global const float *b, int n)
{
    local float rows[TILE][TILE], columns[TILE][TILE];
    int x = get_local_id(0), y = get_local_id(1), i = get_global_id(1), j = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        rows[y][x] = a[i * n + k + x];
        columns[y][x] = b[(k + y) * n + j];
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll UNROLL
        for (int m = 0; m < TILE; m++)
            sum += rows[y][m] * columns[m][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[i * n + j] = sum;
}
"""

SCALED = """
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
kernel void scaled(global float *y, global const float *x, float factor)
{
    int i = get_global_id(0);
#if WIDTH == 1
    y[i] += factor * x[i];
#else
    JOIN(vstore, WIDTH)(JOIN(vload, WIDTH)(i, y) + factor * JOIN(vload, WIDTH)(i, x), i, y);
#endif
}
"""

COUNTED = """
kernel void counted(global int *bins, global const uchar *values, int n)
{
    local int mine[256];
    for (int i = get_local_id(0); i < 256; i += block_size_x)
        mine[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&mine[values[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_local_id(0); i < 256; i += block_size_x)
        atomic_add(&bins[i], mine[i]);
}
"""

draws = numpy.random.default_rng(2)
N = 96
A, B = draws.random((2, N, N), dtype=numpy.float32)
X, Y = draws.random((2, 12288), dtype=numpy.float32)
VALUES = draws.integers(0, 256, 20000, dtype=numpy.uint8)
right = tried = 0


def tune(name, source, size, arguments, parameters, answer, **more):
    global right, tried
    results, _ = tune_kernel(
        name, source, size, arguments, parameters, answer=answer, atol=1e-4, lang="OpenCL", iterations=2, **more
    )
    for result in results:
        # A variant that failed has a name of an error for a time.
        good = isinstance(result["time"], float)
        print("ok" if good else "WRONG", name, {key: result[key] for key in parameters}, result["time"])
        right, tried = right + good, tried + 1


tune(
    "product",
    PRODUCT,
    (N, N),
    [numpy.zeros_like(A), A, B, numpy.int32(N)],
    {"block_size_x": [4, 8, 16], "block_size_y": [4, 8, 16], "TILE": [4, 8, 16], "UNROLL": [1, 4]},
    [A @ B, None, None, None],
    restrictions=["block_size_x == TILE", "block_size_y == TILE"],
)
tune(
    "scaled",
    SCALED,
    len(X),
    [Y, X, numpy.float32(1.5)],
    {"block_size_x": [64], "WIDTH": [1, 2, 3, 4, 8, 16]},
    [Y + numpy.float32(1.5) * X, None, None],
    grid_div_x=["block_size_x", "WIDTH"],
)
tune(
    "counted",
    COUNTED,
    1024,
    [numpy.zeros(256, numpy.int32), VALUES, numpy.int32(len(VALUES))],
    {"block_size_x": [32, 64, 128]},
    [numpy.bincount(VALUES, minlength=256).astype(numpy.int32), None, None],
)
print(f"{right} of {tried} variants right")
