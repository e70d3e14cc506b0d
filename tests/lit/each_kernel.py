# SPDX-License-Identifier: MIT
"""Compiles every public function of a file for itself, since tlc makes one kernel at a time:

    each_kernel.py FILE TLC_ARGUMENTS...

What tlc writes, errors included, follows one after another on the standard output. The exit code is
the worst of tlc's."""
import re
import subprocess
import sys

path, *arguments = sys.argv[1:]
text = open(path, encoding="utf-8").read()
worst = 0
for name in re.findall(r"tt\.func public @(\w+)", text):
    print(f"// kernel {name}", flush=True)
    run = subprocess.run(["tlc", "compile", path, "--entry", name, *arguments],
                         stderr=subprocess.STDOUT)
    worst = max(worst, run.returncode if run.returncode >= 0 else 128)
sys.exit(worst)
