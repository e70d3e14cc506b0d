# SPDX-License-Identifier: MIT
"""A precompiled header that a compiler cache kept serves a clone whose headers are newer.

    precompiled_headers.py COMPILE_COMMANDS

Takes the options of each file that uses a precompiled header, and tries them on a header whose time
changes between the two steps.
"""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from project import Report, skip

COMPILER = re.compile(r"(.*/)?clang\+\+[-.\d]*$")


def options(command):
    """The compiler of a command and its options, without the names of files."""
    words = shlex.split(command)
    while not COMPILER.match(words[0]):  # ccache
        words = words[1:]
    kept, rest = [words[0]], iter(words[1:])
    for word in rest:
        if word in ("-include-pch", "-MQ", "-MF", "-o", "-c"):
            next(rest)
        elif word != "-MD":
            kept.append(word)
    return tuple(kept)


entries = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
kinds = {(entry["directory"], options(entry["command"]))
         for entry in entries if "-include-pch" in entry["command"]}
if not kinds:
    skip("nothing is built with a precompiled header by clang")

report = Report()
for directory, compiler in sorted(kinds):
    with tempfile.TemporaryDirectory() as folder:
        header, kept, user = (Path(folder) / name for name in ("a.h", "a.h.pch", "user.cpp"))
        header.write_text("inline int number() { return 1; }\n", encoding="utf-8")
        user.write_text("int main() { return number(); }\n", encoding="utf-8")

        def run(*arguments):
            return subprocess.run([*compiler, *map(str, arguments)], cwd=directory,
                                  capture_output=True, text=True)

        made = run("-x", "c++-header", header, "-o", kept)
        report.check(made.returncode == 0, made.stderr)
        later = header.stat().st_mtime + 1000
        os.utime(header, (later, later))
        used = run("-include-pch", kept, "-fsyntax-only", user)
        report.check(used.returncode == 0, used.stderr)
report.finish()
