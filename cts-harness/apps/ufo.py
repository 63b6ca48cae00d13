"""Runs filters of the UFO framework for tomography on the device; NumPy tells what each must give."""

import subprocess

import numpy
import scipy.ndimage

WIDTH, HEIGHT = 64, 64
SOURCE = f"read path=in.raw raw-width={WIDTH} raw-height={HEIGHT} raw-bitdepth=32 type=raw"
INPUT = numpy.random.default_rng(11).random((HEIGHT, WIDTH), dtype=numpy.float32)
INPUT.tofile("in.raw")


def launch(graph):
    """The numbers that a graph of filters writes; none if it fails."""
    command = ["ufo-launch", "-q", *graph.split(), "!", "write", "filename=out.raw"]
    with open("out.raw", "wb"):
        pass
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    if done.returncode:
        print(done.stdout[-500:], done.stderr[-500:])
        return numpy.zeros(0, numpy.float32)
    return numpy.fromfile("out.raw", numpy.float32)


def gradient(image, axis):
    """Central differences; at an edge those of its neighbour."""
    inner = numpy.gradient(image, axis=axis)
    inner = numpy.moveaxis(inner, axis, 0).copy()
    inner[0], inner[-1] = inner[1], inner[-2]
    return numpy.moveaxis(inner, 0, axis)


def spectrum(image, axes):
    """A Fourier transform as the program writes it: real and imaginary parts in turn."""
    numbers = numpy.fft.fftn(image, axes=axes).astype(numpy.complex64)
    return numpy.ascontiguousarray(numbers).view(numpy.float32)


def backprojection(sinogram):
    """Each pixel's sum of its linearly interpolated shadows, one row for each angle."""
    steps, width = sinogram.shape
    x = numpy.arange(width) - width / 2 + 0.5
    total = numpy.zeros((width, width))
    for step in range(steps):
        angle = step * numpy.pi / steps
        at = x[None, :] * numpy.cos(angle) + x[:, None] * numpy.sin(angle) + width / 2 - 0.5
        total += numpy.interp(at, numpy.arange(-1, width + 1), numpy.pad(sinogram[step], 1))
    return total * numpy.pi / steps


POSITIONS = numpy.indices((HEIGHT, WIDTH))
CASES = {
    "flip direction=horizontal": INPUT[:, ::-1],
    "flip direction=vertical": INPUT[::-1],
    "transpose": INPUT.T,
    "binarize threshold=0.4": INPUT >= 0.4,
    "clip min=0.2 max=0.7": INPUT.clip(0.2, 0.7),
    "gradient direction=horizontal": gradient(INPUT, 1),
    "gradient direction=vertical": gradient(INPUT, 0),
    "swap-quadrants": numpy.roll(INPUT, (HEIGHT // 2, WIDTH // 2), (0, 1)),
    "calculate expression='sqrt(v)*exp(-v)+sin(3.0f*v)'": numpy.sqrt(INPUT) * numpy.exp(-INPUT)
    + numpy.sin(3 * INPUT),
    "fft dimensions=1": spectrum(INPUT, (1,)),
    "fft dimensions=2": spectrum(INPUT, (0, 1)),
    # Both directions divide by the number of pixels.
    "fft dimensions=2 ! ifft dimensions=2": INPUT / INPUT.size,
    "fft dimensions=2 ! power-spectrum": abs(numpy.fft.fft2(INPUT)) ** 2,
    "crop x=5 y=9 width=20 height=30": INPUT[9:39, 5:25],
    "pad x=8 y=4 width=80 height=72 addressing-mode=clamp_to_edge": numpy.pad(
        INPUT, ((4, 4), (8, 8)), "edge"
    ),
    "rescale factor=2 interpolation=nearest": INPUT.repeat(2, 0).repeat(2, 1),
    # The filter leaves the border as it finds it.
    "median-filter size=3 ! crop x=1 y=1 width=62 height=62": scipy.ndimage.median_filter(INPUT, 3)[
        1:-1, 1:-1
    ],
    "mask": numpy.where(numpy.hypot(*(POSITIONS - 32)) > 32, 0, INPUT),
    "bin size=2": INPUT.reshape(32, 2, 32, 2).sum((1, 3)),
    "measure metric=mean axis=-1": INPUT.mean(),
    "backproject": backprojection(INPUT),
}

wrong = 0
for graph, expected in CASES.items():
    expected = numpy.asarray(expected, numpy.float32).ravel()
    got = launch(f"{SOURCE} ! {graph}")
    if got.shape != expected.shape:
        most = numpy.inf
        print(got.shape, expected.shape)
    else:
        most = abs(got - expected).max() / max(1.0, abs(expected).max())
    good = most < 1e-5
    wrong += not good
    print(f"{'ok' if good else 'WRONG'} {graph}: {most:g}")
print(f"{len(CASES) - wrong} of {len(CASES)} filters equal")
