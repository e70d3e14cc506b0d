#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The example in each operation's record is TTIR that parses and verifies; so is what the descriptions of
passes show before and after, and each layout that a description shows can be read.

    examples.py TL_OPT LLVM_TBLGEN MLIR_INCLUDE

An example uses values that it does not define. They become parameters of a function around it, whose
types the parser itself tells: it says which type it expected."""
import json
import pathlib
import re
import subprocess
import sys

tl_opt, tblgen, include = sys.argv[1:]
backend = pathlib.Path(__file__).resolve().parents[3] / "backend"
dialect = backend / "dialect"


def records_of(source):
    return json.loads(subprocess.run([tblgen, "--dump-json", "-I", include, "-I", dialect, source], check=True,
                                     capture_output=True, text=True).stdout)


def blocks(record):
    return re.findall(r"```mlir\n(.*?)```", record.get("description") or "", re.S)


def shown_by_passes():
    """(pass, what it shows before or after); a loop that is shown in part is completed."""
    records = records_of(backend / "passes/Passes.td")
    for name in records["!instanceof"]["PassBase"]:
        for block in blocks(records[name]):
            for piece in re.split(r"^ *// (?:before|after).*$", block, flags=re.M):
                if piece.strip() and "(...)" not in piece:  # not all of an operation is shown
                    piece = piece.replace("...; ...", "").replace("...", "")
                    yield name, piece + "}\n" * (piece.count("{") - piece.count("}"))


def shown_layouts():
    records = records_of(dialect / "Layouts.td")
    for name in records["!instanceof"]["AttrDef"]:
        for block in blocks(records[name]):
            for line in block.split("\n"):
                if line.strip():
                    yield name, line.strip()


def examples():
    for source in sorted(dialect.glob("*.td")):
        records = records_of(source)
        for name in records["!instanceof"].get("Op", []):
            record = records[name]
            if source.name in (record.get("!locs") or [""])[0] and not record["!anonymous"]:
                yield records[record["opDialect"]["def"]]["name"] + "." + record["opName"], record.get("example", "")


def errors_of(text):
    return subprocess.run([tl_opt], input=text, capture_output=True, text=True).stderr


def why_not(op, example):
    """Nothing if the example is good, else what the parser says."""
    if not example.strip():
        return "has no example"
    if op == "tt.func":
        return errors_of(example)
    if op.endswith(".return"):  # its operation's example has it
        return ""
    definitions = re.findall(r"^\s*(%\w+(?:, %\w+)*) =|\^bb0\((.*)\)", example, re.M)
    defined = set(re.findall(r"%\w+", " ".join(" ".join(pair) for pair in definitions)))
    defined |= set(re.findall(r"^\s*(%\w+):\d+ =|", example, re.M)) | set(re.findall(r"scf\.for (%\w+) =", example))
    for carried in re.findall(r"iter_args\((.*?)\) ->", example):
        defined |= set(re.findall(r"(%\w+) =", carried))
    used = sorted(set(re.findall(r"%\w+", example)) - defined)
    types = dict.fromkeys(used, "i32")
    for _ in range(2 * len(used) + 1):
        parameters = ", ".join(f"{name}: {type}" for name, type in types.items())
        callee = "tt.func private @f(f32, f32) -> f32\n"
        error = errors_of(f"{callee}tt.func @example({parameters}) {{\n{example}\ntt.return\n}}\n")
        wrong = re.search(r"use of value '(%\w+)' expects different type than prior uses: '(.*)' vs '", error)
        if not wrong or wrong[1] not in types:
            return error
        types[wrong[1]] = wrong[2]
    return error


failures = 0
count = 0
for op, example in examples():
    count += 1
    error = why_not(op, example)
    if error:
        failures += 1
        print(f"{op}: {error.strip()}")
shown = [(name, why_not(name, piece)) for name, piece in shown_by_passes()]
shown += [(name, errors_of(f"#layout = {text}\n")) for name, text in shown_layouts()]
for name, error in shown:
    count += 1
    failures += bool(error)
    if error:
        print(f"{name}: {error.strip()}")
print(f"{count - failures} passed, {failures} failed")
sys.exit(failures > 0 or count < 80)
