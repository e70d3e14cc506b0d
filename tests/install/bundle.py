# SPDX-License-Identifier: MIT
"""Unpacks the bundle elsewhere and uses it as its user does: runs its tests with a bare environment,
and builds a program against it.  Usage: bundle.py ARCHIVE COMPILER..."""
import gzip
import os
import re
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
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


def left_by_interrupt(root, number):
    """What is wrong once `number` programs that would go on have been interrupted."""
    begun = root / "begun"
    begun.touch()
    (root / "tests/numeric.gz").write_bytes(
        gzip.compress(f"#!/bin/sh\necho $$ >>{begun}\nexec sleep 1000\n".encode()))
    runner = subprocess.Popen([root / "run-tests", "numeric"], stdout=subprocess.DEVNULL)
    for _ in range(3000):
        if len(begun.read_text().split()) == number:
            break
        time.sleep(0.1)
    runner.send_signal(signal.SIGINT)
    runner.wait(timeout=300)
    pids = begun.read_text().split()
    for _ in range(600):
        alive = [pid for pid in pids if Path(f"/proc/{pid}").exists()]
        if not alive:
            break
        time.sleep(0.1)
    if len(pids) != number or alive or runner.returncode != 130:
        return f"exit status {runner.returncode}, {len(pids)} begun, alive: {alive}"


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
    expect("an unknown suite is refused", [run_tests, "numbers"], 2, 'no suite is named "numbers"')
    expect("an option without its value is refused", [run_tests, "--device"], 2, "needs a value")

    status, output = run(*compiler, "-std=c++20", f"-I{root}/include", PROJECT / "main.cpp",
                         f"-L{root}/lib", "-ltl", f"-Wl,-rpath,{root}/lib", "-o", root / "mine",
                         PATH=os.environ["PATH"])
    case("a program builds against it", status and output)
    if not status:
        expect("that program runs", [root / "mine"], 0, "the answer is right")

    # How the runner treats a GPU, on a fake one.
    def fake(place, *lines):
        path = root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
        path.chmod(0o755)
        return path

    fake("bin/tlc", "echo 'cuda:0: fake'")
    numeric = fake("tests/numeric-unpacked", 'echo "on $TL_TEST_DEVICES with $TL_TEST_NUM_WARPS"',
                      "echo '[SKIP] a case: for a reason'",
                      "echo '[doctest] test cases: 3 | 3 passed | 0 failed | 0 skipped'")
    (root / "tests/numeric.gz").write_bytes(gzip.compress(numeric.read_bytes()))
    logs = root / "logs"
    expect("a GPU runs the operations with 1, 2, 4 and 8 warps", [run_tests, "numeric"], 0,
           "numeric on cuda:0, warps 1: 2 passed, 0 failed, 1 skipped", "warps 8: 2 passed",
           "descriptors on cuda:0, warps 2, TL_TMA 1: 2 passed", "24 passed, 0 failed, 12 skipped",
           TL_TEST_LOGS=str(logs))
    said = (logs / "numeric_on_cuda_0__warps_2.log").read_text()
    case("a program is given its devices and warps",
         "on interpreter,cuda:0 with 2" not in said and said)
    tool = fake("cuda/bin/compute-sanitizer", 'case "$2:$CLEAN" in',
                   'racecheck:*) echo "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors)" ;;',
                   'memcheck:no) echo "========= ERROR SUMMARY: 3 errors" ;;',
                   '*) echo "========= ERROR SUMMARY: 0 errors" ;;', "esac", "shift 2", 'exec "$@"')
    sanitizer = {"CUDA_HOME": str(tool.parent.parent)}
    expect("each tool of the sanitizer is a case", [run_tests, "sanitizer"], 0,
           "racecheck on cuda:0, warps 4: 0 errors", "4 passed, 0 failed, 0 skipped", **sanitizer)
    expect("what a tool finds is a failure", [run_tests, "sanitizer", "--num-warps", "8"], 1,
           "memcheck on cuda:0, warps 8: 3 errors", "3 passed, 1 failed, 0 skipped", CLEAN="no",
           **sanitizer)
    case("an interrupt ends what runs side by side", left_by_interrupt(root, 4))

    (root / "tests/host.gz").write_bytes(gzip.compress(b"#!/bin/sh\nkill -SEGV $$\n"))
    expect("a program that dies is a failed case", [run_tests, "host"], 1,
           "ended by signal 11", "0 passed, 1 failed, 0 skipped")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
