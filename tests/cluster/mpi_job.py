"""A stencil over the ranks of MPI, each a process with a device of its own, with exchange of edges: the
same answer as one device, and as NumPy."""

import sys

import numpy as np
from mpi4py import MPI

import pumice_work

HEIGHT, WIDTH, ROUNDS = 192, 256, 30


def run(device, rows, exchange):
    """The rows after all rounds; `exchange` swaps the edges of a grid with the neighbours."""
    height = rows.shape[0] - 2
    grids = [device.grid(rows), device.grid(rows)]
    for turn in range(ROUNDS):
        old, new = grids[turn % 2], grids[(turn + 1) % 2]
        device.relax(old, new, WIDTH, height)
        exchange(new, height)
    result = np.empty((height, WIDTH), np.uint32)
    for row in range(height):
        device.read_row(grids[ROUNDS % 2], row + 1, result[row])
    return result


if __name__ == "__main__":
    world = MPI.COMM_WORLD
    rank, size = world.Get_rank(), world.Get_size()
    device = pumice_work.Device()
    grid = pumice_work.start_grid(HEIGHT, WIDTH)
    first, end = HEIGHT * rank // size, HEIGHT * (rank + 1) // size

    def exchange(new, height):
        """Sends the first and the last row, and receives those of the neighbours."""
        row, got = np.empty(WIDTH, np.uint32), np.empty(WIDTH, np.uint32)
        for mine, theirs, to, origin in [
            (1, height + 1, rank - 1, rank + 1),
            (height, 0, rank + 1, rank - 1),
        ]:
            device.read_row(new, mine, row)
            to = to if 0 <= to < size else MPI.PROC_NULL
            origin = origin if 0 <= origin < size else MPI.PROC_NULL
            world.Sendrecv(row, dest=to, recvbuf=got, source=origin)
            if origin != MPI.PROC_NULL:
                device.write_row(new, theirs, got)

    strip = run(device, grid[first : end + 2], exchange)
    strips = world.gather(strip)
    right = True
    if rank == 0:
        together = np.concatenate(strips)
        local = run(device, grid, lambda new, height: None)
        host = pumice_work.relax_on_host(grid, ROUNDS)[1:-1]
        right = size > 1 and np.array_equal(together, local) and np.array_equal(together, host)
        print(f"{size} ranks, {together.size} values, right {right}")
    sys.exit(0 if world.bcast(right) else 1)
