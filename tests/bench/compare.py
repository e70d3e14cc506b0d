# SPDX-License-Identifier: MIT
"""The benchmarks of GPU kernels, tried on the CPU: every kernel in every configuration gives right
results there, the program runs from the first table to the last, and wrong results are seen.

    compare.py SOURCE_ROOT"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy  # noqa: F401
except ImportError:
    print("[SKIP] numpy is not installed")
    sys.exit(77)

ROOT = Path(sys.argv[1])


def run(*arguments):
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "tests/bench/stand_in"),
                       PYTHONDONTWRITEBYTECODE="1")
    done = subprocess.run([sys.executable, str(ROOT / "bench/cuda/compare.py"), "--device", "cpu",
                           *arguments], env=environment, text=True, capture_output=True)
    print(done.stdout + done.stderr)
    return done


def check(condition, what):
    if not condition:
        print("FAILED: " + what)
        sys.exit(1)


with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "figures.json"
    done = run("--quick", "--json", str(file), "--keep", str(Path(folder) / "code"))
    check(done.returncode == 0 and "all results are right" in done.stdout, "a run of all tables")
    figures = json.loads(file.read_text())
    tables = {row["kernel"] for row in figures["rows"]}
    check(len(tables) == 16 and not figures["wrong"], "the figures of all tables")
    check(list((Path(folder) / "code").glob("*.ttir")), "kept TTIR")

done = run("--sweep", "all")
check(done.returncode == 0 and "WRONG" not in done.stdout, "a sweep of all configurations")
done = run("--filter", "nothing_of_the_kind")
check(done.returncode == 2 and "vector_add" in done.stdout, "a filter that nothing passes")
os.environ["TL_BENCH_TRANSPOSE"] = "tile 32 32 2"
done = run("--filter", "transpose")
check(done.returncode == 0 and "tile 32 32 2" in done.stdout, "a configuration by the environment")
