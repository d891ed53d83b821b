#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws one result file of bench as SVG and writes its tables as markdown. Standard library only.

usage: plot.py RESULT.json OUT.svg OUT.md
"""
import json
import os
import sys

SERIES = [  # pattern, type, data, title
    ("sum", "f32", "uniform", "sum"),
    ("inclusive", "f32", "uniform", "inclusive scan"),
    ("count", "f32", "uniform", "count"),
    ("compact", "f32", "half kept", "compact, half kept"),
]
COLORS = {"warpfence": "#0b6e4f", "cub": "#c1440e", "cudaMemcpyAsync": "#7a7a7a"}


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def select(rows, **want):
    return [r for r in rows if all(r[k] == v for k, v in want.items())]


def panel(rows, pattern, typ, data, title, x0, y0, w, h):
    """Rate over n, both axes drawn from the data, spread as a vertical bar."""
    out = [f'<text x="{x0}" y="{y0 - 8}" class="t">{title}, {typ}, GB/s over n</text>']
    lines = {who: sorted(select(rows, pattern=pattern, type=typ, data=data, who=who), key=lambda r: r["n"])
             for who in ("warpfence", "cub")}
    if pattern == "inclusive":
        lines["cudaMemcpyAsync"] = sorted(select(rows, pattern="copy"), key=lambda r: r["n"])
    sizes = sorted({r["n"] for line in lines.values() for r in line})
    low, high = sizes[0].bit_length() - 1, sizes[-1].bit_length() - 1
    top = 5000

    def at(n, rate):
        return (x0 + w * (n.bit_length() - 1 - low) / (high - low), y0 + h - h * min(rate, top) / top)

    for rate in range(0, top + 1, 1000):
        y = at(sizes[0], rate)[1]
        out.append(f'<path d="M{x0} {y:.1f}h{w}" class="g"/><text x="{x0 - 6}" y="{y + 4:.1f}" class="n e">{rate}</text>')
    for p in range(low, high + 1, 4):
        out.append(f'<text x="{at(1 << p, 0)[0]:.1f}" y="{y0 + h + 16}" class="n m">2^{p}</text>')
    for who, line in lines.items():
        points = [at(r["n"], r["gb_per_s"]) for r in line]
        out.append(f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}" stroke="{COLORS[who]}" class="l"/>')
        for r, (x, _) in zip(line, points):
            a, b = (at(r["n"], r["gb_per_s"] * r["median_us"] / r[k])[1] for k in ("p10_us", "p90_us"))
            out.append(f'<path d="M{x:.1f} {a:.1f}V{b:.1f}" stroke="{COLORS[who]}"/>')
    return out


def svg(doc):
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 720" font-family="sans-serif">',
           "<style>.t{font-size:15px;font-weight:bold}.n{font-size:11px;fill:#555}.e{text-anchor:end}"
           ".m{text-anchor:middle}.g{stroke:#ddd}.l{fill:none;stroke-width:2}</style>",
           '<rect width="960" height="720" fill="#fff"/>',
           f'<text x="60" y="26" class="n">{doc["gpu"]}, driver {doc["driver"]}, {doc["date"]}; median of '
           f'{doc["repetitions"]}, bar: 10th to 90th percentile</text>']
    for i, (who, color) in enumerate(COLORS.items()):
        out.append(f'<path d="M{560 + 130 * i} 22h24" stroke="{color}" stroke-width="3"/>'
                   f'<text x="{590 + 130 * i}" y="26" class="n">{who}</text>')
    for i, s in enumerate(SERIES):
        out += panel(doc["rows"], *s, 60 + i % 2 * 470, 70 + i // 2 * 330, 410, 260)
    return "\n".join(out + ["</svg>", ""])


def size(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else str(n)


def pairs(rows):
    """Each candidate row with CUB's row of the same case."""
    key = lambda r: (r["pattern"], r["type"], r["data"], r["n"], r["bins"])
    cub = {}
    for r in rows:
        if r["who"] == "cub":
            cub[key(r)] = r
    return [(r, cub[key(r)]) for r in rows if r["who"] == "warpfence" and key(r) in cub]


def markdown(doc, image):
    rows = doc["rows"]
    head = (f'Measured on one {doc["gpu"]}, driver {doc["driver"]}, CUDA runtime {doc["cuda_runtime"]}, {doc["date"]}, '
            f'command `{doc["command"]}`. Medians of {doc["repetitions"]}; the spread is the 10th to 90th percentile. '
            f'Every result was checked in the same run: {sum(r["ok"] is True for r in rows)} right, '
            f'{sum(r["ok"] is False for r in rows)} wrong.')
    out = ["# Patterns, measured", "", f"![rates](../bench/device/results/{image})", "", head, "", "## 2^28 elements", "",
           "| pattern | type | data | bins | us (spread) | GB/s | CUB us | CUB/ours | of copy |",
           "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    copy = {r["n"]: r["gb_per_s"] for r in select(rows, pattern="copy")}
    done = set()
    for r, c in pairs(rows):
        if r["n"] != 1 << 28:
            continue
        k = (r["pattern"], r["type"], r["data"], r["bins"])
        if k in done:
            continue
        done.add(k)
        out.append(f'| {r["pattern"]} | {r["type"]} | {r["data"]} | {r["bins"] or ""} | {r["median_us"]:.1f} '
                   f'({r["p10_us"]:.1f} to {r["p90_us"]:.1f}) | {r["gb_per_s"]:.0f} | {c["median_us"]:.1f} | '
                   f'{c["median_us"] / r["median_us"]:.2f} | {r["gb_per_s"] / copy[r["n"]]:.2f} |')
    out += ["", "## CUB's time over ours, by size", ""]
    kinds = [s[:3] + (0,) for s in SERIES] + [("histogram", "u32", "uniform", b) for b in (256, 4096, 65536)]
    table = {}
    for r, c in pairs(rows):
        k = (r["pattern"], r["type"], r["data"], r["bins"])
        if k in kinds:
            table.setdefault(r["n"], {})[k] = c["median_us"] / r["median_us"]
    out.append("| n | " + " | ".join(f"{k[0]} {k[3] or k[1]}" for k in kinds) + " |")
    out.append("| --- " * (len(kinds) + 1) + "|")
    for n in sorted(table):
        out.append(f"| {size(n)} | " + " | ".join(f"{table[n][k]:.2f}" if k in table[n] else "" for k in kinds) + " |")
    wide = [r for r in rows if r["who"] == "cub, 64-bit counters"]
    ours = {(r["data"], r["bins"]): r["median_us"] for r in rows
            if r["who"] == "warpfence" and r["pattern"] == "histogram" and r["type"] == "u32" and r["n"] == 1 << 28}
    if wide:
        out += ["", "## Histogram against CUB with counters as wide as ours, u32, 2^28 elements", "",
                "| data | bins | CUB us | CUB/ours |", "| --- | --- | --- | --- |"]
        out += [f'| {r["data"]} | {r["bins"]} | {r["median_us"]:.1f} | '
                f'{r["median_us"] / ours[r["data"], r["bins"]]:.2f} |' for r in wide if (r["data"], r["bins"]) in ours]
    plain = [r for r in rows if r["who"].startswith("plain")]
    out += ["", "## Textbook kernels, 2^28 elements", "", "| kernel | us | GB/s |", "| --- | --- | --- |"]
    out += [f'| {r["pattern"]}, {r["who"]} | {r["median_us"]:.1f} | {r["gb_per_s"]:.0f} |' for r in plain]
    return "\n".join(out) + "\n"


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    doc = load(sys.argv[1])
    with open(sys.argv[2], "w", encoding="utf-8") as f:
        f.write(svg(doc))
    with open(sys.argv[3], "w", encoding="utf-8") as f:
        f.write(markdown(doc, os.path.basename(sys.argv[2])))


main()
