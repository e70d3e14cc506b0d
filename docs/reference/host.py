# SPDX-License-Identifier: MIT
"""The pages of the host side: host.md from the headers of include/tl, c_api.md from tl.h. generate writes
them."""
import re
import sys

import headers

HEADERS = [("Devices", "device"), ("Buffers", "buffer"), ("Host buffers", "host_buffer"),
           ("Streams and events", "stream"), ("Kernels", "kernel"), ("Launches", "launch"),
           ("Compiled kernels", "compiled_kernel"), ("Tensor descriptors", "descriptor"),
           ("Autotuning", "autotune"), ("Errors", "error"), ("Testing", "testing"),
           ("Element types", "dtype")]
# Classes that users meet without naming them: where they stand, and what they are called for users.
NAMELESS = {"launch": {"launcher": "kernel[…]"}, "dtype": {"small_float": "Members of the small floats"}}
INHERITED = {"impl::launchable": ("launch", "launchable")}


def prose(comment):
    """A comment as Markdown: what is indented is code, or a report that something prints."""
    parts, lines = [], comment.rstrip("\n").split("\n")
    while lines:
        code = []
        while lines and (lines[0].startswith("    ") or code and not lines[0] and lines[1:] and
                         lines[1].startswith("    ")):
            code.append(lines.pop(0)[4:])
        if code:
            text = "\n".join(code)
            language = "cpp" if ";" in text and "error:" not in text else ""
            parts.append(f"```{language}\n{text}\n```")
            continue
        text = []
        while lines and not lines[0].startswith("    "):
            text.append(lines.pop(0))
        parts.append(escape("\n".join(text).strip("\n")))
    return "\n\n".join(part for part in parts if part)


def escape(text):
    """What is no code must not look like a tag or a column."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(piece if piece.startswith("`") else piece.replace("<", "\\<") for piece in pieces)


def cell(text):
    return " ".join(text.split()).replace("|", "\\|")


def said(comment):
    """A comment without its examples."""
    return "\n".join(line for line in comment.split("\n") if not line.startswith("    "))


def rows(declaration, header):
    """A line of the table for each member; of the nameless, of what has a comment."""
    for member in declaration.members:
        if member.signature.startswith("using "):
            continue
        if not member.comment and declaration.name in ("small_float", "launcher"):
            continue
        if not member.comment:
            sys.exit(f"error: {declaration.name}::{member.name} of {header}.hpp has no comment: {member.signature}")
        if member.comment.startswith("Names what to write instead"):
            continue  # exists for its message
        names = "<br>".join(f"`{cell(line)}`" for line in member.signature.split("\n"))
        yield f"| {names} | {cell(escape(said(member.comment)))} |"
        for inner in member.members:
            yield f"| `{member.name}::{cell(inner.name)}` | {cell(escape(inner.comment or inner.signature))} |"


def entry(declaration, header, title=None, read=None):
    if not declaration.comment:
        sys.exit(f"error: {declaration.name} of {header}.hpp has no comment")
    space = "tl::testing::" if header == "testing" else "tl::"
    parts = [f"### {title or f'`{space}{declaration.name}`'}"]
    if not title:
        base = f" : public {declaration.base}" if declaration.base and "impl" not in declaration.base else ""
        lines = [line + base + ";" for line in declaration.signature.split("\n")]
        parts.append("```cpp\n" + "\n".join(lines) + "\n```")
    parts.append(prose(declaration.comment))
    if declaration.base in INHERITED:
        file, name = INHERITED[declaration.base]
        declaration.members += headers.find(read(file), name).members
    members = list(rows(declaration, header))
    if members:
        parts.append("\n".join(["| member | what it is |", "|---|---|", *members]))
    return "\n\n".join(parts)


def merged(declarations):
    """Functions of one name stand together."""
    result = []
    for one in declarations:
        first = next((other for other in result if other.name == one.name and other.kind == "function"), None)
        if not first:
            one.signature = with_template(one)
            result.append(one)
            continue
        first.signature += "\n" + with_template(one)
        first.comment = first.comment.rstrip("\n") + ("\n\n" + one.comment if one.comment else "\n")
    return result


def with_template(declaration):
    return "\n".join(" ".join(filter(None, [declaration.template, line]))
                     for line in declaration.signature.split("\n"))


def host_page(include):
    def read(header):
        return (include / f"{header}.hpp").read_text(encoding="utf-8")

    parts = ["# The host side\n\nWritten by `docs/reference/generate` from the comments in `include/tl`. All names are "
             "in the namespace `tl`,\nthose for tests in `tl::testing` of `tl/testing.hpp`, which `tl/tl.hpp` does not "
             "include. What kernels call is in\n[the language](language.md)."]
    for title, header in HEADERS:
        text = read(header)
        parts.append(f"## {title}\n\n[{header}.hpp](../../include/tl/{header}.hpp). "
                     + escape(headers.introduction(text)))
        for declaration in merged(headers.scan(text)):
            if declaration.kind != "enum" and declaration.template == "template <>":
                continue
            parts.append(entry(declaration, header, read=read))
        for name, shown in NAMELESS.get(header, {}).items():
            title = f"`{shown}`" if "[" in shown else shown
            parts.append(entry(headers.find(text, name), header, title))
    return "\n\n".join(parts) + "\n"


def c_text(comment):
    """The text of a /** comment */."""
    lines = [re.sub(r"^\*? *", "", line.strip()) for line in comment.split("\n")]
    return escape("\n".join(lines).strip())


def c_page(header):
    text = header.read_text(encoding="utf-8")
    parts = ["# The C API\n\nWritten by `docs/reference/generate` from [tl.h](../../include/tl/c/tl.h), where the "
             "declarations stand. How a\nprogram uses it: [Call tl from C](../how_to/call_from_c.md)."]
    pattern = re.compile(r"/\* ---- (.*?) -+ \*/|/\*\*((?:(?!\*/).)*)\*/\s*((?:TL_API|typedef)[^;{]*(?:\{.*?\}[^;]*)?;)", re.S)
    for found in pattern.finditer(text):
        if found[1]:
            parts.append(f"## {found[1]}")
            continue
        declaration = found[3].removeprefix("TL_API ")
        name = re.search(r"(\w+)(?:\([^()]*\))?;$", declaration, re.S)[1]
        parts.append(f"### `{name}`\n\n```c\n{declaration}\n```\n\n{c_text(found[2])}")
    return "\n\n".join(parts) + "\n"
