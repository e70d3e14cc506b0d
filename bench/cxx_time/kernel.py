#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints a program with one kernel of the given number of lines of eight operations each, as a large fused kernel
has them: loads, arithmetic, comparisons, selections, reductions and stores, on blocks of several types.
What a compiler needs for it is what tl costs.

    bench/cxx_time/kernel.py 300 > kernel.cpp
    bench/cxx_time/kernel.py 300 struct > kernel.cpp    # with a struct of its parameters
"""

import sys

HEAD = """#include <tl/tl.hpp>

constexpr auto large = tl::kernel{"large", [](tl::ptr<const float> x, tl::ptr<float> y,
                                              tl::ptr<std::int32_t> z, tl::i32 n, tl::f32 scale) {
  auto row = tl::program_id(0);
  auto at = row * 64 + tl::arange<64>();
  tl::tensor a0 = tl::load(x + at, at < n, 0.0f);
  tl::tensor b0 = tl::load(x + at(tl::all, tl::newaxis) * n + tl::arange<32>());
  tl::tensor c0 = tl::load(z + at, at < n, 0);
"""
TAIL = """  tl::store(y + at, a{a} + tl::sum<1>(b{b}), at < n);
  tl::store(z + at, c{c});
}}}};

int main() {{
  tl::buffer<float> f(tl::device::best(), 64);
  tl::buffer<std::int32_t> i(tl::device::best(), 64);
  large[tl::grid(1)](f, f, i, 64, 1.0f);
}}
"""

# The same with one parameter.
STRUCT = [
    ("constexpr auto large", """struct parameters {
  tl::ptr<const float> x;
  tl::ptr<float> y;
  tl::ptr<std::int32_t> z;
  tl::i32 n;
  tl::f32 scale;
};
struct arguments {
  tl::buffer<float> &x, &y;
  tl::buffer<std::int32_t> &z;
  int n;
  float scale;
};

constexpr auto large"""),
    ("[](tl::ptr<const float> x, tl::ptr<float> y,\n                                              "
     "tl::ptr<std::int32_t> z, tl::i32 n, tl::f32 scale) {", "[](parameters p) {\n  auto [x, y, z, n, scale] = p;"),
    ("(f, f, i, 64, 1.0f)", "(arguments{f, f, i, 64, 1.0f})"),
]

# {i} numbers the value of this line, {p} the one of its kind before, {a}, {b} and {c} the newest.
LINES = [
    "tl::tensor a{i} = (a{p} * 1.5f + scale) * tl::load(x + at + {i}, at + {i} < n, 0.0f) - a{p};",
    "auto b{i} = tl::where(b{p} > 0.5f, b{p} * b{p} + 0.25f, b{p} - 1.0f) * scale + 0.125f;",
    "auto c{i} = (((c{p} + {i}) * 3) ^ (c{p} >> 2)) & (at - c{p} * n);",
    "auto a{i} = tl::exp(-a{p} * a{p}) + tl::maximum(a{p}, 0.5f) / (tl::abs(a{p}) + 1.0f) - scale;",
    "auto b{i} = (b{p} - a{a}(tl::all, tl::newaxis)) * (b{p} + tl::cast<float>(c{c})(tl::all, tl::newaxis)) * 0.5f"
    " + b{p};",
    "auto c{i} = tl::where(((a{a} > 0.0f) & (c{p} >= {i})) | (c{p} == 7), c{p} - 1, c{p} % 64);",
    "tl::tensor a{i} = tl::sqrt(a{p} * a{p} + 1.0f) - tl::sum<1>(b{b} * 0.5f) * (scale - 1.0f);",
    "tl::tensor b{i} = tl::minimum(b{p}, tl::load(x + {i} + tl::arange<32>())) * 2.0f + (b{p} - scale) * b{p};",
    "tl::store(y + at + {i} * n, a{a} * 0.5f + tl::cast<float>(c{c}), (at < n) & (c{c} != 0));",
    "a{a} += tl::where(c{c} > 3, a{a} * scale, tl::load(x + c{c}, c{c} < n)) - 0.5f;",
]


def program(lines):
    newest = {"a": 0, "b": 0, "c": 0}
    text = HEAD
    for i in range(1, lines + 1):
        line = LINES[(i - 1) % len(LINES)]
        name = line.split("{i} =")[0][-1] if "{i} =" in line else ""
        text += "  " + line.format(i=i, p=newest.get(name, 0), **newest) + "\n"
        if name:
            newest[name] = i
    return text + TAIL.format(**newest)


def with_struct(text):
    for old, new in STRUCT:
        assert old in text
        text = text.replace(old, new)
    return text


if __name__ == "__main__":
    if len(sys.argv) < 2 or not sys.argv[1].isdigit() or sys.argv[2:] not in ([], ["struct"]):
        sys.exit(__doc__)
    text = program(int(sys.argv[1]))
    print(with_struct(text) if sys.argv[2:] else text, end="")
