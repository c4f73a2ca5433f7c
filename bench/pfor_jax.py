"""The workloads of bench/pfor_study.py in JAX: the functions of one example, which it also exports for Weft, and JAX's own vmap of them.

usage: pfor_jax.py export FAMILY SIZE… FILE     writes the function of one example as StableHLO text
       pfor_jax.py serve FAMILY SIZE…           answers lines as bench/program_server.cc does (bench/peer_server.py)
"""
import os
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
if os.environ.get("STUDY_THREADS") == "1":
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
import jax
import jax.numpy as jnp
from jax import lax

import peer_server
from pfor_workloads import VGG_WIDTHS, workload


def lstm_cell(w, b, x, h, c):
    i, g, f, o = jnp.split(jnp.concatenate([x, h], -1) @ w + b, 4, -1)
    c = jax.nn.sigmoid(f + 1) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jax.nn.sigmoid(o) * jnp.tanh(c), c


def lstm(w, b, x, c):
    """x: [steps, …]; the last h and c."""
    return lax.scan(lambda s, xt: (lstm_cell(w, b, xt, *s), None), (jnp.zeros_like(c), c), x)[0]


def cross_entropy(logits, label):
    return -jax.nn.log_softmax(logits)[label]


def conv(x, w, b):
    y = lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return jax.nn.relu(y + b)


def pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def vgg16(x, *weights):
    pairs = iter(zip(weights[::2], weights[1::2]))
    for width in VGG_WIDTHS:
        x = conv(x, *next(pairs)) if width else pool(x)
    x = x.reshape(-1)
    for i, (w, b) in enumerate(pairs):
        x = x @ w + b if i == 2 else jax.nn.relu(x @ w + b)
    return x


def lstm_output(w, b, out, x):
    zero = jnp.zeros((x.shape[1], w.shape[1] // 4))
    return lstm(w, b, x, zero)[0].mean(0) @ out


def lstm_loss(w, b, out, out_bias, x, label):
    return cross_entropy(lstm(w, b, x, jnp.zeros(w.shape[1] // 4))[0] @ out + out_bias, label)


def two_convolutions(w0, b0, w1, b1, x):
    return pool(conv(pool(conv(x[None], w0, b0)), w1, b1)).reshape(-1)


def cnn_loss(w0, b0, w1, b1, d0, e0, d1, e1, x, label):
    h = jax.nn.relu(two_convolutions(w0, b0, w1, b1, x) @ d0 + e0)
    return cross_entropy(h @ d1 + e1, label)


def mnist(w0, b0, w1, b1, d0, e0, d1, e1, x, kept):
    h = jax.nn.relu(two_convolutions(w0, b0, w1, b1, x) @ d0 + e0)
    return jnp.where(kept >= 0.4, h / 0.6, 0) @ d1 + e1


def mnist_loss(*args):
    return cross_entropy(mnist(*args[:-1]), args[-1])


def dense(x, *weights):
    for w, b in zip(weights[::2], weights[1::2]):
        x = jax.nn.relu(x @ w + b)
    return x


def dense_loss(*args):
    *weights, out, out_bias, x = args
    return ((dense(x, *weights) @ out + out_bias) ** 2).sum() / 2


def cell_state(c, w, b, x):
    return lstm(w, b, x, c)[1]


def batch_cell_state(w, b, x):
    return lstm(w, b, x.transpose(1, 0, 2), jnp.zeros((x.shape[0], x.shape[2])))[1]


def cell_loss(w, b, x):
    return (lstm(w, b, x, jnp.zeros(x.shape[1]))[1] ** 2).sum() / 2


def count_up(i):
    return lax.while_loop(lambda s: s[0] < i, lambda s: (s[0] + 1, s[1] + i), (jnp.int32(0), jnp.int32(0)))[1]


def rnn(w, b, x, length):
    def step(s):
        t, h, out = s
        h = jnp.tanh(jnp.concatenate([x[t], h]) @ w + b)
        return t + 1, h, out.at[t].set(h)

    return lax.while_loop(lambda s: s[0] < length, step, (jnp.int32(0), jnp.zeros(x.shape[1]), jnp.zeros_like(x)))[1:]


def sequence_loss(w, b, out, out_bias, x, length, label):
    def step(s):
        t, h, c = s
        return t + 1, *lstm_cell(w, b, x[t], h, c)

    zero = jnp.zeros(w.shape[1] // 4)
    h = lax.while_loop(lambda s: s[0] < length, step, (jnp.int32(0), zero, zero))[1]
    return cross_entropy(h @ out + out_bias, label)


def masked_sequence_loss(w, b, out, out_bias, x, length, label):
    """As sequence_loss, in the form that JAX differentiates in reverse: all steps, those beyond the length without effect."""
    def step(s, tx):
        t, xt = tx
        return jax.tree.map(lambda new, old: jnp.where(t < length, new, old), lstm_cell(w, b, xt, *s), s), None

    zero = jnp.zeros(w.shape[1] // 4)
    h = lax.scan(step, (zero, zero), (jnp.arange(x.shape[0]), x))[0][0]
    return cross_entropy(h @ out + out_bias, label)


def tree_node(w, b, h, c, left, right):
    i, o, g, f, e = jnp.split(jnp.concatenate([h[left], h[right]]) @ w + b, 5)
    cell = jax.nn.sigmoid(i) * jnp.tanh(g) + jax.nn.sigmoid(f + 1) * c[left] + jax.nn.sigmoid(e + 1) * c[right]
    return jax.nn.sigmoid(o) * jnp.tanh(cell), cell


def tree_leaves(leaf, x):
    h, c = jnp.split(x @ leaf, 2, -1)
    empty = jnp.zeros((x.shape[0] - 1, h.shape[1]))
    return jnp.concatenate([jnp.tanh(h), empty]), jnp.concatenate([c, empty])


def tree_loss(leaf, w, b, out, out_bias, x, left, right, leaves, label):
    def step(s):
        t, h, c = s
        hn, cn = tree_node(w, b, h, c, left[t], right[t])
        return t + 1, h.at[t].set(hn), c.at[t].set(cn)

    t, h, _ = lax.while_loop(lambda s: s[0] < 2 * leaves - 1, step, (leaves, *tree_leaves(leaf, x)))
    return cross_entropy(h[t - 1] @ out + out_bias, label)


def masked_tree_loss(leaf, w, b, out, out_bias, x, left, right, leaves, label):
    def step(s, k):
        h, c = s
        t = jnp.minimum(leaves + k, left.shape[0] - 1)
        hn, cn = tree_node(w, b, h, c, left[t], right[t])
        live = t < 2 * leaves - 1
        return (h.at[t].set(jnp.where(live, hn, h[t])), c.at[t].set(jnp.where(live, cn, c[t]))), None

    h = lax.scan(step, tree_leaves(leaf, x), jnp.arange(x.shape[0] - 1))[0][0]
    return cross_entropy(h[2 * leaves - 2] @ out + out_bias, label)


FUNCTIONS = {
    "vgg16_jacobian": vgg16, "lstm_jacobian": lstm_output, "lstm_gradients": lstm_loss, "cnn_gradients": cnn_loss,
    "fc_batch_jacobian": dense, "lstm_batch_jacobian": cell_state, "lstm_hessian": batch_cell_state, "lstm_batch_hessian": cell_state,
    "fc_gradients": dense_loss, "cell_gradients": cell_loss, "mnist_gradients": mnist_loss, "mnist_jacobian": mnist,
    "map": lambda x: x * x, "matmul": lambda x, w: x @ w, "while": count_up, "dynamic_rnn": rnn,
    "sequence_batching": sequence_loss, "tree_batching": tree_loss,
}
DIFFERENTIABLE = {"sequence_batching": masked_sequence_loss, "tree_batching": masked_tree_loss}  # JAX: no reverse mode of while_loop


def of_one(w):
    """The arrays of one example."""
    return [a[0] if w.axes and axis == 0 else a for a, axis in zip(w.arrays.values(), w.axes or (None,) * len(w.arrays))]


def whole(w):
    """What JAX computes for the workload."""
    if w.family == "reduction":
        return jax.vmap(lambda x, m: (lax.all_gather(x, "lanes") @ m).sum(), (0, None), axis_name="lanes")
    f = DIFFERENTIABLE.get(w.family, FUNCTIONS[w.family])
    if w.taken == "sum_grad":
        return jax.grad(lambda *args: jax.vmap(f, w.axes)(*args).sum(), w.by)
    if w.taken == "grad":
        f = jax.grad(f, w.by)
    if w.taken in ("jacobian", "hessian"):
        f = jax.jacrev(f, w.by)
    if w.taken == "hessian":
        f = jax.jacrev(f, w.by)
    return jax.vmap(f, w.axes) if w.axes else f


def serve(family, size):
    w = workload(family, size)
    arrays = [jnp.asarray(a) for a in w.arrays.values()]
    f = jax.jit(whole(w))
    peer_server.serve(lambda: jax.block_until_ready(f(*arrays)), jax.tree.leaves, lambda: f.lower(*arrays).compile())


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["export", family, *size, path]:
            w = workload(family, [int(s) for s in size])
            with open(path, "w") as out:
                out.write(jax.jit(FUNCTIONS[family], keep_unused=True).lower(*of_one(w)).as_text())
        case ["serve", family, *size]:
            serve(family, [int(s) for s in size])
        case _:
            sys.exit(__doc__)
