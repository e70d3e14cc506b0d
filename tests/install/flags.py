# SPDX-License-Identifier: MIT
"""Builds a program with the compiler flags that docs/how_to/use_compiler_flags.md names, and runs it.

    flags.py LIBRARY_FOLDER COMPILER..."""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "tests/install/project/main.cpp"
library, *compilers = sys.argv[1:]


def rows(heading):
    """The first column of the table under a heading."""
    page = (ROOT / "docs/how_to/use_compiler_flags.md").read_text(encoding="utf-8")
    section = page.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `([^`]+)` \|", section, re.M)


def attempt(compiler, flags, folder):
    """(exit status of the compiler, what it and the program said)."""
    program = Path(folder) / re.sub(r"\W", "_", compiler + flags)
    built = subprocess.run([compiler, "-std=c++20", "-Wall", "-Wextra", *shlex.split(flags), f"-I{ROOT}/include", PROGRAM,
                            f"-L{library}", "-ltl", "-o", program], capture_output=True, text=True)
    if built.returncode:
        return built.returncode, built.stderr
    ran = subprocess.run([program], capture_output=True, text=True, env={**os.environ, "LD_LIBRARY_PATH": library})
    return 0, built.stderr + ran.stdout + ran.stderr


def problem(compiler, flags, works, folder):
    status, said = attempt(compiler, flags, folder)
    if works:
        return said != "the answer is right\n" and said
    return status == 0 and "it compiles"


cases = [(compiler, flags, works) for compiler in compilers if shutil.which(compiler)
         for heading, works in (("Flags that are tested", True), ("Flags that do not work", False))
         for flags in rows(heading)]
failed = 0
with tempfile.TemporaryDirectory(prefix="tl-flags-") as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
    for (compiler, flags, _), why in zip(cases, pool.map(lambda case: problem(*case, folder), cases)):
        failed += bool(why)
        if why:
            print(f"FAIL {compiler} {flags}: {why[:2000]}")
print(f"{len(cases) - failed} passed, {failed} failed")
sys.exit(failed > 0 or not cases)
