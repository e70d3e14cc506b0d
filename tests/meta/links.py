# SPDX-License-Identifier: MIT
"""Every link in a page leads to a file, every heading that a link names is there, and code that a page
shows is what its file holds."""
import subprocess
import sys

from pages import links
from project import ROOT, Report, files

report = Report()
for path in files({".md"}):
    for _, problem in links(ROOT / path):
        report.check(not problem, f"{path}: {problem}")

code = subprocess.run([sys.executable, ROOT / "docs/update_code.py", "--check"],
                      capture_output=True, text=True)
report.check(code.returncode == 0, code.stdout + code.stderr)
report.finish()
