# SPDX-License-Identifier: MIT
"""What a change costs: how many files of the product know one operation or one mathematical function, how
many lists of operations decide what a trait of the operations could say, and how large classes are.

    structure.py [--print]     checks the limits, or prints each figure with where it comes from"""
import re
import sys
from collections import Counter

from project import Report, files, text

# What the product consists of; generated pages and tests are no part of it.
SOURCES = {".cpp", ".h", ".hpp", ".td"}
product = {path: re.sub(r"//.*", "", text(path))
           for folder in ("backend", "include") for path in files(SOURCES, folder)}


def know(pattern):
    """The files in which the pattern occurs outside of comments."""
    return [str(path) for path, content in product.items() if re.search(pattern, content)]


def lists_of_operations():
    """isa<A, B, C, …> of three or more operations outside of the dialect, which could be a trait."""
    found = []
    for path, content in product.items():
        if path.parts[:2] == ("backend", "dialect"):
            continue
        for names in re.findall(r"\bisa(?:_and_present|_and_nonnull)?<([\w:,\s]+)>", content):
            operations = [name for name in re.split(r",\s*", names) if re.search(r"Op$", name.strip())]
            if len(operations) >= 3:
                found.append(f"{path}: {', '.join(name.split('::')[-1].strip() for name in operations)}")
    return found


def class_bodies(folder):
    """(file, class, what is declared in it) of the headers in a folder."""
    for path, content in product.items():
        if str(path).startswith(folder) and path.suffix == ".h":
            for start in re.finditer(r"^(?:class|struct) (\w+)[^;{]*{", content, re.M):
                depth, end = 1, start.end()
                while depth and end < len(content):
                    depth += {"{": 1, "}": -1}.get(content[end], 0)
                    end += 1
                body = content[start.end():end - 1]
                while re.search(r"{[^{}]*}", body):  # the insides of functions and of other classes
                    body = re.sub(r"{[^{}]*}", ";", body)
                yield str(path), start[1], body


def methods(body):
    """The names of the functions that a class declares, one for each declaration but constructors."""
    declarations = re.split(r";|\b(?:public|private|protected):", body)
    return [found[1] for declaration in declarations
            if (found := re.search(r"[\w>&*\]] [&*]*(\w+|operator\S+)\(", declaration.strip()))
            and not re.match(r"\s*(using|friend|typedef)\b", declaration) and "=" not in declaration.split("(")[0]]


def largest(folder, only=lambda body: True):
    sizes = Counter({f"{name} ({path})": len(methods(body))
                     for path, name, body in class_bodies(folder) if only(body)})
    return sizes.most_common(3)


FIGURES = [
    ("files that know histogram", 7, know(r"(?i)histogram")),
    # A target's own, faster version of a function is optional.
    ("files that know tanh", 4,
     [place for place in know(r"\btanh|Tanh|\btanhf?\b") if "/targets/" not in place]),
    ("lists of operations outside of dialect/", 3, lists_of_operations()),
]
SIZES = [
    ("methods of a class in lowering/", 30, largest("backend/lowering/")),
    ("methods of an interface that a target implements", 15,
     largest("backend/", lambda body: "virtual" in body and re.search(r"= *0", body))),
]

report = Report()
for what, limit, found in FIGURES:
    where = "".join(f"\n    {place}" for place in found)
    if "--print" in sys.argv:
        print(f"{len(found):4}  {what}, at most {limit}{where}")
    else:
        report.check(len(found) <= limit, f"{what}: {len(found)} instead of at most {limit}{where}")
for what, limit, found in SIZES:
    if "--print" in sys.argv:
        print(f"{found[0][1]:4}  {what}, at most {limit}", *(f"{size} {name}" for name, size in found), sep="\n    ")
    else:
        for name, size in found:
            report.check(size <= limit, f"{what}: {name} has {size} instead of at most {limit}")
report.finish()
