# SPDX-License-Identifier: MIT
"""Every operation of the tt dialect has a FileCheck test, tests of its errors, an entry in the
interpreter, a lowering on the CPU and one on GPUs or a stated refusal, and a numeric row or an
interchange case.

Usage: op_coverage.py LLVM_TBLGEN MLIR_INCLUDE NUMERIC_PROGRAM"""
import json
import os
import re
import subprocess
import sys

from project import ROOT, Report, files, text

tblgen, mlir_include, numeric = sys.argv[1:]
DIALECT = ROOT / "backend/dialect"
# What has no numeric row, and why.
WITHOUT_NUMBERS = {
    "tt.func": "holds the kernel itself",
    "tt.return": "ends every kernel",
    "tt.print": "writes text; tests/unit/interpreter looks at it",
    "tt.elementwise_inline_asm": "is text for an assembler, which neither the interpreter nor the CPU is",
    "tt.grid_dependency_wait": "orders launches on GPUs and does nothing elsewhere",
    "tt.grid_dependency_launch_dependents": "orders launches on GPUs and does nothing elsewhere",
}


def operations():
    """Class name, TTIR name and whether there is a verifier, of each record."""
    for group in sorted(DIALECT.glob("*.td")):
        dump = subprocess.run([tblgen, "--dump-json", "-I", DIALECT, "-I", mlir_include, group],
                              check=True, capture_output=True, text=True).stdout
        records = json.loads(dump)
        for name in records["!instanceof"].get("TT_Op", []):
            record = records[name]
            if record["!locs"] and group.name in record["!locs"][0]:
                yield name, "tt." + record["opName"], bool(record["hasVerifier"])


def sources(folder, suffixes):
    return "\n".join(text(path) for path in files(suffixes, folder))


# What old releases write is replaced when a module is read: see Legality.cpp.
replaced = text("backend/dialect/Legality.cpp")
interpreter = sources("backend/interpreter", {".cpp", ".h"}) + replaced
# A pass that rewrites an operation into others is a lowering too, for all targets.
for_all = (sources("backend/arithmetic", {".cpp", ".h"}) + text("backend/passes/DescriptorAccess.cpp") +
           text("backend/passes/KeepHints.cpp") +
           text("backend/passes/RewriteDescriptors.cpp") + replaced)
lowerings = {folder: sources(folder, {".cpp", ".h"}) + for_all
             for folder in ("backend/targets/cpu", "backend/lowering")}
lit = {p.name: text(p) for p in files({".mlir", ".ttir"}, "tests/lit/ops")}
interchange = sources("tests/interchange", {".ttir"})
rows = subprocess.run([numeric], capture_output=True, text=True,
                      env={**os.environ, "TL_NUMERIC_OPS": "1", "TL_TEST_DEVICES": "interpreter"}).stdout
swept = set(re.findall(r"^op (tt\.[\w.]+)$", rows, re.M)) | set(re.findall(r"\btt\.[\w.]+", interchange))

report = Report()
seen = set()
for name, op, verified in operations():
    if op in seen or op.endswith(".return"):  # terminators are part of their operation
        continue
    seen.add(op)
    word = re.compile(rf"\b{re.escape(op)}\b(?![\w.])")
    tests = {n: t for n, t in lit.items() if word.search(t)}
    report.check(any(not n.endswith("_errors.mlir") for n in tests),
                 f"{op}: no FileCheck test in tests/lit/ops has it")
    if verified:
        report.check(any(n.endswith("_errors.mlir") for n in tests),
                     f"{op}: has a verifier, and no *_errors.mlir in tests/lit/ops")
    report.check(re.search(rf"\b{name}\b|\"{re.escape(op)}\"", interpreter), f"{op}: not in backend/interpreter")
    for folder, lowering in lowerings.items():
        report.check(re.search(rf"\b{name}\b|\"{re.escape(op)}\"", lowering),
                     f"{op}: neither lowered nor refused in {folder}")
    report.check(op in swept or op in WITHOUT_NUMBERS,
                 f"{op}: no row in tests/numeric and no case in tests/interchange")
report.check(len(seen) >= 47, f"only {len(seen)} operations were found")
report.finish()
