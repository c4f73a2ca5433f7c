"""What bench/pfor_study.py runs: for each workload the arrays and how derivatives and lanes are taken of a function of one example.

A workload is a function f of one example (in JAX: pfor_jax.py, in TensorFlow: pfor_tensorflow.py), arrays for its arguments, which of
them it is differentiated by, what is taken of it, and along which axis of each argument the examples lie (None: the same for all).

taken      is
value      f
grad       the gradient of the scalar f
jacobian   first derivatives of f's result
hessian    second derivatives of f's result (of each element of it)
sum_grad   the gradient of the sum of f over the examples
"""
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Workload:
    name: str  # family and size, "lstm_jacobian 128"
    family: str
    taken: str
    arrays: dict
    by: tuple  # positions of the arguments it is differentiated by
    axes: tuple | None = None  # None: no examples
    sizes: dict = field(default_factory=dict)

    @property
    def lanes(self):
        return next(a.shape[0] for a, axis in zip(self.arrays.values(), self.axes) if axis == 0)


class Draw:
    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)

    def normal(self, *shape, scale=1.0):
        return (self.rng.standard_normal(shape) * scale).astype(np.float32)

    def weights(self, fan_in, *rest, gain=1.0):
        return self.normal(fan_in, *rest, scale=(gain / fan_in) ** 0.5)

    def conv(self, size, fan_in, out):
        return self.normal(size, size, fan_in, out, scale=(2 / (size * size * fan_in)) ** 0.5)


VGG_WIDTHS = (8, 8, 0, 16, 16, 0, 32, 32, 32, 0, 64, 64, 64, 0, 64, 64, 64, 0)


def vgg16_jacobian(k, image=32):
    d = Draw()
    arrays, channels = {"x": d.normal(1, image, image, 3)}, 3
    for i, width in enumerate(w for w in VGG_WIDTHS if w):
        arrays[f"w{i}"], arrays[f"b{i}"] = d.conv(3, channels, width), d.normal(width, scale=0.1)
        channels = width
    for name, fan_in, out in (("dense0", channels * (image // 32) ** 2, 64), ("dense1", 64, 64), ("dense2", 64, k)):
        arrays[name], arrays[name + "_bias"] = d.weights(fan_in, out, gain=2), d.normal(out, scale=0.1)
    return Workload(f"vgg16_jacobian {k}", "vgg16_jacobian", "jacobian", arrays, tuple(range(1, len(arrays))))


def lstm_jacobian(k, steps=20, batch=8, width=64, units=128):
    d = Draw()
    arrays = {"w": d.weights(width + units, 4 * units), "b": d.normal(4 * units, scale=0.1), "out": d.weights(units, k),
              "x": d.normal(steps, batch, width)}
    return Workload(f"lstm_jacobian {k}", "lstm_jacobian", "jacobian", arrays, (0, 1))


def lstm_gradients(batch, steps=20, width=64, units=128):
    d = Draw()
    arrays = {"w": d.weights(width + units, 4 * units), "b": d.normal(4 * units, scale=0.1), "out": d.weights(units, 10),
              "out_bias": d.normal(10, scale=0.1), "x": d.normal(batch, steps, width),
              "label": d.rng.integers(0, 10, batch).astype(np.int32)}
    return Workload(f"lstm_gradients {batch}", "lstm_gradients", "grad", arrays, (0, 1, 2, 3), (None,) * 4 + (0, 0))


def cnn_gradients(batch):
    d = Draw()
    arrays = {"w0": d.conv(5, 1, 16), "b0": d.normal(16, scale=0.1), "w1": d.conv(5, 16, 32), "b1": d.normal(32, scale=0.1),
              "dense0": d.weights(1568, 64, gain=2), "dense0_bias": d.normal(64, scale=0.1), "dense1": d.weights(64, 10),
              "dense1_bias": d.normal(10, scale=0.1), "x": d.normal(batch, 28, 28, 1), "label": d.rng.integers(0, 10, batch).astype(np.int32)}
    return Workload(f"cnn_gradients {batch}", "cnn_gradients", "grad", arrays, tuple(range(8)), (None,) * 8 + (0, 0))


def dense_arrays(d, width, layers):
    arrays = {}
    for i in range(layers):
        arrays[f"w{i}"], arrays[f"b{i}"] = d.weights(width, width, gain=2), d.normal(width, scale=0.1)
    return arrays


def fc_batch_jacobian(batch, width, layers):
    d = Draw()
    arrays = {"x": d.normal(batch, width)} | dense_arrays(d, width, layers)
    return Workload(f"fc_batch_jacobian {batch} {width} {layers}", "fc_batch_jacobian", "jacobian", arrays, (0,), (0,) + (None,) * (2 * layers))


def cell_arrays(d, units):
    return {"w": d.weights(2 * units, 4 * units), "b": d.normal(4 * units, scale=0.1)}


def lstm_batch_jacobian(batch, units, steps):
    d = Draw()
    arrays = {"c": np.zeros((batch, units), np.float32)} | cell_arrays(d, units) | {"x": d.normal(batch, steps, units)}
    return Workload(f"lstm_batch_jacobian {batch} {units} {steps}", "lstm_batch_jacobian", "jacobian", arrays, (0,), (0, None, None, 0))


def lstm_hessian(batch, units, steps):
    d = Draw()
    arrays = cell_arrays(d, units) | {"x": d.normal(batch, steps, units)}
    return Workload(f"lstm_hessian {batch} {units} {steps}", "lstm_hessian", "hessian", arrays, (0, 1))


def lstm_batch_hessian(batch, units, steps):
    d = Draw()
    arrays = {"c": np.zeros((batch, units), np.float32)} | cell_arrays(d, units) | {"x": d.normal(batch, steps, units)}
    return Workload(f"lstm_batch_hessian {batch} {units} {steps}", "lstm_batch_hessian", "hessian", arrays, (0,), (0, None, None, 0))


def fc_gradients(batch, width, layers):
    d = Draw()
    arrays = dense_arrays(d, width, layers) | {"out": d.weights(width, 1), "out_bias": d.normal(1, scale=0.1), "x": d.normal(batch, width)}
    n = len(arrays) - 1
    return Workload(f"fc_gradients {batch} {width} {layers}", "fc_gradients", "grad", arrays, tuple(range(n)), (None,) * n + (0,))


def cell_gradients(batch, units, steps):
    d = Draw()
    arrays = cell_arrays(d, units) | {"x": d.normal(batch, steps, units)}
    return Workload(f"cell_gradients {batch} {units} {steps}", "cell_gradients", "grad", arrays, (0, 1), (None, None, 0))


def mnist_arrays(batch):
    d = Draw()
    return {"w0": d.conv(5, 1, 32), "b0": d.normal(32, scale=0.1), "w1": d.conv(5, 32, 64), "b1": d.normal(64, scale=0.1),
            "dense0": d.weights(3136, 1024, gain=2), "dense0_bias": d.normal(1024, scale=0.1), "dense1": d.weights(1024, 10),
            "dense1_bias": d.normal(10, scale=0.1), "x": d.rng.random((batch, 28, 28, 1), np.float32),
            "kept": d.rng.random((batch, 1024), np.float32)}  # dropout keeps what is at least 0.4


def mnist_gradients(batch):
    arrays = mnist_arrays(batch) | {"label": Draw(1).rng.integers(0, 10, batch).astype(np.int32)}
    return Workload(f"mnist_gradients {batch}", "mnist_gradients", "grad", arrays, tuple(range(8)), (None,) * 8 + (0, 0, 0))


def mnist_jacobian(batch):
    return Workload(f"mnist_jacobian {batch}", "mnist_jacobian", "jacobian", mnist_arrays(batch), tuple(range(8)), (None,) * 8 + (0, 0))


def square_map(rows, width):
    return Workload(f"map {rows} {width}", "map", "value", {"x": Draw().normal(rows, width)}, (), (0,))


def matmul(rows, width):
    d = Draw()
    return Workload(f"matmul {rows} {width}", "matmul", "value", {"x": d.normal(rows, width), "w": d.weights(width, width)}, (), (0, None))


def while_map(lanes):
    return Workload(f"while {lanes}", "while", "value", {"i": np.arange(lanes, dtype=np.int32)}, (), (0,))


def dynamic_rnn(batch, units, steps):
    d = Draw()
    arrays = {"w": d.weights(2 * units, units), "b": d.normal(units, scale=0.1), "x": d.rng.random((batch, steps, units), np.float32),
              "length": d.rng.integers(0, steps + 1, batch).astype(np.int32)}
    return Workload(f"dynamic_rnn {batch} {units} {steps}", "dynamic_rnn", "value", arrays, (), (None, None, 0, 0))


def reduction(n):
    d = Draw()
    return Workload(f"reduction {n}", "reduction", "value", {"x": d.rng.random((n, n), np.float32), "w": d.rng.random((n, n), np.float32)}, (), (0, None))


def sequence_batching(batch, steps=40, width=64, units=128):
    d = Draw()
    arrays = {"w": d.weights(width + units, 4 * units), "b": d.normal(4 * units, scale=0.1), "out": d.weights(units, 10),
              "out_bias": d.normal(10, scale=0.1), "x": d.normal(batch, steps, width),
              "length": d.rng.integers(steps // 8, steps + 1, batch).astype(np.int32), "label": d.rng.integers(0, 10, batch).astype(np.int32)}
    return Workload(f"sequence_batching {batch}", "sequence_batching", "sum_grad", arrays, (0, 1, 2, 3), (None,) * 4 + (0, 0, 0))


def tree_batching(batch, leaves=24, width=64, units=64):
    """Random binary trees: leaves first, then inner nodes, children before parents."""
    d = Draw()
    left, right = np.zeros((batch, 2 * leaves - 1), np.int32), np.zeros((batch, 2 * leaves - 1), np.int32)
    count = d.rng.integers(leaves // 4, leaves + 1, batch).astype(np.int32)
    for i, n in enumerate(count):
        roots = list(range(n))
        for node in range(n, 2 * n - 1):
            at = int(d.rng.integers(0, len(roots) - 1))
            left[i, node], right[i, node] = roots[at], roots[at + 1]
            roots[at:at + 2] = [node]
    arrays = {"leaf": d.weights(width, 2 * units), "w": d.weights(2 * units, 5 * units), "b": d.normal(5 * units, scale=0.1),
              "out": d.weights(units, 5), "out_bias": d.normal(5, scale=0.1), "x": d.normal(batch, leaves, width), "left": left, "right": right,
              "leaves": count, "label": d.rng.integers(0, 5, batch).astype(np.int32)}
    return Workload(f"tree_batching {batch}", "tree_batching", "sum_grad", arrays, (0, 1, 2, 3, 4), (None,) * 5 + (0,) * 5)


# Family: (how it is made, sizes as measured, small sizes that check the programs)
FAMILIES = {
    "vgg16_jacobian": (vgg16_jacobian, [(1,), (8,), (32,), (128,)], [(3,)]),
    "lstm_jacobian": (lstm_jacobian, [(1,), (8,), (32,), (128,)], [(5, 4, 2, 3, 6)]),
    "lstm_gradients": (lstm_gradients, [(1,), (16,), (64,), (256,)], [(3, 4, 5, 6)]),
    "cnn_gradients": (cnn_gradients, [(1,), (16,), (64,), (256,)], [(3,)]),
    "fc_batch_jacobian": (fc_batch_jacobian, [(100, 32, 20)], [(5, 4, 3)]),
    "lstm_batch_jacobian": (lstm_batch_jacobian, [(100, 32, 8)], [(5, 4, 3)]),
    "lstm_hessian": (lstm_hessian, [(2, 2, 10)], [(2, 2, 3)]),
    "lstm_batch_hessian": (lstm_batch_hessian, [(4, 4, 10)], [(3, 2, 3)]),
    "fc_gradients": (fc_gradients, [(100, 32, 3)], [(5, 4, 2)]),
    "cell_gradients": (cell_gradients, [(100, 32, 8)], [(5, 4, 3)]),
    "mnist_gradients": (mnist_gradients, [(128,)], [(2,)]),
    "mnist_jacobian": (mnist_jacobian, [(16,)], [(2,)]),
    "map": (square_map, [(256, 1000)], [(5, 7)]),
    "matmul": (matmul, [(1024, 1000)], [(5, 7)]),
    "while": (while_map, [(50,)], [(7,)]),
    "dynamic_rnn": (dynamic_rnn, [(128, 512, 16)], [(5, 6, 4)]),
    "reduction": (reduction, [(1024,)], [(6,)]),
    "sequence_batching": (sequence_batching, [(1,), (16,), (64,), (256,)], [(4, 6, 5, 7)]),
    "tree_batching": (tree_batching, [(1,), (16,), (64,), (256,)], [(4, 5, 3, 4)]),
}


def workload(family, size):
    make, _, _ = FAMILIES[family]
    return make(*size)
