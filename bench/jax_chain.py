"""JAX as a peer of bench/elementwise_chain.cc, driven line by line so that its calls can alternate with ours.

Protocol: prints `jax VERSION` once; then, for each line `run sum K` or `run array K` on standard input, makes K calls and
prints their median in seconds; `quit` or the end of input ends the process.
"""
import os
import statistics
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import jax.numpy as jnp
import numpy as np


def chain(x):
    a = x * 0.5 + 0.1
    b = jnp.tanh(a)
    c = jnp.exp(-(b * b))
    d = jnp.log(c + 1.5)
    e = d * b + a
    f = e * e - d
    return jnp.sqrt(f * f + 1.0) / (1.0 + jnp.abs(e))


def main():
    x = jnp.asarray(np.random.default_rng(0).standard_normal(1 << 24, dtype=np.float32))
    calls = {"sum": jax.jit(lambda v: chain(v).sum()), "array": jax.jit(chain)}
    for call in calls.values():
        call(x).block_until_ready()
    print(f"jax {jax.__version__}", flush=True)
    for line in sys.stdin:
        words = line.split()
        if words == ["quit"]:
            return 0
        if len(words) != 3 or words[0] != "run" or words[1] not in calls or not words[2].isdigit() or int(words[2]) == 0:
            print(f"jax_chain: expected 'run sum K', 'run array K' or 'quit', got '{line.strip()}'", file=sys.stderr)
            return 2
        times = []
        for _ in range(int(words[2])):
            start = time.perf_counter()
            calls[words[1]](x).block_until_ready()
            times.append(time.perf_counter() - start)
        print(f"{statistics.median(times):.9f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
