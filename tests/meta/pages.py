# SPDX-License-Identifier: MIT
"""The links of Markdown pages, in the tree and in an installed copy."""
import re
from pathlib import Path

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")


def anchors(page):
    """The anchors of a page's headings, as hosting sites make them: the second of a name ends in -1."""
    seen = set()
    for head in re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M):
        anchor = re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-")
        number = next(i for i in range(1000) if (f"{anchor}-{i}" if i else anchor) not in seen)
        seen.add(f"{anchor}-{number}" if number else anchor)
    return seen


def links(page):
    """(link, why it is dead or nothing) for each link of a page that leads to a file."""
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.S)
    for link in LINK.finditer(prose):
        target = link[1] or link[2]
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        there = Path(page).parent / name if name else page
        if not there.exists():
            yield target, f"dead link {target}"
        elif anchor and anchor not in anchors(there):
            yield target, f"{name or 'the page'} has no heading #{anchor}"
        else:
            yield target, ""
