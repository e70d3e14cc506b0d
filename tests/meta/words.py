# SPDX-License-Identifier: MIT
"""One word for one thing, the field's: what the glossary calls a GPU, an iteration or an offset is
called so in names, comments, messages and pages."""
import re

from project import ROOT, Report, files, text

# A space also stands for the end of a line of a comment.
BREAK = r"(?:[ ]|[ \t]*\n[ \t]*(?:///?<?|\*|#)?[ \t]*)"
# What to say, what not to say, and in which files (all, if none are named).
WORDS = [
    ("C API", r"[Dd]oors?(?![a-z])"),
    ("GPU or device", r"(?<![A-Za-z])[Cc]ards?(?![a-z])|(?<=[a-z])Cards?(?![a-z])"),
    ("fake", r"[Pp]retend"),
    ("error", r"[Mm]istak"),
    ("iteration", r"\b([Ee]ach|[Ee]very|next|last|earlier|first|third|same) round\b(?!-)"
                  r"|\b(no|without|some|several|earlier|many|number of) rounds\b|\bemitRounds\b|\broundsOf\b"
                  r"|\b([Ee]very|[Ee]ach|one more) trip\b(?! count)|(?<!-)\btrips\b|\b(one|each) turn (to|loads)\b"),
    ("TMA", r"\b[Cc]opy unit\b|DescriptorCopies|\bgo(es)? by pointers\b"),
    ("source location", r"source_place|place_?[oO]f\b|\b(errors?|Error) with (a|its) place\b"
                        r"|\bplace in the( user's)? source\b|\bplace where it was written\b"),
    ("offset, address or insertion point", r"placesInShared|\bPlace\b(?! in the bundle)|\bplaces in (shared|the arena)\b"),
    ("diagram", r"[Ll]ayoutPicture|\b[Pp]ictures?\b|\bInPicture\b"),
    ("expensive", r"\bdear(er|est)?\b"),
    ("fix", r"\bmend(s|ed|ing)?\b"),
    ("human-readable", r"\bfor people\b"),
    ("the count", r"\bso many\b"),
    ("where", r"\bthere where\b"),
    ("reported, distinguished", r"\btold\b"),
    ("changed", r"\bnews\b"),
    ("after, past", r"\bbehind\b(?! (the C (API|interface)|the opaque pointers|the threads' backs|(the|two) interfaces|"
                    r"a symbol|its handle|it(\b| needs)))"),
    ("distribute", r"\b[Dd]eal(t|s|ing)?\b|[dD]ealtL"),
    ("device list", r"\b[Ii]nventory\b"),
    ("timer", r"\b[Ss]topwatch\b"),
    ("large stack", r"[Dd]eep ?[Ss]tack"),
    ("grid barrier, run concurrently, cooperative scheduler", r"\bMeeting\b|\brunTogether\b|\bTurns?\b(?=[ :;&*({.])"),
    ("inline assembly", r"\b[Aa]ssemblies\b"),
    ("anchor layout, required layout", r"\b[Nn]atural layouts?\b|\bdemands?\b", "backend/passes/"),
    ("buffer", r"\b[sS]lots?\b|[a-z]Slots?\b|\bslot[A-Z]", "backend/targets/cpu/(?!Buffers)"),
    ("register", r"\b[sS]lots?\b|[a-z]Slots?\b|\bslot[A-Z]", "backend/interpreter/"),
    ("fusion root, secondary output", r"\b[sS]inks?\b|Sinks?\b|\b[tT]ees?\b", "backend/targets/cpu/"),
    ("fast, assumesNoWrap, isUsable", r"\bquick\w*|\bgoesOn\b|\bserves\b", "backend/targets/cpu/"),
]
TEXTS = {".cpp", ".hpp", ".h", ".c", ".td", ".md", ".py", ".mlir", ".ttir", ".build", ".txt", ".svg", ".map", ".json", ""}

report = Report()
rules = [(say, re.compile(pattern.replace(" ", BREAK)), re.compile(where[0] if where else ""))
         for say, pattern, *where in WORDS]
for path in files():
    if path.suffix not in TEXTS or path.name in {"LICENSE", "words.py"}:
        continue
    content = text(path)
    for say, pattern, where in rules:
        if not where.match(str(path)):
            continue
        for match in pattern.finditer(content):
            line = content.count("\n", 0, match.start()) + 1
            report.check(False, f"{path}:{line}: say {say} instead of {' '.join(match[0].split())}: "
                                f"{content.split(chr(10))[line - 1].strip()}")
    report.check(True, "")
report.finish()
