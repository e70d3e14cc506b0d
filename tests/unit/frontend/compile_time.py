#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures what a file with one kernel costs a C++ compiler at -O0, beyond an empty file: at most 1.0 s
with Clang 22. The processor time of the best of several runs, which other work on the machine hardly
moves. Other compilers are printed and not judged."""

import os
import resource
import shutil
import subprocess
import sys
import tempfile

LIMIT = 1.0
KERNELS = {
    "vector add": ("vector_add", "kernels::add<1024>[tl::grid(1)](f, f, f, 4)"),
    "softmax": ("softmax", "kernels::softmax<float, 1024>[tl::grid(1)](f, f, 4, 4)"),
    "matmul": ("matmul", "kernels::matmul<tl::float16, kernels::gemm_config{64, 64, 32, 8}>[tl::grid(1)]"
                         "(h, h, h, 4, 4, 4, 4, 4, 4)"),
}
PROGRAM = """#include <kernels/{header}.hpp>
int main() {{
  [[maybe_unused]] tl::buffer<float> f(tl::device::best(), 4);
  [[maybe_unused]] tl::buffer<tl::float16> h(tl::device::best(), 4);
  {launch};
}}
"""


def seconds(compiler, source, includes, runs):
    best = None
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([compiler, "-std=c++20", "-O0", *includes, "-c", source, "-o", os.devnull], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = spent if best is None else min(best, spent)
    return best


def main():
    includes = ["-I" + path for path in sys.argv[1:]]
    judged = shutil.which("clang++-22") or shutil.which("clang++")
    compilers = [c for c in (judged, shutil.which("g++")) if c]
    if not judged:
        print("[SKIP] clang++-22 is not installed")
        return 77
    too_slow = False
    with tempfile.TemporaryDirectory() as folder:
        def write(name, text):
            path = os.path.join(folder, name)
            with open(path, "w") as file:
                file.write(text)
            return path

        empty = write("empty.cpp", "int main() {}\n")
        header = write("header.cpp", "#include <tl/tl.hpp>\nint main() {}\n")
        for compiler in compilers:
            runs = 3 if compiler == judged else 1
            base = seconds(compiler, empty, includes, runs)
            row = [f"tl.hpp alone {seconds(compiler, header, includes, runs) - base:.2f}"]
            for name, (file, launch) in KERNELS.items():
                source = write(file + ".cpp", PROGRAM.format(header=file, launch=launch))
                cost = seconds(compiler, source, includes, runs) - base
                row.append(f"{name} {cost:.2f}")
                too_slow |= compiler == judged and cost > LIMIT
            print(f"{os.path.basename(compiler)} -O0, seconds over an empty file: " + ", ".join(row))
    if too_slow:
        print(f"a kernel costs more than {LIMIT} s")
    return 1 if too_slow else 0


sys.exit(main())
