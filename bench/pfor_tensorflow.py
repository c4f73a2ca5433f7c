"""The workloads of bench/pfor_study.py in TensorFlow: its pfor, or its while loop in place of it.

usage: pfor_tensorflow.py pfor|while FAMILY SIZE…     answers lines as bench/program_server.cc does (bench/peer_server.py)

Examples go through tf.vectorized_map or tf.map_fn, Jacobians through GradientTape.jacobian and batch_jacobian with or without pfor.
"""
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
import tensorflow as tf

import peer_server
from pfor_workloads import VGG_WIDTHS, workload


def lstm_cell(w, b, x, h, c):
    i, g, f, o = tf.split(tf.matmul(tf.concat([x, h], -1), w) + b, 4, -1)
    c = tf.sigmoid(f + 1) * c + tf.sigmoid(i) * tf.tanh(g)
    return tf.sigmoid(o) * tf.tanh(c), c


def lstm(w, b, x, c):
    """x: [steps, batch, …], steps unrolled as the cells of TensorFlow's own benchmark are."""
    h = tf.zeros_like(c)
    for t in range(x.shape[0]):
        h, c = lstm_cell(w, b, x[t], h, c)
    return h, c


def cross_entropy(logits, label):
    return tf.reduce_sum(tf.nn.sparse_softmax_cross_entropy_with_logits(label[None], logits))


def conv(x, w, b):
    return tf.nn.relu(tf.nn.conv2d(x, w, 1, "SAME") + b)


def pool(x):
    return tf.nn.max_pool2d(x, 2, 2, "VALID")


def vgg16(x, *weights):
    pairs = iter(zip(weights[::2], weights[1::2]))
    for width in VGG_WIDTHS:
        x = conv(x, *next(pairs)) if width else pool(x)
    x = tf.reshape(x, [1, -1])
    for i, (w, b) in enumerate(pairs):
        x = tf.matmul(x, w) + b if i == 2 else tf.nn.relu(tf.matmul(x, w) + b)
    return x[0]


def lstm_output(w, b, out, x):
    h, _ = lstm(w, b, x, tf.zeros([x.shape[1], w.shape[1] // 4]))
    return tf.linalg.matvec(out, tf.reduce_mean(h, 0), transpose_a=True)


def lstm_loss(w, b, out, out_bias, x, label):
    h, _ = lstm(w, b, x[:, None], tf.zeros([1, w.shape[1] // 4]))
    return cross_entropy(tf.matmul(h, out) + out_bias, label)


def two_convolutions(w0, b0, w1, b1, x):
    return tf.reshape(pool(conv(pool(conv(x[None], w0, b0)), w1, b1)), [1, -1])


def cnn_loss(w0, b0, w1, b1, d0, e0, d1, e1, x, label):
    h = tf.nn.relu(tf.matmul(two_convolutions(w0, b0, w1, b1, x), d0) + e0)
    return cross_entropy(tf.matmul(h, d1) + e1, label)


def mnist(w0, b0, w1, b1, d0, e0, d1, e1, x, kept):
    h = tf.nn.relu(tf.matmul(two_convolutions(w0, b0, w1, b1, x), d0) + e0)
    return (tf.matmul(tf.where(kept >= 0.4, h / 0.6, 0.0), d1) + e1)[0]


def mnist_loss(*args):
    return cross_entropy(mnist(*args[:-1])[None], args[-1])


def dense(x, *weights):
    for w, b in zip(weights[::2], weights[1::2]):
        x = tf.nn.relu(tf.matmul(x, w) + b)
    return x


def dense_loss(*args):
    *weights, out, out_bias, x = args
    return tf.nn.l2_loss(tf.matmul(dense(x[None], *weights), out) + out_bias)


def batch_state(c, w, b, x):
    return lstm(w, b, tf.transpose(x, [1, 0, 2]), c)[1]


def cell_loss(w, b, x):
    return tf.nn.l2_loss(lstm(w, b, x[:, None], tf.zeros([1, x.shape[1]]))[1])


def count_up(i):
    return tf.while_loop(lambda t, s: t < i, lambda t, s: (t + 1, s + i), (0, 0))[1]


def rnn(w, b, x, length):
    def step(t, h, out):
        h = tf.tanh(tf.matmul(tf.concat([x[t][None], h], 1), w) + b)
        return t + 1, h, out.write(t, h[0])

    units = x.shape[1]
    out = tf.TensorArray(tf.float32, x.shape[0], element_shape=[units]).unstack(tf.zeros([x.shape[0], units]))
    _, h, out = tf.while_loop(lambda t, h, out: t < length, step, (0, tf.zeros([1, units]), out), maximum_iterations=x.shape[0])
    return h[0], out.stack()


FUNCTIONS = {
    "vgg16_jacobian": vgg16, "lstm_jacobian": lstm_output, "lstm_gradients": lstm_loss, "cnn_gradients": cnn_loss,
    "fc_batch_jacobian": dense, "lstm_batch_jacobian": batch_state, "lstm_batch_hessian": batch_state,
    "lstm_hessian": lambda w, b, x: batch_state(tf.zeros([x.shape[0], x.shape[2]]), w, b, x),
    "fc_gradients": dense_loss, "cell_gradients": cell_loss, "mnist_gradients": mnist_loss, "mnist_jacobian": mnist,
    "map": lambda x: x * x, "matmul": lambda x, w: tf.matmul(x[None], w)[0], "while": count_up, "dynamic_rnn": rnn,
}
BATCHED = {"fc_batch_jacobian", "lstm_batch_jacobian", "lstm_batch_hessian"}  # their functions take all examples at once


def whole(w, pfor):
    f, how = FUNCTIONS.get(w.family), {"experimental_use_pfor": pfor}
    if not pfor:
        how["parallel_iterations"] = 10

    def wrt(args):
        return [args[i] for i in w.by]

    def jacobian(*args):
        with tf.GradientTape() as tape:
            tape.watch(wrt(args))
            y = f(*args)
        return tape.jacobian(y, wrt(args), **how)

    def batch_jacobian(*args):
        with tf.GradientTape() as tape:
            tape.watch(args[0])
            y = f(*args)
        return tape.batch_jacobian(y, args[0], **how)

    def hessian(*args):
        # As in TensorFlow's benchmark, the inner derivatives are by pfor in both forms.
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(wrt(args))
            with tf.GradientTape() as inner:
                inner.watch(wrt(args))
                y = f(*args)
            rows = inner.jacobian(y, wrt(args), experimental_use_pfor=True)
        return [outer.jacobian(r, wrt(args), **how) for r in rows]

    def batch_hessian(*args):
        with tf.GradientTape() as outer:
            outer.watch(args[0])
            with tf.GradientTape() as inner:
                inner.watch(args[0])
                y = f(*args)
            rows = inner.batch_jacobian(y, args[0], experimental_use_pfor=True)
            flat = tf.reshape(rows, [rows.shape[0], -1])
        h = outer.batch_jacobian(flat, args[0], **how)
        return tf.reshape(h, [*rows.shape, h.shape[-1]])

    def gradient(*args):
        with tf.GradientTape() as tape:
            tape.watch(wrt(args))
            y = f(*args)
        return tape.gradient(y, wrt(args))

    if w.family in BATCHED:
        return batch_jacobian if w.taken == "jacobian" else batch_hessian
    one = {"value": f, "grad": gradient, "jacobian": jacobian, "hessian": hessian}[w.taken]
    if not w.axes:
        return one

    def mapped(*args):
        def example(given):
            given = iter(given)
            out = one(*(next(given) if axis == 0 else a for a, axis in zip(args, w.axes)))
            return tuple(out) if isinstance(out, (list, tuple)) else out

        xs = tuple(a for a, axis in zip(args, w.axes) if axis == 0)
        if pfor:
            return tf.vectorized_map(example, xs, fallback_to_while_loop=False)
        types = tf.nest.map_structure(lambda t: t.dtype, tf.function(example).get_concrete_function(tuple(x[0] for x in xs)).structured_outputs)
        return tf.map_fn(example, xs, fn_output_signature=types, parallel_iterations=10)

    return mapped


def reduction(pfor):
    from tensorflow.python.ops.parallel_for import control_flow_ops

    def f(x, w):
        if not pfor:  # the same sum without examples, as TensorFlow's benchmark compares
            return tf.fill([x.shape[0]], tf.reduce_sum(tf.matmul(x, w)))

        def example(i, pfor_config):  # TensorFlow looks for this name
            return tf.reduce_sum(tf.matmul(pfor_config.reduce_concat(tf.gather(x, i)), w))

        return control_flow_ops.pfor(example, x.shape[0])

    return f


def main():
    form, family, *size = sys.argv[1:]
    threads = int(os.environ.get("STUDY_THREADS", "2"))
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(threads)
    w = workload(family, [int(s) for s in size])
    f = tf.function(reduction(form == "pfor") if family == "reduction" else whole(w, form == "pfor"))
    args = [tf.constant(a) for a in w.arrays.values()]

    def call():
        out = f(*args)
        for t in tf.nest.flatten(out):
            tf.reshape(t, [-1])[:1].numpy()
        return out

    peer_server.serve(call, lambda out: [t.numpy() for t in tf.nest.flatten(out)])


if __name__ == "__main__":
    main()
