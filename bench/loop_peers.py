#!/usr/bin/env python3
"""The workloads of bench/loops.cc by JAX or Numba, beside Weft's times from that program, in one run.

usage: bench/loop_peers.py --peer jax|numba [--weft build/bench/loops] [--rounds 3]

Prints one line per workload: `loops NAME vs PEER ratio R`, Weft's nanoseconds over the peer's (below 1: Weft is faster),
both the least of all rounds, which alternate. Both use one thread.
"""
import argparse
import os
import re
import subprocess
import time

for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
import numpy as np

STEPS, NUMBERS, SIDE, POINTS, PAIRS, LANES = 1_000_000, 100_000, 4096, 1_000_000, 100_000, 1 << 20
COLLATZ_STEPS = 10_753_840
RANDOM = np.random.default_rng(0)


def floats(*shape):
    return RANDOM.uniform(-1, 1, shape).astype(np.float32)


def lorenz_step(x, y, z, f):
    h, half, sixth, sigma, rho, beta, two = f(0.01), f(0.005), f(0.01 / 6), f(10), f(28), f(8 / 3), f(2)

    def slope(u, v, w):
        return sigma * (v - u), u * (rho - w) - v, u * v - beta * w
    a1, b1, c1 = slope(x, y, z)
    a2, b2, c2 = slope(x + half * a1, y + half * b1, z + half * c1)
    a3, b3, c3 = slope(x + half * a2, y + half * b2, z + half * c2)
    a4, b4, c4 = slope(x + h * a3, y + h * b3, z + h * c3)
    return (x + sixth * (a1 + two * a2 + two * a3 + a4), y + sixth * (b1 + two * b2 + two * b3 + b4),
            z + sixth * (c1 + two * c2 + two * c3 + c4))


def jax_workloads():
    import jax
    import jax.numpy as jnp
    from jax import lax
    one = jnp.float32(1)

    def lorenz(x, y, z):
        return lax.fori_loop(0, STEPS, lambda i, s: lorenz_step(*s, jnp.float32), (x, y, z))

    def collatz(n):
        def count(v):
            return lax.while_loop(lambda c: c[0] != 1, lambda c: (jnp.where(c[0] & 1, 3 * c[0] + 1, c[0] >> 1), c[1] + 1),
                                  (v, jnp.int32(0)))[1]
        return lax.fori_loop(1, n + 1, lambda i, t: t + count(i), jnp.int32(0))

    def affine(a, b):
        return lax.fori_loop(0, STEPS, lambda i, c: a * c + b, jnp.float32(0))

    def sgd(x, y, index):
        loss = lambda w, rows: jnp.mean((x[rows] @ w - y[rows]) ** 2)
        step = lambda w, rows: (w - np.float32(0.01) * jax.grad(loss)(w, rows), None)
        return lax.scan(step, jnp.zeros(32, jnp.float32), index)[0]

    def kepler(ecc, mean):
        def lane(e, m):
            def body(c):
                d = (c[0] - e * jnp.sin(c[0]) - m) / (1 - e * jnp.cos(c[0]))
                return c[0] - d, d, c[2] + 1
            return lax.while_loop(lambda c: (jnp.abs(c[1]) > 1e-5) & (c[2] < 100), body, (m, one, jnp.int32(0)))[0]
        return jax.vmap(lane)(ecc, mean)

    index = RANDOM.integers(0, 1000, (2000, 32)).astype(np.int32)
    e, m = np.abs(floats(LANES)) * np.float32(0.95), np.abs(floats(LANES)) * np.float32(3.1)
    for name, units, f, args in (
            ("lorenz", STEPS, lorenz, (one, one, one)), ("collatz", COLLATZ_STEPS, collatz, (np.int32(NUMBERS),)),
            ("affine", STEPS, affine, (np.float32(0.9), np.float32(0.3))),
            ("sgd", 2000, sgd, (floats(1000, 32), floats(1000), index)),
            ("vector_matrix", SIDE * SIDE, lambda a, b: a @ b, (floats(SIDE), floats(SIDE, SIDE))),
            ("matrix_vector", SIDE * SIDE, lambda b, a: b @ a, (floats(SIDE, SIDE), floats(SIDE))),
            ("thin_product", POINTS, lambda a, b: a @ b, (floats(POINTS, 3), floats(3, 3))),
            ("small_products", PAIRS, lambda a, b: a @ b, (floats(PAIRS, 4, 4), floats(PAIRS, 4, 4))),
            ("kepler", LANES, kepler, (e, m))):
        args = [jax.device_put(a) for a in args]
        compiled = jax.jit(f).lower(*args).compile()
        yield name, units, lambda c=compiled, a=args: jax.block_until_ready(c(*a))


def numba_workloads():
    import math
    import numba
    f = np.float32
    h, half, sixth, sigma, rho, beta, two = f(0.01), f(0.005), f(0.01 / 6), f(10), f(28), f(8 / 3), f(2)
    tolerance, unit = f(1e-5), f(1)

    @numba.njit
    def lorenz(x, y, z):
        for _ in range(STEPS):
            a1 = sigma * (y - x); b1 = x * (rho - z) - y; c1 = x * y - beta * z
            u = x + half * a1; v = y + half * b1; w = z + half * c1
            a2 = sigma * (v - u); b2 = u * (rho - w) - v; c2 = u * v - beta * w
            u = x + half * a2; v = y + half * b2; w = z + half * c2
            a3 = sigma * (v - u); b3 = u * (rho - w) - v; c3 = u * v - beta * w
            u = x + h * a3; v = y + h * b3; w = z + h * c3
            a4 = sigma * (v - u); b4 = u * (rho - w) - v; c4 = u * v - beta * w
            x += sixth * (a1 + two * a2 + two * a3 + a4)
            y += sixth * (b1 + two * b2 + two * b3 + b4)
            z += sixth * (c1 + two * c2 + two * c3 + c4)
        return x, y, z

    @numba.njit
    def collatz(n):
        total = 0
        for i in range(1, n + 1):
            v = i
            while v != 1:
                v = 3 * v + 1 if v & 1 else v >> 1
                total += 1
        return total

    @numba.njit
    def affine(a, b):
        c = f(0)
        for _ in range(STEPS):
            c = a * c + b
        return c

    @numba.njit(fastmath=True)
    def kepler(ecc, mean, out):
        for i in range(ecc.size):
            e = mean[i]
            d = unit
            k = 0
            while abs(d) > tolerance and k < 100:
                d = (e - ecc[i] * math.sin(e) - mean[i]) / (unit - ecc[i] * math.cos(e))
                e -= d
                k += 1
            out[i] = e

    e, m, out = np.abs(floats(LANES)) * f(0.95), np.abs(floats(LANES)) * f(3.1), np.zeros(LANES, np.float32)
    yield "lorenz", STEPS, lambda: lorenz(unit, unit, unit)
    yield "collatz", COLLATZ_STEPS, lambda: collatz(NUMBERS)
    yield "affine", STEPS, lambda: affine(f(0.9), f(0.3))
    yield "kepler", LANES, lambda: kepler(e, m, out)


def seconds(work, runs=7):
    best = 1e300
    for _ in range(runs):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", required=True, choices=("jax", "numba"))
    parser.add_argument("--weft", default="build/bench/loops")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    workloads = list({"jax": jax_workloads, "numba": numba_workloads}[options.peer]())
    ours, theirs = {}, {}
    for _, _, work in workloads:
        work()
    for _ in range(options.rounds):
        for name, units, work in workloads:
            theirs[name] = min(theirs.get(name, 1e300), seconds(work) / units * 1e9)
        output = subprocess.run([options.weft], check=True, capture_output=True, text=True).stdout
        for name, least in re.findall(r"^loops (\w+) .*least ([\d.e+-]+) and", output, re.M):
            ours[name] = min(ours.get(name, 1e300), float(least))
    for name in theirs:
        print(f"loops {name} vs {options.peer} ratio {ours[name] / theirs[name]:.3f}  "
              f"({ours[name]:.4g} and {theirs[name]:.4g} ns)", flush=True)


if __name__ == "__main__":
    main()
