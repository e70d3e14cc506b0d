#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sums up a `meson test` run: the time of each suite, the slowest tests, and at last
`N passed, N failed, N skipped`.

    tests/summary.py TESTLOG [WORD]    the word stands before the last line: `WORD: N passed, …`

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
SHOWN = 10
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


def place(test):
    """The suite and the name of a test, which meson writes as `project:suite / name`."""
    suite, _, name = test["name"].rpartition(" / ")
    return suite.rpartition(":")[2].partition("+")[0], name


def times(tests):
    """The lines that say where the time went. Tests run side by side, so the seconds of a suite are the
    sum of its tests' and not what a clock shows."""
    suites = {}
    for test in tests:
        count, seconds = suites.get(place(test)[0], (0, 0))
        suites[place(test)[0]] = count + 1, seconds + test.get("duration", 0)
    if len(tests) < 2:
        return []
    lines = [f"{'suite':<16}{'tests':>6}{'seconds':>10}"]
    for suite, (count, seconds) in sorted(suites.items(), key=lambda item: -item[1][1]):
        lines.append(f"{suite or '-':<16}{count:>6}{seconds:>10.1f}")
    slowest = sorted(tests, key=lambda test: -test.get("duration", 0))[:SHOWN]
    lines.append(f"the {len(slowest)} slowest tests:")
    for test in slowest:
        lines.append(f"{test.get('duration', 0):>10.1f} s  " + " / ".join(part for part in place(test) if part))
    return lines


def main(path, word=""):
    total = [0, 0, 0]
    try:
        with open(path, encoding="utf-8") as log:
            tests = [json.loads(line) for line in log if line.strip()]
    except FileNotFoundError:
        tests = []
    for test in tests:
        total = [a + b for a, b in zip(total, cases(test))]
    print(*times(tests), sep="\n", end="\n" if len(tests) > 1 else "")
    if not tests:
        total[1] += 1
        print("error: no test ran")
    print(f"{word}{': ' if word else ''}{total[0]} passed, {total[1]} failed, {total[2]} skipped")
    return int(total[1] > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
