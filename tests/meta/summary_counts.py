# SPDX-License-Identifier: MIT
"""tests/summary.py counts what each kind of test reports, and says where the time went."""
import json
import subprocess
import sys
import tempfile

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

RUN = [{"name": f"tl:{suite} / {name}", "stdout": "", "result": result, "duration": seconds}
       for suite, name, result, seconds in
       [("unit+quick", "a", "OK", 1.25), ("unit", "b", "FAIL", 0.5), ("lit", "c", "OK", 7)] +
       [("meta", f"m{i}", "OK", 0.01 * i) for i in range(10)]]
WANT = """\
suite            tests   seconds
lit                  1       7.0
unit                 2       1.8
meta                10       0.5
the 10 slowest tests:
       7.0 s  lit / c
       1.2 s  unit / a
       0.5 s  unit / b
       0.1 s  meta / m9
"""
with tempfile.NamedTemporaryFile("w", suffix=".json") as log:
    log.write("".join(json.dumps(test) + "\n" for test in RUN))
    log.flush()
    done = subprocess.run([sys.executable, ROOT / "tests/summary.py", log.name, "GCC"],
                          capture_output=True, text=True)
report.check(done.stdout.startswith(WANT), f"the times of a run are printed as\n{done.stdout}")
report.check(done.stdout.endswith("\nGCC: 12 passed, 1 failed, 0 skipped\n") and done.returncode == 1,
             f"the last line of a run is not its sum:\n{done.stdout}")
report.finish()
