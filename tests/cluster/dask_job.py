"""Collatz sequences on Dask's workers, each a process with a device of its own: the same answer as one
device here, and as NumPy."""

import os
import sys

import numpy as np

WORKERS, PARTS, COUNT = 2, 16, 4096
_device = None


def part(first):
    """One part of the work, on the worker's device."""
    global _device
    import pumice_work

    if _device is None:
        _device = pumice_work.Device()
    return os.getpid(), _device.collatz(first, COUNT)


if __name__ == "__main__":
    import pumice_work
    from distributed import Client, LocalCluster

    firsts = [1 + i * COUNT for i in range(PARTS)]
    with LocalCluster(n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            addresses = list(client.scheduler_info()["workers"])
            # Each worker has its parts, so that all of them take part.
            futures = [
                client.submit(part, first, workers=[addresses[i % WORKERS]], pure=False)
                for i, first in enumerate(firsts)
            ]
            answers = client.gather(futures)
    processes = {pid for pid, _ in answers}
    steps = np.concatenate([steps for _, steps in answers])
    local = pumice_work.Device().collatz(1, PARTS * COUNT)
    host = pumice_work.collatz_on_host(1, PARTS * COUNT)
    right = np.array_equal(steps, local) and np.array_equal(steps, host)
    print(f"{len(processes)} workers, {steps.size} values, most steps {steps.max()}, right {right}")
    sys.exit(0 if right and len(processes) == WORKERS and os.getpid() not in processes else 1)
