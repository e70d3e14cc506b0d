# SPDX-License-Identifier: MIT
"""Rules that every file keeps: licence line, length, names, layers of includes, nothing unfinished,
no target known outside of its folder."""
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
# Who does not use it does not pay for it: what Boost.Hana describes is the part of one header.
BOOST = re.compile(r'#\s*include\s*[<"](boost/|tl/structures\.hpp)')
KNOWS_BOOST = "include/tl/structures.hpp"
# A target's folder is known to itself, to the list of all targets, to the tools, and to the emulator, which
# runs what GPU targets make in code of the CPU's; what the drivers of all GPUs share, to targets.
TARGET = re.compile(r'#\s*include\s*"targets/(\w+)/')
SHARED_BY_TARGETS = "gpu"
KNOW_TARGETS = ("backend/abi/DeviceList.cpp", "backend/targets/simt/", "backend/tools/")
# The folders of the library from low to high: a file includes what lies in its own or below.
LAYERS = ["support", "layout", "dialect", "analysis", "arithmetic", "passes", "codegen", "lowering",
          "targets", "interpreter", "runtime", "abi", "tools"]
INCLUDED = re.compile(r'#\s*include\s*"(' + "|".join(LAYERS) + r')/')
# What follows the locale that a program has chosen, whose fractions may have a comma: impl/number_text.hpp
# and std::from_chars do not. The formats of a GPU's own printf are not ours.
LOCALE = re.compile(r'"[^"]*%[-+ #0]*[\d.*]*[aefgAEFG](?![\w(])[^"]*"|'
                    r"\b(strto[dfl]d?|atof|sto[dfl]d?|[io]?stringstream|setprecision)\b(?! *=)")
DEVICE_FORMATS = "backend/lowering/Debug.cpp"
# Files of tests: snake_case whatever they test; in tests/unit a file has test cases and says so, or neither.
TEST_NAME = re.compile(r"[a-z0-9_]+\.(cpp|hpp|c|py)")
TEST_CASES = re.compile(r"^ *TEST_CASE", re.M)
# What an operation is like stands in traits and interfaces of its record (backend/dialect/Traits.td). A list
# of three operations or more that decides it by name is an exception, and says in a comment why.
ISA = r"(?:\w+::)*isa(?:_and_\w+)?<([^<>()]*)>\s*\([^()]*\)"
OPERATION_LIST = re.compile(rf"{ISA}(?:\s*\|\|\s*{ISA})*|\.Case<([^<>()]*)>")
OPERATION = re.compile(r"\b\w+Op\b")
MOST_OPERATION_LISTS = 3
SCRIPTS = [".ci/run", ".ci/setup", ".ci/build", "examples/run", "tests/run", "bench/run",
           "docs/update_code.py"]

report = Report()
operation_lists = []
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
        if str(path).startswith("include/") and str(path) != KNOWS_BOOST and BOOST.search(line):
            report.check(False, f"{path}:{number}: Boost is included by {KNOWS_BOOST} alone: {line.strip()}")
        if (str(path).startswith(("include/", "backend/")) and str(path) != DEVICE_FORMATS
                and path.suffix in {".cpp", ".hpp", ".h"} and LOCALE.search(line.split("//")[0])):
            report.check(False, f"{path}:{number}: depends on the locale, use impl/number_text.hpp or "
                                f"std::from_chars: {line.strip()}")
        included = INCLUDED.match(line)
        if included and path.parts[0] == "backend" and path.parts[1] in LAYERS:
            report.check(LAYERS.index(included[1]) <= LAYERS.index(path.parts[1]),
                         f"{path}:{number}: {path.parts[1]} lies below {included[1]}: {line.strip()}")
        target = TARGET.search(line) if str(path).startswith("backend/") else None
        knows = f"backend/targets/{target[1]}/" if target and target[1] != SHARED_BY_TARGETS else "backend/targets/"
        if target and not str(path).startswith((knows, *KNOW_TARGETS)):
            report.check(False, f"{path}:{number}: knows the target {target[1]}: {line.strip()}")
    if path.parts[0] == "backend" and path.parts[1] != "dialect" and path.suffix in {".cpp", ".h"}:
        for found in OPERATION_LIST.finditer(content):
            if len(OPERATION.findall(found[0])) >= 3:
                number = content.count("\n", 0, found.start()) + 1
                operation_lists.append(f"{path}:{number}")
                report.check("//" in "".join(lines[max(0, number - 3):number]),
                             f"{path}:{number}: a list of operations: ask a trait, or say in a comment why not")
    if path.parts[0] == "tests" and path.suffix in CODE:
        report.check(name == "lit.cfg.py" or TEST_NAME.fullmatch(name), f"{path}: test files are named in snake_case, headers .hpp")
        if path.parts[1] == "unit" and path.suffix == ".cpp":
            report.check(bool(TEST_CASES.search(content)) == name.endswith("_test.cpp"),
                         f"{path}: a file with test cases is called <subject>_test.cpp, and no other")
    if path.suffix in {".hpp", ".h"}:
        report.check("#pragma once" in content or re.search(r"#ifndef \w+\n#define", content),
                     f"{path}: no #pragma once")

report.check(len(operation_lists) <= MOST_OPERATION_LISTS,
             f"{len(operation_lists)} lists of operations, at most {MOST_OPERATION_LISTS}: {' '.join(operation_lists)}")
for script in SCRIPTS:
    path = ROOT / script
    report.check(path.exists() and path.stat().st_mode & stat.S_IXUSR, f"{script}: is no program")
report.finish()
