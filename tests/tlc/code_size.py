#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Operations that become much code do so in proportion: with 256 elements a thread, and with three of them
in a row, the PTX stays so short that an assembler, which takes more than its time for long code, has it
done in a second. With few elements a thread they are a part of the kernel, without calls.

    code_size.py TLC
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

# What an assembler makes of one line of PTX, in lines.
LONG = [(r"\t(div|rem)\.[su]64", 64), (r"\t(div|rem)\.[su](16|32)", 24), (r"\t(div|rcp|sqrt)\.rn\.f64", 32),
        (r"\t(div|sqrt)\.rn\.f32", 12)]
MOST = 12000  # lines for 256 elements a thread: the operation in full for each of a few dozen, or calls


def kernel(operands, result, elements, operation):
    """Loads, `operation` from %a0, %a1 … to %c, and a store."""
    block = f"tensor<{elements}x"
    lines = [f"%r = tt.make_range {{end = {elements} : i32, start = 0 : i32}} : {block}i32>"]
    pointers = [(f"x{i}", element) for i, element in enumerate(operands)] + [("o", result)]
    for name, element in pointers:
        lines += [f"%s{name} = tt.splat %{name} : !tt.ptr<{element}> -> {block}!tt.ptr<{element}>>",
                  f"%p{name} = tt.addptr %s{name}, %r : {block}!tt.ptr<{element}>>, {block}i32>"]
    lines += [f"%a{i} = tt.load %px{i} : {block}!tt.ptr<{element}>>" for i, element in enumerate(operands)]
    lines += [operation.format(block=block), f"tt.store %po, %c : {block}!tt.ptr<{result}>>", "tt.return"]
    parameters = ", ".join(f"%{name}: !tt.ptr<{element}> {{tt.divisibility = 16 : i32}}"
                           for name, element in pointers)
    return f"tt.func public @k({parameters}) {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def cases():
    for op in "divsi remui".split():
        for t in "i8 i32 i64".split():
            yield f"{op} {t}", [t, t], t, f"%c = arith.{op} %a0, %a1 : {{block}}{t}>"
    for op, t in (("log", "f32"), ("sin", "f16"), ("sin", "f32"), ("tan", "f32"), ("erfc", "f32"), ("exp", "f64"),
                  ("expm1", "f64"), ("log", "f64"), ("cos", "f64"), ("tanh", "f64"), ("acosh", "f64"), ("sqrt", "f64")):
        yield f"{op} {t}", [t], t, f"%c = math.{op} %a0 : {{block}}{t}>"
    for op in "math.powf math.atan2 arith.divf arith.remf".split():
        for t in "f32 f64".split():
            yield f"{op} {t}", [t, t], t, f"%c = {op} %a0, %a1 : {{block}}{t}>"
    for symbol, t in (("lgammaf", "f32"), ("j0", "f64")):
        yield symbol, [t], t, (
            f'%c = tt.extern_elementwise %a0 {{{{libname = "", libpath = "", pure = true, symbol = "__nv_{symbol}"}}}}'
            f" : ({{block}}{t}>) -> {{block}}{t}>")
    for narrow, wide in (("f8E4M3FN", "f32"), ("f8E5M2FNUZ", "f64"), ("bf16", "f64")):
        yield f"{narrow} to {wide}", [narrow], wide, f"%c = tt.fp_to_fp %a0 : {{block}}{narrow}> -> {{block}}{wide}>"
        for rounding in "rtne rtz".split():
            yield f"{wide} to {narrow} {rounding}", [wide], narrow, (
                f"%c = tt.fp_to_fp %a0, rounding = {rounding} : {{block}}{wide}> -> {{block}}{narrow}>")
    yield "three divisions in a row", ["i32", "i32"], "i32", "\n  ".join(
        f"%{to} = arith.{op} %{a}, %{b} : {{block}}i32>" for to, op, a, b in
        (("d", "divsi", "a0", "a1"), ("e", "divsi", "d", "a1"), ("f", "remsi", "e", "a0"), ("c", "addi", "f", "d")))


def quick_assembler(folder):
    """A ptxas that does not optimise, for PTX whose text is judged; or nothing, where there is no ptxas."""
    toolkits = [os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH")] + ["/usr/local/cuda"]
    path = os.pathsep.join([f"{toolkit}/bin" for toolkit in toolkits if toolkit] + [os.environ.get("PATH", "")])
    ptxas = shutil.which("ptxas", path=path)
    if not ptxas or os.environ.get("TL_PTXAS"):
        return {}
    script = pathlib.Path(folder) / "ptxas"
    script.write_text(f'#!/bin/sh\nfor word; do shift; [ "$word" = -O3 ] && word=-O0; set -- "$@" "$word"; done\n'
                      f'exec {shlex.quote(ptxas)} "$@"\n')
    script.chmod(0o755)
    return {"TL_PTXAS": str(script)}


def ptx(tlc, text, assembler):
    done = subprocess.run([tlc, "compile", "-", "--target", "sm_80", "--emit", "ptx"], input=text, text=True,
                          capture_output=True, env=os.environ | assembler)
    return done.stdout if done.returncode == 0 else None, done.stderr


def lines_of(text):
    """Instructions, the long ones counted as what they become."""
    count = 0
    for line in text.splitlines():
        if re.match(r"\t(@!?%p\d+ )?\t?[a-z]", line) and line.rstrip().endswith(";"):
            count += next((lines for pattern, lines in LONG if re.match(pattern, line)), 1)
    return count


def main(tlc, quick):
    passed = failed = skipped = 0
    for name, operands, result, operation in cases():
        threads = 4 * 32
        long, problem = ptx(tlc, kernel(operands, result, 256 * threads, operation), quick)
        short, _ = ptx(tlc, kernel(operands, result, 4 * threads, operation), {})
        if long is None and "no CUDA Toolkit here" in problem:
            skipped += 1
            continue
        wrong = []
        if long is None or short is None:
            wrong.append(problem.strip())
        else:
            if lines_of(long) > MOST:
                wrong.append(f"{lines_of(long)} lines for 256 elements a thread, at most {MOST}")
            if "call.uni" in short or "\tcall " in short:
                wrong.append("calls with 4 elements a thread")
        if wrong:
            print(f"FAIL {name}: {'; '.join(wrong)}", flush=True)
        failed += bool(wrong)
        passed += not wrong
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed != 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(main(sys.argv[1], quick_assembler(folder)))
