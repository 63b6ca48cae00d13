"""Runs pipelines that Halide compiles to OpenCL C, and compares them with NumPy.

The schedules use what generated code is made of: work-groups, local memory, vectors, atomics,
doubles, halves, scans in rounds, tiles with borders.
"""

import halide as hl
import numpy

x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
bx, by, tx, ty = hl.Var("bx"), hl.Var("by"), hl.Var("tx"), hl.Var("ty")
TARGET = (
    hl.get_host_target()
    .with_feature(hl.TargetFeature.OpenCL)
    .with_feature(hl.TargetFeature.CLDoubles)
    .with_feature(hl.TargetFeature.CLHalf)
)
random = numpy.random.default_rng(11)


def run(func, shape):
    """Values of the func on the device, in the order of NumPy's axes."""
    buffer = func.realize(list(reversed(shape)), TARGET)
    buffer.copy_to_host()
    return numpy.array(buffer)


def source(array):
    """A buffer of Halide, whose first axis is the array's last."""
    return hl.Buffer(numpy.ascontiguousarray(array))


def blur():
    """Separable 3 by 3 blur of 16-bit integers; the rows stand in local memory."""
    image = random.integers(0, 60000, size=(130, 258), dtype=numpy.uint16)
    clamped = hl.BoundaryConditions.repeat_edge(source(image))
    wide, rows, out = hl.Func("wide"), hl.Func("rows"), hl.Func("out")
    wide[x, y] = hl.u32(clamped[x, y])
    rows[x, y] = (wide[x - 1, y] + wide[x, y] + wide[x + 1, y]) / 3
    out[x, y] = hl.u16((rows[x, y - 1] + rows[x, y] + rows[x, y + 1]) / 3)
    out.gpu_tile(x, y, bx, by, tx, ty, 16, 8)
    rows.compute_at(out, bx).gpu_threads(x, y)
    edge = numpy.pad(image.astype(numpy.uint32), 1, mode="edge")
    across = (edge[:, :-2] + edge[:, 1:-1] + edge[:, 2:]) // 3
    expected = (across[:-2] + across[1:-1] + across[2:]) // 3
    return run(out, image.shape), expected, 0


def histogram():
    """Histogram by atomic additions from all work-items."""
    image = random.integers(0, 256, size=(64, 128), dtype=numpy.uint8)
    buffer = source(image)
    out = hl.Func("out")
    area = hl.RDom([(0, 128), (0, 64)])
    out[x] = 0
    out[hl.i32(buffer[area.x, area.y])] += 1
    out.gpu_tile(x, bx, tx, 64)
    group_x, group_y, item_x, item_y = (hl.RVar(name) for name in ("gx", "gy", "ix", "iy"))
    out.update().atomic().gpu_tile(area.x, area.y, group_x, group_y, item_x, item_y, 16, 4)
    return run(out, (256,)), numpy.bincount(image.ravel(), minlength=256), 0


def product():
    """Matrix product in tiles with vectors."""
    a = random.normal(size=(64, 96)).astype(numpy.float32)
    b = random.normal(size=(96, 128)).astype(numpy.float32)
    left, right, out, total = source(a), source(b), hl.Func("out"), hl.Func("total")
    k = hl.RDom([(0, 96)])
    total[x, y] = hl.f32(0)
    total[x, y] += left[k, y] * right[x, k]
    out[x, y] = total[x, y]
    out.gpu_tile(x, y, bx, by, tx, ty, 16, 8).vectorize(tx, 4)
    return run(out, (64, 128)), a @ b, 1e-4


def functions(kind, bound):
    """Transcendental functions of one type."""
    values = random.uniform(0.1, 3, size=(1024,)).astype(kind)
    buffer, out = source(values), hl.Func("out")
    v = buffer[x]
    out[x] = hl.sin(v) * hl.exp(v) + hl.sqrt(v) / hl.log(v + 2) + hl.atan2(v, v + 1) + hl.pow(v, v)
    out.gpu_tile(x, bx, tx, 64)
    v = values
    expected = numpy.sin(v) * numpy.exp(v) + numpy.sqrt(v) / numpy.log(v + 2)
    return run(out, v.shape), expected + numpy.arctan2(v, v + 1) + numpy.power(v, v), bound


def halves():
    """Half-precision storage with arithmetic in it."""
    values = random.uniform(-4, 4, size=(512,)).astype(numpy.float16)
    buffer, out = source(values), hl.Func("out")
    out[x] = hl.f32(buffer[x] * buffer[x] + buffer[x])
    out.gpu_tile(x, bx, tx, 32)
    exact = values.astype(numpy.float64)
    return run(out, values.shape), exact * exact + exact, 2e-2


def integers():
    """Division and remainder of signed integers, which Halide rounds down; shifts and saturation."""
    a = random.integers(-30000, 30000, size=(2048,), dtype=numpy.int32)
    b = random.integers(1, 300, size=(2048,), dtype=numpy.int32)
    b[::3] *= -1
    left, right, out = source(a), source(b), hl.Func("out")
    p, q = left[x], right[x]
    out[x] = p / q * 7 + p % q + hl.i32(hl.u8_sat(p)) + (p << 3) - (p >> 2) + hl.abs(q)
    out.gpu_tile(x, bx, tx, 128)
    # The remainder is never negative.
    rest = numpy.mod(a, numpy.abs(b))
    whole = (a - rest) // b
    expected = whole * 7 + rest + numpy.clip(a, 0, 255) + (a << 3) - (a >> 2) + numpy.abs(b)
    return run(out, a.shape), expected, 0


def scan():
    """Sums along rows in both directions: one work-item for each row, several kernels."""
    image = random.integers(0, 100, size=(40, 70), dtype=numpy.int32)
    out, k = hl.Func("out"), hl.RDom([(1, 69)])
    out[x, y] = source(image)[x, y]
    out[k, y] += out[k - 1, y]
    out[69 - k, y] += out[70 - k, y]
    out.gpu_tile(x, y, bx, by, tx, ty, 16, 4)
    for stage in range(2):
        out.update(stage).gpu_tile(y, by, ty, 8)
    forth = numpy.cumsum(image, axis=1)
    return run(out, image.shape), numpy.cumsum(forth[:, ::-1], axis=1)[:, ::-1], 0


def bytes_and_channels():
    """Interleaved bytes of three channels with saturating arithmetic and a table."""
    image = random.integers(0, 256, size=(3, 40, 60), dtype=numpy.uint8)
    table = random.integers(0, 256, size=(256,), dtype=numpy.uint8)
    buffer, lookup, out = source(image), source(table), hl.Func("out")
    out[x, y, c] = hl.u8_sat(hl.i32(lookup[hl.i32(buffer[x, y, c])]) * 2 - hl.i32(buffer[x, y, 2 - c]))
    out.gpu_tile(x, y, bx, by, tx, ty, 8, 8)
    expected = numpy.clip(table[image].astype(int) * 2 - image[::-1].astype(int), 0, 255)
    return run(out, image.shape), expected, 0


CASES = {
    "blur": blur,
    "histogram": histogram,
    "product": product,
    "functions of float": lambda: functions(numpy.float32, 1e-4),
    "functions of double": lambda: functions(numpy.float64, 1e-12),
    "halves": halves,
    "integers": integers,
    "scan": scan,
    "bytes and channels": bytes_and_channels,
}
wrong = 0
for name, case in CASES.items():
    device, expected, bound = case()
    difference = numpy.abs(device.astype(numpy.float64) - expected).max()
    good = device.shape == expected.shape and difference <= bound
    wrong += not good
    print(f"{'ok' if good else 'WRONG'} {name}: {difference:g}", flush=True)
print(f"{len(CASES) - wrong} of {len(CASES)} equal")
