#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Has upstream's Triton parse and verify the TTIR of the corpus, and compares the vector add with what
upstream makes of the same kernel: after canonicalisation the same operations, as often, with the same
types. Needs Triton (no GPU), with which tests/python_packages.py runs this."""

import collections
import os
import re
import subprocess
import sys
import tempfile

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # or it warns that this is the default
try:
    import triton
    import triton.language as tl
    from triton._C.libtriton import ir, passes
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    from triton.compiler.compiler import make_backend
except ImportError as missing:
    print(f"[SKIP] upstream's Triton is not installed: {missing}")
    sys.exit(77)


@triton.jit
def vector_add(x, y, out, n):
    offsets = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    mask = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask=mask) + tl.load(y + offsets, mask=mask), mask=mask)


TARGET = GPUTarget("cuda", 90, 32)
BACKEND = make_backend(TARGET)


def new_context():
    context = ir.context()
    ir.load_dialects(context)
    BACKEND.load_dialects(context)
    return context


def simplify(module, context):
    manager = ir.pass_manager(context)
    passes.common.add_inliner(manager)
    passes.common.add_canonicalizer(manager)
    passes.common.add_cse(manager)
    try:
        manager.run(module, "simplify")
    except TypeError:  # before 3.6
        manager.run(module)
    return str(module)


def operations(text):
    """Each operation with the types it names, counted."""
    found = collections.Counter()
    for line in text.splitlines():
        line = re.sub(r"\s*loc\(.*$", "", line)
        match = re.match(r'\s*(?:%[\w:, %#]+ = )?"?([a-z_]+\.[a-z_.]+)"?(.*)$', line)
        if match and match.group(1) != "tt.func":
            found[match.group(1), match.group(2).rpartition(" : ")[2]] += 1
    return found


def main():
    program = sys.argv[1]
    failures = 0
    names = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, folder + "/"], check=True)
        for name in names:
            path = os.path.join(folder, name + ".ttir")
            context = new_context()
            try:
                module = ir.parse_mlir_module(path, context)
                module.context = context
                ours = simplify(module, context)
            except Exception as error:
                print(f"{name}: upstream refuses it: {error}")
                failures += 1
                continue
            if name == "vector_add":
                context = new_context()
                options = BACKEND.parse_options({})
                source = ASTSource(vector_add, {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}, {})
                module = source.make_ir(TARGET, options, BACKEND.get_codegen_implementation(options),
                                        BACKEND.get_module_map(), context)
                theirs = simplify(module, context)
                if operations(ours) != operations(theirs):
                    print(f"vector_add differs from upstream's:\n{ours}\n{theirs}")
                    failures += 1
    print(f"the TTIR of {len(names)} kernels, given to Triton {triton.__version__}:")
    print(f"{len(names) - failures} passed, {failures} failed")
    return 1 if failures else 0


sys.exit(main())
