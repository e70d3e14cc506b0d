# SPDX-License-Identifier: MIT
"""All C++ is as clang-format, version 22, writes it."""
import shutil
import subprocess

from project import ROOT, Report, files, skip

program = shutil.which("clang-format-22")
if not program:
    skip("clang-format-22 was not found")

report = Report()
for path in files({".cpp", ".hpp", ".h", ".c"}):
    if "known_bugs" in path.parts or "compile_fail" in path.parts:
        continue  # -verify comments have lines of their own
    result = subprocess.run([program, "--dry-run", "--Werror", path], cwd=ROOT, capture_output=True,
                            text=True)
    report.check(result.returncode == 0, f"{path}: run clang-format-22 -i {path}")
report.finish()
