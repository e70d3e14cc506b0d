# SPDX-License-Identifier: MIT
"""Are the loads of a kernel on their way together?

    loads_in_flight.py TLC KERNELS

An assembler that saves registers, or is short of predicates, uses what it has loaded before it loads the
next: the kernel waits for memory once for each load. This compiles the kernels of a file for sm_90a with
4 and 8 warps, by the assembler that tl finds, if any, and by ptxas alone, and counts these waits as the
report does."""
import itertools
import os
import re
import subprocess
import sys
from pathlib import Path

try:
    import triton
except ImportError:
    print("skipped: needs the assembler that comes with Triton")
    sys.exit(77)

MOST = 4  # a chain of two, and a wait for the rest of a group


def main():
    tlc, file = sys.argv[1:]
    alone = {"TL_PTXAS": str(Path(triton.__file__).parent / "backends/nvidia/bin/ptxas")}
    names = re.findall(r"tt\.func public @(\w+)", Path(file).read_text(encoding="utf-8"))
    seen = failed = 0
    for name, warps, chosen in itertools.product(names, (4, 8), ({}, alone)):
        run = subprocess.run([tlc, "compile", file, "--entry", name, "--target", "sm_90a", "--num-warps",
                              str(warps), "--emit", "report"], env={**os.environ, **chosen},
                             capture_output=True, text=True)
        if not chosen and "has no stage 'report'" in run.stderr:
            continue
        waits = int(re.search(r"^memory waits (\d+)$", run.stdout, re.M)[1])
        print(f"{name}, {warps} warps, {'ptxas' if chosen else 'any assembler'}: {waits} waits for memory")
        seen += 1
        failed += not 1 <= waits <= MOST
    return 1 if failed or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
