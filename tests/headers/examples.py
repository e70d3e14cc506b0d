# SPDX-License-Identifier: MIT
"""Every example in a comment of a public header is C++ that compiles.

    examples.py COMPILER

An example uses names that it does not declare: those of example_context.hpp, or of this file's list."""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
INCLUDE = HERE.parents[1] / "include"
HOST = {"autotune", "buffer", "compiled_kernel", "descriptor", "device", "dtype", "error", "host_buffer",
        "kernel", "launch", "stream", "testing"}
COUNT = "extern tl::i32 count; extern tl::ptr<float> x;"
TILE = "extern block<float, 64, 32> x;"
# (header, a piece of the example or nothing, what it uses)
OTHER = [
    ("autotune", "config{64}", "struct config { int block; }; template <config C> constexpr auto scale = "
                               "tl::kernel{[](tl::ptr<float>, tl::f32, tl::i32) {}};"),
    ("debug", "index", "extern block<std::int32_t, 64> index;"),
    ("descriptor", "", "constexpr auto kernel = tl::kernel{[](tl::descriptor<tl::float16, 128, 64>, tl::ptr<float>) {}};"),
    ("host_buffer", "", "constexpr auto kernel = tl::kernel{[](tl::ptr<float>, tl::ptr<float>) {}};"),
    ("stream", "event", "constexpr auto kernel = tl::kernel{[](tl::ptr<float>) {}};"),
    ("testing", "guarded", "constexpr auto kernel = tl::kernel{[](tl::ptr<float>, tl::i32) {}};"),
    ("tensor", "tl::ptr<const float> x", "extern tl::ptr<const float> x;"),
    ("atomics", "counter", "extern block<bool, 64> mask;"),
    ("atomics", "slots", "extern tl::ptr<std::int32_t> slots; extern block<std::int32_t, 64> at; extern tl::i32 me;"),
    ("control_flow", "range(0, n, 64)", "extern tl::ptr<float> x;"),
    ("control_flow", "static_for", "extern tl::ptr<float> x; extern block<float, 64> acc;"),
    ("control_flow", "break_if", COUNT),
    ("control_flow", "continue_if", COUNT),
    ("creation", "zeros_like", ""),
    ("creation", "is_null", "extern tl::ptr<float> bias;"),
    ("creation", "tl::float16, 64>(s)", ""),
    ("descriptors", "a.slice", "extern tl::descriptor<tl::float16, 64, 32> a;"),
    ("descriptors", "in the parameter list", "extern tl::descriptor<tl::float16, 64, 32> a, out;"),
    ("elementwise", "multiple_of", "extern tl::i32 base;"),
    ("elementwise", "umulhi", "extern block<std::uint32_t, 64> x;"),
    ("elementwise", "minimum", "extern tl::i32 first;"),
    ("elementwise", "// host", "using on_host::add; extern tl::buffer<float> x, y, out; extern int n;"),
    ("external", "map_elementwise", "extern block<float, 64> block;"),
    ("linear_algebra", "tl::dot(", "extern block<tl::float16, 64, 64> a, b; extern block<float, 64, 64> acc;"),
    ("linear_algebra", "dot_scaled", "extern block<tl::float8e4nv, 64, 64> a; extern block<std::uint8_t, 64, 2> scale_a; "
                                     "extern block<std::uint8_t, 32, 64> b; extern block<std::uint8_t, 64, 2> scale_b; "
                                     "extern block<float, 64, 64> acc;"),
    ("target_info", "tl::dot", "extern block<tl::float16, 64, 64> a, b; extern block<float, 64, 64> acc;"),
    ("memory", "load", "extern tl::ptr<float> x;"),
    ("random", "", "extern tl::u64 seed;"),
    ("reduction", "tl::reduce<1>", TILE),
    ("reduction", "tl::sum<1>", TILE),
    ("reduction", "tl::max<1>", TILE),
    ("reduction", "max_with_index", TILE),
    ("reduction", "tl::softmax", "extern block<float, 64, 32> scores;"),
    ("reduction", "histogram", "extern block<std::uint8_t, 64> bytes;"),
    ("shaping", "expand_dims", "extern block<float, 64> rows;"),
    ("shaping", "broadcast_to", "extern block<float, 1, 32> row;"),
    ("shaping", "tl::broadcast(", "extern block<float, 1, 32> row; extern block<float, 64, 1> column;"),
    ("shaping", "<4, 32>", "extern block<float, 128> x;"),
    ("shaping", "squeeze", "extern block<float, 1, 64> tile;"),
    ("shaping", "permute", "extern block<float, 2, 4, 8> x;"),
    ("shaping", "tl::dot", "extern block<float, 64, 32> a, b;"),
    ("shaping", "interleave", "extern block<float, 32> even, odd;"),
    ("shaping", "tl::view", "extern block<float, 4, 32> tile;"),
    ("shaping", "tl::cat", "extern block<float, 4, 32> tile;"),
    ("sorting", "argsort", TILE),
    ("sorting", "topk", "extern block<float, 64, 256> scores;"),
]


def examples(header):
    """(line, text) of each piece of code in the header's comments; reports that are printed are none."""
    lines = header.read_text(encoding="utf-8").split("\n") + [""]
    start, code = 0, []
    for number, line in enumerate(lines, 1):
        piece = re.match(r"\s*///     (.*)", line)
        if piece:
            start = start or number
            code.append(piece[1])
        elif start:
            text = "\n".join(code)
            if (";" in text or "…" in text) and "error:" not in text:
                yield start, text
            start, code = 0, []


def program(header, number, text):
    """The example in a function of a namespace that has the names which it uses."""
    name = header.stem
    own = [declarations for file, piece, declarations in OTHER if file == name and piece in text]
    text = re.sub(r"^(.*\S),? *(?<=[,;]) +// in the parameter list$", "", text, flags=re.M).replace("…", ";")
    outside, inside = [], []
    for statement in re.split(r"\n(?=\S)", text):  # a statement of several lines is indented, or ends in }
        target = outside if statement.startswith(("template", "inline ")) else inside
        if statement.startswith("}") and not inside and outside:
            target = outside
        target.append(statement)
    where = f'#line {number} "{header}"\n'
    space = "on_host" if name in HOST else "in_kernel"
    return (f"namespace example_{name}_{number} {{\nusing namespace {space};\n{' '.join(own)}\n"
            f"namespace inner {{\n{where}" + "\n".join(outside) + f"\nvoid run() {{\n{where}" + "\n".join(inside)
            + "\n}\n}\n}\n")


def main(compiler):
    if not shutil.which(compiler):
        print(f"[SKIP] {compiler} is not installed")
        return 77
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as source:
        print('#include "example_context.hpp"', file=source)
        found = {}
        for header in sorted((INCLUDE / "tl").glob("*.hpp")) + sorted((INCLUDE / "tl/ops").glob("*.hpp")):
            for number, text in examples(header):
                found[str(header), number] = text
                print(program(header, number, text), file=source)
        source.flush()
        done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-ferror-limit=0", "-w", f"-I{INCLUDE}",
                               f"-I{HERE}", source.name], capture_output=True, text=True)
    wrong = {}
    for file, line, message in re.findall(r"^(\S+):(\d+):\d+: error: (.*)$", done.stderr, re.M):
        starts = [number for name, number in found if name == file and number <= int(line)]
        wrong.setdefault((file, max(starts)) if starts else (file, 0), f"{file}:{line}: {message}")
    for message in wrong.values():
        print(message)
    if done.returncode and not wrong:
        print(done.stderr[:3000])
    failed = len(wrong) or int(done.returncode != 0)
    passed = len(found) - failed
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
