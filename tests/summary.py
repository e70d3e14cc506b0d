#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sums the cases of a `meson test` run and prints `N passed, N failed, N skipped`.

A test() is a program of many cases: doctest and lit report theirs, a script may end with its own
"N passed, N failed" line, and anything else counts as one. A case that printed a line beginning
with [SKIP] counts as skipped. The exit status is 1 when a case failed or nothing ran.
"""
import json
import re
import sys

DOCTEST = re.compile(r"\[doctest\] test cases: *(\d+) \| *(\d+) passed \| *(\d+) failed")
LIT = re.compile(r"^ +(.*?) *: *(\d+)(?: \(|$)", re.M)
SCRIPT = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.M)
LIT_KIND = {
    "Passed": 0, "Passed With Retry": 0, "Expectedly Failed": 0,
    "Failed": 1, "Unexpectedly Passed": 1, "Unresolved": 1, "Timed Out": 1,
    "Unsupported": 2, "Skipped": 2,
}


def cases(test):
    """Passed, failed and skipped cases of one test()."""
    out = test.get("stdout", "") or ""
    result = test["result"]
    ok = result in ("OK", "EXPECTEDFAIL")
    if result == "SKIP":
        return 0, 0, 1
    skips = len(re.findall(r"^\[SKIP\]", out, re.M))
    found = DOCTEST.findall(out)
    if found:
        passed, failed = (sum(int(row[i]) for row in found) for i in (1, 2))
        skipped = min(skips, passed)
        passed -= skipped
    elif "Testing Time" in out:
        counts = [0, 0, 0]
        for name, number in LIT.findall(out[out.index("Testing Time"):]):
            if name in LIT_KIND:
                counts[LIT_KIND[name]] += int(number)
        passed, failed, skipped = counts
    elif SCRIPT.search(out):
        passed, failed, skipped = (int(n or 0) for n in SCRIPT.findall(out)[-1])
    else:
        passed, failed, skipped = int(ok), 0, skips
    # A program that died, timed out or failed outside its cases is a failed case more.
    if not ok and failed == 0:
        failed = 1
    return passed, failed, skipped


def main(path):
    total = [0, 0, 0]
    try:
        with open(path, encoding="utf-8") as log:
            tests = [json.loads(line) for line in log if line.strip()]
    except FileNotFoundError:
        tests = []
    for test in tests:
        total = [a + b for a, b in zip(total, cases(test))]
    if not tests:
        total[1] += 1
        print("error: no test ran")
    print(f"{total[0]} passed, {total[1]} failed, {total[2]} skipped")
    return int(total[1] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
