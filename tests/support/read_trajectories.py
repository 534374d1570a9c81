#!/usr/bin/env python3
"""Opens trajectories with a plain h5py.File and checks that everything in them can be read, and that
they are H5MD: read_trajectories.py FILE..."""
import sys

import h5py
import numpy


def check(path):
    with h5py.File(path, "r") as f:
        assert tuple(f["h5md"].attrs["version"]) == (1, 1)
        assert f["h5md/creator"].attrs["name"] == b"jostle"
        seen = []
        f.visititems(lambda name, thing: seen.append(thing[()]) if isinstance(thing, h5py.Dataset) else None)
        if "particles" not in f:
            return 0
        bodies = f["particles/all"]
        assert len(bodies["box"].attrs["boundary"]) == bodies["box"].attrs["dimension"]
        frames = len(bodies["position/step"])
        for name, element in bodies.items():
            if name == "box":
                continue
            assert element["step"] == bodies["position/step"], name
            assert len(element["value"]) >= frames, name
            assert len(element["time"]) >= frames, name
        for k in range(frames):
            count = (bodies["id/value"][k] >= 0).sum()
            assert (bodies["id/value"][k][:count] >= 0).all()
            assert (bodies["radius/value"][k][:count] > 0).all()
            assert (bodies["position/value"][k][:count] != 0).all()
            assert (bodies["position/value"][k][count:] == 0).all()
            assert numpy.isfinite(bodies["position/value"][k]).all()
        for name, observable in f.get("observables", {}).items():
            assert len(observable["value"]) >= len(observable["step"]), name
        return frames


def main():
    total = 0
    for path in sys.argv[1:]:
        try:
            total += check(path)
        except Exception as problem:
            sys.exit(f"{path}: {problem!r}")
    print(f"{len(sys.argv) - 1} files, {total} frames")


main()
