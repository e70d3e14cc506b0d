# SPDX-License-Identifier: MIT
"""Unpacks the bundle elsewhere and uses it as its user does: runs its tests with a bare environment,
and builds a program against it.  Usage: bundle.py ARCHIVE COMPILER..."""
import gzip
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parent / "project"
LIBRARIES = {"libtl.so.0", "libstdc++.so.6", "libgcc_s.so.1", "libm.so.6", "libc.so.6",
             "ld-linux-x86-64.so.2"}
NEWEST_GLIBC = (2, 35)  # Ubuntu 22.04
archive, *compiler = sys.argv[1:]
passed = failed = 0


def case(name, problem):
    global passed, failed
    if problem:
        failed += 1
        print(f"FAIL {name}: {problem}")
    else:
        passed += 1


def run(*words, **environment):
    """Exit status and output, with nothing in the environment but a path."""
    done = subprocess.run([str(w) for w in words], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env={"PATH": "/usr/bin:/bin", **environment})
    return done.returncode, done.stdout


def foreign_needs(path):
    """What a program or library asks for beyond the C and C++ run-time libraries of 2022."""
    _, dynamic = run("readelf", "--dynamic", path)
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
    _, versions = run("readelf", "--version-info", path)
    newer = {v for v in re.findall(r"GLIBC_([\d.]+)", versions)
             if tuple(map(int, v.split("."))) > NEWEST_GLIBC}
    return sorted(needed - LIBRARIES) + [f"glibc {v}" for v in sorted(newer)]


def expect(name, words, status, *texts, **environment):
    got, output = run(*words, **environment)
    wrong = got != status or not all(text in output for text in texts)
    case(name, wrong and f"exit status {got}, wanted {status} and {texts}, in\n{output}")


with tempfile.TemporaryDirectory(prefix="tl-bundle-") as folder:
    with tarfile.open(archive) as content:
        content.extractall(folder)
    [root] = Path(folder).iterdir()
    run_tests = root / "run-tests"
    for packed in (root / "tests").glob("*.gz"):
        (root / "tests" / f"{packed.stem}-unpacked").write_bytes(gzip.decompress(packed.read_bytes()))
    programs = [p for p in root.rglob("*") if p.is_file() and p.read_bytes()[:4] == b"\x7fELF"]
    case("there are programs", len(programs) < 8 and f"only {programs}")
    for program in programs:
        case(f"{program.relative_to(root)} needs nothing foreign", ", ".join(foreign_needs(program)))

    expect("the suites pass on the cpu",
           [run_tests, "language", "host", "tlc", "interchange", "--device", "cpu"], 0, " passed, 0 failed")
    expect("an absent device is skipped, with the reason", [run_tests, "tlc", "--device", "cuda:99"],
           0, "[SKIP] tlc on cuda:99: ", "0 passed, 0 failed, 1 skipped")
    expect("the sanitizer is for GPUs", [run_tests, "sanitizer", "--device", "cpu"], 0,
           "0 passed, 0 failed, 1 skipped")

    status, output = run(*compiler, "-std=c++20", f"-I{root}/include", PROJECT / "main.cpp",
                         f"-L{root}/lib", "-ltl", f"-Wl,-rpath,{root}/lib", "-o", root / "mine",
                         PATH=os.environ["PATH"])
    case("a program builds against it", status and output)
    if not status:
        expect("that program runs", [root / "mine"], 0, "the answer is right")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
