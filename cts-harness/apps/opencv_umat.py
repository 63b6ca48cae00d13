"""Twenty operations of OpenCV on the OpenCL device (UMat) against the host (Mat)."""

import os

os.environ.setdefault("OPENCV_OPENCL_CACHE_ENABLE", "0")
import cv2
import numpy as np

cv2.ocl.setUseOpenCL(True)
if not cv2.ocl.useOpenCL():
    raise SystemExit("OpenCV sees no OpenCL device")

rng = np.random.default_rng(7)
gray = cv2.GaussianBlur(rng.integers(0, 256, (240, 320), dtype=np.uint8), (5, 5), 1.5)
color = rng.integers(0, 256, (240, 320, 3), dtype=np.uint8)
real = gray.astype(np.float32) / 255
left = rng.random((64, 64), dtype=np.float32)
turn = cv2.getRotationMatrix2D((160, 120), 30, 1.1)
disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5))

# Name, operation on images, images, largest difference.
OPERATIONS = [
    ("add", lambda a, b: cv2.add(a, b), (color, color[::-1].copy()), 0),
    ("absdiff", lambda a, b: cv2.absdiff(a, b), (color, color[::-1].copy()), 0),
    ("multiply", lambda a, b: cv2.multiply(a, b), (real, real), 1e-6),
    ("bitwise_and", lambda a, b: cv2.bitwise_and(a, b), (gray, gray[::-1].copy()), 0),
    ("cvtColor gray", lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2GRAY), (color,), 1),
    ("cvtColor HSV", lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2HSV), (color,), 1),
    ("GaussianBlur", lambda a: cv2.GaussianBlur(a, (7, 7), 1.5), (gray,), 1),
    ("medianBlur", lambda a: cv2.medianBlur(a, 5), (gray,), 0),
    ("boxFilter", lambda a: cv2.blur(a, (5, 5)), (gray,), 1),
    ("bilateralFilter", lambda a: cv2.bilateralFilter(a, 5, 30, 30), (gray,), 1),
    ("Sobel", lambda a: cv2.Sobel(a, cv2.CV_32F, 1, 0), (gray,), 1e-3),
    ("Laplacian", lambda a: cv2.Laplacian(a, cv2.CV_32F), (gray,), 1e-3),
    ("erode", lambda a: cv2.erode(a, disc), (gray,), 0),
    ("morphologyEx", lambda a: cv2.morphologyEx(a, cv2.MORPH_GRADIENT, disc), (gray,), 0),
    ("resize", lambda a: cv2.resize(a, (200, 150), interpolation=cv2.INTER_LINEAR), (gray,), 1),
    ("warpAffine", lambda a: cv2.warpAffine(a, turn, (320, 240), flags=cv2.INTER_NEAREST), (gray,), 0),
    ("threshold", lambda a: cv2.threshold(a, 100, 255, cv2.THRESH_BINARY)[1], (gray,), 0),
    ("equalizeHist", lambda a: cv2.equalizeHist(a), (gray,), 0),
    ("gemm", lambda a, b: cv2.gemm(a, b, 1.0, None, 0.0), (left, left.T.copy()), 1e-3),
    ("dft", lambda a: cv2.dft(a, flags=cv2.DFT_COMPLEX_OUTPUT), (left,), 1e-2),
]

equal = 0
for name, operation, images, tolerance in OPERATIONS:
    host = operation(*images)
    device = operation(*[cv2.UMat(image) for image in images])
    device = device.get() if isinstance(device, cv2.UMat) else device
    off = np.abs(host.astype(np.float64) - device.astype(np.float64))
    # A pixel in a thousand may round to the other neighbour at an edge of an interpolation.
    good = host.shape == device.shape and np.quantile(off, 0.999) <= tolerance
    equal += good
    print("ok" if good else "WRONG", name, f"{off.max():.6g}")
print(f"{equal} of {len(OPERATIONS)} equal on {cv2.ocl.Device.getDefault().name()}")
