# SPDX-License-Identifier: MIT
"""Every operation of the tt dialect has a FileCheck test, tests of its errors, and a numeric row or an
interchange case. (That every target compiles it: tests/unit/dialect/examples.py.)

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
}


def operations():
    """TTIR name and whether there is a verifier, of each record."""
    for group in sorted(DIALECT.glob("*.td")):
        dump = subprocess.run([tblgen, "--dump-json", "-I", DIALECT, "-I", mlir_include, group],
                              check=True, capture_output=True, text=True).stdout
        records = json.loads(dump)
        for name in records["!instanceof"].get("TT_Op", []):
            record = records[name]
            if record["!locs"] and group.name in record["!locs"][0]:
                yield "tt." + record["opName"], bool(record["hasVerifier"])


lit = {p.name: text(p) for p in files({".mlir", ".ttir"}, "tests/lit/ops")}
interchange = "\n".join(text(path) for path in files({".ttir"}, "tests/interchange"))
rows = subprocess.run([numeric], capture_output=True, text=True,
                      env={**os.environ, "TL_NUMERIC_OPS": "1", "TL_TEST_DEVICES": "interpreter"}).stdout
swept = set(re.findall(r"^op (tt\.[\w.]+)$", rows, re.M)) | set(re.findall(r"\btt\.[\w.]+", interchange))

report = Report()
seen = set()
for op, verified in operations():
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
    report.check(op in swept or op in WITHOUT_NUMBERS,
                 f"{op}: no row in tests/numeric and no case in tests/interchange")
report.check(len(seen) >= 47, f"only {len(seen)} operations were found")
report.finish()
