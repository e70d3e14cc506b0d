# SPDX-License-Identifier: MIT
"""Are the descriptors of products of groups of warps computed in uniform registers?

    uniform_descriptors.py TLC KERNELS...

The assembler decides which values are the same in all threads. If it takes the address of shared memory
for one that is not, each product of a loop waits until its descriptors have been moved to uniform
registers (R2UR). If it does not know that one lane alone starts a copy, it makes a loop over the lanes
(BRA.U.ANY). This compiles all kernels of files for sm_90a, and looks for such moves between the products
of one group, and for such loops."""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import triton
except ImportError:
    print("skipped: needs the disassembler that comes with Triton")
    sys.exit(77)

PRODUCT = re.compile(r"[HIQ]GMMA\.")


def groups(listing):
    """For each group of products, from its first one to the last: the moves among them."""
    found, moves, inside = [], 0, False
    for text in re.findall(r"^\s+/\*[0-9a-f]{4,5}\*/\s+(.*?);", listing, re.M):
        if PRODUCT.search(text):
            inside = "gsb0" not in text
            if not inside:
                found.append(moves)
                moves = 0
        elif inside and text.startswith("R2UR"):
            moves += 1
    return found


def check_planted():
    """The checker finds what it is for."""
    code = "\n".join(f"    /*{i:03x}0*/  {text} ;" for i, text in enumerate(
        ["R2UR UR4, R2", "HGMMA.64x64x16.F32 R56, gdesc[UR4], R56", "{}",
         "HGMMA.64x64x16.F32 R56, gdesc[UR8], R56, gsb0"]))
    assert groups(code.replace("{}", "NOP")) == [0]
    assert groups(code.replace("{}", "R2UR UR8, R3")) == [1]


def main():
    tlc, *files = sys.argv[1:]
    check_planted()
    tools = Path(triton.__file__).parent / "backends/nvidia/bin"
    environment = {**os.environ, "TL_PTXAS": str(tools / "ptxas")}
    seen = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        cubin = Path(folder) / "kernel.cubin"
        for file in files:
            for name in re.findall(r"tt\.func public @(\w+)", Path(file).read_text(encoding="utf-8")):
                subprocess.run([tlc, "compile", file, "--entry", name, "--target", "sm_90a", "--num-warps", "8",
                                "--emit", "cubin", "-o", cubin], check=True, env=environment)
                listing = subprocess.run([tools / "cuobjdump", "-sass", cubin], check=True, capture_output=True,
                                         text=True).stdout
                moves, loops = groups(listing), listing.count("BRA.U.ANY")
                print(f"{name}: {len(moves)} groups of products, {sum(moves)} moves, {loops} loops over lanes")
                seen += len(moves)
                failed += any(moves) or loops > 0
    return 1 if failed or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
