"""The table and the plot of bench/pfor_study.py.

The table goes between the lines <!-- study --> and <!-- end of study --> of a document, the plot into pfor_study.svg beside it: for each workload
how many times as fast Weft's pfor is as each of the others, on a logarithmic scale.
"""
import math
import re
from xml.sax.saxutils import escape

FORMS = {"weft_loop": "Weft, loop", "jax": "JAX", "tf_pfor": "TF pfor", "tf_while": "TF while", "dynet": "DyNet"}
COLOURS = {"weft_loop": "#888888", "jax": "#2b6cb0", "tf_pfor": "#dd6b20", "tf_while": "#f6ad55", "dynet": "#38a169"}
NAMES = {
    "vgg16_jacobian": "VGG16 (an eighth as wide), Jacobian, outputs",
    "lstm_jacobian": "LSTM, Jacobian, outputs",
    "lstm_gradients": "LSTM, per-example gradients, batch",
    "cnn_gradients": "CNN, per-example gradients, batch",
    "fc_batch_jacobian": "fc, batch Jacobian",
    "lstm_batch_jacobian": "LSTM, batch Jacobian",
    "lstm_hessian": "LSTM, Hessian",
    "lstm_batch_hessian": "LSTM, batch Hessian",
    "fc_gradients": "fc, per-example gradients",
    "cell_gradients": "LSTM cell, per-example gradients",
    "mnist_gradients": "MNIST CNN, per-example gradients",
    "mnist_jacobian": "MNIST CNN, per-example Jacobians",
    "map": "map x²",
    "matmul": "row times matrix",
    "while": "loop with a trip count by lane",
    "dynamic_rnn": "RNN over sequences by length",
    "reduction": "reduction over lanes",
    "sequence_batching": "LSTM by length, gradient, batch",
    "tree_batching": "tree LSTM, gradient, batch",
}


def label(key):
    family, size = key.split(" ", 1)
    return f"{NAMES[family]} {size.replace(' ', ', ')}"


def seconds(s):
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if s * scale >= 1:
            return f"{s * scale:.3g} {unit}"
    return f"{s * 1e9:.3g} ns"


def ratio(r):
    return f"{r:.0f}" if r >= 10 else f"{r:.2g}"


def table(results):
    lines = ["| workload | Weft, pfor | " + " | ".join(FORMS.values()) + " | distance |", "|---|---|" + "---|" * len(FORMS) + "---|"]
    for key, record in results.items():
        forms = record["forms"]
        ours = forms.get("weft_pfor", {})
        cells = []
        for form in FORMS:
            r = forms.get(form)
            if r is None:
                cells.append("")
            elif "error" in r:
                cells.append("fails")
            elif "least" in ours:
                cells.append(f"{seconds(r['least'])} ({ratio(r['least'] / ours['least'])})")
            else:
                cells.append(seconds(r["least"]))
        mine = "fails" if "error" in ours else seconds(ours["least"]) if ours else ""
        lines.append(f"| {label(key)} | {mine} | " + " | ".join(cells) + f" | {ours.get('distance', math.nan):.0e} |")
    return "\n".join(lines)


def plot(results, path):
    rows = [(k, r["forms"]) for k, r in results.items() if "least" in r["forms"].get("weft_pfor", {})]
    left, width, row, top = 330, 900, 20, 46
    height = top + row * len(rows) + 40
    ratios = [r["least"] / forms["weft_pfor"]["least"] for _, forms in rows for f, r in forms.items() if f in FORMS and "least" in r]
    low, high = math.floor(math.log10(min([*ratios, 0.5]))), math.ceil(math.log10(max([*ratios, 10])))
    x = lambda v: left + (math.log10(v) - low) / (high - low) * (width - left - 20)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="11">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for i, (form, name) in enumerate(FORMS.items()):
        at = left + i * 110
        out += [f'<circle cx="{at}" cy="14" r="4" fill="{COLOURS[form]}"/>', f'<text x="{at + 8}" y="18">{escape(name)}</text>']
    for e in range(low, high + 1):
        at = x(10.0**e)
        out += [f'<line x1="{at:.1f}" y1="{top - 10}" x2="{at:.1f}" y2="{height - 30}" stroke="{"black" if e == 0 else "#dddddd"}"/>',
                f'<text x="{at:.1f}" y="{top - 14}" text-anchor="middle">{10.0**e:g}</text>']
    for i, (key, forms) in enumerate(rows):
        y = top + row * i + 8
        out += [f'<text x="{left - 8}" y="{y + 4}" text-anchor="end">{escape(label(key))}</text>',
                f'<line x1="{left}" y1="{y}" x2="{width - 20}" y2="{y}" stroke="#eeeeee"/>']
        for form in FORMS:
            r = forms.get(form, {})
            if "least" in r:
                out.append(f'<circle cx="{x(r["least"] / forms["weft_pfor"]["least"]):.1f}" cy="{y}" r="4" fill="{COLOURS[form]}"/>')
    out += [f'<text x="{left}" y="{height - 10}">time of each, times that of Weft\'s pfor (logarithmic): right of 1, Weft is faster</text>', "</svg>"]
    path.write_text("\n".join(out) + "\n")


def write(results, document):
    order = list(NAMES)
    place = lambda key: (order.index(key.split()[0]), [int(n) for n in key.split()[1:]])
    results = {key: results[key] for key in sorted(results, key=place)}
    text = document.read_text()
    block = f"<!-- study -->\n{table(results)}\n<!-- end of study -->"
    document.write_text(re.sub(r"<!-- study -->.*?<!-- end of study -->", lambda _: block, text, flags=re.S))
    plot(results, document.parent / "pfor_study.svg")
