"""Asks Leela Zero for its opinion of positions on the device and on the host.

The network is small and random; policies and values of both must agree. Without an argument the
script writes network and games only.
"""

import random
import re
import subprocess
import sys

FILTERS = 16
BLOCKS = 2
INTERSECTIONS = 361
# The program first tries many kernels for its matrix products.
LIMIT = 1500
GAMES = [
    "",
    "play b q16\nplay w d4\nplay b q3\nplay w d16\n",
    "play b c3\nplay w c4\nplay b d4\nplay w d3\nplay b e3\nplay w c2\nplay b b3\nplay w e4\n",
]


def network(path):
    """Writes weights in the program's text format, version 1."""
    numbers = random.Random(6)

    def line(count, size, least=None):
        low = -size if least is None else least
        return " ".join(f"{numbers.uniform(low, size):.5f}" for _ in range(count))

    def convolution(inputs, outputs, window):
        """Weights, biases, means and variances of one layer with its normalisation."""
        size = (2.0 / (inputs * window * window)) ** 0.5
        return [
            line(inputs * outputs * window * window, size),
            line(outputs, 0.1),
            line(outputs, 0.1),
            line(outputs, 1.2, 0.8),
        ]

    lines = ["1"] + convolution(18, FILTERS, 3)
    for _ in range(2 * BLOCKS):
        lines += convolution(FILTERS, FILTERS, 3)
    lines += convolution(FILTERS, 2, 1)
    lines += [line(2 * INTERSECTIONS * (INTERSECTIONS + 1), 0.1), line(INTERSECTIONS + 1, 0.1)]
    lines += convolution(FILTERS, 1, 1)
    lines += [line(INTERSECTIONS * 256, 0.1), line(256, 0.1), line(256, 0.1), line(1, 0.1)]
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")


def opinions(options):
    """Numbers of the policy (per mille for each point) and value of each game's position."""
    script = "".join(f"clear_board\n{game}heatmap\n" for game in GAMES) + "quit\n"
    command = ["/usr/games/leelaz", "-g", "-w", "network.txt", "-t", "1", "--noponder", *options]
    done = subprocess.run(
        command, input=script, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    text = done.stdout + done.stderr
    boards = re.findall(r"((?:^ *(?:\d+ +){18}\d+ *\n){19})pass: (\d+)\s+winrate: ([\d.]+)", text, re.M)
    if len(boards) != len(GAMES):
        print(text[-4000:])
        raise SystemExit(f"WRONG: {len(boards)} opinions of {len(GAMES)} positions")
    device = re.search(r"Selected device: (.*)", text)
    print(f"{' '.join(options)}: {device.group(1) if device else 'no device'}")
    return [
        ([int(word) for word in board.split()] + [int(passing)], float(value))
        for board, passing, value in boards
    ]


network("network.txt")
host = opinions(["--cpu-only"])
device = opinions(["--precision", sys.argv[1]])
wrong = 0
for number, ((policy, value), (expected, chance)) in enumerate(zip(device, host)):
    most = max(abs(a - b) for a, b in zip(policy, expected))
    good = most <= 1 and abs(value - chance) < 1e-3 and max(policy) > 3
    wrong += not good
    print(f"{'ok' if good else 'WRONG'} position {number}: policy {most} per mille, value {abs(value - chance):g}")
print(f"{len(GAMES) - wrong} of {len(GAMES)} positions agree")
