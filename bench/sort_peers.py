#!/usr/bin/env python3
"""Sorts of Weft, ahead-of-time compiled, beside NumPy's and (where installed) JAX's on the same arrays.

usage: bench/sort_peers.py [--weft build/weft] [--repeats 15] [--jax]

Prints one line per problem: best time of each in microseconds, and the peer's time divided by Weft's (above 1: Weft is
faster). The results are compared with NumPy's stable sort first. Weft writes into results that the caller holds, as np.sort
into a new array; NumPy runs on one thread.
"""
import argparse
import ctypes
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

MLIR = {np.dtype("float32"): "f32", np.dtype("int32"): "i32", np.dtype("float64"): "f64", np.dtype("int64"): "i64"}


def sort_text(shape, dtype, with_positions, take=None):
    """Ascending along the last dimension; floats as jax.numpy.sort does, positions as jax.numpy.argsort."""
    element = MLIR[np.dtype(dtype)]
    dims = "x".join(map(str, shape))
    full, last = f"tensor<{dims}x{element}>", len(shape) - 1
    order = "TOTALORDER" if element[0] == "f" else "SIGNED"
    if take is not None:
        kept = "x".join(map(str, (*shape[:-1], take)))
        results = f"tensor<{kept}x{element}>, tensor<{kept}xi32>"
        return (f"func.func @main(%x: {full}) -> ({results}) {{\n"
                f"  %v, %i = chlo.top_k(%x, k = {take}) : {full} -> ({results})\n  return %v, %i : {results}\n}}\n")
    where = f"tensor<{dims}xi32>"
    types = f"{full}, {where}" if with_positions else full
    params = f"%a: tensor<{element}>, %b: tensor<{element}>" + (", %c: tensor<i32>, %d: tensor<i32>" if with_positions else "")
    result = f"{where}" if with_positions else full
    return (f"func.func @main(%x: {full}) -> {result} {{\n"
            + (f"  %i = stablehlo.iota dim = {last} : {where}\n" if with_positions else "")
            + f"  %r{':2' if with_positions else ''} = \"stablehlo.sort\"(%x{', %i' if with_positions else ''}) "
            f"<{{dimension = {last} : i64, is_stable = true}}> ({{\n  ^bb0({params}):\n"
            f"    %p = stablehlo.compare LT, %a, %b, {order} : (tensor<{element}>, tensor<{element}>) -> tensor<i1>\n"
            f"    stablehlo.return %p : tensor<i1>\n  }}) : ({types}) -> ({types})\n"
            f"  return %r{'#1' if with_positions else ''} : {result}\n}}\n")


class Compiled:
    def __init__(self, weft, folder, name, text, results):
        source, library = folder / f"{name}.mlir", folder / f"{name}.so"
        source.write_text(text)
        subprocess.run([weft, "build", source, "-o", library], check=True)
        self.call = ctypes.CDLL(str(library)).main
        self.results = results
        self.pointers = {}
        self.addresses = (ctypes.c_void_p * len(results))(*(r.ctypes.data for r in results))

    def __call__(self, x):
        # Taking the address of an array costs more than a short sort.
        pointer = self.pointers.get(id(x))
        if pointer is None:
            pointer = self.pointers[id(x)] = (ctypes.c_void_p * 1)(x.ctypes.data)
        if self.call(pointer, self.addresses, None) != 0:
            raise RuntimeError("the compiled sort failed")
        return self.results


def best(call, repeats):
    for _ in range(2):
        call()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times) * 1e6


def report(what, ours, peers):
    line = f"{what:34} {ours:10.1f}"
    for name, t in peers.items():
        line += f"   {name} {t:.1f} ({t / ours:.2f}x)"
    print(line, flush=True)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--weft", default="build/weft")
    options.add_argument("--repeats", type=int, default=15)
    options.add_argument("--jax", action="store_true")
    options = options.parse_args()
    if options.jax:
        import jax
    random = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for shape in [(1000,), (1000000,), (1000, 1000)]:
            for dtype in ["float32", "int32"]:
                x = random.standard_normal(shape).astype(dtype) if dtype == "float32" else random.integers(
                    -2**31, 2**31, shape, dtype)
                name = f"{'x'.join(map(str, shape))} {dtype}"
                repeats = options.repeats * (50 if x.size < 10000 else 1)

                ours = Compiled(options.weft, folder, f"sort_{len(shape)}_{x.size}_{dtype}", sort_text(shape, dtype, False),
                                [np.empty_like(x)])
                assert np.array_equal(ours(x)[0], np.sort(x, kind="stable")), name
                peers = {"np.sort quick": best(lambda: np.sort(x), repeats),
                         "np.sort stable": best(lambda: np.sort(x, kind="stable"), repeats)}
                if options.jax:
                    f, y = jax.jit(jax.numpy.sort), jax.numpy.asarray(x)
                    peers["jax"] = best(lambda: f(y).block_until_ready(), max(3, repeats // 5))
                report("sort " + name, best(lambda: ours(x), repeats), peers)

                ours = Compiled(options.weft, folder, f"argsort_{len(shape)}_{x.size}_{dtype}",
                                sort_text(shape, dtype, True), [np.empty(shape, np.int32)])
                assert np.array_equal(ours(x)[0], np.argsort(x, kind="stable")), name
                peers = {"np.argsort quick": best(lambda: np.argsort(x), repeats),
                         "np.argsort stable": best(lambda: np.argsort(x, kind="stable"), repeats)}
                if options.jax:
                    f = jax.jit(jax.numpy.argsort)
                    peers["jax"] = best(lambda: f(y).block_until_ready(), max(3, repeats // 5))
                report("argsort " + name, best(lambda: ours(x), repeats), peers)

                k = 10
                kept = (*shape[:-1], k)
                ours = Compiled(options.weft, folder, f"top_{len(shape)}_{x.size}_{dtype}", sort_text(shape, dtype, False, k),
                                [np.empty(kept, dtype), np.empty(kept, np.int32)])
                assert np.array_equal(ours(x)[0], np.sort(x, kind="stable")[..., ::-1][..., :k]), name
                peers = {"np.partition": best(lambda: np.partition(x, x.shape[-1] - k), repeats)}
                if options.jax:
                    f = jax.jit(lambda v: jax.lax.top_k(v, k))
                    peers["jax"] = best(lambda: jax.block_until_ready(f(y)), max(3, repeats // 5))
                report(f"top {k} of " + name, best(lambda: ours(x), repeats), peers)


if __name__ == "__main__":
    main()
