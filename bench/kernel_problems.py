"""The problems of kernel_peers.py: functions of JAX without contractions, with the arguments that they are measured on."""
import itertools

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
problem("scatter", "histogram of 2^22 in 16", [index(16, 1 << 22)])(lambda i: jnp.zeros(16, jnp.int32).at[i].add(1))
problem("scatter", "histogram of 10^6 in 65536", [index(65536, 1000000)])(lambda i: jnp.zeros(65536, jnp.int32).at[i].add(1))
problem("scatter", "scatter-add 10^5 into 10^3", [index(1000, 100000), (100000,)], 1e-3)(
    lambda i, x: jnp.zeros(1000).at[i].add(x))
problem("scatter", "scatter-max 10^6 into 10^3", [index(1000, 1000000), (1000000,)])(
    lambda i, x: jnp.zeros(1000).at[i].max(x))
problem("scatter", "segment sum 10^6 x 3 into 10^4", [index(10000, 1000000), (1000000, 3)], 1e-3)(
    lambda i, x: jnp.zeros((10000, 3)).at[i].add(x))
problem("scatter", "points into 512 x 512", [index(512, (1000000, 2)), (1000000,)], 1e-3)(
    lambda i, x: jnp.zeros((512, 512)).at[i[:, 0], i[:, 1]].add(x))
problem("scatter", "rows set in 30000 x 512", [lambda r: r.permutation(30000)[:8192].astype(np.int32), (8192, 512), (30000, 512)])(
    lambda i, x, t: t.at[i].set(x, unique_indices=True))
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
problem("gather", "points of 512 x 512", [index(512, (1000000, 2)), (512, 512)])(lambda i, t: t[i[:, 0], i[:, 1]])
problem("gather", "rows of 3 of 10^4", [index(10000, 1000000), (10000, 3)])(lambda i, t: t[i])


def rms_norm(x, g):
    return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * g


def group_norm(x, g, b, groups=8):
    y = x.reshape(*x.shape[:-1], groups, -1)
    axes = (*range(1, x.ndim - 1), x.ndim)
    m = y.mean(axes, keepdims=True)
    v = ((y - m)**2).mean(axes, keepdims=True)
    return ((y - m) * lax.rsqrt(v + 1e-5)).reshape(x.shape) * g + b


def weights(q, k):
    s = jnp.einsum("bhqd,bhkd->bhqk", q, k, precision="highest") * 0.125
    mask = jnp.tril(jnp.ones(s.shape[-2:], bool))
    return jax.nn.softmax(jnp.where(mask, s, -1e9), -1)


def causal_softmax(s):
    mask = jnp.tril(jnp.ones(s.shape[-2:], bool))
    return jax.nn.softmax(jnp.where(mask, s * 0.125, -1e9), -1)


problem("norm", "rms norm 4096 x 768", [(4096, 768), (768,)])(rms_norm)
problem("norm", "rms norm gradient 4096 x 768", [(4096, 768), (768,), (4096, 768)], 1e-4)(
    lambda x, g, t: jax.grad(lambda x, g: (rms_norm(x, g) * t).sum(), (0, 1))(x, g))
problem("norm", "group norm 16 x 32 x 32 x 64", [(16, 32, 32, 64), (64,), (64,)], 1e-4)(group_norm)
problem("norm", "group norm gradient 16 x 32 x 32 x 64", [(16, 32, 32, 64), (64,), (64,), (16, 32, 32, 64)], 1e-3)(
    lambda x, g, b, t: jax.grad(lambda x, g, b: (group_norm(x, g, b) * t).sum(), (0, 1, 2))(x, g, b))
problem("norm", "causal softmax 8 x 12 x 256 x 256", [(8, 12, 256, 256)])(causal_softmax)
problem("norm", "causal softmax gradient 8 x 12 x 256 x 256", [(8, 12, 256, 256), (8, 12, 256, 256)], 1e-4)(
    lambda s, t: jax.grad(lambda s: (causal_softmax(s) * t).sum())(s))
for rows, n in [(20000, 128), (4000, 1000), (512, 50000)]:
    problem("norm", f"cross entropy gradient {rows} x {n}",
            [(rows, n), lambda r, s=(rows, n): r.integers(0, s[1], s[0]).astype(np.int32)], 1e-4)(jax.value_and_grad(
                lambda x, y: -jnp.take_along_axis(jax.nn.log_softmax(x, -1), y[:, None], 1).mean()))
problem("norm", "one-hot cross entropy gradient 4000 x 1000",
        [(4000, 1000), lambda r: r.integers(0, 1000, 4000).astype(np.int32)], 1e-4)(jax.value_and_grad(
            lambda x, y: -(jax.nn.one_hot(y, 1000) * jax.nn.log_softmax(x, -1)).sum(-1).mean()))

for shape, axis in [((1 << 20,), 0), ((1000, 1000), 1), ((1000, 1000), 0), ((100000, 10), 1)]:
    at = f"{' x '.join(map(str, shape))} axis {axis}"
    problem("sort", f"sort {at}", [shape])(lambda x, a=axis: jnp.sort(x, a))
    problem("sort", f"argsort {at}", [shape])(lambda x, a=axis: jnp.argsort(x, a))
problem("sort", "sort of i32 2^20", [index(1 << 30, 1 << 20)])(jnp.sort)
problem("sort", "top_k 8 of 4096 x 1000", [(4096, 1000)])(lambda x: lax.top_k(x, 8))
problem("sort", "top_k 50 of 64 x 50000", [(64, 50000)])(lambda x: lax.top_k(x, 50))
problem("sort", "top_k 1000 of 2^20", [(1 << 20,)])(lambda x: lax.top_k(x, 1000))
problem("sort", "median of 1000 x 1000", [(1000, 1000)])(lambda x: jnp.median(x, 1))
problem("sort", "searchsorted 2^20 in 1000", [lambda r: np.sort(r.standard_normal(1000, np.float32)), (1 << 20,)])(
    lambda a, x: jnp.searchsorted(a, x))

for shape, axis in [((64, 64, 256), 1), ((100000, 10), 1), ((8, 100000), 1), ((100000, 8), 0), ((32,), 0), ((1000,), 0)]:
    at = f"{' x '.join(map(str, shape))} axis {axis}"
    problem("scan", f"cumsum {at}", [shape], 1e-3)(lambda x, a=axis: jnp.cumsum(x, a))
    problem("scan", f"cumlogsumexp {at}", [shape], 1e-3)(lambda x, a=axis: lax.cumlogsumexp(x, a))
problem("scan", "cumsum of bf16 1000 x 1000 axis 1", [((1000, 1000), "bfloat16")], 5e-2)(lambda x: jnp.cumsum(x, 1))
problem("scan", "cumsum of i32 2^20", [index(100, 1 << 20)])(jnp.cumsum)
problem("scan", "gradient of cumsum 1000 x 1000 axis 1", [(1000, 1000)], 1e-3)(
    jax.grad(lambda x: (jnp.cumsum(x, 1)**2).sum()))
problem("scan", "gradient of cumprod 1000 x 100 axis 1",
        [lambda r: (1 + 0.01 * r.standard_normal((1000, 100), np.float32)).astype(np.float32)], 1e-3)(
            jax.grad(lambda x: jnp.cumprod(x, 1).sum()))
problem("scan", "associative scan of affine maps 1024 x 256", [(1024, 256), (1024, 256)], 1e-3)(
    lambda a, b: lax.associative_scan(lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), (jnp.tanh(a), b)))
problem("scan", "associative scan of 2 x 2 matrices 2^14", [(1 << 14, 2, 2)], 1e-2)(
    lambda a: lax.associative_scan(lambda p, q: jnp.einsum("nij,njk->nik", q, p, precision="highest"), 0.5 * jnp.tanh(a)))
problem("scan", "lax.scan, exponential mean 10^5", [(100000,)], 1e-4)(
    lambda x: lax.scan(lambda c, v: ((c2 := 0.9 * c + 0.1 * v), c2), 0.0, x)[1])


def window(x, kind, size, strides, padding="VALID", dilation=None):
    init, f = (-jnp.inf, lax.max) if kind == "max" else (0.0, lax.add)
    return lax.reduce_window(x, init, f, size, strides, padding, window_dilation=dilation)


for kind in ["max", "add"]:
    for tag, shape, args in [
        ("1D 9 of 2^20", (1 << 20,), ((9,), (1,))),
        ("1D 64 stride 32 of 2^20", (1 << 20,), ((64,), (32,))),
        ("1D 257 of 64 x 16384", (64, 16384), ((1, 257), (1, 1))),
        ("3 x 3 dilated 2 of 2048 x 2048", (2048, 2048), ((3, 3), (1, 1), "VALID", (2, 2))),
        ("7 x 7 of 1024 x 1024", (1024, 1024), ((7, 7), (1, 1), "SAME")),
        ("3D 2 x 2 x 2 of 8 x 32^3 x 16", (8, 32, 32, 32, 16), ((1, 2, 2, 2, 1), (1, 2, 2, 2, 1))),
        ("3D 3 x 3 x 3 of 128^3", (128, 128, 128), ((3, 3, 3), (1, 1, 1))),
        ("global 7 x 7 of 64 x 7 x 7 x 512", (64, 7, 7, 512), ((1, 7, 7, 1), (1, 1, 1, 1))),
    ]:
        problem("window", f"{kind} {tag}", [shape], 1e-4)(lambda x, k=kind, a=args: window(x, k, *a))
problem("window", "gradient of max 1D 4 stride 2 of 2^20", [(1 << 20,)])(
    jax.grad(lambda x: (window(x, "max", (4,), (2,))**2).sum()))
problem("window", "gradient of max 3D 2 x 2 x 2 of 8 x 32^3 x 16", [(8, 32, 32, 32, 16)])(
    jax.grad(lambda x: (window(x, "max", (1, 2, 2, 2, 1), (1, 2, 2, 2, 1))**2).sum()))
problem("window", "gradient of mean 2 x 2 of 32 x 56 x 56 x 64", [(32, 56, 56, 64)])(
    jax.grad(lambda x: (window(x, "add", (1, 2, 2, 1), (1, 2, 2, 1))**2).sum()))

for shape in [(160, 128, 144), (48, 40, 32, 56), (24, 20, 12, 16, 28)]:
    for order in itertools.permutations(range(len(shape))):
        if order == tuple(sorted(order)) or (len(shape) == 5 and sum(i * o for i, o in enumerate(order)) % 6):
            continue
        problem("transpose", f"{' x '.join(map(str, shape))} by {''.join(map(str, order))}", [shape])(
            lambda x, o=order: x.transpose(o))
for dtype in ["int8", "float16", "float64"]:
    for shape, order in [((2048, 2048), (1, 0)), ((32, 56, 56, 64), (0, 3, 1, 2)), ((8, 512, 12, 64), (0, 2, 1, 3))]:
        problem("transpose", f"{dtype} {' x '.join(map(str, shape))} by {''.join(map(str, order))}",
                [lambda r, s=shape, d=dtype: (r.standard_normal(s, np.float32) * 10).astype(d)])(
                    lambda x, o=order: x.transpose(o))

NARROW = ["bfloat16", "float16", "float32", "int8", "int32", "bool", "float64", "uint8", "int16"]
for source in NARROW:
    for target in NARROW:
        if source != target:
            problem("convert", f"{source} to {target} 2^20", [lambda r, d=source: r.integers(0, 2, 1 << 20).astype(d)])(
                lambda x, d=target: x.astype(d))
problem("convert", "bf16 chain 2^22", [((1 << 22,), "bfloat16")] * 2, 2e-2)(lambda x, y: x * y + x - y * jnp.bfloat16(0.5))
problem("convert", "f16 chain 2^22", [((1 << 22,), "float16")] * 2, 2e-2)(lambda x, y: x * y + x - y * jnp.float16(0.5))
problem("convert", "dequantize i8 2^22", [lambda r: r.integers(-128, 127, (4096, 1024)).astype(np.int8), (1024,)])(
    lambda x, s: x.astype(jnp.float32) * s)
problem("convert", "quantize to i8 2^22", [(4096, 1024), (1024,)])(
    lambda x, s: jnp.clip(jnp.round(x / (jnp.abs(s) + 0.1)), -128, 127).astype(jnp.int8))

small = lambda dtype, low=-100, high=100, n=1 << 22: (lambda r: r.integers(low, high, n).astype(dtype))
for dtype in ["int8", "uint8", "int16", "int32", "int64"]:
    for name, f in [("add", jnp.add), ("multiply", jnp.multiply), ("maximum", jnp.maximum), ("divide", lax.div),
                    ("remainder", lax.rem), ("shift", lambda x, y: lax.shift_right_logical(x, y & 7)),
                    ("compare", lambda x, y: x < y), ("select", lambda x, y: jnp.where(x < y, x, y + 1)),
                    ("power of 3", lambda x, y: x**3 + y)]:
        problem("integer", f"{name} {dtype} 2^22", [small(dtype, 1), small(dtype, 1)])(f)
    problem("integer", f"sum {dtype} 2^22", [small(dtype)])(lambda x: x.sum(dtype=x.dtype))
    problem("integer", f"sum in i32 {dtype} rows", [lambda r, d=dtype: r.integers(0, 100, (4096, 1024)).astype(d)])(
        lambda x: x.astype(jnp.int32).sum(1))
    problem("integer", f"popcount {dtype} 2^22", [small(dtype)])(lax.population_count)
    problem("integer", f"clz {dtype} 2^22", [small(dtype)])(lax.clz)

wave = lambda shape: (lambda r: (r.standard_normal(shape) + 1j * r.standard_normal(shape)).astype(np.complex64))
for name, f in [("multiply", lambda x, y: x * y), ("divide", lambda x, y: x / y), ("exp", lambda x, y: jnp.exp(x)),
                ("abs", lambda x, y: jnp.abs(x)), ("conj times", lambda x, y: jnp.conj(x) * y),
                ("log", lambda x, y: jnp.log(x)), ("sqrt", lambda x, y: jnp.sqrt(x)), ("tanh", lambda x, y: jnp.tanh(x)),
                ("real of product", lambda x, y: (x * y).real), ("sum", lambda x, y: x.sum()),
                ("power", lambda x, y: x**y), ("angle", lambda x, y: jnp.angle(x))]:
    problem("complex", f"{name} 2^20", [wave(1 << 20), wave(1 << 20)], 1e-4)(f)
problem("complex", "transpose 1024 x 1024", [wave((1024, 1024))])(lambda x: x.T)
problem("complex", "from parts 2^20", [(1 << 20,), (1 << 20,)])(lax.complex)

key = lambda r: np.array([1, 2], np.uint32)
for n in [1000, 1 << 20]:
    for name, f in [("bits", lambda k, n: jax.random.bits(k, (n,))), ("uniform", lambda k, n: jax.random.uniform(k, (n,))),
                    ("normal", lambda k, n: jax.random.normal(k, (n,))),
                    ("bernoulli", lambda k, n: jax.random.bernoulli(k, 0.3, (n,))),
                    ("randint", lambda k, n: jax.random.randint(k, (n,), 0, 1000)),
                    ("exponential", lambda k, n: jax.random.exponential(k, (n,))),
                    ("gumbel", lambda k, n: jax.random.gumbel(k, (n,))),
                    ("bf16 normal", lambda k, n: jax.random.normal(k, (n,), jnp.bfloat16))]:
        problem("random", f"{name} {n}", [key], 1e-4)(lambda k, f=f, n=n: f(jax.random.wrap_key_data(k), n))
problem("random", "dropout 2^20", [key, (1 << 20,)])(
    lambda k, x: jnp.where(jax.random.bernoulli(jax.random.wrap_key_data(k), 0.9, x.shape), x / 0.9, 0))
problem("random", "gamma 10000", [key], np.inf)(lambda k: jax.random.gamma(jax.random.wrap_key_data(k), 2.0, (10000,)))
problem("random", "permutation 10^5", [key])(lambda k: jax.random.permutation(jax.random.wrap_key_data(k), 100000))
problem("random", "categorical 4096 x 100", [key, (4096, 100)])(
    lambda k, x: jax.random.categorical(jax.random.wrap_key_data(k), x))

problem("move", "one-hot 8192 x 1000", [index(1000, 8192)])(lambda i: jax.nn.one_hot(i, 1000))
problem("move", "reverse 2048 x 2048 both", [(2048, 2048)])(lambda x: x[::-1, ::-1])
problem("move", "pad interior 1024 x 1024", [(1024, 1024)])(lambda x: lax.pad(x, 0.0, ((0, 0, 1), (0, 0, 1))))
problem("move", "concatenate of two bf16 4096 x 512 last", [((4096, 512), "bfloat16")] * 2)(lambda x, y: jnp.concatenate([x, y], 1))
problem("move", "split heads 8 x 512 x 2304", [(8, 512, 2304)])(
    lambda x: tuple(p.reshape(8, 512, 12, 64).transpose(0, 2, 1, 3) for p in jnp.split(x, 3, -1)))
problem("move", "repeat 2^18 by 8", [(1 << 18,)])(lambda x: jnp.repeat(x, 8))
problem("move", "tril 2048 x 2048", [(2048, 2048)])(jnp.tril)
problem("move", "diagonal of 2048 x 2048", [(2048, 2048)])(jnp.diagonal)
problem("move", "patches 3 x 3 of 16 x 32 x 32 x 16", [(16, 32, 32, 16)])(
    lambda x: jnp.stack([x[:, i:i + 30, j:j + 30] for i in range(3) for j in range(3)], -2))
problem("loop", "rows written 1000 x 1000", [(1000, 1000)])(lambda x: lax.fori_loop(
    0, 1000, lambda i, s: lax.dynamic_update_slice(s, lax.dynamic_slice(s, (i, 0), (1, 1000)) * 2 + 1, (i, 0)), x))
problem("loop", "columns written 1000 x 1000", [(1000, 1000)])(lambda x: lax.fori_loop(
    0, 1000, lambda i, s: lax.dynamic_update_slice(s, lax.dynamic_slice(s, (0, i), (1000, 1)) * 2 + 1, (0, i)), x))
problem("loop", "elements written 10^5", [(100000,)])(lambda x: lax.fori_loop(1, 100000, lambda i, s: s.at[i].add(s[i - 1] * 0.5), x))
problem("loop", "heat equation 512 x 512, 100 steps", [(512, 512)], 1e-4)(lambda x: lax.fori_loop(
    0, 100, lambda i, s: s.at[1:-1, 1:-1].add(0.1 * (s[2:, 1:-1] + s[:-2, 1:-1] + s[1:-1, 2:] + s[1:-1, :-2] - 4 * s[1:-1, 1:-1])), x))
problem("loop", "scan of rows 1000 x 512", [(1000, 512)], 1e-4)(lambda x: lax.scan(lambda c, v: (jnp.tanh(c + v), c), x[0], x))
