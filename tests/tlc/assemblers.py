#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What tlc says where PTX cannot be assembled as the user asks: TL_PTXAS that names something else,
registers that do not suffice. TL_LIBCUDA and TL_LIBHIP that name other libraries, too.

    assemblers.py TLC
"""
import os
import pathlib
import subprocess
import sys
import tempfile

KERNEL = """\
tt.func public @k(%x: !tt.ptr<f16>, %y: !tt.ptr<f32>) {
  %s = tt.splat %x : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
  %a = tt.load %s : tensor<32x32x!tt.ptr<f16>>
  %z = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tt.dot %a, %a, %z : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %t = tt.splat %y : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  tt.store %t, %d : tensor<32x32x!tt.ptr<f32>>
  tt.return
}
"""
SCRIPTS = {
    "prints.sh": "echo rubbish",
    "hangs.sh": "exec sleep 600",
    "crashes.sh": "kill -SEGV $$",
    "fails.sh": '[ "$1" = --version ] && echo ptxas',
    "writes_nothing.sh": "echo ptxas",
    "writes_text.sh": '[ "$1" = --version ] && echo ptxas\n'
                      'while [ $# -gt 1 ]; do [ "$1" = -o ] && echo text > "$2"; shift; done',
}
# What TL_PTXAS names: the first line of the error without "tlc: error: ".
NAMED = {
    "absent": "names 'absent', which is not a program",
    ".": "names '.', which is not a program",
    "plain.txt": "names 'plain.txt', which is not a program",
    "./text.txt": "names './text.txt', which is not ptxas: with --version it cannot be run: Exec format "
                  "error",
    "/bin/false": "names '/bin/false', which is not ptxas: with --version it ended with code 1 and "
                  "printed ",
    "./prints.sh": "names './prints.sh', which is not ptxas: with --version it ended with code 0 and "
                   "printed 'rubbish'",
    "./hangs.sh": "names './hangs.sh', which is not ptxas: with --version it does not end within 10 "
                  "seconds",
    "./crashes.sh": "names './crashes.sh', which is not ptxas: with --version it was ended by a signal: "
                    "Segmentation fault",
    "./fails.sh": "./fails.sh ended with code 1 and printed nothing",
    "./writes_nothing.sh": "./writes_nothing.sh wrote no machine code",
    "./writes_text.sh": "./writes_text.sh wrote no machine code",
}


def main():
    tlc = os.path.abspath(sys.argv[1])
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "k.ttir").write_text(KERNEL)
        (folder / "plain.txt").write_text("hello")
        (folder / "text.txt").write_text("hello")
        for script, text in SCRIPTS.items():
            (folder / script).write_text(f"#!/bin/sh\n{text}\n")
        for file in ["text.txt", *SCRIPTS]:
            (folder / file).chmod(0o755)

        def run(*words, **variables):
            return subprocess.run([tlc, *words], cwd=folder, capture_output=True, text=True,
                                  timeout=600, env={**os.environ, **variables})

        def expect(what, text, wanted):
            nonlocal failures
            if wanted not in text:
                failures += 1
                print(f"{what}: {text!r} instead of {wanted!r}")

        compile = ["compile", "k.ttir", "--target", "sm_90a"]
        known = run(*compile)
        if "there is no target" in known.stderr:
            print("[SKIP] the NVIDIA target is not built in")
            return 0
        for program, message in NAMED.items():
            wrong = run(*compile, TL_PTXAS=program)
            expect(f"TL_PTXAS={program}", wrong.stderr.split("\n")[0], message)
            if wrong.returncode not in (1, 2):
                failures += 1
                print(f"TL_PTXAS={program}: exit code {wrong.returncode}")
        libc = next((str(path) for pattern in ("lib/*/libc.so.6", "lib64/libc.so.6")
                     for path in pathlib.Path("/").glob(pattern)), None)
        if libc:
            expect("TL_LIBCUDA", run("devices", TL_LIBCUDA=libc).stdout,
                   f"missing cuda: environment variable TL_LIBCUDA names '{libc}', which is not the "
                   "library of a CUDA driver: it has no cuInit")
            if "the AMD target is not built" not in run("devices").stdout:
                expect("TL_LIBHIP", run("devices", TL_LIBHIP=libc).stdout,
                       f"missing hip: environment variable TL_LIBHIP names '{libc}', which is not the library "
                       "of HIP: it has no hipInit")
        if "ptx assembler" in run("devices").stdout:
            print("[SKIP] registers that do not suffice: no PTX assembler was found")
        else:
            few = run(*compile, "--max-registers", "8")
            expect("few registers", few.stderr, "an instruction of the kernel needs more than the 8 "
                                                "registers that max_registers allows")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
