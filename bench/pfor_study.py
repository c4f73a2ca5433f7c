#!/usr/bin/env python3
"""The study of the pfor paper (Agarwal and Ganichev 2019) and TensorFlow's own pfor benchmarks, by Weft and its peers, in one run.

usage: pfor_study.py BUILD DIR --jax PYTHON [--tf PYTHON] [--dynet PYTHON] [--only TEXT] [--form TEXT] [--threads N] [--quick] [--small] [--rounds N]
       [--report DOC]

BUILD holds weft and bench/program_server, DIR gets programs and results.json. Each workload (pfor_workloads.py) is run as Weft's pfor and
plain loop, TensorFlow's pfor and while loop, JAX's vmap, and by DyNet where that batches it: each in a process of its own, blocks of calls
alternating. Values of all are compared with JAX's. A workload that results.json has, without an error of Weft's, is not run again (--again does); --small runs small
sizes, to check the programs; --quick takes one short round. --report writes the table into DOC and the plot beside it (study_report.py).
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import pfor_programs
import study_report
from pfor_workloads import FAMILIES, workload

HERE = Path(__file__).resolve().parent
SAMPLED = 1 << 18  # elements of each result that are compared
ALONE = 400 << 20  # bytes of results from which peers do not live at the same time
BOUND = 2e-4  # normwise distance of two f32 computations of the same values


class Server:
    def __init__(self, command, environment):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=HERE)
        self.ready = float(self.answer("ready").split()[1])

    def answer(self, expected=""):
        while True:
            line = self.process.stdout.readline()
            if not line:
                errors = [e for e in self.process.stderr.read().strip().splitlines() if e.strip()]
                raise RuntimeError(errors[-1][:300] if errors else f"ended with {self.process.wait()}")
            if line.startswith(expected) or not expected and line[0].isdigit():
                return line

    def ask(self, line, expected=""):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.answer(expected)

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.stderr.close()
        self.process.kill()
        self.process.wait()


def commands(a, w, size, folder):
    """Form → what makes a server of it."""
    words = [w.family, *map(str, size)]
    base = folder / "one.mlir"
    if w.family != "reduction" and not base.exists():  # JAX's way to reduce over lanes cannot be exported without them
        done = subprocess.run([a.jax, HERE / "pfor_jax.py", "export", *words, base], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError("jax: " + done.stderr.strip().splitlines()[-1])
    for i, array in enumerate(w.arrays.values()):
        array.tofile(folder / f"arg{i}")

    def ours(form):
        path = folder / f"{form}.mlir"
        entry = pfor_programs.make(a.build / "weft", w, base, form, path)
        # A loop over examples whose iterations are independent would be made lanes of.
        kept_loop = ["--disable", "spread_maps"] if form == "loop" else []
        return [a.build / "bench/program_server", path, entry, folder, "--threads", a.threads, *kept_loop]

    out = {"weft_pfor": lambda: ours("pfor"), "weft_loop": lambda: ours("loop"), "jax": lambda: [a.jax, HERE / "pfor_jax.py", "serve", *words]}
    if a.tf and w.taken != "sum_grad":
        out["tf_pfor"] = lambda: [a.tf, HERE / "pfor_tensorflow.py", "pfor", *words]
        out["tf_while"] = lambda: [a.tf, HERE / "pfor_tensorflow.py", "while", *words]
    if a.dynet and w.taken == "sum_grad":
        out["dynet"] = lambda: [a.dynet, HERE / "pfor_dynet.py", *words]
    return {form: make for form, make in out.items() if not a.form or any(f in form for f in a.form.split(","))}


def result_bytes(w):
    """About what the results take."""
    arrays = list(w.arrays.values())
    by = sum(arrays[i].nbytes for i in w.by)
    rows = {"jacobian": 10 if w.family == "mnist_jacobian" else arrays[-1].size if w.family == "vgg16_jacobian" else 128}.get(w.taken, 1)
    by_example = w.axes and w.taken != "sum_grad" and all(w.axes[i] is None for i in w.by)
    return by * rows * (w.lanes if by_example else 1)


def distance(folder, other, w):
    """The largest normwise distance of a result from the other's, over what both saved."""
    worst, kind = 0.0, np.int32 if w.family == "while" else np.float32
    names = sorted(p.name for p in other.glob("result*"))
    if not names or names != sorted(p.name for p in folder.glob("result*")):
        return float("inf")
    for name in names:
        x, y = (np.fromfile(d / name, kind).astype(np.float64) for d in (folder, other))
        if x.shape != y.shape:
            return float("inf")
        scale = np.linalg.norm(y)
        worst = max(worst, float(np.linalg.norm(x - y) / scale if scale > 0 else np.linalg.norm(x - y)))
    return worst


def measure(a, key, w, size):
    folder = a.folder / key.replace(" ", "_")
    folder.mkdir(parents=True, exist_ok=True)
    makers = commands(a, w, size, folder)
    environment = os.environ | {"OMP_NUM_THREADS": str(a.threads), "STUDY_THREADS": str(a.threads), "MALLOC_MMAP_THRESHOLD_": "17179869184", "MALLOC_TRIM_THRESHOLD_": "17179869184",
                                "MALLOC_TOP_PAD_": "268435456", "TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu"}
    forms = {form: {"blocks": [], "least": None} for form in makers}
    servers, seconds, rounds, alone = {}, 0.3 if a.quick else a.seconds, 1 if a.quick else a.rounds, result_bytes(w) > ALONE

    def started(form):
        if form not in servers:
            one_core = ["taskset", "-c", "1"] if a.threads == 1 else []
            servers[form] = Server([*one_core, *(str(c) for c in makers[form]())], environment)
            forms[form]["ready_s"] = servers[form].ready
            saved = folder / form
            shutil.rmtree(saved, ignore_errors=True)
            saved.mkdir()
            servers[form].ask("run 0 1")
            servers[form].ask(f"save {saved} {SAMPLED}", "saved")
        return servers[form]

    try:
        for _ in range(rounds):
            for form, record in forms.items():
                if "error" in record:
                    continue
                try:
                    server = started(form)
                    time.sleep(0.05)  # threads of the one before go to sleep
                    times = [float(t) for t in server.ask(f"run {seconds} 500").split()]
                    record["blocks"].append(statistics.median(times))
                    record["least"] = min([*times, *([record["least"]] if record["least"] else [])])
                except (RuntimeError, pfor_programs.Refused, BrokenPipeError) as error:
                    record["error"] = str(error)
                if alone and form in servers:
                    servers.pop(form).close()
    finally:
        for server in servers.values():
            server.close()
    for form, record in forms.items():
        if "error" not in record:
            record["median"] = statistics.median(record["blocks"])
            if form != "jax" and "jax" in forms and "error" not in forms["jax"]:
                record["distance"] = distance(folder / form, folder / "jax", w)
    if not a.keep:
        shutil.rmtree(folder)
    return {"forms": forms, "load": os.getloadavg()[0], "alternating": not alone, "rounds": rounds}


def is_done(record):
    return record is not None and not any("error" in r for form, r in record["forms"].items() if form.startswith("weft"))


def line(key, record):
    forms = record["forms"]
    ours = forms.get("weft_pfor", {}).get("least")
    parts = []
    for form, r in forms.items():
        if "error" in r:
            parts.append(f"{form} failed: {r['error']}")
            continue
        ratio = f" ({ours / r['least']:.2f})" if ours and form != "weft_pfor" else ""
        wrong = f" VALUES DIFFER {r['distance']:.2g}" if r.get("distance", 0) > BOUND else ""
        parts.append(f"{form} {r['least'] * 1e3:.4g} ms{ratio}{wrong}")
    return f"{key}: " + ", ".join(parts)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("build", type=Path)
    p.add_argument("folder", type=Path)
    for peer in ("--jax", "--tf", "--dynet"):
        p.add_argument(peer, help="the Python that has it")
    p.add_argument("--only", default="", help="workloads whose name contains one of these, separated by commas")
    p.add_argument("--form", default="", help="forms whose name contains one of these")
    p.add_argument("--threads", type=int, default=2, help="of each; on a machine that others use 1 tells more")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--seconds", type=float, default=1.0, help="of a block")
    for flag in ("--quick", "--small", "--again", "--keep"):
        p.add_argument(flag, action="store_true")
    p.add_argument("--report", type=Path, help="a document with the lines <!-- study --> and <!-- end of study -->")
    a = p.parse_args()
    a.build, a.folder = a.build.resolve(), a.folder.resolve()
    a.folder.mkdir(parents=True, exist_ok=True)
    results_file = a.folder / ("small.json" if a.small else "results.json" if a.threads == 2 else f"results{a.threads}.json")
    results = json.loads(results_file.read_text()) if results_file.exists() else {}
    failed = False
    for family, (_, sizes, small) in FAMILIES.items():
        for size in small if a.small else sizes:
            key = " ".join([family, *map(str, size)])
            if a.jax is None or not any(t in key for t in a.only.split(",")) or (is_done(results.get(key)) and not a.again):
                continue
            try:
                record = measure(a, key, workload(family, size), size)
            except RuntimeError as error:
                print(f"{key}: {error}", flush=True)
                failed = True
                continue
            if a.form and key in results:
                results[key]["forms"] |= record["forms"]
            else:
                results[key] = record
            results_file.with_suffix(".new").write_text(json.dumps(results, indent=1))
            results_file.with_suffix(".new").rename(results_file)
            print(line(key, record), flush=True)
            ours = [record["forms"].get(f, {}) for f in ("weft_pfor", "weft_loop")]
            failed = failed or any("error" in r or r.get("distance", 0) > BOUND for r in ours)
    if a.report:
        study_report.write(results, a.report)
    return failed


if __name__ == "__main__":
    sys.exit(main())
