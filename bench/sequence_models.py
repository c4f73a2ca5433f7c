"""GPT-2-small's block stack at 512 tokens and an LSTM of 20 steps with 128 units, forward, beside JAX and PyTorch.

usage: sequence_models.py export gpt2|lstm DIR      writes DIR/MODEL.mlir and DIR/MODEL.npz (needs jax)
       sequence_models.py reference gpt2|lstm DIR   writes DIR/MODEL.reference.npy, computed in float64 (needs torch)
       sequence_models.py compare gpt2|lstm DIR RESULT.npz    prints the normwise distance of RESULT from the reference
       sequence_models.py time jax|torch|torch.compile gpt2|lstm DIR    prints the median seconds of a call, 2 threads
tools/bench_sequence.sh runs all of it. Weights are random and arguments of the program; float32.
"""
import os
import statistics
import sys
import time

import numpy as np

LAYERS, WIDTH, HEADS, TOKENS = 12, 768, 12, 512
STEPS, BATCH, UNITS = 20, 128, 128
THREADS = 2


def inputs(model):
    rng = np.random.default_rng(7)

    def normal(*shape, scale=1.0):
        return (rng.standard_normal(shape) * scale).astype(np.float32)

    if model == "lstm":
        return {
            "x": normal(STEPS, BATCH, UNITS),
            "w": normal(UNITS, 4 * UNITS, scale=UNITS**-0.5),
            "u": normal(UNITS, 4 * UNITS, scale=UNITS**-0.5),
            "b": normal(4 * UNITS, scale=0.1),
        }
    out = {"x": normal(TOKENS, WIDTH)}
    for layer in range(LAYERS):
        for name, shape, scale in (
            ("norm1", (2, WIDTH), 0.1),
            ("attend", (WIDTH, 3 * WIDTH), WIDTH**-0.5),
            ("attend_bias", (3 * WIDTH,), 0.1),
            ("project", (WIDTH, WIDTH), WIDTH**-0.5),
            ("project_bias", (WIDTH,), 0.1),
            ("norm2", (2, WIDTH), 0.1),
            ("up", (WIDTH, 4 * WIDTH), WIDTH**-0.5),
            ("up_bias", (4 * WIDTH,), 0.1),
            ("down", (4 * WIDTH, WIDTH), (4 * WIDTH) ** -0.5),
            ("down_bias", (WIDTH,), 0.1),
        ):
            out[f"{name}_{layer}"] = normal(*shape, scale=scale)
    return out


def jax_function(model):
    import jax
    import jax.numpy as jnp

    def lstm(p):
        def cell(carry, x):
            h, c = carry
            i, f, g, o = jnp.split(x @ p["w"] + h @ p["u"] + p["b"], 4, axis=-1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zero = jnp.zeros((BATCH, UNITS), jnp.float32)
        return jax.lax.scan(cell, (zero, zero), p["x"])[1]

    def normalized(x, p):
        mean = x.mean(-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(-1, keepdims=True)
        return (x - mean) / jnp.sqrt(variance + 1e-5) * (1 + p[0]) + p[1]

    def gpt2(p):
        x = p["x"]
        mask = jnp.tril(jnp.ones((TOKENS, TOKENS), bool))
        for n in range(LAYERS):
            y = normalized(x, p[f"norm1_{n}"]) @ p[f"attend_{n}"] + p[f"attend_bias_{n}"]
            q, k, v = (t.reshape(TOKENS, HEADS, -1).transpose(1, 0, 2) for t in jnp.split(y, 3, axis=-1))
            scores = q @ k.transpose(0, 2, 1) / np.float32(np.sqrt(WIDTH // HEADS))
            weights = jax.nn.softmax(jnp.where(mask, scores, -1e30), axis=-1)
            y = (weights @ v).transpose(1, 0, 2).reshape(TOKENS, WIDTH)
            x = x + y @ p[f"project_{n}"] + p[f"project_bias_{n}"]
            y = jax.nn.gelu(normalized(x, p[f"norm2_{n}"]) @ p[f"up_{n}"] + p[f"up_bias_{n}"], approximate=True)
            x = x + y @ p[f"down_{n}"] + p[f"down_bias_{n}"]
        return x

    return lstm if model == "lstm" else gpt2


def torch_function(model):
    import torch
    import torch.nn.functional as F

    def lstm(p):
        # The same cell; torch orders its gates i, f, g, o as well.
        h = c = torch.zeros(BATCH, UNITS, dtype=p["x"].dtype)
        out = []
        for t in range(STEPS):
            i, f, g, o = (p["x"][t] @ p["w"] + h @ p["u"] + p["b"]).chunk(4, -1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
            out.append(h)
        return torch.stack(out)

    def gpt2(p):
        x = p["x"]
        for n in range(LAYERS):
            g, b = p[f"norm1_{n}"]
            y = F.layer_norm(x, (WIDTH,), 1 + g, b) @ p[f"attend_{n}"] + p[f"attend_bias_{n}"]
            q, k, v = (t.reshape(1, TOKENS, HEADS, -1).transpose(1, 2) for t in y.chunk(3, -1))
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)[0].transpose(0, 1).reshape(TOKENS, WIDTH)
            x = x + y @ p[f"project_{n}"] + p[f"project_bias_{n}"]
            g, b = p[f"norm2_{n}"]
            y = F.gelu(F.layer_norm(x, (WIDTH,), 1 + g, b) @ p[f"up_{n}"] + p[f"up_bias_{n}"], approximate="tanh")
            x = x + y @ p[f"down_{n}"] + p[f"down_bias_{n}"]
        return x

    return lstm if model == "lstm" else gpt2


def export(model, folder):
    import jax

    values = inputs(model)
    names = list(values)
    f = jax_function(model)
    lowered = jax.jit(lambda *arrays: f(dict(zip(names, arrays)))).lower(*values.values())
    with open(f"{folder}/{model}.mlir", "w") as out:
        out.write(lowered.as_text())
    np.savez(f"{folder}/{model}.npz", **{f"arg{i}": v for i, v in enumerate(values.values())})


def reference(model, folder):
    import torch

    p = {name: torch.from_numpy(v).double() for name, v in inputs(model).items()}
    with torch.no_grad():
        np.save(f"{folder}/{model}.reference.npy", torch_function(model)(p).numpy())


def compare(model, folder, result):
    ours = np.load(result)["result0"].astype(np.float64)
    expected = np.load(f"{folder}/{model}.reference.npy")
    print(f"{model} distance {np.linalg.norm(ours - expected) / np.linalg.norm(expected):.3g}")


def timed(peer, model):
    values = inputs(model)
    if peer == "jax":
        import jax

        f = jax.jit(jax_function(model))
        arrays = {k: jax.numpy.asarray(v) for k, v in values.items()}
        call = lambda: f(arrays).block_until_ready()
    else:
        import torch

        torch.set_num_threads(THREADS)
        f = torch_function(model)
        if peer == "torch.compile":
            f = torch.compile(f)
        arrays = {k: torch.from_numpy(v) for k, v in values.items()}

        def call():
            with torch.no_grad():
                f(arrays)

    for _ in range(3):
        call()
    seconds = []
    end = time.perf_counter() + 3
    while time.perf_counter() < end or len(seconds) < 5:
        begin = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begin)
    print(f"{model} {peer} median_s {statistics.median(seconds):.6f}")


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", str(THREADS))
    match sys.argv[1:]:
        case ["export", model, folder]:
            export(model, folder)
        case ["reference", model, folder]:
            reference(model, folder)
        case ["compare", model, folder, result]:
            compare(model, folder, result)
        case ["time", peer, model, _]:
            timed(peer, model)
        case _:
            sys.exit(__doc__)
