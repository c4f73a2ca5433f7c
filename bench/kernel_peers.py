#!/usr/bin/env python3
"""Kernels that are not contractions: Weft, ahead-of-time compiled from what JAX exports, beside JAX on the same arrays.

usage: bench/kernel_peers.py [--weft build/weft] [--group NAME] [--only TEXT] [--seconds 1] [--list]

One line per problem: best time of each in microseconds, JAX's time divided by Weft's (above 1: Weft is faster), and the
bandwidth of Weft over what must be read and written. Results are compared with JAX's first. The two take turns
call by call, so that both meet the same load of the machine.
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
from jax import lax

PROBLEMS = []


def problem(group, name, inputs, tolerance=2e-5):
    """Registers a function of `inputs`: shapes (floats), (shape, dtype) or arrays made by a function of the generator."""

    def register(f):
        PROBLEMS.append((group, name, inputs, f, tolerance))
        return f

    return register


def make(spec, random):
    if callable(spec):
        return spec(random)
    if spec and isinstance(spec[0], tuple):
        shape, dtype = spec
        return random.standard_normal(shape, np.float32).astype(dtype)
    return random.standard_normal(spec, np.float32)


def chain(x):
    a = x * 0.5 + 0.1
    b = jnp.tanh(a)
    c = jnp.exp(-(b * b))
    d = jnp.log(c + 1.5)
    e = d * b + a
    f = e * e - d
    g = jnp.sqrt(f * f + 1.0)
    return g / (1.0 + jnp.abs(e))


problem("chain", "chain of w06, 2^24, array", [(1 << 24,)])(chain)
problem("chain", "chain of w06, 2^24, sum", [(1 << 24,)])(lambda x: chain(x).sum())
problem("chain", "x + y, 2^24", [(1 << 24,), (1 << 24,)])(lambda x, y: x + y)
problem("chain", "x * 2, 2^22", [(1 << 22,)])(lambda x: x * 2)

for dtype in ["float32", "bfloat16", "float16"]:
    for f in ["exp", "log", "tanh", "sin", "logistic", "erf", "log1p", "expm1", "cbrt", "rsqrt"]:
        g = getattr(jnp, f) if hasattr(jnp, f) else getattr(lax, f)
        if dtype == "float32" or f in ("exp", "tanh"):
            problem("math", f"{f} {dtype}, 2^20", [((1 << 20,), dtype)], 1e-5 if dtype == "float32" else 2e-2)(
                lambda x, g=g: g(jnp.abs(x) + 0.1))
problem("math", "pow float32, 2^20", [(1 << 20,), (1 << 20,)])(lambda x, y: jnp.abs(x)**y)
problem("math", "atan2 float32, 2^20", [(1 << 20,), (1 << 20,)])(jnp.arctan2)
problem("math", "erf_inv float32, 2^20", [(1 << 20,)], 1e-4)(lambda x: lax.erf_inv(jnp.tanh(x)))
problem("math", "lgamma float32, 2^20", [(1 << 20,)], 1e-4)(lambda x: lax.lgamma(jnp.abs(x) + 0.5))
problem("math", "digamma float32, 2^20", [(1 << 20,)], 1e-3)(lambda x: lax.digamma(jnp.abs(x) + 0.5))

for rows, n in [(100000, 10), (20000, 128), (4000, 1000), (80, 50000)]:
    shape = (rows, n)
    problem("rows", f"softmax {rows} x {n}", [shape])(lambda x: jax.nn.softmax(x, -1))
    problem("rows", f"log_softmax {rows} x {n}", [shape])(lambda x: jax.nn.log_softmax(x, -1))
    problem("rows", f"cross entropy {rows} x {n}", [shape, lambda r, s=shape: r.integers(0, s[1], s[0]).astype(np.int32)])(
        lambda x, y: -jnp.take_along_axis(jax.nn.log_softmax(x, -1), y[:, None], 1).mean())


def layer_norm(x, g, b):
    m = x.mean(-1, keepdims=True)
    v = ((x - m)**2).mean(-1, keepdims=True)
    return (x - m) * lax.rsqrt(v + 1e-5) * g + b


for rows, n in [(20000, 128), (4096, 768)]:
    problem("rows", f"layer norm {rows} x {n}", [(rows, n), (n,), (n,)])(layer_norm)
    problem("rows", f"layer norm gradient {rows} x {n}", [(rows, n), (n,), (n,), (rows, n)], 1e-4)(
        lambda x, g, b, t: jax.grad(lambda x, g, b: (layer_norm(x, g, b) * t).sum(), (0, 1, 2))(x, g, b))
    problem("rows", f"softmax gradient {rows} x {n}", [(rows, n), (rows, n)], 1e-4)(
        lambda x, t: jax.grad(lambda x: (jax.nn.softmax(x, -1) * t).sum())(x))


def batch_norm(x, g, b):
    m = x.mean((0, 1, 2))
    v = ((x - m)**2).mean((0, 1, 2))
    return (x - m) * lax.rsqrt(v + 1e-5) * g + b


problem("rows", "batch norm 32 x 56 x 56 x 64", [(32, 56, 56, 64), (64,), (64,)], 1e-4)(batch_norm)
problem("rows", "batch norm gradient 32 x 56 x 56 x 64", [(32, 56, 56, 64), (64,), (64,), (32, 56, 56, 64)], 1e-3)(
    lambda x, g, b, t: jax.grad(lambda x, g, b: (batch_norm(x, g, b) * t).sum(), (0, 1, 2))(x, g, b))

problem("reduce", "sum 2^24", [(1 << 24,)])(lambda x: x.sum())
problem("reduce", "sum 4096 x 4096 rows", [(4096, 4096)], 1e-4)(lambda x: x.sum(1))
problem("reduce", "sum 4096 x 4096 columns", [(4096, 4096)], 1e-4)(lambda x: x.sum(0))
problem("reduce", "sum 1000000 x 8 columns", [(1000000, 8)], 1e-4)(lambda x: x.sum(0))
problem("reduce", "max 256 x 256 x 256 middle", [(256, 256, 256)])(lambda x: x.max(1))
problem("reduce", "argmax 4096 x 4096 rows", [(4096, 4096)])(lambda x: x.argmax(1))
problem("reduce", "argmax 4096 x 4096 columns", [(4096, 4096)])(lambda x: x.argmax(0))
problem("reduce", "argmax 2^24", [(1 << 24,)])(lambda x: x.argmax())
problem("reduce", "mean and variance 4096 x 4096 rows", [(4096, 4096)], 1e-4)(lambda x: (x.mean(1), x.var(1)))
problem("reduce", "min and max 2^24", [(1 << 24,)])(lambda x: (x.min(), x.max()))
problem("reduce", "any 2^24", [(1 << 24,)])(lambda x: (x > 100).any())
problem("reduce", "all 4096 x 4096 rows", [(4096, 4096)])(lambda x: (x < 100).all(1))
problem("reduce", "logsumexp 2^22", [(1 << 22,)], 1e-4)(jax.nn.logsumexp)


def pairwise(n, d):

    def f(x, y):
        return jnp.sqrt(((x[:, None, :] - y[None, :, :])**2).sum(-1)).sum(1)

    problem("pairs", f"sum of distances {n} x {n}, dimension {d}", [(n, d), (n, d)], 1e-4)(f)


pairwise(2000, 3)
pairwise(8000, 1)
problem("pairs", "sum of kernels exp(-(x-y)^2) 4000 x 4000", [(4000,), (4000,)], 1e-4)(
    lambda x, y: jnp.exp(-(x[:, None] - y[None, :])**2).sum(1))
problem("pairs", "nearest neighbour 4000 x 4000", [(4000,), (4000,)])(lambda x, y: jnp.abs(x[:, None] - y[None, :]).argmin(1))

for shape, axis in [((1 << 20,), 0), ((1000, 1000), 1), ((1000, 1000), 0)]:
    at = f"{' x '.join(map(str, shape))} axis {axis}"
    problem("scan", f"cumsum {at}", [shape], 1e-3)(lambda x, a=axis: jnp.cumsum(x, a))
    problem("scan", f"cummax {at}", [shape])(lambda x, a=axis: lax.cummax(x, a))
    problem("scan", f"cumprod {at}", [lambda r, s=shape: (1 + 0.01 * r.standard_normal(s, np.float32)).astype(np.float32)],
            1e-2)(lambda x, a=axis: jnp.cumprod(x, a))
    problem("scan", f"reverse cumsum {at}", [shape], 1e-3)(lambda x, a=axis: lax.cumsum(x, a, reverse=True))
    problem("scan", f"cumlogsumexp {at}", [shape], 1e-3)(lambda x, a=axis: lax.cumlogsumexp(x, a))
problem("scan", "associative scan of affine maps 2^18", [(1 << 18,), (1 << 18,)], 1e-3)(
    lambda a, b: lax.associative_scan(lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), (jnp.tanh(a), b)))


def pool(x, window, strides, layout, what):
    w, s = ((1, *window, 1), (1, *strides, 1)) if layout == "NHWC" else ((1, 1, *window), (1, 1, *strides))
    if what == "max":
        return lax.reduce_window(x, -jnp.inf, lax.max, w, s, "VALID")
    return lax.reduce_window(x, 0.0, lax.add, w, s, "VALID")


for layout, shape in [("NHWC", (32, 56, 56, 64)), ("NCHW", (32, 64, 56, 56))]:
    for window, stride in [((2, 2), (2, 2)), ((3, 3), (2, 2)), ((3, 3), (1, 1))]:
        tag = f"{window[0]}x{window[1]} stride {stride[0]} {layout}"
        for what in ["max", "add"]:
            problem("window", f"{what} pool {tag}", [shape])(
                lambda x, w=window, s=stride, l=layout, k=what: pool(x, w, s, l, k))
        problem("window", f"max pool gradient {tag}", [shape])(lambda x, w=window, s=stride, l=layout: jax.grad(
            lambda x: (pool(x, w, s, l, "max")**2).sum())(x))

index = lambda n, k, dtype=np.int32: (lambda r: r.integers(0, n, k).astype(dtype))
problem("scatter", "scatter-add 10^6 into 10^3", [index(1000, 1000000), (1000000,)], 1e-3)(
    lambda i, x: jnp.zeros(1000).at[i].add(x))
problem("scatter", "scatter-add 10^6 into 10^6", [index(1000000, 1000000), (1000000,)], 1e-4)(
    lambda i, x: jnp.zeros(1000000).at[i].add(x))
problem("scatter", "histogram of 10^6 in 256", [index(256, 1000000)])(lambda i: jnp.zeros(256, jnp.int32).at[i].add(1))
problem("scatter", "segment sum 10^5 x 64 into 1000", [index(1000, 100000), (100000, 64)], 1e-3)(
    lambda i, x: jnp.zeros((1000, 64)).at[i].add(x))
problem("scatter", "embedding gradient 8192 x 512 into 30000", [index(30000, 8192), (8192, 512)], 1e-4)(
    lambda i, x: jnp.zeros((30000, 512)).at[i].add(x))
problem("scatter", "permutation 10^6", [lambda r: r.permutation(1000000).astype(np.int32), (1000000,)])(
    lambda i, x: jnp.zeros(1000000).at[i].set(x, unique_indices=True))
problem("gather", "embedding 8192 of 30000 x 512", [index(30000, 8192), (30000, 512)])(lambda i, t: t[i])
problem("gather", "gather 10^6 of 10^6", [index(1000000, 1000000), (1000000,)])(lambda i, t: t[i])
problem("gather", "take_along_axis 4096 x 1024", [lambda r: r.integers(0, 1024, (4096, 1024)).astype(np.int32), (4096, 1024)])(
    lambda i, t: jnp.take_along_axis(t, i, 1))
problem("gather", "windows of 256 at 4096 places of 10^6", [index(999000, 4096), (1000000,)])(
    lambda i, t: jax.vmap(lambda s: lax.dynamic_slice(t, (s,), (256,)))(i))

problem("move", "transpose 4096 x 4096", [(4096, 4096)])(lambda x: x.T)
problem("move", "transpose 4096 x 4096 bf16", [((4096, 4096), "bfloat16")])(lambda x: x.T)
problem("move", "NHWC to NCHW 32 x 56 x 56 x 64", [(32, 56, 56, 64)])(lambda x: x.transpose(0, 3, 1, 2))
problem("move", "NCHW to NHWC 32 x 64 x 56 x 56", [(32, 64, 56, 56)])(lambda x: x.transpose(0, 2, 3, 1))
problem("move", "heads 8 x 512 x 12 x 64", [(8, 512, 12, 64)])(lambda x: x.transpose(0, 2, 1, 3))
problem("move", "x + x^T 4096 x 4096", [(4096, 4096)])(lambda x: x + x.T)
problem("move", "concatenate 4 x 1024 x 1024 axis 0", [(1024, 1024)] * 4)(lambda *x: jnp.concatenate(x, 0))
problem("move", "concatenate 4 x 1024 x 1024 axis 1", [(1024, 1024)] * 4)(lambda *x: jnp.concatenate(x, 1))
problem("move", "concatenate 1024 x 1024 x 4 x 3 last", [(1024, 1024, 3)] * 4)(lambda *x: jnp.concatenate(x, -1))
problem("move", "stack 4 x 2^20 last", [(1 << 20,)] * 4)(lambda *x: jnp.stack(x, -1))
problem("move", "pad 2048 x 2048 by 1", [(2048, 2048)])(lambda x: jnp.pad(x, 1))
problem("move", "pad NHWC 32 x 56 x 56 x 64 by 1", [(32, 56, 56, 64)])(lambda x: jnp.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0))))
problem("move", "reverse 2^22", [(1 << 22,)])(lambda x: x[::-1])
problem("move", "every other 2^22", [(1 << 22,)])(lambda x: x[::2])
problem("move", "roll 2048 x 2048", [(2048, 2048)])(lambda x: jnp.roll(x, 7, 1))
problem("move", "tile 1024 x 1024 by 2 x 2", [(1024, 1024)])(lambda x: jnp.tile(x, (2, 2)))

problem("stencil", "5-point stencil 2048 x 2048", [(2048, 2048)])(
    lambda x: x[1:-1, 1:-1] * -4 + x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2])
problem("stencil", "rolls 2048 x 2048", [(2048, 2048)])(
    lambda x: jnp.roll(x, 1, 0) + jnp.roll(x, -1, 0) + jnp.roll(x, 1, 1) + jnp.roll(x, -1, 1) - 4 * x)


class Compiled:

    def __init__(self, weft, folder, number, text, results):
        source, library = folder / f"p{number}.mlir", folder / f"p{number}.so"
        source.write_text(text)
        subprocess.run([weft, "build", source, "-o", library], check=True, capture_output=True)
        lib = ctypes.CDLL(str(library))
        self.call, self.results = lib.main, results
        size = ctypes.c_size_t.in_dll(lib, "main_workspace_bytes").value
        self.memory = np.zeros(size + 64, np.uint8)
        self.workspace = ctypes.c_void_p((self.memory.ctypes.data + 63) // 64 * 64 if size else None)
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


def compare(ours, theirs, tolerance):
    """Largest error relative to the largest value."""
    if ours.dtype.kind in "iub":
        return 0.0 if np.array_equal(ours, theirs) else np.inf
    a, b = ours.astype(np.float64), theirs.astype(np.float64)
    return float(np.max(np.abs(a - b), initial=0) / (np.max(np.abs(b), initial=0) + 1e-30))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--weft", default="build/weft")
    options.add_argument("--group", default="")
    options.add_argument("--only", default="")
    options.add_argument("--seconds", type=float, default=1, help="for each problem")
    options.add_argument("--list", action="store_true")
    options.add_argument("--keep", default="", help="a folder for the exported programs")
    options = options.parse_args()
    random = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.keep or temporary)
        folder.mkdir(exist_ok=True)
        for number, (group, name, specs, f, tolerance) in enumerate(PROBLEMS):
            if options.group not in group or options.only not in name:
                continue
            if options.list:
                print(f"{number:3} {group:8} {name}")
                continue
            inputs = [make(s, random) for s in specs]
            on_device = [jnp.asarray(x) for x in inputs]
            jitted = jax.jit(f, keep_unused=True)  # an argument each
            wanted = [np.asarray(r) for r in jax.tree.leaves(jitted(*on_device))]
            results = [np.empty(r.shape, r.dtype) for r in wanted]
            label = f"{number:3} {group:8} {name:48}"
            try:
                compiled = Compiled(options.weft, folder, number, jitted.lower(*on_device).as_text(), results)
            except subprocess.CalledProcessError as e:
                print(label, "does not compile:", e.stderr.decode().strip().splitlines()[0], flush=True)
                continue
            ours = compiled.bind([np.ascontiguousarray(x) for x in inputs])
            theirs = lambda: jax.block_until_ready(jitted(*on_device))
            ours()
            error = max(compare(a, b, tolerance) for a, b in zip(results, wanted))
            count = max(1, int(0.001 / max(seconds(ours, 1), 1e-7)))
            count_theirs = max(1, int(0.001 / max(seconds(theirs, 1), 1e-7)))
            mine, peer, stop = [], [], time.perf_counter() + options.seconds
            while len(mine) < 5 or time.perf_counter() < stop:
                mine.append(seconds(ours, count) * 1e6)
                peer.append(seconds(theirs, count_theirs) * 1e6)
            a, b = min(mine), min(peer)
            traffic = sum(x.nbytes for x in inputs) + sum(r.nbytes for r in results)
            note = "" if error <= tolerance else f"   DIFFERS by {error:.1e}"
            print(f"{label} {a:10.1f} {b:10.1f}  {b / a:6.2f}x  {traffic / a / 1e3:6.1f} GB/s  "
                  f"workspace {compiled.workspace_bytes / 1e6:.1f} MB{note}", flush=True)


if __name__ == "__main__":
    main()
