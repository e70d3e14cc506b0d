# SPDX-License-Identifier: MIT
"""The files of the project, and how a check of them reports."""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CODE = {".cpp", ".h", ".hpp", ".c", ".td", ".py", ".inc"}


def files(suffixes=None, under=""):
    """Paths of the project's own files, relative to its root, sorted."""
    try:
        listing = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", under or "."],
                                 capture_output=True, text=True).stdout
    except FileNotFoundError:
        listing = ""
    if listing:
        names = [name for name in listing.split("\0") if name]
    else:  # no git, or an unpacked archive
        names = [str(p.relative_to(ROOT)) for p in (ROOT / under).rglob("*") if p.is_file()]
        names = [n for n in names if not n.startswith(("build", ".git/")) and "__pycache__" not in n]
    paths = sorted(Path(name) for name in names if (ROOT / name).exists())
    return [p for p in paths if suffixes is None or p.suffix in suffixes]


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


class Report:
    """Collects the outcome of each thing looked at; finish() prints the sum and exits."""

    def __init__(self):
        self.passed, self.failed = 0, 0

    def check(self, good, message):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(message)

    def finish(self):
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(int(self.failed > 0))


def skip(reason):
    print(f"[SKIP] {reason}")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)
