#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""TTIR in both directions between this clone and upstream's Triton.

    upstream.py TLC TL_OPT PRINT_TTIR

1. What our front end prints is compiled by upstream down to PTX.
2. What upstream prints is compiled by tlc for the CPU.
3. Vector add, from both, is the same graph of operations after canonicalisation.

No GPU is needed. tests/python_packages.py runs this with Triton, or skips it.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile


class Graph:
    """The operations of a module in MLIR's generic form, as expressions over the parameters."""

    OPERATION = re.compile(r'^ *(?:%(\w+)(?::\d+)? = )?"([\w.]+)"\(([^)]*)\)( <\{.*?\}>)?'
                           r'(?: \{.*?\})? : \((.*?)\) -> (.*)$')

    def __init__(self, text):
        self.values, self.effects = {}, []
        for line in text.splitlines():
            block = re.match(r"^ *\^bb0\((.*)\):$", line)
            if block:
                for i, name in enumerate(re.findall(r"%(\w+):", block.group(1))):
                    self.values[name] = f"parameter{i}"
                continue
            match = self.OPERATION.match(line)
            if not match or match.group(2) in ("builtin.module", "tt.func"):
                continue
            result, name, operands, attributes, _, types = match.groups()
            inputs = [self.values[operand] for operand in re.findall(r"%(\w+)", operands)]
            if name in ("arith.addi", "arith.addf", "arith.muli", "arith.mulf"):
                inputs.sort()  # they commute
            attributes = re.sub(r"overflowFlags = #arith.overflow<\w+>(, )?", "", attributes or "")
            expression = f"{name}{attributes}({', '.join(inputs)}) : {types}"
            if result:
                self.values[result] = expression
            else:
                self.effects.append(expression)


class Tests:
    def __init__(self, tlc, tl_opt, folder):
        self.tlc, self.tl_opt, self.folder = tlc, tl_opt, folder
        self.passed = self.failed = self.skipped = 0

    def skip(self, reason):
        self.skipped += 1
        print("[SKIP]", reason.replace("\n", " ")[:200])

    def check(self, name, problem):
        if problem:
            self.failed += 1
            print(f"FAIL {name}: {problem[:2000]}")
        else:
            self.passed += 1

    def upstream_takes(self, triton, target, path):
        try:
            ptx = triton.compile(str(path), target=target).asm["ptx"]
            self.check(f"upstream compiles {path.name}", "" if ".entry" in ptx else "no entry in PTX")
        except Exception as error:  # whatever upstream throws is the answer
            self.check(f"upstream compiles {path.name}", repr(error))

    def we_take(self, name, text):
        path = self.folder / f"upstream_{name}.ttir"
        path.write_text(text, encoding="utf-8")
        run = subprocess.run([self.tlc, "compile", str(path), "--target", "cpu", "--emit", "obj",
                              "-o", os.devnull], capture_output=True, text=True, timeout=600)
        self.check(f"tlc compiles upstream's {name}", run.stderr if run.returncode else "")

    def graph(self, path):
        run = subprocess.run([self.tl_opt, "--canonicalize", "--cse", "--mlir-print-op-generic",
                              str(path)], capture_output=True, text=True, timeout=600)
        return Graph(run.stdout) if run.returncode == 0 else run.stderr

    def same_graph(self, name, ours, theirs):
        mine, other = self.graph(ours), self.graph(theirs)
        if isinstance(mine, str) or isinstance(other, str):
            self.check(f"the graph of {name}", mine if isinstance(mine, str) else other)
            return
        same = mine.effects == other.effects and len(mine.effects) > 1
        self.check(f"the graph of {name} is upstream's",
                   "" if same else f"\n  ours      {mine.effects}\n  upstream  {other.effects}")


def main(tlc, tl_opt, print_ttir):
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # or it warns that this is the default
    try:
        import triton
    except ImportError as missing:
        print(f"[SKIP] upstream's Triton cannot be imported: {missing}")
        return 77
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    import upstream_kernels
    from triton.backends.compiler import GPUTarget
    target = GPUTarget("cuda", 90, 32)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRITON_CACHE_DIR"] = folder + "/cache"
        tests = Tests(tlc, tl_opt, pathlib.Path(folder))
        ours = pathlib.Path(folder) / "ours"
        ours.mkdir()
        subprocess.run([print_ttir, str(ours)], check=True)
        for path in sorted(ours.iterdir()):
            tests.upstream_takes(triton, target, path)
        for name in upstream_kernels.KERNELS:
            try:
                text = upstream_kernels.ttir_of(name, target)
            except Exception as error:  # a language that is older or newer than the kernel
                tests.skip(f"upstream {triton.__version__} does not compile {name}: {error!r}")
            else:
                tests.we_take(name, text)
        tests.same_graph("vector add", ours / "add.ttir", tests.folder / "upstream_add.ttir")
    print(f"with Triton {triton.__version__}")
    print(f"{tests.passed} passed, {tests.failed} failed, {tests.skipped} skipped")
    return int(tests.failed > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
