"""Sends light through a cube of tissue with MCX-CL; a plain simulation in NumPy tells what must be absorbed.

Both draw photons at random, so that they agree within a few standard deviations.
"""

import numpy
import pmcxcl

SIDE = 30
# Absorption and scattering per millimetre, anisotropy.
ABSORBS, SCATTERS, G = 0.02, 1.0, 0.6
PHOTONS = 40000


def on_host():
    """The part of all energy that each layer of a millimetre absorbs."""
    draws = numpy.random.default_rng(4)
    at = numpy.tile([SIDE / 2, SIDE / 2, 0.0], (PHOTONS, 1))
    way = numpy.tile([0.0, 0.0, 1.0], (PHOTONS, 1))
    layers = numpy.zeros(SIDE)
    while len(at):
        at = at + way * draws.exponential(1 / (ABSORBS + SCATTERS), (len(at), 1))
        inside = ((at >= 0) & (at < SIDE)).all(1)
        at, way = at[inside], way[inside]
        absorbed = draws.random(len(at)) < ABSORBS / (ABSORBS + SCATTERS)
        numpy.add.at(layers, at[absorbed, 2].astype(int), 1 / PHOTONS)
        at, way = at[~absorbed], way[~absorbed]
        # The angle by Henyey and Greenstein.
        part = (1 - G * G) / (1 - G + 2 * G * draws.random(len(at)))
        cosine = (1 + G * G - part * part) / (2 * G)
        sine = numpy.sqrt(numpy.maximum(0, 1 - cosine * cosine))
        turn = draws.uniform(0, 2 * numpy.pi, len(at))
        helper = numpy.where(abs(way[:, 2:]) < 0.9, [[0.0, 0.0, 1.0]], [[1.0, 0.0, 0.0]])
        across = numpy.cross(way, helper)
        across /= numpy.linalg.norm(across, axis=1, keepdims=True)
        other = numpy.cross(way, across)
        sideways = numpy.cos(turn)[:, None] * across + numpy.sin(turn)[:, None] * other
        way = way * cosine[:, None] + sideways * sine[:, None]
    return layers


def on_device():
    tissue = [ABSORBS, SCATTERS, G, 1.0]
    result = pmcxcl.run(
        {
            "nphoton": PHOTONS,
            "vol": numpy.ones([SIDE] * 3, dtype="uint8"),
            "tstart": 0,
            "tend": 5e-9,
            "tstep": 5e-9,
            "srcpos": [SIDE / 2, SIDE / 2, 0],
            "srcdir": [0, 0, 1],
            "prop": numpy.array([[0, 0, 1, 1], tissue]),
            "isreflect": 0,
            "issrcfrom0": 1,
            "issavedet": 0,
            "seed": 29012392,
            "gpuid": 1,
            "outputtype": "energy",
            # The kernels use atomics of OpenCL C 2.0 where a device has those of floats.
            "compileropt": "-cl-std=CL3.0",
        }
    )
    return result["flux"].squeeze().sum((0, 1))


host, device = on_host(), on_device()
# Of PHOTONS independent ones; both sides vary.
spread = numpy.sqrt(2 * host / PHOTONS)
off = abs(device - host) / numpy.maximum(spread, 1e-4)
print(f"absorbed: device {device.sum():.4f}, host {host.sum():.4f}")
print(f"layers: at most {off.max():.1f} deviations apart")
total = abs(device.sum() - host.sum()) / numpy.sqrt(2 * host.sum() / PHOTONS)
good = off.max() < 5 and total < 5 and host.sum() > 0.2
print("layers agree" if good else "WRONG")
