# SPDX-License-Identifier: MIT
"""Runs a test with the packages of tests/python_packages.txt, among them upstream's Triton, which needs no
GPU to parse and compile what we print, and in which the assembler and libdevice of the CUDA Toolkit lie.

    tests/python_packages.py FOLDER SCRIPT [ARGUMENT ...]              by a Python that has them
    tests/python_packages.py FOLDER --toolkit PROGRAM [ARGUMENT ...]   finds a toolkit in any case

The first run makes FOLDER a virtual environment and installs them; later runs use it as long as the list
stays the same. Where they cannot be installed, a python3 that has them is taken, else a script is
skipped with the reason, and a program runs without a toolkit. An attempt that failed is not repeated for a
quarter of an hour.
"""
import fcntl
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

LIST = Path(__file__).resolve().with_suffix(".txt")
AGAIN = 900  # seconds
LIMIT = 400  # of one installation


class Failed(Exception):
    """Why the packages cannot be had."""


def names():
    return re.findall(r"^[a-z]\w*", LIST.read_text(encoding="utf-8"), re.M)


def pythons():
    """The interpreters of this machine, this one first; none of them is a virtual environment's."""
    found = [sys.executable, shutil.which("python3"), "/usr/bin/python3"]
    real = []
    for python in found:
        if python and os.path.exists(python) and os.path.realpath(python) not in map(os.path.realpath, real):
            real.append(python)
    return real


def has_packages(python):
    return subprocess.run([python, "-c", "import " + ", ".join(names())], capture_output=True).returncode == 0


def run(*words):
    """Runs pip or venv; what it said last is the reason of a failure, without the addresses in it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    try:
        done = subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        raise Failed(f"{LIMIT} seconds were not enough") from None
    if done.returncode:
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("ERROR: ")]
        last = (errors or lines or ["nothing was said"])[-1].removeprefix("ERROR: ")
        raise Failed(re.sub(r"\S+://\S+|host='[^']*'", "…", last))


def install(folder):
    # An environment, also one that was never finished, has this file; anything else is not ours.
    if folder.exists() and any(folder.iterdir()) and not (folder / "pyvenv.cfg").exists():
        raise Failed(f"{folder} holds something else than a virtual environment")
    problem = Failed("there is no python3")
    for python in pythons():
        shutil.rmtree(folder, ignore_errors=True)
        try:
            run(python, "-m", "venv", folder)
        except Failed as failure:
            problem = Failed(f"no virtual environment can be made: {failure}")
            continue
        run(folder / "bin/python3", "-m", "pip", "install", "--quiet", "--no-input", "--only-binary=:all:",
            "--disable-pip-version-check", "--timeout", "20", "--retries", "1", "-r", LIST)
        if not has_packages(folder / "bin/python3"):
            raise Failed("what was installed cannot be imported")
        return
    raise problem


def python_with_packages(folder):
    """The interpreter in FOLDER, made if need be; raises Failed. One process at a time."""
    ready, failed = folder / "installed.txt", folder.with_name(folder.name + ".failed")
    wanted = LIST.read_text(encoding="utf-8")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.with_name(folder.name + ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if ready.exists() and ready.read_text(encoding="utf-8") == wanted:
            return folder / "bin/python3"
        if failed.exists() and time.time() - failed.stat().st_mtime < AGAIN:
            raise Failed(failed.read_text(encoding="utf-8"))
        try:
            begin = time.monotonic()
            install(folder)
        except Failed as failure:
            failed.write_text(str(failure), encoding="utf-8")
            raise
        failed.unlink(missing_ok=True)
        ready.write_text(wanted, encoding="utf-8")
        print(f"{' '.join(names())} installed in {time.monotonic() - begin:.0f} seconds", flush=True)
        return folder / "bin/python3"


def has_toolkit():
    """Whether the library finds a CUDA Toolkit without us: backend/targets/nvidia/Toolkit.cpp looks there."""
    folders = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    return any(folder and (Path(folder) / "nvvm/libdevice/libdevice.10.bc").exists() for folder in folders)


def toolkit_of(python, folder):
    """A folder like a CUDA Toolkit's with what Triton brings of it, or None."""
    found = subprocess.run([python, "-c", "import triton; print(triton.__path__[0])"], capture_output=True, text=True)
    parts = Path(found.stdout.strip()) / "backends/nvidia"
    links = {"bin/ptxas": parts / "bin/ptxas", "nvvm/libdevice/libdevice.10.bc": parts / "lib/libdevice.10.bc"}
    if found.returncode or not all(part.exists() for part in links.values()):
        return None
    for name, part in links.items():
        link = folder / name
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.exists():
            link.unlink(missing_ok=True)
            link.symlink_to(part)
    return folder


def main(folder, *command):
    folder, python, toolkit = Path(folder).resolve(), None, None
    wants_toolkit = command[0] == "--toolkit"
    if not wants_toolkit or not has_toolkit():
        try:
            python, why = python_with_packages(folder), ""
        except Failed as failure:
            python, why = next(filter(has_packages, pythons()), None), failure
    sys.stdout.flush()
    if wants_toolkit:
        toolkit = python and toolkit_of(python, folder.with_name("toolkit"))
        os.execvpe(command[1], command[1:], os.environ | ({"CUDA_HOME": str(toolkit)} if toolkit else {}))
    if not python:
        print(f"[SKIP] {' and '.join(names())} cannot be installed: {why}")
        return 77
    os.execv(python, [str(python), *command])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
