#!/usr/bin/env python3
"""Gradients of large networks by all their weights, by `weft transform --grad`, against PyTorch in float64.

usage: large_gradients.py BUILD DIR --jax PYTHON --torch PYTHON [--only TEXT] [--batch N] [--size N] [--highest] [--small]

The networks are VGG19 and ResNet-50 (build/bench/convnets writes the program) and GPT-2-small's twelve blocks (sequence_models.py, exported from
JAX); the loss is the mean square of what they return. Prints for each the normwise distance from float64 of the whole gradient and of
the worst single weight's, of Weft's f32 and of PyTorch's f32. Fails when Weft's is above 1e-5 and above five times PyTorch's: networks with relu
and max pools have kinks, and of millions of activations some lie within rounding of one, where f32 may take the other side than float64
does. --highest: convolutions with precision HIGHEST (no Winograd). --small: a few pixels and two blocks.
"""
import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODELS = ("vgg19", "resnet50", "gpt2")


def with_loss(text):
    """The program with @loss added: the mean square of @main's result. Returns the number of arguments, too."""
    args, result = re.search(r"func\.func (?:public )?@main\((.*?)\) -> \(?(tensor<[^>]*>)", text).groups()
    args = re.findall(r"tensor<[^>]*>", args)
    extents = [int(n) for n in result[len("tensor<"):-1].split("x")[:-1]]
    count, dims = 1, ", ".join(map(str, range(len(extents))))
    for n in extents:
        count *= n
    loss = f"""func.func @loss({', '.join(f'%a{i}: {t}' for i, t in enumerate(args))}) -> tensor<f32> {{
  %y = func.call @main({', '.join(f'%a{i}' for i in range(len(args)))}) : ({', '.join(args)}) -> {result}
  %q = stablehlo.multiply %y, %y : {result}
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%q init: %z) applies stablehlo.add across dimensions = [{dims}] : ({result}, tensor<f32>) -> tensor<f32>
  %n = stablehlo.constant dense<{count}.0> : tensor<f32>
  %m = stablehlo.divide %s, %n : tensor<f32>
  return %m : tensor<f32>
}}
"""
    end = text.rstrip().rindex("}") if text.lstrip().startswith("module") else len(text)
    return text[:end] + loss + text[end:], len(args)


def ours(a, model, folder):
    """Writes the program, its gradient and its results, as raw elements."""
    if model == "gpt2":
        done = subprocess.run([a.jax, "-c", GPT2_EXPORT, str(HERE), str(folder), "small" if a.small else ""], text=True, capture_output=True)
    else:
        size = [*(["--size", str(a.size)] if a.size else []), *(["--highest"] if a.highest else [])]
        done = subprocess.run([a.build / "bench/convnets", model, "--batch", str(a.batch), *size, "--write", folder], text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{model}: {done.stderr[-500:]}")
    text, count = with_loss((folder / "one.mlir").read_text())
    (folder / "loss.mlir").write_text(text)
    by = ",".join(str(i) for i in range(1, count))
    done = subprocess.run([a.build / "weft", "transform", folder / "loss.mlir", "--grad", f"loss:{by}", "--as", "gradient"], text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{model}: {done.stderr[-500:]}")
    (folder / "gradient.mlir").write_text(done.stdout)
    done = subprocess.run([a.build / "bench/program_server", folder / "gradient.mlir", "gradient", folder], text=True, capture_output=True,
                          input=f"run 0 1\nsave {folder} 4000000000\n")
    if done.returncode != 0:
        sys.exit(f"{model}: {done.stderr[-500:]}")
    return float(done.stdout.split()[1]), float(done.stdout.split()[2])


GPT2_EXPORT = """
import sys
sys.path.insert(0, sys.argv[1])
import jax, sequence_models as s
if sys.argv[3]: s.LAYERS, s.WIDTH, s.HEADS, s.TOKENS = 2, 24, 3, 10
values = s.inputs("gpt2")
f = s.jax_function("gpt2")
with open(sys.argv[2] + "/one.mlir", "w") as out:
    out.write(jax.jit(lambda *arrays: f(dict(zip(values, arrays)))).lower(*values.values()).as_text())
for i, v in enumerate(values.values()): v.tofile(f"{sys.argv[2]}/arg{i}")
"""


def compare(model, folder, batch, size, small):
    """Runs where PyTorch is. Weights are leaves in Weft's order of dimensions."""
    import numpy as np
    import torch

    torch.set_num_threads(2)

    def gradients(dtype):
        if model == "gpt2":
            import sequence_models as s
            if small:
                s.LAYERS, s.WIDTH, s.HEADS, s.TOKENS = 2, 24, 3, 10
            leaves = {k: torch.from_numpy(v).to(dtype).requires_grad_(k != "x") for k, v in s.inputs("gpt2").items()}
            y = s.torch_function("gpt2")(leaves)
            leaves = [v for k, v in leaves.items() if k != "x"]
        else:
            import torch_convnets

            class Leaves(torch_convnets.Network):
                def parameter(self, shape, scale, shift, arrange=lambda t: t):
                    if self.at is None:
                        self.leaves = getattr(self, "leaves", [])
                        self.leaves.append((self.random(shape, scale, shift).requires_grad_(), arrange))
                        return arrange(self.leaves[-1][0])
                    leaf, arrange = self.leaves[self.at]
                    self.at += 1
                    return arrange(leaf)

            net = Leaves(model, dtype, batch, size or None)
            y = net(net.images)
            leaves = [leaf for leaf, _ in net.leaves]
        (y * y).mean().backward()
        return [leaf.grad.double() for leaf in leaves]

    def distances(got, want):
        off = [((g - w).norm() ** 2).item() for g, w in zip(got, want)]
        all_ = [(w.norm() ** 2).item() for w in want]
        worst = max(range(len(off)), key=lambda i: off[i] / all_[i])
        return (sum(off) / sum(all_)) ** 0.5, (off[worst] / all_[worst]) ** 0.5, worst

    want = gradients(torch.float64)
    mine = [torch.from_numpy(np.fromfile(folder / f"result{i}", np.float32)).reshape(w.shape).double() for i, w in enumerate(want)]
    print(*distances(mine, want), len(want), sum(w.numel() for w in want))
    del mine
    print(*distances(gradients(torch.float32), want))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("build", type=Path)
    p.add_argument("folder", type=Path)
    p.add_argument("--jax")
    p.add_argument("--torch")
    p.add_argument("--only", default="")
    p.add_argument("--batch", type=int, default=2)
    p.add_argument("--size", type=int, default=0, help="pixels along a side; 0: 224")
    p.add_argument("--highest", action="store_true")
    p.add_argument("--small", action="store_true")
    p.add_argument("--compare", help=argparse.SUPPRESS)
    a = p.parse_args()
    a.build, a.folder = a.build.resolve(), a.folder.resolve()
    if a.compare:
        return compare(a.compare, a.folder, a.batch, a.size, a.small)
    if a.small and not a.size:
        a.size = 32
    failed = False
    for model in MODELS:
        if a.only not in model:
            continue
        folder = a.folder / model
        folder.mkdir(parents=True, exist_ok=True)
        compiled, seconds = ours(a, model, folder)
        command = [a.torch, Path(__file__).resolve(), a.build, folder, "--compare", model, "--batch", str(a.batch), "--size", str(a.size)]
        done = subprocess.run([*command, *(["--small"] if a.small else [])], text=True, capture_output=True, cwd=HERE, env=os.environ | {"OMP_NUM_THREADS": "2"})
        if done.returncode != 0:
            sys.exit(f"{model}: {done.stderr[-800:]}")
        mine, theirs = (line.split() for line in done.stdout.strip().splitlines())
        whole, bound = float(mine[0]), max(1e-5, 5 * float(theirs[0]))
        print(f"{model}: {mine[3]} weights, {int(mine[4]):,} numbers; from float64, normwise: Weft {whole:.2g} (worst weight {float(mine[1]):.2g}), "
              f"PyTorch f32 {float(theirs[0]):.2g} (worst {float(theirs[1]):.2g}); compiled in {compiled:.2f} s, ran {seconds:.2f} s"
              + ("" if whole <= bound else f"; ABOVE {bound:.2g}"), flush=True)
        failed = failed or not whole <= bound
        for path in folder.iterdir():
            path.unlink()
    return failed


if __name__ == "__main__":
    sys.exit(main())
