#!/usr/bin/env python3
"""Runs public Julia programs by the command and says which come to their right end.

usage: run.py --weft BUILD/weft [--corpus FOLDER] [--programs FOLDER] [--mirror FOLDER] [--filter TEXT] [--compile MODE]
              [--verbose]

--corpus    holds julia/programs.json (default: WEFT_CORPUS or ../shared)
--mirror    holds a bare repository owner+name/repo for each, where programs, tests and outputs are read
The seconds are those of the processor, which other load on the machine does not change.
Programs are never part of this project: they are written into a temporary folder. What counts as the right end stands in
recipes.py; exercises run their own runtests.jl.
"""
import argparse, collections, json, os, pathlib, re, resource, subprocess, sys, tempfile
from fractions import Fraction

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from recipes import RECIPES

STUBS = pathlib.Path(__file__).parent / "stubs"
FRAMEWORKS = "flux"
THE_END = "the end was reached"


class Missing(Exception):
    pass


def blob(mirror, program, path):
    repo = mirror / program["repo"].replace("/", "+") / "repo"
    for commit in (program["commit"], "HEAD"):
        got = subprocess.run(["git", "--git-dir", repo, "show", f"{commit}:{path}"], capture_output=True)
        if got.returncode == 0:
            return got.stdout
    raise Missing(f"{path} is not in the mirror of {program['repo']}")


def testset(text, name):
    """The block of `@testset "name" begin … end`, by its indentation."""
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if f'@testset "{name}"' in line:
            indent = line[:len(line) - len(line.lstrip())]
            for j in range(i + 1, len(lines)):
                if lines[j] == indent + "end":
                    return "\n".join(lines[i:j + 1]) + "\n"
    raise Missing(f"no testset {name}")


def expected_matmul(n):
    a = [[Fraction(1, n * n) * (i - j) * (i + j - 2) for j in range(1, n + 1)] for i in range(1, n + 1)]
    at = n // 2
    return float(sum(a[at][k] * a[k][at] for k in range(n)))


def expected_primes(most, prefix):
    sieve = bytearray([1]) * (most + 1)
    sieve[0:2] = b"\0\0"
    for i in range(2, int(most**0.5) + 1):
        if sieve[i]:
            sieve[i * i::i] = bytes(len(sieve[i * i::i]))
    return [i for i in range(most + 1) if sieve[i] and str(i).startswith(prefix)]


def solves_sudokus(source, output):
    puzzles = re.findall(r'"([.1-9]{81})"', source)
    answers = re.findall(r"\b[1-9]{81}\b", output)
    def is_solved(text):
        rows = [text[9 * i:9 * i + 9] for i in range(9)]
        groups = rows + ["".join(r[i] for r in rows) for i in range(9)]
        groups += ["".join(rows[3 * a + i][3 * b:3 * b + 3] for i in range(3)) for a in range(3) for b in range(3)]
        return all(sorted(g) == list("123456789") for g in groups)
    return len(answers) >= len(puzzles) > 0 and all(
        is_solved(a) and all(p in (".", q) for p, q in zip(puzzle, a)) for puzzle, a in zip(puzzles, answers))


def prepared(program, recipe, mirror, folder):
    """Writes what is run into the folder; the words behind `weft run`."""
    path = program["path"]
    if program["category"] in ("exercism", "life") and program.get("tests_at"):
        runtests = program["tests_at"][0]
        slug = pathlib.Path(runtests).parent.name
        (folder / f"{slug}.jl").write_bytes(blob(mirror, program, path))
        (folder / "runtests.jl").write_bytes(blob(mirror, program, runtests))
        return ["runtests.jl"]
    files = recipe.get("files") or [path]
    for file in files:
        text = blob(mirror, program, file).decode()
        for where, mark in recipe.get("cut", []):
            text = text[:text.index(mark)] if where == file else text
        for old, new in recipe.get("replace", []):
            if file == path and old not in text and len(files) == 1:
                raise Missing(f"{old!r} is not in {file}")
            text = text.replace(old, new)
        if recipe.get("module"):
            for stub in recipe.get("stubs") or []:  # which lies beside that module
                text = re.sub(rf"\b{stub}\b", f"..{stub}", text)
        target = folder / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    simple = not any(recipe.get(k) for k in ("stubs", "module", "tests", "check", "prelude", "files"))
    if simple:
        return [path, *recipe.get("args", [])]
    driver = "".join((STUBS / f"{stub}.jl").read_text() for stub in recipe.get("stubs") or [])
    name = recipe.get("module")
    driver += f"module {name}\n" if name else ""
    driver += recipe.get("prelude", "")
    driver += "".join(f'include("{file}")\n' for file in files)
    if name:
        if recipe.get("export"):
            driver += "export " + " ".join(recipe["export"].split()) + "\n"
            driver += f"end\nusing .{name}\n"
        else:
            # Tests of such packages use every name.
            driver += "end\n" + "".join(f"const {n} = {name}.{n}\n" for n in defined_names(folder, files))
    if recipe.get("tests"):
        driver += "using Test, LinearAlgebra, Random, Statistics\n"
        driver += "".join(f"using .{stub}\n" for stub in recipe.get("stubs") or [])
        for test in recipe["tests"]:
            text = blob(mirror, program, test).decode()
            if recipe.get("testsets"):
                text = "".join(testset(text, name) for name in recipe["testsets"])
            text = re.sub(r"^using BeautifulAlgorithms$|^include\(.*\)$", "", text, flags=re.M)
            driver += re.sub(r"^using Distributions$", "using .Distributions", text, flags=re.M) + "\n"
    driver += recipe.get("check", "") + f'println("{THE_END}")\n'
    (folder / "driver.jl").write_text(driver)
    return ["driver.jl", *recipe.get("args", [])]


def defined_names(folder, files):
    names = set()
    for file in files:
        for line in (folder / file).read_text().splitlines():
            m = re.match(r"(?:function |struct |mutable struct )([^\s({:.]+)|([^\s({:.=]+)\(.*\)\s*=", line)
            if m:
                names.add(m.group(1) or m.group(2))
    return sorted(names)


def judged(program, recipe, mirror, run, folder):
    """Why it is not right; empty when it is."""
    if run.returncode != 0:
        lines = [l for l in run.stderr.decode(errors="replace").splitlines() if l.strip()]
        said = next((l for l in lines if "ERROR" in l or "error" in l), lines[-1] if lines else "")
        return f"exit code {run.returncode}: {said[:150]}"
    out = run.stdout
    if (folder / "driver.jl").exists() and THE_END.encode() not in run.stdout:
        return "the end was not reached"
    if "output" in recipe and out.decode(errors="replace") != recipe["output"]:
        return f"printed {out[:80]!r}, expected {recipe['output'][:80]!r}"
    if "output_of" in recipe and out != blob(mirror, program, recipe["output_of"]):
        return f"printed {out[:80]!r}, which is not {recipe['output_of']}"
    text = out.decode(errors="replace")
    if "says" in recipe and recipe["says"] not in text:
        return f"did not print {recipe['says']!r}"
    if "matmul" in recipe:
        number = re.fullmatch(r"[-+.0-9e]+", text.strip())
        if not number or abs(float(text) - expected_matmul(recipe["matmul"])) > 1e-12:
            return f"printed {text.strip()}, expected {expected_matmul(recipe['matmul'])}"
    if "prefix_primes" in recipe and str(expected_primes(*recipe["prefix_primes"])) not in text:
        return f"printed {text[:80]!r}"
    if "sudoku" in recipe and not solves_sudokus((folder / program["path"]).read_text(), text):
        return "the sudokus are not solved"
    if program["category"] in ("exercism", "life") and "Test Summary" not in text:
        return "no test summary"
    return ""


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weft", required=True, type=pathlib.Path)
    parser.add_argument("--corpus", type=pathlib.Path, default=os.environ.get("WEFT_CORPUS", "../shared"))
    parser.add_argument("--mirror", required=True, type=pathlib.Path)
    parser.add_argument("--filter", default="")
    parser.add_argument("--compile", default="auto", choices=["never", "auto", "always"])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--verbose", action="store_true", help="what each failed program printed")
    args = parser.parse_args()
    weft = args.weft.resolve()
    programs = json.loads((pathlib.Path(args.corpus) / "julia" / "programs.json").read_text())
    passed = failed = 0
    reasons = collections.Counter()
    for program in programs:
        key = (program["repo"], program["path"])
        name = "/".join(key)
        if program["category"] == FRAMEWORKS or args.filter not in name:
            continue
        recipe = RECIPES.get(key, {})
        is_exercise = program["category"] in ("exercism", "life")
        why, seconds, run = "", 0.0, None
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            try:
                if not recipe and not is_exercise:
                    raise Missing("no recipe: needs packages beyond the scope" if program["stage"] == 3 else "no recipe")
                words = prepared(program, recipe, args.mirror, folder)
                start = processor_seconds()
                run = subprocess.run([weft, "run", f"--compile={args.compile}", *words], cwd=folder, capture_output=True,
                                     stdin=subprocess.DEVNULL, timeout=args.seconds)
                seconds = processor_seconds() - start
                why = judged(program, recipe, args.mirror, run, folder)
            except subprocess.TimeoutExpired:
                why = f"no end after {args.seconds:.0f} s"
            except Missing as missing:
                why = str(missing)
        passed, failed = passed + (not why), failed + bool(why)
        print(f"{'ok  ' if not why else 'FAIL'} {seconds:5.1f} s  {name}{': ' if why else ''}{why}", flush=True)
        if why and args.verbose and run:
            print(run.stdout.decode(errors="replace")[-1500:], run.stderr.decode(errors="replace")[-1500:], sep="\n")
        reasons[re.sub(r"`[^`]*`|\d+", "…", why)[:60]] += bool(why)
    print(f"{passed} of {passed + failed} programs come to their right end")
    return 0


if __name__ == "__main__":
    sys.exit(main())
