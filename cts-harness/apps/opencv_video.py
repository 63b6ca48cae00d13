"""What OpenCV does with films and whole pictures, on the OpenCL device (UMat) against the host (Mat)."""

import os

os.environ.setdefault("OPENCV_OPENCL_CACHE_ENABLE", "0")
import cv2
import numpy as np

cv2.ocl.setUseOpenCL(True)
if not cv2.ocl.useOpenCL():
    raise SystemExit("OpenCV sees no OpenCL device")

rng = np.random.default_rng(9)
BACKGROUND = cv2.GaussianBlur(rng.integers(0, 256, (120, 160), dtype=np.uint8), (9, 9), 3)
BACKGROUND = cv2.normalize(BACKGROUND, None, 0, 255, cv2.NORM_MINMAX)
COLOR = cv2.merge([BACKGROUND, BACKGROUND[::-1].copy(), BACKGROUND[:, ::-1].copy()])


def frame(number):
    """A square that moves over the background."""
    picture = BACKGROUND.copy()
    picture[40:70, 20 + 3 * number : 50 + 3 * number] = 200
    return picture


def shifted(dx, dy):
    return cv2.warpAffine(BACKGROUND, np.float32([[1, 0, dx], [0, 1, dy]]), (160, 120))


def background(kind):
    def run(wrap):
        model = kind()
        masks = [model.apply(wrap(frame(number)), learningRate=0.1) for number in range(8)]
        return masks[-1]

    return run


def features(wrap):
    """Corners and their strengths."""
    found = cv2.goodFeaturesToTrack(wrap(frame(0)), 50, 0.05, 5)
    found = found.get() if isinstance(found, cv2.UMat) else found
    points = found.reshape(-1, 2)
    return points[np.lexsort(points.T)]


def tracked(wrap):
    points = np.float32([[[x, y]] for x in range(30, 130, 20) for y in range(30, 90, 20)])
    ends, _, _ = cv2.calcOpticalFlowPyrLK(
        wrap(BACKGROUND), wrap(shifted(2, 1)), wrap(points), None, winSize=(15, 15)
    )
    return ends


def flow(wrap):
    return cv2.calcOpticalFlowFarneback(
        wrap(BACKGROUND), wrap(shifted(2, 1)), None, 0.5, 3, 15, 3, 5, 1.2, 0
    )


def dense(wrap):
    search = cv2.DISOpticalFlow_create(cv2.DISOPTICAL_FLOW_PRESET_FAST)
    return search.calc(wrap(BACKGROUND), wrap(shifted(2, 1)), None)


def lines(wrap):
    """Hough's lines of a drawing, in order."""
    drawing = np.zeros((120, 160), np.uint8)
    cv2.line(drawing, (10, 15), (150, 90), 255)
    cv2.line(drawing, (20, 110), (120, 5), 255)
    found = cv2.HoughLines(wrap(drawing), 1, np.pi / 180, 70)
    found = found.get() if isinstance(found, cv2.UMat) else found
    rows = found.reshape(-1, found.shape[-1])[:, :2]
    return rows[np.lexsort(rows.T)]


CLAHE = cv2.createCLAHE(3.0, (4, 4))
MAPS = np.float32(np.meshgrid(np.arange(160), np.arange(120)))
TURN = np.float32([[0.9, 0.1, 5], [-0.1, 0.95, 8], [0.0005, 0.0002, 1]])
# Name, the operation on wrapped pictures, largest difference, part of the numbers that must keep to it.
OPERATIONS = [
    ("background MOG2", background(lambda: cv2.createBackgroundSubtractorMOG2(8)), 0, 0.999),
    ("background KNN", background(lambda: cv2.createBackgroundSubtractorKNN(8)), 0, 0.99),
    ("optical flow Farneback", flow, 0.1, 0.99),
    ("optical flow Lucas and Kanade", tracked, 0.02, 1),
    ("optical flow DIS", dense, 0.1, 0.99),
    ("corners", features, 0, 1),
    ("lines", lines, 1e-4, 1),
    ("denoising", lambda w: cv2.fastNlMeansDenoising(w(BACKGROUND), None, 5, 5, 11), 1, 0.999),
    ("CLAHE", lambda w: CLAHE.apply(w(BACKGROUND)), 1, 1),
    ("pyramid down", lambda w: cv2.pyrDown(w(COLOR)), 1, 1),
    ("pyramid up", lambda w: cv2.pyrUp(w(COLOR)), 1, 1),
    ("perspective", lambda w: cv2.warpPerspective(w(BACKGROUND), TURN, (160, 120)), 1, 0.99),
    ("remap", lambda w: cv2.remap(w(BACKGROUND), w(MAPS[0] + 1.5), w(MAPS[1] * 0.9), 1), 1, 0.99),
    ("integral", lambda w: cv2.integral(w(BACKGROUND)), 0, 1),
    ("template", lambda w: cv2.matchTemplate(w(BACKGROUND), w(BACKGROUND[30:60, 40:70].copy()), 5), 2e-3, 1),
    ("look-up table", lambda w: cv2.LUT(w(COLOR), np.arange(255, -1, -1, np.uint8)), 0, 1),
    ("Lab colours", lambda w: cv2.cvtColor(w(COLOR), cv2.COLOR_BGR2Lab), 1, 1),
]


def plain(result):
    result = result.get() if isinstance(result, cv2.UMat) else result
    return np.asarray(result, np.float64)


equal = 0
for name, operation, tolerance, part in OPERATIONS:
    host, device = plain(operation(lambda picture: picture)), plain(operation(cv2.UMat))
    if host.shape == device.shape and host.size and host.any():
        off = np.quantile(abs(host - device), part)
    else:
        off = np.inf
    equal += off <= tolerance
    print("ok" if off <= tolerance else "WRONG", name, f"{off:.6g}", host.shape)
print(f"{equal} of {len(OPERATIONS)} equal on {cv2.ocl.Device.getDefault().name()}")
