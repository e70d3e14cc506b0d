# SPDX-License-Identifier: MIT
"""Upstream's Triton parses and verifies the TTIR of every kernel of the numeric suite.

    upstream_verifies.py RECORDER NUMERIC

RECORDER is the library of record_ttir.c, NUMERIC the suite, which runs on the interpreter here. No GPU is
needed. tests/python_packages.py runs this with Triton, or skips it."""
import collections
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# What upstream does not have: ours, and said so in docs/reference/ops.md.
OWN = re.compile(r"\btt\.(grid_barrier|hint)\b|\btt\.atomic_cas \w+, \w+(, %[\w#]+){4}")
FEWEST = 1500  # kernels; fewer means that they were not recorded

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # or it warns that this is the default
try:
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler.compiler import make_backend
except ImportError as missing:
    print(f"[SKIP] upstream's Triton cannot be imported: {missing}")
    sys.exit(77)


class Diagnostics:
    """What MLIR prints to the standard error while this is open."""

    def __enter__(self):
        self.file, self.kept = tempfile.TemporaryFile(), os.dup(2)
        os.dup2(self.file.fileno(), 2)
        return self

    def __exit__(self, *_):
        os.dup2(self.kept, 2)
        os.close(self.kept)

    def text(self):
        self.file.seek(0)
        return self.file.read().decode(errors="replace")


def main(recorder, numeric):
    backend = make_backend(GPUTarget("cuda", 90, 32))
    wrong, verified, own = collections.defaultdict(list), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, LD_PRELOAD=recorder, RECORD_TTIR=folder, TL_TEST_DEVICES="interpreter")
        subprocess.run([numeric], env=environment, stdout=subprocess.DEVNULL, timeout=600)  # judged elsewhere
        for path in sorted(Path(folder).iterdir()):
            if OWN.search(path.read_text(encoding="utf-8")):
                own += 1
                continue
            context = ir.context()
            ir.load_dialects(context)
            backend.load_dialects(context)
            with Diagnostics() as said:
                try:
                    ir.parse_mlir_module(str(path), context)
                    verified += 1
                    continue
                except Exception as error:
                    problem = repr(error)
            first = re.search(r"error: (.*)", said.text())
            wrong[re.sub(r"\d+", "N", first[1] if first else problem)].append(path.read_text(encoding="utf-8"))
    for problem, texts in wrong.items():
        print(f"FAIL {len(texts)} kernels: {problem}\n{texts[0][:1500]}")
    print(f"upstream verified {verified} kernels; {own} have operations of our own")
    enough = verified + own >= FEWEST
    if not enough:
        print(f"FAIL fewer than {FEWEST} kernels were recorded")
    print(f"{int(verified > 0)} passed, {len(wrong) + (not enough)} failed")
    return int(bool(wrong) or not enough)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
