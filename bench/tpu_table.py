"""Compiles programs for a TPU that is not here and prints what came back as a table.

usage: python bench/tpu_table.py WEFT PLUGIN FILE... [--topology v5e:2x2]

PLUGIN is libtpu.so or a name that `weft build --pjrt-plugin` takes. Each row: seconds that the plugin compiled, bytes of the file, of code,
arguments, temporaries and at the peak, floating-point operations and bytes moved, as the plugin counts them.
"""

import argparse
import os
import re
import subprocess
import tempfile

COLUMNS = ["compiled in", "file", "code", "arguments", "temporaries", "peak", "arithmetic", "memory traffic"]


def build(weft, plugin, topology, path):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "program.tpu")
        done = subprocess.run([weft, "build", path, "-o", out, "--pjrt-topology", topology, "--pjrt-plugin", plugin],
                              capture_output=True, text=True)
    if done.returncode != 0:
        return None, done.stderr.strip().splitlines()[0][:160]
    values = dict(re.match(r"(.{20})(.*)", line).groups() for line in done.stdout.splitlines())
    return {key.strip(): value.replace("program.tpu, ", "").split("/")[-1] for key, value in values.items()}, None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weft")
    parser.add_argument("plugin")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--topology", default="v5e:2x2")
    options = parser.parse_args()
    print("| program | " + " | ".join(COLUMNS) + " |")
    print("|---" * (len(COLUMNS) + 1) + "|")
    for path in options.files:
        name = os.path.join(*os.path.splitext(path)[0].split("/")[-2:])
        values, error = build(options.weft, options.plugin, options.topology, path)
        if error:
            print(f"| {name} | {error} |" + " |" * (len(COLUMNS) - 1))
        else:
            print(f"| {name} | " + " | ".join(values.get(c, "") for c in COLUMNS) + " |", flush=True)


if __name__ == "__main__":
    main()
