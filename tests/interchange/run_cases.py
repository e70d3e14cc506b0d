#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs TTIR that upstream Triton wrote through tlc and compares with what upstream computed.

    run_cases.py TLC DEVICE [CASE ...]        (default: every folder of cases/)

A case is a folder: kernel.ttir is upstream's text; arg<i>.npy are the arrays before the run and
want<i>.npy those after it, as a GPU computed them; case.json has the grid, the options, the
arguments in order, the arrays to check and the tolerance. NumPy has no bf16 and no 8-bit floats:
those arrays hold integers of the same size. Nothing but Python's own library is needed.
"""
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FORMATS = {"|b1": "?", "|i1": "b", "|u1": "B", "<i2": "h", "<u2": "H", "<i4": "i", "<u4": "I",
           "<i8": "q", "<u8": "Q", "<f2": "e", "<f4": "f", "<f8": "d"}


def read_npy(path):
    """The elements of a .npy file, and whether they are floats."""
    content = path.read_bytes()
    assert content[:6] == b"\x93NUMPY" and content[6] == 1, f"{path} is no .npy file of version 1"
    length = struct.unpack_from("<H", content, 8)[0]
    dtype = re.search(rb"'descr': '([^']+)'", content[10:10 + length]).group(1).decode()
    data = content[10 + length:]
    count = len(data) // int(dtype[2:])
    return struct.unpack(f"<{count}{FORMATS[dtype]}", data), dtype[1] == "f"


def bfloat16(bits):
    return struct.unpack("<f", struct.pack("<I", (bits & 0xFFFF) << 16))[0]


def float8(exponent_bits, mantissa_bits, bias, has_infinity):
    """The 256 values of an 8-bit float format."""
    values = []
    for bits in range(256):
        sign = -1.0 if bits & 0x80 else 1.0
        exponent = (bits >> mantissa_bits) & ((1 << exponent_bits) - 1)
        mantissa = bits & ((1 << mantissa_bits) - 1)
        top = (1 << exponent_bits) - 1
        if has_infinity and exponent == top:
            value = math.inf if mantissa == 0 else math.nan
        elif not has_infinity and bits & 0x7F == 0x7F:
            value = math.nan
        elif exponent == 0:
            value = math.ldexp(mantissa, 1 - bias - mantissa_bits)
        else:
            value = math.ldexp((1 << mantissa_bits) + mantissa, exponent - bias - mantissa_bits)
        values.append(sign * value)
    return values


FP8E4NV, FP8E5 = float8(4, 3, 7, False), float8(5, 2, 15, True)


def numbers(path, kind):
    values, is_float = read_npy(path)
    if kind == "*bf16":
        return [bfloat16(v) for v in values], True
    if kind == "*fp8e4nv":
        return [FP8E4NV[v & 0xFF] for v in values], True
    if kind == "*fp8e5":
        return [FP8E5[v & 0xFF] for v in values], True
    return values, is_float


def difference(got_path, want_path, kind, rtol, atol):
    """None if the arrays agree, else a sentence."""
    (got, is_float), (want, _) = numbers(got_path, kind), numbers(want_path, kind)
    if len(got) != len(want):
        return f"{len(got)} elements, expected {len(want)}"
    for i, (g, w) in enumerate(zip(got, want)):
        if g == w or (is_float and math.isnan(g) and math.isnan(w)):
            continue
        if not is_float or not abs(g - w) <= atol + rtol * abs(w):
            return f"element {i} is {g}, expected {w}"
    return None


def failure(tlc, device, case, scratch):
    """None if the case passes, else a sentence."""
    about = json.loads((case / "case.json").read_text(encoding="utf-8"))
    command = [tlc, "run", str(case / "kernel.ttir"), "--device", device,
               "--grid", ",".join(map(str, about["grid"])),
               "--num-warps", str(about["num_warps"]), "--num-stages", str(about["num_stages"])]
    where = {}
    for i, argument in enumerate(about["args"]):
        if "tensor" in argument:
            where[argument["tensor"]] = (i, argument["type"])
            command += ["--arg", f"@{case / ('arg%d.npy' % argument['tensor'])}"]
        else:
            command += ["--arg", f"{argument['type']}:{argument['scalar']}"]
    for k in about["check"]:
        command += ["--save", f"{where[k][0]}={scratch / ('%d.npy' % k)}"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "tlc took more than two minutes"
    if run.returncode:
        return f"tlc ended with {run.returncode}: {run.stderr.strip()}"
    for k in about["check"]:
        why = difference(scratch / f"{k}.npy", case / f"want{k}.npy", where[k][1],
                         about["rtol"], about["atol"])
        if why:
            return f"array {k}: {why}"
    return None


def main(tlc, device, names):
    cases = [HERE / "cases" / name for name in names] or sorted((HERE / "cases").iterdir())
    failed = 0
    for case in cases:
        with tempfile.TemporaryDirectory() as scratch:
            why = failure(tlc, device, case, pathlib.Path(scratch))
        if why:
            failed += 1
            print(f"FAIL {case.name} on {device}: {why}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
