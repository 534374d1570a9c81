"""The contacts of a CSV file by the definition, with nothing of jostle's: count and hash.

usage: reference.py FILE.csv [EDGE AXES]     a periodic box [0, EDGE) on AXES, letters of xyz
Small files only: all pairs, and all images of each pair.
"""
import itertools
import sys

MASK = (1 << 64) - 1


def splitmix64(z):
    z = (z + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def read(path):
    rows = []
    with open(path) as lines:
        for line in lines:
            fields = line.strip().split(",")
            try:
                rows.append([float(f) for f in fields])
            except ValueError:  # the header, a comment, an empty line
                continue
    return rows


def main():
    rows = read(sys.argv[1])
    edge = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
    axes = sys.argv[3] if len(sys.argv) > 3 else ""
    dim = len(rows[0]) - 1 if rows else 3
    shifts = list(itertools.product(*[(-edge, 0.0, edge) if "xyz"[a] in axes else (0.0,) for a in range(dim)]))
    count = total = 0
    for i, p in enumerate(rows):
        for j in range(i + 1, len(rows)):
            q = rows[j]
            reach = (p[dim] + q[dim]) ** 2
            for shift in shifts:
                if reach - sum((p[a] - q[a] + shift[a]) ** 2 for a in range(dim)) >= 0:
                    count += 1
                    total = (total + splitmix64(i << 32 | j)) & MASK
                    break
    print(count, f"{total:016x}")


main()
