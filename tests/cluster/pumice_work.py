"""Work for the engines: kernels on Pumice's first device, and the same on the host with NumPy."""

import numpy as np
import pyopencl as cl

SOURCE = """
kernel void collatz(ulong first, global uint *steps)
{
    ulong n = first + get_global_id(0);
    uint count = 0;
    while (n > 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        count++;
    }
    steps[get_global_id(0)] = count;
}

kernel void relax(global const uint *from, global uint *to, uint width)
{
    size_t x = get_global_id(0), y = get_global_id(1) + 1, at = y * width + x;
    uint west = x ? from[at - 1] : 0, east = x + 1 < width ? from[at + 1] : 0;
    to[at] = (west + east + from[at - width] + from[at + width] + 4 * from[at]) >> 3;
}
"""


class Device:
    """Pumice's first device, with a queue and the built kernels."""

    def __init__(self):
        platform = next(p for p in cl.get_platforms() if p.name == "Pumice")
        self.context = cl.Context(platform.get_devices()[:1])
        self.queue = cl.CommandQueue(self.context)
        self.program = cl.Program(self.context, SOURCE).build()
        self.collatz_kernel = cl.Kernel(self.program, "collatz")
        self.relax_kernel = cl.Kernel(self.program, "relax")

    def collatz(self, first, count):
        """The steps of the Collatz sequences of `count` numbers."""
        result = np.empty(count, np.uint32)
        memory = cl.Buffer(self.context, cl.mem_flags.WRITE_ONLY, result.nbytes)
        self.collatz_kernel(self.queue, (count,), None, np.uint64(first), memory)
        cl.enqueue_copy(self.queue, result, memory)
        return result

    def grid(self, rows):
        """A buffer with the rows."""
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        return cl.Buffer(self.context, flags, hostbuf=np.ascontiguousarray(rows))

    def relax(self, old, new, width, height):
        """The next generation of the inner rows."""
        self.relax_kernel(self.queue, (width, height), None, old, new, np.uint32(width))

    def read_row(self, grid, row, into):
        """Copies one row to the host."""
        cl.enqueue_copy(self.queue, into, grid, src_offset=row * into.nbytes)

    def write_row(self, grid, row, values):
        """Copies one row to the device."""
        cl.enqueue_copy(self.queue, grid, values, dst_offset=row * values.nbytes)


def collatz_on_host(first, count):
    """The same by NumPy."""
    n = np.arange(first, first + count, dtype=np.uint64)
    steps = np.zeros(count, np.uint32)
    while (active := n > 1).any():
        n = np.where(active, np.where(n % 2 == 1, 3 * n + 1, n // 2), n)
        steps += active
    return steps


def start_grid(height, width):
    """A grid with a row of zeros above and below."""
    y, x = np.mgrid[0:height, 0:width].astype(np.uint32)
    rows = np.zeros((height + 2, width), np.uint32)
    rows[1:-1] = (x * np.uint32(2654435761) ^ y * np.uint32(40503)) & np.uint32(0xFFFFFF)
    return rows


def relax_on_host(rows, rounds):
    """The generation after `rounds` by NumPy."""
    for _ in range(rounds):
        west, east = np.zeros_like(rows), np.zeros_like(rows)
        west[:, 1:], east[:, :-1] = rows[:, :-1], rows[:, 1:]
        new = rows.copy()
        new[1:-1] = (west[1:-1] + east[1:-1] + rows[:-2] + rows[2:] + 4 * rows[1:-1]) >> 3
        rows = new
    return rows
