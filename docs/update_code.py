#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Copies code from tested files into the documentation.

    docs/update_code.py            rewrites the pages
    docs/update_code.py --check    only says which pages are out of date, and fails if one is

A page marks where code belongs with a comment, followed by a fenced block that this script fills:

    <!-- code: examples/kernels/softmax.hpp [kernel] -->

The file marks the part between two lines `// [kernel]`; without a name the whole file is taken.
"""
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(<!-- code: (\S+)(?: \[(\w+)\])? -->\n```(\w*)\n)(.*?)(```\n)", re.S)


def part(file, name):
    """The text of a file, or of its part between two marker lines, without common indentation."""
    text = (ROOT / file).read_text(encoding="utf-8")
    if name:
        pieces = re.split(rf"^ *(?://|#) \[{name}\]\n", text, flags=re.M)
        if len(pieces) != 3:
            sys.exit(f"error: {file} has {len(pieces) - 1} lines `// [{name}]`, expected 2")
        text = pieces[1]
    text = re.sub(r"^ *(?://|#) \[\w+\]\n", "", text, flags=re.M)  # marks of other parts
    return textwrap.dedent(text)


def main():
    check = "--check" in sys.argv[1:]
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    stale = []
    for page in pages:
        old = page.read_text(encoding="utf-8")
        new = BLOCK.sub(lambda m: m[1] + part(m[2], m[3]) + m[6], old)
        if new != old:
            stale.append(page.relative_to(ROOT))
            if not check:
                page.write_text(new, encoding="utf-8")
    for page in stale:
        print(f"{'out of date' if check else 'updated'}: {page}")
    if check and stale:
        print("help: run docs/update_code.py")
        sys.exit(1)


main()
