#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A large kernel costs a C++ compiler work in proportion to its lines, and optimising it hardly more than
not: its lambda runs once for each specialisation. bench/run --filter cxx_time has the seconds; judged here
is what other work on the machine does not move: which functions a file needs, and how long -O2 takes beside
-O0 of the same file at the same time.

    compile_time.py INCLUDE KERNEL_PY COMPILER
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile

FEW, MANY = 60, 120
# -O2 in times of -O0, for 120 lines. Measured on a busy machine: 1.9 and 3.3.
LIMITS = {"clang++": 4.0, "g++": 5.5}
ATTEMPTS = 3  # of which one suffices


def main():
    include, kernel, compiler = sys.argv[1:]
    if not shutil.which(compiler):
        print(f"[SKIP] {compiler} is not installed")
        return 77
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        def path(lines, ending):
            return os.path.join(folder, f"kernel{lines}.{ending}")

        def seconds(lines, level):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([compiler, "-std=c++20", level, "-I" + include, "-c", path(lines, "cpp"),
                            "-o", path(lines, "o")], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        def functions(lines):
            symbols = subprocess.run(["nm", path(lines, "o")], check=True, capture_output=True, text=True).stdout
            return {line.split()[-1] for line in symbols.splitlines() if line.split()[-2] in "tTwW"}

        for lines in (FEW, MANY):
            with open(path(lines, "cpp"), "w") as file:
                subprocess.run([sys.executable, kernel, str(lines)], check=True, stdout=file)

        seconds(FEW, "-O0")
        plain = seconds(MANY, "-O0")
        few, many = functions(FEW), functions(MANY)
        print(f"{compiler}: {len(few)} functions for {FEW} lines, {len(many)} for {MANY}")
        if many != few:
            failures.append("more lines of the same operations need further functions, such as "
                            + min(many ^ few))

        # Who uses no structs pays nothing for them.
        strays = [name for name in many if "composite_structure" in name or "visit_argument" in name]
        if strays:
            failures.append("a kernel without structures needs a function of theirs: " + min(strays))

        [limit] = (times for name, times in LIMITS.items() if compiler.startswith(name))
        for _ in range(ATTEMPTS):
            optimised = seconds(MANY, "-O2")
            print(f"{compiler}: {MANY} lines take {plain:.2f} s at -O0 and {optimised:.2f} s at -O2")
            if optimised <= limit * plain:
                break
            plain = seconds(MANY, "-O0")
        else:
            failures.append(f"-O2 takes more than {limit} times as long as -O0")
    for failure in failures:
        print(f"{compiler}: {failure}")
    return 1 if failures else 0


sys.exit(main())
