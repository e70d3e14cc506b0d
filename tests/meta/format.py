# SPDX-License-Identifier: MIT
"""All C++ is as clang-format, version 22, writes it."""
import re
import shutil
import subprocess

from project import ROOT, Report, files, skip

program = shutil.which("clang-format-22")
if not program:
    skip("clang-format-22 was not found")

paths = [path for path in files({".cpp", ".hpp", ".h", ".c"}) if "compile_fail" not in path.parts]
result = subprocess.run([program, "--dry-run", *paths], cwd=ROOT, capture_output=True, text=True)
wrong = set(re.findall(r"^([^:\n]+):\d+:\d+: warning", result.stderr, re.M))
report = Report()
report.check(result.returncode == 0, result.stderr)
for path in paths:
    report.check(str(path) not in wrong, f"{path}: run clang-format-22 -i {path}")
report.finish()
