"""Filters and labelling of pyclesperanto against SciPy on the host."""

import numpy as np
import pyclesperanto as cle
from scipy import ndimage

cle.select_device("")
image = np.random.default_rng(3).random((64, 96)).astype(np.float32)
checks = {
    "gaussian_blur": (cle.gaussian_blur(image, sigma_x=2, sigma_y=2), ndimage.gaussian_filter(image, 2), 1e-2),
    "mean_box": (cle.mean_box(image, radius_x=1, radius_y=1), ndimage.uniform_filter(image, 3, mode="nearest"), 1e-4),
    "maximum_box": (cle.maximum_box(image, radius_x=2, radius_y=2), ndimage.maximum_filter(image, 5, mode="nearest"), 0),
}
wrong = 0
for name, (got, expected, tolerance) in checks.items():
    off = np.abs(np.asarray(cle.pull(got)) - expected)[4:-4, 4:-4].max()
    wrong += off > tolerance
    print("ok" if off <= tolerance else "WRONG", name, off)
mask = ndimage.gaussian_filter(image, 3) > 0.5
labels = np.asarray(cle.pull(cle.connected_components_labeling(mask.astype(np.float32)))).max()
expected = ndimage.label(mask, structure=np.ones((3, 3)))[1]
wrong += labels != expected
print("ok" if labels == expected else "WRONG", "labels", labels, expected)
print(f"{wrong} wrong")
