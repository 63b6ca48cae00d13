"""Trains gradient-boosted trees on the device and on the host: the predictions must agree.

LightGBM's device trainer builds its histograms in kernels of Boost.Compute and of its own, with
atomics in local memory.
"""

import lightgbm
import numpy


def data(classes):
    """Features that trees can split well, and labels; the same at each run."""
    random = numpy.random.default_rng(7)
    features = random.normal(size=(6000, 24)).astype(numpy.float32)
    # Few values, so that bins of different kernels are used.
    features[:, :4] = numpy.round(features[:, :4] * 2)
    score = features[:, 0] * 2 + features[:, 5] * features[:, 6] - features[:, 9] ** 2
    if classes == 0:
        return features, score
    cuts = numpy.quantile(score, numpy.arange(1, classes) / classes)
    return features, numpy.searchsorted(cuts, score)


def train(device, objective, classes, bins):
    features, labels = data(classes)
    parameters = {
        "objective": objective,
        "device_type": device,
        "gpu_platform_id": 0,
        "gpu_device_id": 0,
        # Sums in double precision, as on the host.
        "gpu_use_dp": True,
        "max_bin": bins,
        "num_leaves": 15,
        "learning_rate": 0.2,
        "num_threads": 2,
        "deterministic": True,
        "verbose": 1 if device == "gpu" else -1,
    }
    if objective == "multiclass":
        parameters["num_class"] = classes
    booster = lightgbm.train(parameters, lightgbm.Dataset(features, labels), num_boost_round=8)
    return booster.predict(features)


CASES = [
    ("regression", 0, 15),
    ("regression", 0, 63),
    ("regression", 0, 255),
    ("binary", 2, 63),
    ("multiclass", 3, 63),
]
wrong = 0
for objective, classes, bins in CASES:
    host = train("cpu", objective, classes, bins)
    device = train("gpu", objective, classes, bins)
    difference = float(numpy.abs(host - device).max())
    # Predictions are of the size 1; another split shows as 1e-2 and more.
    good = difference < 1e-4 and float(numpy.ptp(device)) > 0.1
    wrong += not good
    print(f"{'ok' if good else 'WRONG'} {objective} with {bins} bins: {difference:g}", flush=True)
print(f"{len(CASES) - wrong} of {len(CASES)} agree")
