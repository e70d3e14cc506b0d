# SPDX-License-Identifier: MIT
"""Rules that every file keeps: licence line, length, names, includes, nothing unfinished, no target
known outside of its folder."""
import re
import stat

from project import CODE, ROOT, Report, files, text

UNFINISHED = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]) + r")\b")
MACHINE = re.compile(r"/(?:home|root|Users|work|farm)/\w|/tm[p]/(?!tl)")
VAGUE = re.compile(r"(^|_|(?<=[a-z]))(utils?|utility|utilities|helpers?|common|misc)(_|\.|$|(?=[A-Z]))", re.I)
LONGEST = 800
LARGEST = 512 * 1024
# What the headers may include besides the standard library and themselves.
FOREIGN = re.compile(r'#\s*include\s*[<"](llvm|mlir|clang|cuda|hip|nv)[/\w]*', re.I)
# A target's folder is known to itself, to the list of all targets and to the tools.
TARGET = re.compile(r'#\s*include\s*"targets/(\w+)/')
KNOW_TARGETS = ("backend/runtime/Inventory.cpp", "backend/tools/")
SCRIPTS = [".ci/run", ".ci/setup", ".ci/build", "examples/run", "tests/run", "bench/run",
           "docs/update_code.py"]

report = Report()
for path in files():
    name = path.name
    report.check(not VAGUE.search(name), f"{path}: the name says nothing; name what the file holds")
    size = (ROOT / path).stat().st_size
    report.check(size <= LARGEST, f"{path}: {size} bytes, at most {LARGEST} belong into the tree")
    script = str(path) in SCRIPTS or path.suffix in CODE
    if not (script or path.suffix in {".md", ".build", ".txt", ".mlir", ".ttir", ".cmake"}):
        continue
    content = text(path)
    lines = content.split("\n")
    if script:
        report.check(any("SPDX-License-Identifier: MIT" in line for line in lines[:3]),
                     f"{path}:1: no line SPDX-License-Identifier: MIT")
    if script and ".gen." not in name and ".inc" not in name:
        report.check(len(lines) <= LONGEST + 1, f"{path}: {len(lines)} lines, split it by group")
    for number, line in enumerate(lines, 1):
        if UNFINISHED.search(line):
            report.check(False, f"{path}:{number}: unfinished: {line.strip()}")
        if MACHINE.search(line):
            report.check(False, f"{path}:{number}: a path of one machine: {line.strip()}")
        if str(path).startswith("include/") and FOREIGN.search(line):
            report.check(False, f"{path}:{number}: the headers include no compiler: {line.strip()}")
        target = TARGET.search(line) if str(path).startswith("backend/") else None
        if target and not str(path).startswith((f"backend/targets/{target[1]}/", *KNOW_TARGETS)):
            report.check(False, f"{path}:{number}: knows the target {target[1]}: {line.strip()}")
    if path.suffix in {".hpp", ".h"}:
        report.check("#pragma once" in content or re.search(r"#ifndef \w+\n#define", content),
                     f"{path}: no #pragma once")

for script in SCRIPTS:
    path = ROOT / script
    report.check(path.exists() and path.stat().st_mode & stat.S_IXUSR, f"{script}: is no program")
report.finish()
