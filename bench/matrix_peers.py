"""Batches of small matrices and solves with many right sides: Weft beside JAX and NumPy, and the distance from NumPy in float64.

usage: matrix_peers.py WEFT DIR [--only TEXT] [--seconds S]      needs numpy; jax where installed
Prints a line for each case: best times, alternating in one run, and the largest normwise error of a matrix's result.
"""
import argparse
import json
import subprocess
import time
from pathlib import Path

import numpy as np

CASES = [("cholesky", dtype, n, 1, count) for dtype in ("float32", "float64")
         for n, count in ((2, 1000000), (3, 300000), (4, 100000), (8, 10000), (16, 10000), (32, 1000), (64, 200), (256, 4), (1024, 1))]
CASES += [("solve", dtype, n, m, count) for dtype in ("float32", "float64")
          for n, m, count in ((2, 1, 1000000), (4, 1, 100000), (8, 1, 100000), (16, 1, 10000), (16, 16, 1000), (32, 4, 1000),
                              (16, 4096, 1), (64, 4096, 1), (64, 32, 64), (128, 2048, 1), (256, 1024, 1), (512, 512, 1), (1024, 64, 1))]
TYPES = {"float32": "f32", "float64": "f64"}


def tensor(shape, dtype):
    return "tensor<" + "x".join(map(str, shape)) + "x" + TYPES[dtype] + ">"


def program(kind, dtype, n, m, count):
    a, b = tensor((count, n, n), dtype), tensor((count, n, m), dtype)
    if kind == "cholesky":
        return f"func.func @main(%a: {a}) -> {a} {{\n  %0 = stablehlo.cholesky %a, lower = true : {a}\n  return %0 : {a}\n}}\n"
    form = "left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>"
    return (f'func.func @main(%a: {a}, %b: {b}) -> {b} {{\n  %0 = "stablehlo.triangular_solve"(%a, %b) {{{form}}} : ({a}, {b}) -> {b}\n'
            f"  return %0 : {b}\n}}\n")


def arguments(kind, dtype, n, m, count):
    rng = np.random.default_rng(1)
    x = rng.standard_normal((count, n, n)) / n ** .5
    a = np.eye(n) + x @ np.swapaxes(x, 1, 2)
    if kind == "cholesky":
        return [a.astype(dtype)]
    return [np.linalg.cholesky(a).astype(dtype), rng.standard_normal((count, n, m)).astype(dtype)]


def timed(f, seconds):
    f()
    times, end = [], time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("weft")
    p.add_argument("folder", type=Path)
    p.add_argument("--only", default="")
    p.add_argument("--seconds", type=float, default=.5)
    p.add_argument("--mode", action="append", default=[], help="arguments for weft bench")
    a = p.parse_args()
    a.folder.mkdir(parents=True, exist_ok=True)
    try:
        import jax
        jax.config.update("jax_enable_x64", True)
    except ImportError:
        jax = None
    for kind, dtype, n, m, count in CASES:
        name = f"{kind} {dtype} n {n} m {m} count {count}"
        if a.only not in name:
            continue
        given = arguments(kind, dtype, n, m, count)
        text, inputs, out = a.folder / "program.mlir", a.folder / "given.npz", a.folder / "out.npz"
        text.write_text(program(kind, dtype, n, m, count))
        np.savez(inputs, **{f"arg{i}": x for i, x in enumerate(given)})
        weft, peers = [], {"numpy": [], "jax": []}
        wide = [x.astype("float64") for x in given]
        expected = np.linalg.cholesky(wide[0]) if kind == "cholesky" else np.linalg.solve(*wide)
        numpy_f = (lambda: np.linalg.cholesky(given[0])) if kind == "cholesky" else (lambda: np.linalg.solve(*given))
        runs = [("numpy", numpy_f)]
        if jax:
            held = [jax.numpy.asarray(x) for x in given]
            f = jax.jit(jax.lax.linalg.cholesky if kind == "cholesky" else lambda a, b: jax.lax.linalg.triangular_solve(a, b, left_side=True, lower=True))
            runs.append(("jax", lambda: f(*held).block_until_ready()))
        for _ in range(2):
            for peer, run in runs:
                peers[peer].append(timed(run, a.seconds))
            done = subprocess.run([a.weft, "bench", str(text), "--input", str(inputs), "--json", "--seconds", str(a.seconds), *a.mode], capture_output=True, text=True)
            weft.append(json.loads(done.stdout)["best_s"] if done.returncode == 0 else float("nan"))
        subprocess.run([a.weft, "run", str(text), "--input", str(inputs), "--out", str(out)], check=True, capture_output=True)
        with np.load(out) as results:
            got = results[results.files[0]].astype("float64")
        axes = (1, 2)
        error = float((np.linalg.norm(got - expected, axis=axes) / np.linalg.norm(expected, axis=axes)).max())
        best = min(weft)
        line = f"{name}: weft {best * 1e3:.4g} ms"
        for peer, times in peers.items():
            if times:
                line += f", {peer} {min(times) * 1e3:.4g} ms ({best / min(times):.3f})"
        print(f"{line}; error {error:.2g}", flush=True)


if __name__ == "__main__":
    main()
