#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the documents that tables determine: docs/options.md, docs/man/warpfence.1 and
docs/ptx-support.md. With --check nothing is written, and a stale document is an error."""
import re
import sys

from wfdef import ROOT, rows

LETTERS = {"R": "run", "C": "check", "B": "build", "P": "ptx", "E": "explain", "D": "doctor"}
MADE = "Made by tools/gen_docs.py from {}; change those and run it again."


def options():
    keys = ("field", "flag", "letter", "type", "preset", "range", "section", "commands", "in_env",
            "help")
    return [dict(zip(keys, row)) for row in rows("src/session/options.def", "WF_OPTION")]


def commands():
    return [(row[0], row[3], row[4]) for row in rows("src/cli/cmd.def", "WF_COMMAND")]


def env_name(flag):
    return "WARPFENCE_" + flag.lstrip("-").replace("-", "_").upper()


def value(o):
    return {"BOOL": "", "INT": "N"}.get(o["type"], o["range"])


def spelled(o):
    flag = "--[no-]" + o["flag"][2:] if o["type"] == "BOOL" and o["preset"] == "yes" else o["flag"]
    letter = f"-{o['letter']}, " if o["letter"] != "0" else ""
    return f"{letter}{flag} {value(o)}".rstrip()


def sections():
    order = []
    for o in options():
        if o["section"] not in order:
            order.append(o["section"])
    return [(s, [o for o in options() if o["section"] == s]) for s in order]


def used_by(o):
    return ", ".join(LETTERS[c] for c in o["commands"].split("|") if c in LETTERS) or "environment alone"


def limits(o):
    if o["type"] == "INT":
        return o["range"].replace("..", " to ")
    return o["range"].replace("|", ", ") if o["type"] == "ENUM" else ""


def options_md():
    out = ["# Options", "", MADE.format("src/session/options.def and src/cli/cmd.def"), "",
           "Precedence: flag, then environment, then default. Flags stand before the program's name; what",
           "follows the name belongs to the program, and what follows the last `--` to the compiler.", ""]
    out += ["| command | |", "| --- | --- |"]
    out += [f"| `{usage.replace('|', chr(92) + '|')}` | {line} |" for _, usage, line in commands()]
    for name, group in sections():
        out += ["", f"## {name}", "", "| option | environment | default | range | commands | |",
                "| --- | --- | --- | --- | --- | --- |"]
        for o in group:
            flag = "" if o["commands"] == "M" else f"`{spelled(o)}`".replace("|", "\\|")
            env = f"`{env_name(o['flag'])}`" if o["in_env"] == "true" else ""
            out.append(f"| {flag} | {env} | {o['preset']} | {limits(o)} | {used_by(o)} | {o['help']} |")
    return "\n".join(out) + "\n"


def roff(text):
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"), flags=re.M)


def man_page():
    out = ['.\\" ' + MADE.format("src/session/options.def and src/cli/cmd.def"),
           ".TH WARPFENCE 1", ".SH NAME",
           "warpfence \\- run CUDA programs on the CPU and check their synchronization", ".SH SYNOPSIS"]
    for _, usage, _ in commands():
        out += [roff(usage), ".br"]
    out += [".SH DESCRIPTION"]
    for name, _, line in commands():
        out += [".TP", f".B {name}", roff(line[0].upper() + line[1:] + ".")]
    for name, group in sections():
        out.append(f".SH {name.upper()}")
        for o in group:
            env = f" Environment: {env_name(o['flag'])}." if o["in_env"] == "true" else ""
            shown = env_name(o["flag"]) if o["commands"] == "M" else spelled(o)
            preset = f" Default: {o['preset']}." if o["preset"] not in ("", "no") else ""
            out += [".TP", f".B {roff(shown)}", roff(o["help"] + preset + env)]
    out += [".SH EXIT STATUS", "0: nothing found and the program ended with 0; the program's own status;",
            "66: error findings (\\-\\-error\\-exitcode changes it); 2: wrong usage; 3: the tool could not go on."]
    return "\n".join(out) + "\n"


def ptx_md():
    states = {"FULL": "executed", "PARSE": "parsed, refused in a kernel that holds it"}
    out = ["# PTX support", "", MADE.format("src/ptx/op.def"), "",
           "All syntax of PTX ISA 9.0 is parsed. What a form of an executed instruction needs beyond this",
           "table is said where it is used: an unsupported form refuses the kernel with its name and line.", "",
           "| instruction | state |", "| --- | --- |"]
    out += [f"| `{spelling}` | {states[state]} |" for _, spelling, state in rows("src/ptx/op.def", "PTX_OP")]
    return "\n".join(out) + "\n"


def main():
    is_check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not is_check:
        print("usage: gen_docs.py [--check]")
        return 2
    stale = []
    for name, text in (("docs/options.md", options_md()), ("docs/man/warpfence.1", man_page()),
                       ("docs/ptx-support.md", ptx_md())):
        path = ROOT / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not is_check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
    if is_check:
        print(f"stale, run tools/gen_docs.py: {', '.join(stale)}" if stale else "documents are in step")
    return 1 if stale and is_check else 0


if __name__ == "__main__":
    sys.exit(main())
