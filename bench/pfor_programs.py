"""Weft's programs of bench/pfor_study.py: the function of one example, as JAX exports it, transformed by `weft transform`.

make(weft, workload, base, form, path) writes the program of a form and returns its entry:
pfor    the examples as lanes; rows of a Jacobian as lanes
loop    a while loop over the examples, a row of a Jacobian at a time
"""
import re
import subprocess


class Refused(Exception):
    pass


def transformed(weft, path, steps):
    done = subprocess.run([weft, "transform", path, *steps], capture_output=True, text=True)
    if done.returncode != 0:
        raise Refused(" ".join(steps) + ": " + done.stderr.strip().splitlines()[0])
    return done.stdout


def signature(text, name):
    """The types of arguments and results of a function."""
    args, results = re.search(rf"func\.func (?:public |private )?@{name}\((.*?)\) -> (.*) \{{\n", text).groups()
    types = lambda part: re.findall(r"tensor<[^>]*>", part)
    return types(args), types(results)


def appended(text, function):
    end = text.rstrip().rindex("}")
    return text[:end] + function + "}\n"


def with_lanes(type_, lanes):
    return type_.replace("tensor<", f"tensor<{lanes}x", 1)


def element(type_):
    return type_[len("tensor<"):-1].split("x")[-1]


def zero_of(type_):
    return "0.0" if element(type_).startswith("f") else "0"


def looped(text, name, axes, lanes, sums):
    """Text with @main added: a loop over the examples that calls @name and keeps its results, or their sums."""
    args, results = signature(text, name)
    given = [with_lanes(t, lanes) if axis == 0 else t for t, axis in zip(args, axes)]
    kept = results if sums else [with_lanes(t, lanes) for t in results]
    i32 = "tensor<i32>"
    lines = [f"func.func @main({', '.join(f'%a{i}: {t}' for i, t in enumerate(given))}) -> ({', '.join(kept)}) {{",
             f"  %zero = stablehlo.constant dense<0> : {i32}"]
    for i, t in enumerate(kept):
        lines.append(f"  %e{i} = stablehlo.constant dense<{zero_of(t)}> : {t}")
    carries = "".join(f", %k{i} = %e{i}" for i in range(len(kept)))
    lines += [f"  %r:{len(kept) + 1} = stablehlo.while(%i = %zero{carries}) : {', '.join([i32, *kept])}", "  cond {",
              f"    %n = stablehlo.constant dense<{lanes}> : {i32}",
              f"    %p = stablehlo.compare LT, %i, %n : ({i32}, {i32}) -> tensor<i1>", "    stablehlo.return %p : tensor<i1>", "  } do {",
              f"    %one = stablehlo.constant dense<1> : {i32}", f"    %j = stablehlo.add %i, %one : {i32}"]

    def starts(t):
        return "%i" + ", %zero" * (len(t[len("tensor<"):-1].split("x")) - 1)

    def start_types(t):
        return ", ".join([i32] * len(t[len("tensor<"):-1].split("x")))

    for i, (t, axis) in enumerate(zip(args, axes)):
        if axis == 0:
            one = with_lanes(t, 1)
            sizes = ", ".join(one[len("tensor<"):-1].split("x")[:-1])
            lines += [f"    %s{i} = stablehlo.dynamic_slice %a{i}, {starts(t)}, sizes = [{sizes}] : ({given[i]}, {start_types(t)}) -> {one}",
                      f"    %b{i} = stablehlo.reshape %s{i} : ({one}) -> {t}"]
    passed = ", ".join(f"%b{i}" if axis == 0 else f"%a{i}" for i, axis in enumerate(axes))
    many = f":{len(results)}" if len(results) > 1 else ""
    lines.append(f"    %f{many} = func.call @{name}({passed}) : ({', '.join(args)}) -> ({', '.join(results)})")
    for i, t in enumerate(results):
        value = f"%f#{i}" if many else "%f"
        if sums:
            lines.append(f"    %m{i} = stablehlo.add %k{i}, {value} : {t}")
        else:
            one = with_lanes(t, 1)
            lines += [f"    %v{i} = stablehlo.reshape {value} : ({t}) -> {one}",
                      f"    %m{i} = stablehlo.dynamic_update_slice %k{i}, %v{i}, {starts(t)} : ({kept[i]}, {one}, {start_types(t)}) -> {kept[i]}"]
    names = "".join(f", %m{i}" for i in range(len(kept)))
    lines += [f"    stablehlo.return %j{names} : {', '.join([i32, *kept])}", "  }",
              "  return " + ", ".join(f"%r#{i + 1}" for i in range(len(kept))) + " : " + ", ".join(kept), "}\n"]
    return appended(text, "\n".join(lines))


def total(text, name, lanes):
    """Text with @total added: the sum of the lanes of @name."""
    args, _ = signature(text, name)
    given = ", ".join(f"%a{i}: {t}" for i, t in enumerate(args))
    v = f"tensor<{lanes}xf32>"
    return appended(text, f"""func.func @total({given}) -> tensor<f32> {{
  %l = func.call @{name}({', '.join(f'%a{i}' for i in range(len(args)))}) : ({', '.join(args)}) -> {v}
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%l init: %z) applies stablehlo.add across dimensions = [0] : ({v}, tensor<f32>) -> tensor<f32>
  return %s : tensor<f32>
}}
""")


def reduction(n, form):
    """A lane that sums the product of all lanes' rows; as TensorFlow's benchmark does, the same without lanes beside it."""
    v, m = f"tensor<{n}xf32>", f"tensor<{n}x{n}xf32>"
    product = f"""  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : ({m}, {m}) -> {m}
  %s = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0, 1] : ({m}, tensor<f32>) -> tensor<f32>
"""
    if form == "pfor":
        return (f"func.func public @main(%row: {v}, %w: {m}) -> tensor<f32> {{\n"
                f'  %x = "weft.lanes_concat"(%row) : ({v}) -> {m}\n{product}  return %s : tensor<f32>\n}}\n')
    return (f"func.func public @main(%x: {m}, %w: {m}) -> {v} {{\n{product}"
            f"  %r = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> {v}\n  return %r : {v}\n}}\n")


def make(weft, w, base, form, path):
    if w.family == "reduction":
        base.write_text(reduction(w.lanes, form))
        if form == "loop":
            path.write_text(base.read_text())
            return "main"
    base = renamed(base, path)
    by, loop = ",".join(map(str, w.by)), form == "loop"
    steps, name = [], "one"
    if w.taken in ("grad", "sum_grad"):
        steps = ["--grad", f"one:{by}", "--as", "derived"]
    elif w.taken == "jacobian":
        steps = ["--jacobian", f"one:{by}", "--reverse", *(["--chunk", "1"] if loop else []), "--as", "derived"]
    elif w.taken == "hessian":
        steps = ["--jacobian", f"one:{by}", "--reverse", "--as", "first",
                 "--jacobian", f"first:{by}", "--reverse", *(["--chunk", "1"] if loop else []), "--as", "derived"]
    if steps:
        name = "derived"
    lanes = ["--lanes", str(w.lanes)] if w.axes else []
    marks = ",".join("_" if axis is None else "0" for axis in w.axes or ())
    if w.taken == "sum_grad" and not loop:
        path.write_text(total(transformed(weft, base, ["--vectorize", f"one:{marks}", *lanes, "--as", "lanes"]), "lanes", w.lanes))
        path.write_text(transformed(weft, path, ["--grad", f"total:{by}", "--as", "main"]))
        return "main"
    if not w.axes:
        path.write_text(transformed(weft, base, steps))
        return name
    if loop:
        text = transformed(weft, base, steps) if steps else base.read_text()
        path.write_text(looped(text, name, w.axes, w.lanes, w.taken == "sum_grad"))
        return "main"
    path.write_text(transformed(weft, base, [*steps, "--vectorize", f"{name}:{marks}", *lanes, "--as", "lanes"]))
    return "lanes"


def renamed(base, path):
    """The base program with its entry called @one, beside `path`."""
    out = path.with_suffix(".base.mlir")
    out.write_text(base.read_text().replace("func.func public @main(", "func.func public @one("))
    return out
