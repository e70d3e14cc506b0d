# SPDX-License-Identifier: MIT
"""Error messages are one sentence, begin in lower case and have no full stop at the end."""
import re

from project import Report, files, text

STRING = r'"(?:[^"\\]|\\.)*"'
CALL = re.compile(
    r"\b(?:emitOpError|emitError|fail|refuse|errorAt|Error|invalid_argument|compile_error|runtime_error|"
    r"unsupported|internal_error|out_of_resources|invalidArgument|reportIf)\s*[({]"
    r"(?:[^\"();{}]|\(\)|\{\})*?((?:\s*" + STRING + r")+)\s*(\)|;|,|\}|\+|<<)?")
ASSERT = re.compile(r"static_assert\([^;]*?,\s*((?:" + STRING + r"\s*)+)\)\s*;")


def joined(literals):
    return "".join(piece[1:-1] for piece in re.findall(STRING, literals))


def judge(where, message, complete):
    report.check(not re.match(r"[A-Z][a-z]", message), f"{where}: begins in upper case: {message}")
    if complete:
        report.check(not message.rstrip().endswith("."), f"{where}: ends in a full stop: {message}")


report = Report()
for path in files({".hpp", ".h", ".cpp", ".td"}, "include") + files({".cpp", ".h", ".td"}, "backend"):
    content = text(path)
    for pattern in (CALL, ASSERT):
        for match in pattern.finditer(content):
            line = content.count("\n", 0, match.start()) + 1
            complete = pattern is ASSERT or match[2] in {")", ";", ",", "}"}
            judge(f"{path}:{line}", joined(match[1]), complete)
report.finish()
