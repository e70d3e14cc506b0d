# SPDX-License-Identifier: MIT
"""Does machine code leave the registers alone that products in flight read?

    operands_in_flight.py TLC NUMERIC

A product of groups of warps (wgmma) may take its first operand from registers, and reads them until it
is waited for. Assemblers before 13.1 forget that where the wait is in the next iteration of a loop: they
compute the next operand in the same registers, and results are wrong now and then. So tl waits in the
same iteration, and this looks whether the registers are safe: it compiles kernels of the numeric suite
for sm_90a, and follows their machine code from each such product to its wait on all paths."""
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

CASES = ("groups of warps compute every chain*,a product of a product in a loop*,floats that a loop loads*,"
         "a loop computes one piece*")
PRODUCT = re.compile(r"(?:@!?U?P\w+ )?[HIQ]GMMA\.\S+ R\d+, R(\d+), gdesc")
WAIT = re.compile(r"WARPGROUP\.DEPBAR\.LE gsb0, 0x([0-9a-f]+)")
# Operations without a result in registers of numbers.
WITHOUT_RESULT = {"ST", "STS", "STG", "STL", "RED", "BAR", "BRA", "EXIT", "SYNCS", "UTMALDG", "UTMASTG",
                  "R2UR", "HGMMA", "IGMMA", "QGMMA", "LDGSTS", "STSM"}


def instructions(listing):
    """(address, text) of what cuobjdump -sass prints."""
    found = re.findall(r"^\s+/\*([0-9a-f]{4,5})\*/\s+(.*?);", listing, re.M)
    return [(int(address, 16), text.strip()) for address, text in found]


def written(text):
    """The registers that an instruction writes."""
    name, _, rest = re.sub(r"^@!?U?P\w+ ", "", text).partition(" ")
    parts = name.split(".")
    operands = [operand.strip() for operand in rest.split(",")]
    if len(operands) > 1 and re.fullmatch(r"!?P\w+", operands[0]):
        operands = operands[1:]
    first = re.match(r"R(\d+)", operands[0])
    if parts[0] in WITHOUT_RESULT or not first:
        return set()
    of_two = parts[0] in ("CS2R", "LDSM", "DADD", "DMUL", "DFMA") or {"64", "WIDE", "F64"} & set(parts)
    of_four = "128" in parts or (parts[0] == "LDSM" and "4" in parts)
    count = 4 if of_four else 2 if of_two else 1
    return set(range(int(first[1]), int(first[1]) + count))


def successors(code):
    """The numbers of the instructions that may follow each one."""
    number = {address: i for i, (address, _) in enumerate(code)}
    following = []
    for i, (_, text) in enumerate(code):
        goes_on = not re.match(r"EXIT|BRA ", text)
        target = re.search(r"BRA.*0x([0-9a-f]+)", text)
        after = [number[int(target[1], 16)]] if target and int(target[1], 16) in number else []
        if goes_on or re.match(r"BRA !?U?P\d", text):
            after.append(i + 1)
        following.append([j for j in after if j < len(code)])
    return following


def faults(code):
    """The number of products with a first operand in registers, and what is written under them."""
    following = successors(code)
    products, found = 0, []
    for i, (_, text) in enumerate(code):
        product = PRODUCT.match(text)
        if not product:
            continue
        products += 1
        operand = set(range(int(product[1]), int(product[1]) + 4))
        # How many groups of products have been closed since; the first one holds this product, and
        # no wait is for it before.
        closed = 1 if "gsb0" in text else 0
        work, seen = [(j, closed) for j in following[i]], set()
        while work:
            place = work.pop()
            if place in seen:
                continue
            seen.add(place)
            j, closed = place
            other = code[j][1]
            wait = WAIT.search(other)
            if wait and int(wait[1], 16) < closed:
                continue
            if written(other) & operand:
                found.append(f"{text}\n    is in flight at  {other}")
            if "GMMA" in other and "gsb0" in other:
                closed = min(closed + 1, 8)
            work += [(k, closed) for k in following[j]]
    return products, found


def check_planted():
    """The checker finds what it is for, and lets through what is right."""
    loop = """
        /*0000*/  HMUL2 R88, R18, R20 ;
        /*0010*/  {} ;
        /*0020*/  HGMMA.64x64x16.F32 R56, R88, gdesc[UR4], R56, gsb0 ;
        /*0030*/  {} ;
        /*0040*/  @P0 BRA 0x0000 ;
        /*0050*/  WARPGROUP.DEPBAR.LE gsb0, 0x0 ;
        /*0060*/  EXIT ;
"""
    wait = "WARPGROUP.DEPBAR.LE gsb0, 0x0"
    assert faults(instructions(loop.format("NOP", wait))) == (1, [])
    for at_once in (("NOP", "NOP"), (wait, "NOP"), ("NOP", "LDS.64 R90, [R2]")):
        assert faults(instructions(loop.format(*at_once)))[1], at_once


def main():
    tlc, numeric = sys.argv[1:]
    check_planted()
    # The assembler that comes with Triton is one of those that forget.
    tools = Path(triton.__file__).parent / "backends/nvidia/bin"
    environment = {**os.environ, "TL_PTXAS": str(tools / "ptxas")}
    failed = seen = kernels = 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([numeric, "--test-case=" + CASES], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "TL_NUMERIC_KERNELS": folder})
        for kernel in sorted(Path(folder).glob("*.ttir")):
            for warps in ("4", "8"):
                cubin = kernel.with_suffix(".cubin")
                made = subprocess.run(
                    [tlc, "compile", kernel, "--target", "sm_90a", "--num-warps", warps, "--emit", "cubin",
                     "-o", cubin], stderr=subprocess.PIPE, text=True, env=environment)
                if made.returncode:
                    print(f"{kernel.name} with {warps} warps: {made.stderr.strip()[:300]}")
                    failed += 1
                    continue
                listing = subprocess.run([tools / "cuobjdump", "-sass", cubin], check=True, capture_output=True,
                                         text=True).stdout
                products, found = faults(instructions(listing))
                kernels += 1
                seen += products
                if found:
                    print(f"{kernel.name} with {warps} warps:\n  " + "\n  ".join(found[:5]))
                    failed += 1
    print(f"{seen} products with a first operand in registers, in {kernels} kernels; {failed} failed")
    return 1 if failed or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
