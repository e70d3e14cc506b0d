# SPDX-License-Identifier: MIT
"""Every link in a page leads to a file, and every heading that a link names is there."""
import re
import subprocess
import sys

from project import ROOT, Report, files, text

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")


def anchors(page):
    """The anchors of a page's headings, as hosting sites make them."""
    heads = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


report = Report()
for path in files({".md"}):
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", text(path), flags=re.S)
    for link in LINK.finditer(prose):
        target = link[1] or link[2]
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        page = (ROOT / path).parent / name if name else ROOT / path
        report.check(page.exists(), f"{path}: dead link {target}")
        if anchor and page.exists():
            report.check(anchor in anchors(page), f"{path}: {name} has no heading #{anchor}")

code = subprocess.run([sys.executable, ROOT / "docs/update_code.py", "--check"],
                      capture_output=True, text=True)
report.check(code.returncode == 0, code.stdout + code.stderr)
report.finish()
