"""The functions of the peers' workloads as JAX exports them, run by `weft bench` beside JAX's own run of the same program.

usage: peer_programs.py WEFT DIR [--rounds N] [--only TEXT]      needs jax; the workloads lie in $WEFT_CORPUS/peers (default ../shared)
Each workload's script runs unchanged but for jax.jit, which also writes the program, its arguments and one set of results to DIR.
Prints a line a workload: medians over the rounds, which alternate, ratio, and the largest normwise distance of a result from JAX's.
"""
import argparse
import json
import os
import runpy
import statistics
import subprocess
import sys
from pathlib import Path

WORKLOADS = {
    "vgg19_forward": ["w01_vgg19_forward.py"],
    "vgg19_forward_bf16": ["w01_vgg19_forward.py", "--dtype", "bf16"],
    "vgg19_step": ["w02_vgg19_train_step.py"],
    "lstm_jacobian_parameters": ["w03_lstm_jacobian.py", "--wrt", "params"],
    "lstm_jacobian_inputs": ["w03_lstm_jacobian.py", "--wrt", "inputs"],
    "per_example_lstm": ["w04_per_example_grads.py", "--model", "lstm"],
    "per_example_cnn": ["w04_per_example_grads.py", "--model", "cnn"],
    "cifar_step": ["w05_cifar_cnn_train_step.py"],
    "chain_sum": ["w06_elementwise_fused.py", "--out", "sum"],
    "chain_array": ["w06_elementwise_fused.py", "--out", "array"],
    "lorenz": ["w07_scalar_loop.py", "--kind", "lorenz"],
    "collatz": ["w07_scalar_loop.py", "--kind", "collatz"],
    "mvn": ["w09_mvn_pdf_grad_hess.py"],
    "mandelbrot": ["w11_map_while.py", "--kind", "mandel"],
    "kepler": ["w11_map_while.py", "--kind", "kepler"],
    "sgd": ["w12_sgd_regression.py"],
}


def export(script, folder, name, arguments):
    """In a process of its own: runs the script with a jax.jit that keeps what it compiles."""
    import jax
    import numpy as np

    real_jit = jax.jit

    def kept(values):
        # bf16 has no name in NumPy: its bytes go as they are.
        arrays = [np.asarray(v) for v in jax.tree.leaves(values)]
        return [a.view("V2") if a.dtype.name == "bfloat16" else a for a in arrays]

    class Jitted:
        def __init__(self, f, **options):
            options.pop("donate_argnums", None)  # the arguments are kept
            self.function = real_jit(f, **options)

        def __call__(self, *args):
            return self.function(*args)

        def lower(self, *args):
            lowered = self.function.lower(*args)
            (folder / f"{name}.mlir").write_text(lowered.as_text())
            np.savez(folder / f"{name}.npz", **{f"arg{i}": a for i, a in enumerate(kept(args))})
            np.savez(folder / f"{name}.jax.npz", **{f"result{i}": a for i, a in enumerate(kept(self.function(*args)))})
            return lowered

    jax.jit = Jitted
    sys.argv = [str(script), "--peer", "jax", *arguments]
    sys.path.insert(0, str(script.parent))
    runpy.run_path(str(script), run_name="__main__")


def distance(folder, name):
    import numpy as np

    def numbers(a):
        if a.dtype.kind == "V":
            a = (a.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
        return a.astype(np.complex128 if a.dtype.kind == "c" else np.float64)

    worst = 0.0
    with np.load(folder / f"{name}.jax.npz") as expected, np.load(folder / f"{name}.weft.npz") as ours:
        for key in expected.files:
            a, b = numbers(ours[key]), numbers(expected[key])
            worst = max(worst, float(np.linalg.norm(a - b) / max(np.linalg.norm(b), 1e-30)))
    return worst


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("weft")
    p.add_argument("folder", type=Path)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--only", default="")
    p.add_argument("--seconds", type=float, default=4)
    p.add_argument("--export", nargs="+", help=argparse.SUPPRESS)
    a = p.parse_args()
    peers = Path(os.environ.get("WEFT_CORPUS", Path(__file__).resolve().parents[2] / "shared")) / "peers"
    a.folder = a.folder.resolve()
    a.folder.mkdir(parents=True, exist_ok=True)
    for name, (script, *arguments) in WORKLOADS.items():
        if a.only not in name:
            continue
        jax_times, weft_times, compile_times = [], [], []
        try:
            for _ in range(a.rounds):
                code = ("import sys, pathlib; sys.path.insert(0, sys.argv[1]); import peer_programs as p; "
                        "p.export(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), sys.argv[4], sys.argv[5:])")
                done = subprocess.run([sys.executable, "-c", code, str(Path(__file__).resolve().parent), str(peers / script), str(a.folder), name,
                                       *arguments, "--budget", str(a.seconds)],
                                      capture_output=True, text=True, cwd=a.folder)  # some keep their weights where they run
                if done.returncode != 0:
                    raise RuntimeError("jax: " + done.stderr.strip().splitlines()[-1])
                theirs = json.loads(done.stdout.strip().splitlines()[-1])
                jax_times.append(theirs["median_s"])
                program, given = str(a.folder / f"{name}.mlir"), str(a.folder / f"{name}.npz")
                done = subprocess.run([a.weft, "bench", program, "--input", given, "--json", "--seconds", str(a.seconds)], capture_output=True, text=True)
                if done.returncode != 0:
                    raise RuntimeError("weft: " + done.stderr.strip().splitlines()[0])
                ours = json.loads(done.stdout)
                weft_times.append(ours["median_s"])
                compile_times.append((ours["compile_s"], theirs["compile_s"]))
            done = subprocess.run([a.weft, "run", program, "--input", given, "--out", str(a.folder / f"{name}.weft.npz")], capture_output=True, text=True)
            if done.returncode != 0:
                raise RuntimeError("weft: " + done.stderr.strip().splitlines()[0])
            weft, jax = statistics.median(weft_times), statistics.median(jax_times)
            print(f"{name}: weft {weft * 1e3:.4g} ms, jax {jax * 1e3:.4g} ms, ratio {weft / jax:.3f}; compiled in {compile_times[-1][0]:.2f} s, "
                  f"jax {compile_times[-1][1]:.2f} s; distance {distance(a.folder, name):.2g}", flush=True)
        except RuntimeError as error:
            print(f"{name}: {error}", flush=True)


if __name__ == "__main__":
    main()
