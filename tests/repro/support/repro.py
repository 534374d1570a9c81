"""Runs that are stopped or killed at random moments and resumed, against one that was not.

usage: repro.py stopped|killed PROGRAM SCENE COUNT

Everything a run leaves must be the same: state hash, series.csv, dump, VTP files and run.pvd byte for
byte, trajectory.h5 in every dataset and attribute. REPRO_SEED chooses the moments; it is printed."""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import h5py
import numpy


def contents(path):
    """Every dataset and attribute of an HDF5 file, by name."""
    found = {}

    def visit(name, node):
        for key, value in node.attrs.items():
            found[name + "@" + key] = numpy.asarray(value)
        if isinstance(node, h5py.Dataset):
            found[name] = node[()]

    with h5py.File(path, "r") as file:
        visit("/", file)
        file.visititems(visit)
    return found


def same_contents(a, b):
    if sorted(a) != sorted(b):
        return "names differ: %s" % sorted(set(a) ^ set(b))
    for name in a:
        x, y = numpy.asarray(a[name]), numpy.asarray(b[name])
        if x.shape != y.shape or x.dtype != y.dtype:
            return "%s: %s %s and %s %s" % (name, x.shape, x.dtype, y.shape, y.dtype)
        if x.dtype.kind == "O":
            if not (x == y).all():
                return name
        elif x.tobytes() != y.tobytes():
            return name
    return None


def plain_files(folder):
    """What must be the same byte for byte; run.json has times, HDF5 has its own order."""
    files = {}
    for place, _, names in os.walk(folder):
        for name in names:
            if name in ("run.json", "trajectory.h5", "checkpoint.h5"):
                continue
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                files[os.path.relpath(path, folder)] = file.read()
    return files


class Bench:
    def __init__(self, program, scene):
        self.program, self.scene = program, scene
        self.work = tempfile.mkdtemp()
        self.reference = os.path.join(self.work, "reference")
        begin = time.time()
        self.hash = self.finish(self.start(self.reference))["state_hash"]
        self.seconds = time.time() - begin
        self.files = plain_files(self.reference)
        self.trajectory = contents(os.path.join(self.reference, "trajectory.h5"))
        assert len(self.files["series.csv"].splitlines()) > 20, "the scene writes too little to tell"

    def command(self, *words):
        return subprocess.Popen([self.program, *words, "--json"], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True,
                                preexec_fn=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL))

    def start(self, folder):
        threads = str(random.choice([1, 2, 3]))
        return self.command("run", self.scene, "--out", folder, "--threads", threads)

    def resume(self, folder):
        threads = str(random.choice([1, 2, 3]))
        return self.command("resume", os.path.join(folder, "checkpoint.h5"), "--threads", threads)

    def finish(self, run):
        out, err = run.communicate(timeout=120)
        assert run.returncode == 0, "exit code %d: %s" % (run.returncode, err)
        return json.loads(out.splitlines()[-1])

    def compare(self, folder, state_hash):
        assert state_hash == self.hash, "state %s is not %s" % (state_hash, self.hash)
        files = plain_files(folder)
        assert sorted(files) == sorted(self.files), sorted(set(files) ^ set(self.files))
        for name in files:
            assert files[name] == self.files[name], name + " differs"
        wrong = same_contents(contents(os.path.join(folder, "trajectory.h5")), self.trajectory)
        assert wrong is None, "trajectory.h5: " + wrong


def stop(bench, run, folder):
    """Sends SIGTERM at a random moment; the object that the run ends with."""
    time.sleep(random.random() * bench.seconds)
    run.send_signal(signal.SIGTERM)
    out, err = run.communicate(timeout=60)
    if run.returncode == 0:
        return json.loads(out.splitlines()[-1])
    assert run.returncode == -signal.SIGTERM, "exit code %d: %s" % (run.returncode, err)
    if not os.path.exists(os.path.join(folder, "checkpoint.h5")):
        assert not os.path.exists(folder), "a folder without a checkpoint"
        return None
    if not out:  # a resumed run that was stopped before it went on: all is as it was
        return {"status": "interrupted"}
    assert "jostle resume" in err or "complete" in out, err
    return json.loads(out.splitlines()[-1])


def stopped(bench, folder):
    last = stop(bench, bench.start(folder), folder)
    times = 1
    if last is None:  # before it began
        last = bench.finish(bench.start(folder))
    while last["status"] == "interrupted" and random.random() < 0.3:
        last = stop(bench, bench.resume(folder), folder)
        times += 1
        if last is None:
            break
    last = bench.finish(bench.resume(folder))
    bench.compare(folder, last["state_hash"])
    return times


def check_killed(folder):
    """What a killed run left can be read, as far as it goes."""
    if not os.path.isdir(folder):
        return False
    trajectory = os.path.join(folder, "trajectory.h5")
    if os.path.exists(trajectory) and os.path.getsize(trajectory) > 0:
        assert contents(trajectory)
    checkpoint = os.path.join(folder, "checkpoint.h5")
    if os.path.exists(checkpoint):
        assert contents(checkpoint)
        return True
    left = [name for name in os.listdir(folder) if ".tmp" not in name]
    assert not left, "files without a checkpoint: %s" % left
    return False


def killed(bench, folder):
    run = bench.start(folder)
    times = 0
    while True:
        time.sleep(random.random() * bench.seconds)
        run.kill()
        run.communicate(timeout=60)
        times += 1
        run = bench.resume(folder) if check_killed(folder) else bench.start(folder)
        if random.random() < 0.6:
            break
    bench.compare(folder, bench.finish(run)["state_hash"])
    return times


def main():
    how, program, scene, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    seed = int(os.environ.get("REPRO_SEED", time.time_ns() % 1000000))
    random.seed(seed)
    print("REPRO_SEED=%d" % seed)
    bench = Bench(program, scene)
    times = 0
    try:
        while times < count:
            folder = os.path.join(bench.work, "run")
            times += stopped(bench, folder) if how == "stopped" else killed(bench, folder)
            shutil.rmtree(folder)
    finally:
        if sys.exc_info()[0] is None:
            shutil.rmtree(bench.work)
        else:
            print("after %d times; see %s" % (times, bench.work))
    print("%s %d times, always the same in the end (a run takes %.2f s)" % (how, times, bench.seconds))


main()
