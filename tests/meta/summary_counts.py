# SPDX-License-Identifier: MIT
"""tests/summary.py counts what each kind of test reports."""
import sys

from project import ROOT, Report

sys.path.insert(0, str(ROOT / "tests"))
import summary  # noqa: E402

DOCTEST = "[doctest] test cases:  9 |  7 passed | 2 failed | 0 skipped\n"
LIT = "Testing Time: 0.05s\n\nTotal Discovered Tests: 6\n  Unsupported: 1 (16.67%)\n  Passed     : 4 (66.67%)\n  Failed: 1 (16.67%)\n"
CASES = [
    ("doctest", DOCTEST, "FAIL", (7, 2, 0)),
    ("doctest with an absent device", "[SKIP] no cuda\n" + DOCTEST, "FAIL", (6, 2, 1)),
    ("a doctest that died", "", "FAIL", (0, 1, 0)),
    ("a doctest that died at the end", DOCTEST.replace("2 failed", "0 failed"), "FAIL", (7, 1, 0)),
    ("lit", LIT, "FAIL", (4, 1, 1)),
    ("a script", "FAIL x\n3 passed, 1 failed\n", "FAIL", (3, 1, 0)),
    ("a script that skips", "3 passed, 0 failed, 2 skipped\n", "OK", (3, 0, 2)),
    ("a plain program", "fine\n", "OK", (1, 0, 0)),
    ("a program that was skipped", "", "SKIP", (0, 0, 1)),
    ("a program out of time", "", "TIMEOUT", (0, 1, 0)),
]

report = Report()
for name, out, result, want in CASES:
    got = summary.cases({"stdout": out, "result": result})
    report.check(got == want, f"{name}: counted {got}, expected {want}")
report.finish()
