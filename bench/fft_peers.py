#!/usr/bin/env python3
"""Fourier transforms of Weft, ahead-of-time compiled, beside NumPy's and (where installed) JAX's on the same arrays.

usage: bench/fft_peers.py [--weft build/weft] [--repeats 15] [--jax]

Prints one line per problem, as sort_peers.py does. The results are compared with NumPy's in double precision first.
"""
import argparse
import tempfile
from pathlib import Path

import numpy as np

from sort_peers import Compiled, best, report


def text(kind, shape, length, kept, source, result):
    dims, out = ("x".join(map(str, s)) for s in (shape, kept))
    return (f"func.func @main(%x: tensor<{dims}x{source}>) -> tensor<{out}x{result}> {{\n"
            f"  %r = stablehlo.fft %x, type = {kind}, length = {list(length)} : "
            f"(tensor<{dims}x{source}>) -> tensor<{out}x{result}>\n  return %r : tensor<{out}x{result}>\n}}\n")


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
        for n, (shape, axes) in enumerate([((1024,), 1), ((1048576,), 1), ((1000, 1000), 1), ((1000, 1009), 1),
                                           ((1024, 1024), 2)]):
            for kind in ["FFT", "RFFT"]:
                real = random.standard_normal(shape).astype(np.float32)
                x = real if kind == "RFFT" else (real + 1j * random.standard_normal(shape)).astype(np.complex64)
                kept = (*shape[:-1], shape[-1] // 2 + 1) if kind == "RFFT" else shape
                last = tuple(range(-axes, 0))
                peer = np.fft.rfftn if kind == "RFFT" else np.fft.fftn
                ours = Compiled(options.weft, Path(folder), f"{kind}_{n}",
                                text(kind, shape, shape[-axes:], kept, "f32" if kind == "RFFT" else "complex<f32>",
                                     "complex<f32>"), [np.empty(kept, np.complex64)])
                exact = peer(x.astype(np.float64 if kind == "RFFT" else np.complex128), axes=last)
                assert np.linalg.norm(ours(x)[0] - exact) < 5e-7 * np.linalg.norm(exact), (kind, shape)
                repeats = options.repeats * (50 if x.size < 10000 else 1)
                peers = {"numpy": best(lambda: peer(x, axes=last), repeats)}
                if options.jax:
                    of = jax.numpy.fft.rfftn if kind == "RFFT" else jax.numpy.fft.fftn
                    f, y = jax.jit(lambda v: of(v, axes=last)), jax.numpy.asarray(x)
                    peers["jax"] = best(lambda: f(y).block_until_ready(), repeats)
                report(f"{kind} {'x'.join(map(str, shape))}, {axes}-D", best(lambda: ours(x), repeats), peers)


if __name__ == "__main__":
    main()
