# SPDX-License-Identifier: MIT
"""Reads a public header: what it declares for users, with the comments. host.py makes pages of it.

It knows the headers' own style, as clang-format leaves it, and not C++ as a whole: `///` stands before a
declaration or, as `///<`, after a member; what `namespace impl` holds is nobody's business."""
import re
from dataclasses import dataclass, field

LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|(?<!/)//(?!/)[^\n]*', re.S)
WHERE = re.compile(r",? *(?:const )?(?:std::source_|impl::)location &?where = (?:std::source_location::current\(\)|\{\})")


@dataclass
class Declaration:
    """A type, function, variable or member."""
    kind: str        # class, struct, enum, function, variable
    name: str
    signature: str   # without body, template line and default location; a line for each overload
    template: str    # "template <class T>" or ""
    comment: str
    base: str = ""   # the class that it derives from, if it has one
    members: list = field(default_factory=list)


def masked(text):
    """The text with literals and plain comments blanked, so that braces count."""
    return LITERAL.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def closing(mask, at):
    """The position after the bracket that closes the one at `at`."""
    pairs = {"(": ")", "{": "}", "[": "]"}
    depth, opens, closes = 0, mask[at], pairs[mask[at]]
    for i in range(at, len(mask)):
        depth += (mask[i] == opens) - (mask[i] == closes)
        if depth == 0:
            return i + 1
    raise ValueError("a bracket is not closed")


def after_template(text, at):
    """The position after template <…>, or `at`."""
    if not text.startswith("template", at):
        return at
    depth = 0
    for i in range(text.index("<", at), len(text)):
        depth += (text[i] == "<") - (text[i] == ">" and text[i - 1] != "-")
        if depth == 0:
            return i + 1
    raise ValueError("a template line does not end")


def head_and_end(mask, at):
    """Where the declaration that begins at `at` stops being a head, and where it ends."""
    i, head = after_template(mask, at), None
    expression = re.match(r"\s*requires requires\(", mask[i:])
    if expression:
        i = closing(mask, mask.index("{", closing(mask, i + expression.end() - 1)))
    while i < len(mask):
        c = mask[i]
        if c == "(":
            i = closing(mask, i)
            if head is None and re.match(r"\s*(?:const|noexcept|\s)*:(?!:)", mask[i:]):
                head = i  # a constructor's list
            continue
        if c == "=" and head is None and not re.search(r"operator\W*$", mask[i - 12:i]):
            head = i
        if c == ";":
            return head or i, i + 1
        if c == "{":
            end = closing(mask, i)
            rest = re.match(r"\s*;", mask[end:])
            if head is not None and mask[head] == "=":  # an initialiser
                i = end
                continue
            return head or i, end + (rest.end() if rest else 0)
        i += 1
    raise ValueError("a declaration does not end")


def tidy(signature):
    signature = re.sub(r"\bTL_IMPL_[A-Z]+ ", "", WHERE.sub("", " ".join(signature.split())))
    signature = re.sub(r"^(?:(?:inline|constexpr|explicit|friend|\[\[\w+\]\]) )+", "", signature)
    # A stream or none, a device or none, a device with the user's line.
    signature = re.sub(r"(?:impl::)?\b(?:optional|located)_(stream|device)\b", r"tl::\1", signature)
    return re.sub(r"\( ", "(", signature).replace("impl::", "").strip()


def split_template(text):
    """The template line of a declaration, with its condition left out, and the rest."""
    if not text.startswith("template"):
        return "", re.sub(r"\s+requires\b.*", "", text, flags=re.S)
    end = after_template(text, 0)
    template, rest = text[:end], text[end:].strip()
    if rest.startswith("requires"):
        rest = rest[len("requires"):].strip()
        if rest.startswith("("):
            rest = rest[closing(rest, 0):].strip()
        else:
            rest = re.sub(r"^(?:requires\(.*?\) \{.*?\}|[\w:]+<[^>]*>)\s*", "", rest, flags=re.S)
    return " ".join(template.split()), re.sub(r"\s+requires\b.*", "", rest, flags=re.S)


def own_name(signature):
    operator = re.search(r"operator *(?:\(\)|[^\s(]+)", signature)
    if operator:
        return operator[0]
    before = signature.split("(")[0] if "(" in signature else signature.split(" = ")[0]
    return re.findall(r"~?\w+", re.sub(r"<[^<>]*>$", "", before.strip()))[-1]


def scan(text, is_open=True):
    """The declarations of a file or of a class's body, in order; overloads that stand together without a
    comment of their own are one with the first."""
    mask, found = masked(text), []
    comment, i, adjacent = "", 0, False
    while i < len(text):
        line_end = text.find("\n", i)
        line_end = len(text) if line_end < 0 else line_end
        line, blank = text[i:line_end], not mask[i:line_end].strip()
        word = line.strip()
        if word.startswith("///"):
            comment += re.sub(r"^/// ?", "", word) + "\n"
        elif not word:
            comment, adjacent = "", False
        elif blank or word.startswith("#") or re.fullmatch(r"TL_IMPL_\w+", word):
            while word.startswith("#") and text[line_end - 1] == "\\":
                line_end = text.find("\n", line_end + 1)
        elif re.match(r"namespace (?:(?:tl::)?impl |std )?\{", word):
            line_end = closing(mask, i + line.index("{")) - 1
            line_end = text.find("\n", line_end)
        elif word.startswith(("namespace ", "}", "extern ")):
            comment = ""
        elif word in ("public:", "private:", "protected:"):
            is_open, comment = word == "public:", ""
        else:
            start = i + len(line) - len(line.lstrip())
            head, end = head_and_end(mask, start)
            tail = text[end:text.find("\n", end)]
            if is_open:
                one = declaration(text, mask, start, head, end, comment)
                after = re.match(r"\s*///< ?(.*)", tail)
                if one and after:
                    one.comment = after[1] + "\n"
                if one and not one.comment and adjacent and found[-1].name == one.name:
                    found[-1].signature += "\n" + one.signature
                elif one:
                    found.append(one)
                adjacent = bool(one) and bool(found) and found[-1].name == one.name
            comment, line_end = "", text.find("\n", end) if text.find("\n", end) >= 0 else len(text)
        i = line_end + 1
    return found


def declaration(text, mask, start, head, end, comment):
    template, rest = split_template(text[start:head].strip())
    rest = re.sub(r"^TL_IMPL_[A-Z]+\s+", "", rest)
    kind = re.match(r"(class|struct|enum class) (\w+)(?!\w)(?!<)", rest)
    whole = text[head:end]
    if kind and "{" in mask[head:end] and "(" not in rest.split("{")[0]:
        body = text[mask.index("{", head) + 1:end].rstrip().rstrip(";").rstrip()[:-1]
        what = "enum" if kind[1].startswith("enum") else kind[1]
        members = []
        if what == "enum":
            names = [name.strip() for name in re.sub(r"///?.*", "", body).split(",") if name.strip()]
            return Declaration(what, kind[2], "enum class " + kind[2] + " { " + ", ".join(names) + " }",
                               template, comment)
        members = scan(body, what == "struct")
        base = re.search(r": (?:public )?([\w:]+)", rest)
        return Declaration(what, kind[2], f"{kind[1]} {kind[2]}", template, comment, base[1] if base else "",
                           members)
    if kind or rest.startswith(("static_assert", "using", "friend class", "friend struct", "public", "TL_")) \
            and not rest.startswith("using "):
        return None
    if whole.startswith("= delete") or re.search(r"operator=(?!=)|~\w+\(|\b(\w+)\((?:const )?\1 &", rest):
        return None  # copies, moves and the end of an object are as the class's comment says
    signature = tidy(rest)
    value = re.match(r"= *([^;{\[]+|\{\});", whole.strip())
    if " -> " in signature and "operator" not in signature or not signature:
        return None  # a deduction guide
    is_function = "(" in re.sub(r"<.*?>", "", signature)
    if not is_function and value and "static" not in signature:
        signature += " = " + value[1].strip()
    if re.search(r"\w(?:<\w+>)?::\w+\(", signature):
        return None  # the definition of a member
    return Declaration("function" if is_function else "variable", own_name(signature), signature, template,
                       comment)


def find(text, name):
    """The class of this name, wherever it stands."""
    [start] = re.finditer(rf"(?:^///.*\n)*^(?:template <.*>\s)?(?:class|struct) {name}\b(?=[^;]*\{{)", text, re.M)
    comment = re.match(r"(?:///.*\n)*", start[0])[0]
    end = head_and_end(masked(text), start.start() + len(comment))[1]
    return scan(text[start.start():end] + "\n")[0]


def introduction(text):
    """The comment at the top of a header: what question it answers."""
    lines = text[text.index("#pragma once"):].split("\n")[1:]
    words = []
    for line in lines:
        if not line.startswith("//"):
            break
        words.append(line[2:].strip())
    text = " ".join("\n".join(words).split("\n\n")[0].split())
    sentences = re.split(r"(?<=[.?])\s+(?=[A-Z])", text)
    return " ".join(s for s in sentences if "impl" not in s and not s.startswith("This file"))
