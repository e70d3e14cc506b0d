# SPDX-License-Identifier: MIT
"""libtl.so exports the functions of tl.h, and nothing else.  Usage: exported_symbols.py LIBRARY"""
import re
import subprocess
import sys

from project import Report, text

declared = set(re.findall(r"^TL_API[^;]*?\b(tl_\w+)\(", text("include/tl/c/tl.h"), re.M))
listing = subprocess.run(["nm", "-D", "--defined-only", sys.argv[1]], capture_output=True, text=True,
                         check=True).stdout
exported = {line.split()[-1].split("@")[0] for line in listing.splitlines()}

report = Report()
for name in sorted(declared):
    report.check(name in exported, f"{name}: declared in tl.h and not exported")
for name in sorted(exported - declared):
    report.check(False, f"{name}: exported and not declared in tl.h")
report.finish()
