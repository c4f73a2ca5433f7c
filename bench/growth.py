"""How time, memory and compile time grow: each family at four sizes, through `weft bench --json`.

usage: growth.py WEFT [--seconds S] [--svg FILE]     prints a table; a star marks steps that grow faster than their work
The work of a family is what a good program has to do (n, n log n, n^3 of a product); a step's growth is time over work, from
one size to the next. Peak bytes are arena, scratch, arguments and results.
"""
import argparse
import json
import math
import subprocess
import sys


def function(arguments, results, body):
    return f"func.func @main({arguments}) -> {results} {{\n{body}\n}}\n"


def chain(n):
    t = f"tensor<{n}xf32>"
    ops = ["%0 = stablehlo.tanh %x", "%1 = stablehlo.multiply %0, %0", "%2 = stablehlo.exponential %1", "%3 = stablehlo.add %2, %x"]
    return function(f"%x: {t}", t, "\n".join(f"  {op} : {t}" for op in ops) + f"\n  return %3 : {t}"), n


def reduction(n):
    t = f"tensor<{n}x256xf32>"
    return function(f"%x: {t}", f"tensor<{n}xf32>", f"""  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : ({t}, tensor<f32>) -> tensor<{n}xf32>
  return %0 : tensor<{n}xf32>"""), n


def softmax(n):
    t, r = f"tensor<{n}x512xf32>", f"tensor<{n}xf32>"
    return function(f"%x: {t}", t, f"""  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : ({t}, tensor<f32>) -> {r}
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : ({r}) -> {t}
  %d = stablehlo.subtract %x, %mb : {t}
  %e = stablehlo.exponential %d : {t}
  %s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1] : ({t}, tensor<f32>) -> {r}
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : ({r}) -> {t}
  %y = stablehlo.divide %e, %sb : {t}
  return %y : {t}"""), n


def product(n):
    t = f"tensor<{n}x{n}xf32>"
    return function(f"%a: {t}, %b: {t}", t, f"""  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({t}, {t}) -> {t}
  return %0 : {t}"""), n**3


def convolution(n):
    t = f"tensor<{n}x32x32x32xf32>"
    return function(f"%x: {t}, %w: tensor<3x3x32x32xf32>", t, f"""  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {{pad = [[1, 1], [1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({t}, tensor<3x3x32x32xf32>) -> {t}
  return %0 : {t}"""), n


def pool(n):
    t, r = f"tensor<{n}x64x64x8xf32>", f"tensor<{n}x32x32x8xf32>"
    return function(f"%x: {t}", r, f"""  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %low) <{{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }}) : ({t}, tensor<f32>) -> {r}
  return %0 : {r}"""), n


def running_sum(n):
    t = f"tensor<{n}xf32>"
    return function(f"%x: {t}", t, f"""  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) <{{window_dimensions = array<i64: {n}>, padding = dense<[[{n - 1}, 0]]> : tensor<1x2xi64>}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }}) : ({t}, tensor<f32>) -> {t}
  return %0 : {t}"""), n


def sort(n):
    t = f"tensor<{n}xf32>"
    return function(f"%x: {t}", t, f"""  %0 = "stablehlo.sort"(%x) <{{dimension = 0 : i64}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }}) : ({t}) -> {t}
  return %0 : {t}"""), n


def fourier(n):
    t = f"tensor<64x{n}xcomplex<f32>>"
    return function(f"%x: {t}", t, f"""  %0 = stablehlo.fft %x, type = FFT, length = [{n}] : ({t}) -> {t}
  return %0 : {t}"""), n * math.log2(n)


def gather(n):
    return function(f"%x: tensor<50000x64xf32>, %i: tensor<{n}x1xi32>", f"tensor<{n}x64xf32>", f"""  %0 = "stablehlo.gather"(%x, %i) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>}}> : (tensor<50000x64xf32>, tensor<{n}x1xi32>) -> tensor<{n}x64xf32>
  return %0 : tensor<{n}x64xf32>"""), n


def scatter(n):
    return function(f"%x: tensor<1000xf32>, %i: tensor<{n}x1xi32>, %u: tensor<{n}xf32>", "tensor<1000xf32>", f"""  %0 = "stablehlo.scatter"(%x, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }}) : (tensor<1000xf32>, tensor<{n}x1xi32>, tensor<{n}xf32>) -> tensor<1000xf32>
  return %0 : tensor<1000xf32>"""), n


def distances(n):
    t = f"tensor<{n}x{n}xf32>"
    return function(f"%x: tensor<{n}xf32>, %y: tensor<{n}xf32>", f"tensor<{n}xf32>", f"""  %a = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<{n}xf32>) -> {t}
  %b = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<{n}xf32>) -> {t}
  %d = stablehlo.subtract %a, %b : {t}
  %q = stablehlo.multiply %d, %d : {t}
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%q init: %z) applies stablehlo.add across dimensions = [1] : ({t}, tensor<f32>) -> tensor<{n}xf32>
  return %0 : tensor<{n}xf32>"""), n * n


def loop(n):
    """n updates of one row of a buffer of n rows: linear only when the update is in place."""
    t = f"tensor<{n}x8xf32>"
    return function(f"%x: {t}", t, f"""  %z = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %z, %v = %x) : tensor<i32>, {t}
  cond {{
    %n = stablehlo.constant dense<{n}> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }} do {{
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %row = stablehlo.dynamic_slice %v, %i, %z, sizes = [1, 8] : ({t}, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
    %s = stablehlo.sine %row : tensor<1x8xf32>
    %w = stablehlo.dynamic_update_slice %v, %s, %i, %z : ({t}, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> {t}
    stablehlo.return %j, %w : tensor<i32>, {t}
  }}
  return %r#1 : {t}"""), n


def unrolled(n):
    """n layers one after the other: the growth of compile time."""
    t, w = "tensor<8x64xf32>", "tensor<64x64xf32>"
    lines, last = ["  %h = stablehlo.constant dense<0.5> : " + t], "%x"
    for i in range(n):
        lines += [f"  %d{i} = stablehlo.dot_general {last}, %w, contracting_dims = [1] x [0] : ({t}, {w}) -> {t}",
                  f"  %s{i} = stablehlo.sine %d{i} : {t}", f"  %g{i} = stablehlo.multiply {last}, %h : {t}",
                  f"  %y{i} = stablehlo.add %s{i}, %g{i} : {t}"]
        last = f"%y{i}"
    return function(f"%x: {t}, %w: {w}", t, "\n".join(lines) + f"\n  return {last} : {t}"), n


FAMILIES = [
    (chain, [2**18, 2**20, 2**22, 2**24]), (reduction, [2**10, 2**12, 2**14, 2**16]), (softmax, [2**9, 2**11, 2**13, 2**15]),
    (product, [256, 512, 1024, 2048]), (convolution, [2, 8, 32, 128]), (pool, [4, 16, 64, 256]),
    (running_sum, [2**16, 2**18, 2**20, 2**22]), (sort, [2**16, 2**18, 2**20, 2**22]), (fourier, [2**8, 2**10, 2**12, 2**14]),
    (gather, [2**12, 2**14, 2**16, 2**18]), (scatter, [2**14, 2**16, 2**18, 2**20]), (distances, [2**10, 2**11, 2**12, 2**13]),
    (loop, [2**10, 2**12, 2**14, 2**16]), (unrolled, [32, 128, 512, 2048]),
]


def measured(weft, text, seconds):
    done = subprocess.run([weft, "bench", "-", "--json", "--seconds", str(seconds)], input=text, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def svg(rows, path):
    """Time over work, relative to the smallest size, on logarithmic axes: level is linear."""
    width, height, left, colours = 860, 460, 60, ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b"]
    top = max(8.0, max(p[1] for _, points in rows for p in points))
    bottom = min(1 / 8, min(p[1] for _, points in rows for p in points))
    last = max(p[0] for _, points in rows for p in points)
    x = lambda w: left + (width - 240) * math.log(w) / math.log(last)
    y = lambda v: 20 + (height - 60) * (math.log(top) - math.log(v)) / (math.log(top) - math.log(bottom))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="11">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for tick in (0.125, 0.25, 0.5, 1, 2, 4, 8):
        if bottom <= tick <= top:
            out += [f'<line x1="{left}" x2="{width - 180}" y1="{y(tick):.1f}" y2="{y(tick):.1f}" stroke="#ddd"/>',
                    f'<text x="{left - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>']
    for n, (name, points) in enumerate(rows):
        colour, dash = colours[n % len(colours)], "" if n < len(colours) else ' stroke-dasharray="5 3"'
        line = " ".join(f"{x(w):.1f},{y(v):.1f}" for w, v in points)
        out += [f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"{dash}/>',
                f'<line x1="{width - 170}" x2="{width - 145}" y1="{30 + 20 * n}" y2="{30 + 20 * n}" stroke="{colour}" stroke-width="2"{dash}/>',
                f'<text x="{width - 138}" y="{34 + 20 * n}">{name}</text>']
    out += [f'<text x="{left}" y="{height - 12}">work, times the smallest size (logarithmic); vertical: time per work, times that of the smallest</text>', "</svg>"]
    with open(path, "w") as f:
        f.write("\n".join(out) + "\n")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("weft")
    p.add_argument("--seconds", type=float, default=0.5)
    p.add_argument("--svg")
    p.add_argument("--only", default="")
    a = p.parse_args()
    rows = []
    print("| family | sizes | time | time per work, last over first | peak bytes | compile |\n|---|---|---|---|---|---|")
    for family, sizes in FAMILIES:
        name = family.__name__
        if a.only not in name:
            continue
        all_of = [(family(n), n) for n in sizes]
        results = [measured(a.weft, text, a.seconds) for (text, _), _ in all_of]
        works = [work for (_, work), _ in all_of]
        key = "compile_s" if family is unrolled else "best_s"
        per = [r[key] / w for r, w in zip(results, works)]
        rows.append((name, [(w / works[0], v / per[0]) for w, v in zip(works, per)]))
        star = " *" if any(b / a > 2 for a, b in zip(per, per[1:])) else ""
        label = name + (" (compile time)" if family is unrolled else "")
        times, peaks, compiles = (", ".join(f"{r[k] * scale:.3g}" for r in results)
                                  for k, scale in ((key, 1e3), ("peak_bytes", 1), ("compile_s", 1)))
        print(f"| {label} | {', '.join(map(str, sizes))} | {times} ms | {per[-1] / per[0]:.2f}{star} | {peaks} | {compiles} s |", flush=True)
    if a.svg:
        svg(rows, a.svg)


if __name__ == "__main__":
    main()
