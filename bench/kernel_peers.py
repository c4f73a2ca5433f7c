#!/usr/bin/env python3
"""Kernels that are not contractions: Weft, ahead-of-time compiled from what JAX exports, beside JAX on the same arrays.

usage: bench/kernel_peers.py [--weft build/weft] [--group NAME] [--only TEXT] [--seconds 0.5] [--list]

One line per problem: median time of each in microseconds, Weft's time divided by JAX's (below 1: Weft is faster) for medians and
for least times, and the bandwidth of Weft over what must be read and written. Results are compared with JAX's first. The two take
turns call by call, so that both meet the same load of the machine. The rows that are slower come once more in the end.
"""
import argparse
import ctypes
import os
import subprocess
import tempfile
import time
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import jax.numpy as jnp
import numpy as np
from kernel_problems import PROBLEMS, make


class Compiled:

    def __init__(self, weft, folder, number, text, results):
        source, library = folder / f"p{number}.mlir", folder / f"p{number}.so"
        source.write_text(text)
        subprocess.run([weft, "build", source, "-o", library], check=True, capture_output=True)
        lib = ctypes.CDLL(str(library))
        self.call, self.results = lib.main, results
        lib.main_workspace_bytes.restype = ctypes.c_size_t
        size = lib.main_workspace_bytes()
        self.memory = np.zeros(size + 64, np.uint8)
        self.workspace = ctypes.c_void_p((self.memory.ctypes.data + 63) // 64 * 64)
        self.workspace_bytes = size
        self.addresses = (ctypes.c_void_p * len(results))(*(r.ctypes.data for r in results))

    def bind(self, inputs):
        self.inputs = inputs
        pointers = (ctypes.c_void_p * len(inputs))(*(x.ctypes.data for x in inputs))

        def run():
            if self.call(pointers, self.addresses, self.workspace) != 0:
                raise RuntimeError("the compiled program failed")

        return run


def seconds(call, count):
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def compare(ours, theirs):
    """Largest error relative to the largest value."""
    if ours.dtype.kind in "iub" or not ours.size:
        return 0.0 if np.array_equal(ours, theirs) else np.inf
    wide = np.complex128 if ours.dtype.kind == "c" else np.float64
    a, b = ours.astype(wide), theirs.astype(wide)
    return float(np.max(np.abs(a - b), initial=0) / (np.max(np.abs(b), initial=0) + 1e-30))


def measure(options, folder, number, name, specs, f, tolerance):
    """Least and median times of both in microseconds, what must be read and written in bytes, workspace, distance; or why not."""
    random = np.random.default_rng(0)
    inputs = [make(s, random) for s in specs]
    on_device = [jnp.asarray(x) for x in inputs]
    jitted = jax.jit(f, keep_unused=True)  # an argument each
    wanted = [np.asarray(r) for r in jax.tree.leaves(jitted(*on_device))]
    results = [np.empty(r.shape, r.dtype) for r in wanted]
    try:
        compiled = Compiled(options.weft, folder, number, jitted.lower(*on_device).as_text(), results)
    except subprocess.CalledProcessError as e:
        return "does not compile: " + e.stderr.decode().strip().splitlines()[0]
    ours = compiled.bind([np.ascontiguousarray(x) for x in inputs])
    theirs = lambda: jax.block_until_ready(jitted(*on_device))
    ours()
    error = max(compare(a, b) for a, b in zip(results, wanted))
    count = max(1, int(0.001 / max(seconds(ours, 1), 1e-7)))
    count_theirs = max(1, int(0.001 / max(seconds(theirs, 1), 1e-7)))
    mine, peer, stop = [], [], time.perf_counter() + options.seconds
    while len(mine) < 5 or time.perf_counter() < stop:
        mine.append(seconds(ours, count) * 1e6)
        peer.append(seconds(theirs, count_theirs) * 1e6)
    traffic = sum(x.nbytes for x in inputs) + sum(r.nbytes for r in results)
    note = "" if error <= tolerance else f"   DIFFERS by {error:.1e}"
    return min(mine), min(peer), np.median(mine), np.median(peer), traffic, compiled.workspace_bytes, note


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--weft", default="build/weft")
    options.add_argument("--group", default="")
    options.add_argument("--only", default="")
    options.add_argument("--seconds", type=float, default=0.5, help="for each problem")
    options.add_argument("--list", action="store_true")
    options.add_argument("--keep", default="", help="a folder for the exported programs")
    options = options.parse_args()
    slow = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.keep or temporary)
        folder.mkdir(exist_ok=True)
        for number, (group, name, specs, f, tolerance) in enumerate(PROBLEMS):
            if options.group not in group or options.only not in name:
                continue
            label = f"{number:3} {group:9} {name:48}"
            if options.list:
                print(label)
                continue
            with jax.enable_x64("64 " in name + " " and "t64" in name):
                r = measure(options, folder, number, name, specs, f, tolerance)
            if isinstance(r, str):
                print(label, r, flush=True)
                slow.append((np.inf, label))
                continue
            least, peer_least, median, peer_median, traffic, workspace, note = r
            # Both must say so: a busy machine moves either.
            ratio = min(least / peer_least, median / peer_median)
            print(f"{label} {median:10.1f} {peer_median:10.1f}  {median / peer_median:6.2f} {least / peer_least:6.2f}  "
                  f"{traffic / least / 1e3:6.1f} GB/s  workspace {workspace / 1e6:.1f} MB{note}", flush=True)
            if ratio > 1.15 or note:
                slow.append((ratio, label + note))
    print(f"{len(slow)} rows are slower than 1.15 times the peer or differ:")
    for ratio, label in sorted(slow, reverse=True):
        print(f"  {ratio:6.2f} {label}")


if __name__ == "__main__":
    main()
