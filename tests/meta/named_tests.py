# SPDX-License-Identifier: MIT
"""Each rule of docs/explanation/semantics.md names tests that hold it, and they are there."""
import re

from project import ROOT, Report, text

PAGE = "docs/explanation/semantics.md"
CASES = re.compile(r"TEST_CASE(?:_TEMPLATE)?\(\s*((?:\"[^\"]*\"\s*)+)")
NAMED = re.compile(r"`([\w/]+\.cpp)`:((?: \*[^*]+\*;?)+)")


def cases(path):
    """The names of a file's test cases, literals that are written in parts put together."""
    return {"".join(re.findall(r'"([^"]*)"', names)) for names in CASES.findall(text(path))}


report = Report()
page = re.sub(r"\s+", " ", text(PAGE))
for name, listed in NAMED.findall(page):
    path = f"tests/{name}"
    there = cases(path) if (ROOT / path).exists() else set()
    report.check(there, f"{PAGE}: {path} has no test cases")
    for case in re.findall(r"\*([^*]+)\*", listed):
        report.check(not there or case in there, f"{PAGE}: {path} has no test case '{case}'")
for rule in re.findall(r"^- .*?(?=\n- |\n\n|\Z)", text(PAGE), re.M | re.S):
    report.check(NAMED.search(re.sub(r"\s+", " ", rule)), f"{PAGE}: no test holds '{rule.splitlines()[0]}'")
report.finish()
