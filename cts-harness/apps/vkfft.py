"""Fourier and cosine transforms by VkFFT's OpenCL kernels on the device; NumPy and SciPy tell what each must give."""

import numpy
import pyopencl
import pyopencl.array
import scipy.fft
from pyvkfft.opencl import VkFFTApp

context = pyopencl.create_some_context(interactive=False)
queue = pyopencl.CommandQueue(context)
draws = numpy.random.default_rng(3)
wrong = total = 0


def judge(name, got, expected, tolerance):
    global wrong, total
    off = abs(got - expected).max() / abs(expected).max()
    good = got.shape == expected.shape and off < tolerance
    wrong, total = wrong + (not good), total + 1
    print(f"{'ok' if good else 'WRONG'} {name}: {off:.3g}")


# Shape, dimensions, precision: powers of two, other small primes, Bluestein's algorithm for large ones.
for shape, axes, kind in [
    ((4, 64), 1, numpy.complex64),
    ((30, 42), 2, numpy.complex64),
    ((3, 17, 8), 3, numpy.complex64),
    ((5, 101), 1, numpy.complex128),
    ((2, 4096), 1, numpy.complex128),
]:
    numbers = (draws.standard_normal(shape) + 1j * draws.standard_normal(shape)).astype(kind)
    tolerance = 1e-5 if kind == numpy.complex64 else 1e-13
    array = pyopencl.array.to_device(queue, numbers)
    app = VkFFTApp(array.shape, array.dtype, queue, ndim=axes, inplace=True, norm=1)
    app.fft(array)
    over = range(numbers.ndim - axes, numbers.ndim)
    judge(f"complex {shape} there", array.get(), numpy.fft.fftn(numbers, axes=over), tolerance)
    app.ifft(array)
    judge(f"complex {shape} and back", array.get(), numbers, tolerance)

for shape in [(6, 90), (8, 256)]:
    numbers = draws.standard_normal(shape).astype(numpy.float32)
    array = pyopencl.array.to_device(queue, numbers)
    half = pyopencl.array.zeros(queue, (shape[0], shape[1] // 2 + 1), numpy.complex64)
    app = VkFFTApp(array.shape, array.dtype, queue, ndim=1, inplace=False, norm=1, r2c=True)
    app.fft(array, half)
    judge(f"real {shape}", half.get(), numpy.fft.rfft(numbers), 1e-5)

for kind in (2, 3):
    numbers = draws.standard_normal((7, 48)).astype(numpy.float32)
    array = pyopencl.array.to_device(queue, numbers)
    app = VkFFTApp(array.shape, array.dtype, queue, ndim=1, inplace=True, norm=1, dct=kind)
    app.fft(array)
    judge(f"cosines {kind}", array.get(), scipy.fft.dct(numbers, kind), 1e-5)

print(f"{total - wrong} of {total} transforms agree")
