"""The workloads of bench/pfor_study.py that DyNet batches at run time: gradients of losses over sequences and trees of different sizes.

usage: pfor_dynet.py FAMILY SIZE…     answers lines as bench/program_server.cc does (bench/peer_server.py); needs dynet38

A call builds the graph of all examples, goes forwards and backwards, with automatic batching: that is how DyNet is used.
"""
import os
import sys

os.environ.setdefault("OMP_NUM_THREADS", os.environ.get("STUDY_THREADS", "2"))
import dynet_config

dynet_config.set(autobatch=1, mem=2048, random_seed=1)
import dynet as dy
import numpy as np

import peer_server
from pfor_workloads import workload


def part(v, i, n):
    units = v.dim()[0][0] // n
    return v[i * units:(i + 1) * units]


def sequence_loss(p, a, i):
    units = a["out"].shape[0]
    h = c = dy.zeros(units)
    for t in range(a["length"][i]):
        z = p["b"] + p["w"] * dy.concatenate([dy.inputTensor(a["x"][i, t]), h])
        c = dy.cmult(dy.logistic(part(z, 2, 4) + 1), c) + dy.cmult(dy.logistic(part(z, 0, 4)), dy.tanh(part(z, 1, 4)))
        h = dy.cmult(dy.logistic(part(z, 3, 4)), dy.tanh(c))
    return dy.pickneglogsoftmax(p["out_bias"] + p["out"] * h, int(a["label"][i]))


def tree_loss(p, a, i):
    n, nodes = int(a["leaves"][i]), []
    for t in range(2 * n - 1):
        if t < n:
            z = p["leaf"] * dy.inputTensor(a["x"][i, t])
            nodes.append((dy.tanh(part(z, 0, 2)), part(z, 1, 2)))
            continue
        (hl, cl), (hr, cr) = nodes[a["left"][i, t]], nodes[a["right"][i, t]]
        z = p["b"] + p["w"] * dy.concatenate([hl, hr])
        c = (dy.cmult(dy.logistic(part(z, 0, 5)), dy.tanh(part(z, 2, 5))) + dy.cmult(dy.logistic(part(z, 3, 5) + 1), cl)
             + dy.cmult(dy.logistic(part(z, 4, 5) + 1), cr))
        nodes.append((dy.cmult(dy.logistic(part(z, 1, 5)), dy.tanh(c)), c))
    return dy.pickneglogsoftmax(p["out_bias"] + p["out"] * nodes[-1][0], int(a["label"][i]))


def main():
    family, *size = sys.argv[1:]
    w = workload(family, [int(s) for s in size])
    loss = {"sequence_batching": sequence_loss, "tree_batching": tree_loss}[family]
    names, arrays = list(w.arrays), list(w.arrays.values())
    model, parameters = dy.ParameterCollection(), {}
    for i in w.by:  # matrices are columns times rows there
        a = arrays[i].T if arrays[i].ndim == 2 else arrays[i]
        parameters[names[i]] = model.parameters_from_numpy(np.ascontiguousarray(a))

    def call():
        dy.renew_cg()
        total = dy.esum([loss(parameters, w.arrays, i) for i in range(w.lanes)])
        total.forward()
        total.backward()
        out = [p.grad_as_array() for p in parameters.values()]
        for p in parameters.values():
            p.scale_gradient(0)
        return out

    peer_server.serve(call, lambda out: [g.T.astype(np.float32) for g in out])


if __name__ == "__main__":
    main()
