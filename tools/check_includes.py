#!/usr/bin/env python3
"""Checks the direction of the #include lines (docs/architecture.md) and that public headers stand alone.

usage: check_includes.py [--root DIR] [--no-compile] [--self-test]
Prints one line per fault, `file:line: what is wrong`, and exits 1 if there is any.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Folder -> folders it may include besides itself. The arrows of docs/architecture.md, written out.
BELOW_TARGETS = {"base", "ir", "ops", "text", "eval", "transform"}
ARROWS = {
    "recycling_new": set(),
    "base": set(),
    "ir": {"base"},
    "ops": {"base", "ir"},
    "text": {"base", "ir", "ops"},
    "eval": {"base", "ir", "ops"},
    "transform": {"base", "ir", "ops", "eval"},
    "lapack": {"base", "ir", "ops"},
    "reduce": BELOW_TARGETS,
    "native": BELOW_TARGETS | {"lapack"},
    "pjrt": BELOW_TARGETS,
    "symbolic": BELOW_TARGETS,
    "nn": BELOW_TARGETS | {"symbolic"},
    "julia": BELOW_TARGETS | {"lapack"},
    "library_pieces": {"base", "julia"},
    "cli": BELOW_TARGETS | {"reduce", "native", "pjrt", "symbolic", "nn", "julia"},
}

# Third-party header -> the folders that may include it.
THIRD_PARTY = [
    (r"(llvm|llvm-c)/", {"native"}),
    (r"(dnnl|oneapi/dnnl|mkldnn)", {"native"}),
    (r"(cblas|lapacke|lapack\.h|openblas_config|f77blas)", {"native"}),
    (r"omp\.h", {"native"}),
    (r"(xla|xla_plugins)/", {"pjrt"}),
    (r"nlohmann/", {"cli"}),
    (r"CLI/", {"cli"}),
    (r"zip\.h", {"cli"}),
    (r"zlib\.h", {"nn", "julia"}),
    (r"(gtest|gmock)/", set()),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')
SUFFIXES = {".h", ".cc", ".c", ".inc"}


def include_lines(path):
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES) if folder.is_dir() else []


def check_source(root, path):
    folder = path.relative_to(root / "src").parts[0]
    if folder not in ARROWS:
        if path.parent == root / "src":
            return
        yield 1, f"folder src/{folder} has no arrows: add it to tools/check_includes.py and docs/architecture.md"
        return
    for line, quote, target in include_lines(path):
        for pattern, allowed in THIRD_PARTY:
            if re.match(pattern, target) and folder not in allowed:
                where = " or ".join(f"src/{f}" for f in sorted(allowed)) or "tests"
                yield line, f"<{target}> may be included in {where} only"
        if quote == "<":
            if target.startswith("weft/"):
                yield line, f'write "{target}": our own headers are quoted'
            continue
        if target.startswith("weft/"):
            if not (root / "include" / target).is_file():
                yield line, f'"{target}" is not a public header: include/{target} does not exist'
            continue
        if not (root / "src" / target).is_file():
            # The C runtime of ahead-of-time code is a library of its own, which compiles without src/ on its path.
            in_runtime = path.parent == root / "src/native/aot_runtime"
            own_library = in_runtime and "/" not in target and (path.parent / target).is_file()
            if not own_library and not any(re.match(pattern, target) for pattern, _ in THIRD_PARTY):
                yield line, f'"{target}" is no file under src/: name headers from src/, as in "ir/type.h"'
            continue
        other = Path(target).parts[0]
        if other != folder and other not in ARROWS[folder]:
            yield line, f'src/{folder} may not include "{target}": the arrow goes the other way'


def check_public(root, path):
    """A public header, or an example, sees the standard library and weft/ only."""
    for line, quote, target in include_lines(path):
        if quote == '"':
            if not target.startswith("weft/"):
                # Examples may share a header of their own folder.
                if path.parent == root / "examples" and (path.parent / target).is_file():
                    continue
                yield line, f'"{target}" is not public: only weft/ headers are installed'
            elif not (root / "include" / target).is_file():
                yield line, f'include/{target} does not exist'
        elif "/" in target and not target.startswith("sys/"):
            yield line, f"<{target}> is neither of the standard library nor of weft/"


def check_compiles(root, path):
    result = subprocess.run(
        [os.environ.get("CXX", "g++"), "-std=c++20", "-fsyntax-only", "-x", "c++", "-I", str(root / "include"), str(path)],
        capture_output=True, text=True)
    if result.returncode:
        first = next((l for l in result.stderr.splitlines() if "error" in l), result.stderr[:200])
        yield 1, f"does not compile on its own: {first}"


def check(root, compile_headers=True):
    faults = []

    def collect(path, found):
        faults.extend(f"{path.relative_to(root)}:{line}: {text}" for line, text in found)

    for path in sources(root / "src"):
        collect(path, check_source(root, path))
    public = sources(root / "include")
    for path in public + sources(root / "examples"):
        collect(path, check_public(root, path))
    if compile_headers:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for path, found in zip(public, pool.map(lambda p: list(check_compiles(root, p)), public)):
                collect(path, found)
    return faults


# Self-test: each fault in a tree of its own, with a part of the message that must appear. The good tree must be silent.
GOOD = {
    "include/weft/error.h": "#include <string>\ninline std::string f();\n",
    "src/base/a.h": '#include "weft/error.h"\n',
    "src/ir/b.h": '#include <vector>\n#include "base/a.h"\n',
    "src/native/codegen/c.cc": '#include <llvm/IR/Module.h>\n#include "ir/b.h"\n',
    "src/cli/main.cc": '#include <nlohmann/json.hpp>\n#include "native/codegen/d.h"\n',
    "src/native/codegen/d.h": "",
    "src/native/aot_runtime/e.h": "",
    "src/native/aot_runtime/e.c": '#include "e.h"\n',
    "examples/e.cc": '#include <cstdio>\n#include "weft/error.h"\n',
}
BAD = [
    ({"src/base/x.cc": '#include "ir/b.h"\n'}, "the arrow goes the other way"),
    ({"src/symbolic/x.cc": '#include "native/codegen/d.h"\n'}, "the arrow goes the other way"),
    ({"src/ops/x.cc": "#include <llvm/IR/Module.h>\n"}, "src/native only"),
    ({"src/eval/x.cc": "#include <dnnl.hpp>\n"}, "src/native only"),
    ({"src/ir/x.cc": "  #  include <omp.h>\n"}, "src/native only"),
    ({"src/ir/x.cc": '#include "../base/a.h"\n'}, "no file under src/"),
    ({"src/native/aot_runtime/x.c": '#include "../codegen/d.h"\n'}, "no file under src/"),
    ({"src/native/codegen/x.cc": '#include "d.h"\n'}, "no file under src/"),
    ({"src/ir/x.cc": '#include "weft/nothing.h"\n'}, "is not a public header"),
    ({"src/gadgets/x.cc": ""}, "has no arrows"),
    ({"include/weft/x.h": '#include "ir/b.h"\n'}, "is not public"),
    ({"include/weft/x.h": "#include <llvm/IR/Module.h>\n"}, "neither of the standard library"),
    ({"include/weft/x.h": "std::string g();\n"}, "does not compile on its own"),
    ({"examples/x.cc": '#include "base/a.h"\n'}, "is not public"),
]


def self_test():
    def faults_of(extra):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in {**GOOD, **extra}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return check(root)

    wrong = [f"good tree: {fault}" for fault in faults_of({})]
    for extra, expected in BAD:
        name = next(iter(extra))
        found = faults_of(extra)
        if not any(fault.startswith(name + ":") and expected in fault for fault in found):
            wrong.append(f"{name}: expected a fault with '{expected}', got {found}")
    for line in wrong:
        print(f"self-test: {line}")
    return bool(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--no-compile", action="store_true", help="skip compiling the public headers")
    parser.add_argument("--self-test", action="store_true", help="check that the checker finds each kind of fault")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    faults = check(options.root, not options.no_compile)
    for fault in faults:
        print(fault)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
