"""Runs tinygrad's kernels on the device; NumPy tells what each must give."""

import os

# tinygrad takes a variable of this name for a switch of its own.
os.environ.pop("PYTHON", None)
os.environ["DEV"] = "CL"

import numpy  # noqa: E402
from tinygrad import Device, Tensor, dtypes  # noqa: E402

DRAWN = numpy.random.default_rng(1)


def draw(*shape):
    return DRAWN.standard_normal(shape).astype(numpy.float32)


A, B, C = draw(33, 70), draw(70, 41), draw(33, 70)
IMAGES, WEIGHTS = draw(2, 3, 20, 24), draw(5, 3, 3, 3)
WHOLE = DRAWN.integers(-1000, 1000, (40, 50)).astype(numpy.int32)


def convolved(stride):
    """The convolution with a border of one zero."""
    padded = numpy.pad(IMAGES, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = numpy.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    return numpy.einsum("nchwij,ocij->nohw", windows[:, :, ::stride, ::stride], WEIGHTS)


def pooled():
    return IMAGES.reshape(2, 3, 10, 2, 12, 2).max((3, 5))


def softmax(x):
    powers = numpy.exp(x - x.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def normalised(x):
    return (x - x.mean(1, keepdims=True)) / numpy.sqrt(x.var(1, keepdims=True) + 1e-5)


def gradient():
    """The gradient of sum(tanh(A B)²) by A."""
    t = numpy.tanh(A @ B)
    return (2 * t * (1 - t * t)) @ B.T


def tensor_gradient():
    a = Tensor(A)
    return (a @ Tensor(B)).tanh().square().sum().gradient(a)[0]


CASES = {
    "sum": (lambda: Tensor(A) + Tensor(C) * 3, lambda: A + C * 3),
    "functions": (
        lambda: (Tensor(A).exp2() + Tensor(A).sin() + 1).sqrt() + Tensor(C).abs().log(),
        lambda: numpy.sqrt(numpy.exp2(A) + numpy.sin(A) + 1) + numpy.log(abs(C)),
    ),
    "matrix product": (lambda: Tensor(A) @ Tensor(B), lambda: A @ B),
    "half product": (
        lambda: (Tensor(A).cast(dtypes.half) @ Tensor(B).cast(dtypes.half)).cast(dtypes.float),
        lambda: A.astype(numpy.float16).astype(numpy.float32)
        @ B.astype(numpy.float16).astype(numpy.float32),
    ),
    "convolution": (lambda: Tensor(IMAGES).conv2d(Tensor(WEIGHTS), padding=1), lambda: convolved(1)),
    "strided convolution": (
        lambda: Tensor(IMAGES).conv2d(Tensor(WEIGHTS), padding=1, stride=2),
        lambda: convolved(2),
    ),
    "pooling": (lambda: Tensor(IMAGES).max_pool2d((2, 2)), pooled),
    "softmax": (lambda: Tensor(A).softmax(1), lambda: softmax(A)),
    "layer normalisation": (lambda: Tensor(A).layernorm(), lambda: normalised(A)),
    "sort": (lambda: Tensor(A).sort(dim=1)[0], lambda: numpy.sort(A, 1)),
    "running sum": (lambda: Tensor(WHOLE).cumsum(1), lambda: WHOLE.cumsum(1)),
    "largest index": (lambda: Tensor(A).argmax(1), lambda: A.argmax(1)),
    "gather": (
        lambda: Tensor(A)[Tensor(WHOLE[0] % 33)],
        lambda: A[WHOLE[0] % 33],
    ),
    "integers": (
        lambda: (Tensor(WHOLE) * 7919 ^ Tensor(WHOLE)) // 13,
        lambda: numpy.trunc((WHOLE * 7919 ^ WHOLE) / 13),
    ),
    "gradient": (tensor_gradient, gradient),
}

assert Device.DEFAULT == "CL", Device.DEFAULT
wrong = 0
for name, (device, host) in CASES.items():
    got, expected = device().numpy(), host()
    if got.shape != expected.shape:
        off = numpy.inf
    else:
        off = abs(got - expected).max() / max(1.0, abs(expected).max())
    good = off < (5e-3 if name == "half product" else 1e-5)
    wrong += not good
    print(f"{'ok' if good else 'WRONG'} {name}: {off:g}")
print(f"{len(CASES) - wrong} of {len(CASES)} agree")
