# SPDX-License-Identifier: MIT
"""Writes the texts that one release of upstream's Triton prints of the kernels below, into releases/.

    PYTHON write_releases.py      with a PYTHON that has the release, 3.2 or later, and NumPy

A case is a folder as in cases/, but with several texts, one a release, of which run_cases runs each:
VERSION.ttir is the text after upstream's own passes on TTIR, VERSION_unlowered.ttir what its front end
hands to them. Texts that differ in the version alone are kept once, by the oldest. The arrays are
computed by NumPy; an array that is there already stays. No GPU is needed.
"""
import inspect
import json
import re
import sys
from pathlib import Path

import numpy as np
import triton
import triton.language as tl
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import make_backend
from triton.language.extra import libdevice

HERE = Path(__file__).resolve().parent
VERSION = triton.__version__
TARGET = GPUTarget("cuda", 90, 32)
random = np.random.default_rng()  # set anew for each case


def is_since(version):
    return tuple(map(int, VERSION.split(".")[:2])) >= version


@triton.jit
def block_pointer_product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM
    j = tl.program_id(1) * BN
    left = tl.make_block_ptr(a, (M, K), (K, 1), (i, 0), (BM, BK), (1, 0))
    right = tl.make_block_ptr(b, (K, N), (1, K), (0, j), (BK, BN), (0, 1))
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        x = tl.load(left, boundary_check=(0, 1), padding_option="zero")
        y = tl.load(right, boundary_check=(0, 1), padding_option="zero")
        acc += tl.dot(x, y, input_precision="ieee")
        left = tl.advance(left, (0, BK))
        right = tl.advance(right, (BK, 0))
    out = tl.make_block_ptr(c, (M, N), (N, 1), (i, j), (BM, BN), (1, 0))
    tl.store(out, acc, boundary_check=(0, 1))


@triton.jit
def block_pointer_edges(x, wide, narrow, n, m, stride, R: tl.constexpr, C: tl.constexpr):
    block = tl.make_block_ptr(x, (n, m), (stride, 1), (-3, 1), (R, C), (1, 0))
    for step in range(0, n, 5):
        if step % 2 == 0:
            block = tl.advance(block, (1, 2))
        else:
            block = tl.advance(block, (2, -1))
    padded = tl.load(block, boundary_check=(0, 1), padding_option="nan", eviction_policy="evict_last")
    out = tl.make_block_ptr(wide, (R, C), (C, 1), (0, 0), (R, C), (1, 0))
    tl.store(out, padded)
    line = tl.make_block_ptr(x, (m, ), (1, ), (m - C // 2, ), (C, ), (0, ))
    end = tl.load(line, boundary_check=(0, ), padding_option="zero", cache_modifier=".cg")
    tl.store(tl.make_block_ptr(narrow, (C - 2, ), (1, ), (0, ), (C, ), (0, )), end, boundary_check=(0, ))


@triton.jit
def host_descriptors(source, target, scale, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM
    j = tl.program_id(1) * BN
    x = source.load([i, j])
    target.store([i, j], (x * scale + source.shape[0] + source.strides[0]).to(tl.float16))


@triton.jit
def device_descriptors(a, o, M, N, BM: tl.constexpr, BN: tl.constexpr, MAKE: tl.constexpr):
    source = MAKE(a, [M, N], [N, 1], [BM, BN])
    target = MAKE(o, [M, N], [N, 1], [BM, BN])
    at = [tl.program_id(0) * BM, tl.program_id(1) * BN]
    target.store(at, source.load(at) * 2)


@triton.jit
def checked_sum(a, b):
    tl.device_assert(a > -1000, "no summand is below -1000")
    return a + b


@triton.jit
def printed_largest(a, b):
    tl.device_print("compares", a, b)
    return tl.maximum(a, b)


@triton.jit
def asserting_functions(x, sums, total, largest, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(sums + i, tl.associative_scan(v, 0, checked_sum))
    tl.store(total, tl.reduce(v, 0, checked_sum))
    tl.store(largest, tl.reduce(v, 0, printed_largest))


@triton.jit
def printing(x, y, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.device_print("signed and not", v, n, v.to(tl.uint32, bitcast=True), hex=True)
    tl.device_print("nothing")
    tl.device_assert(v != n, "n is not there")
    tl.store(y + i, v)


@triton.jit
def one_element(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    whole = tl.sum(v, 0, keep_dims=True)
    part = tl.reshape(tl.sum(tl.reshape(v, (1, N)), 1), [])
    tl.store(y + i, v + tl.broadcast_to(whole, (N, )) + part)


@triton.jit
def bessel(x, first, second, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(first + i, libdevice.cyl_bessel_i0(v))
    tl.store(second + i, libdevice.cyl_bessel_i1(v))


def modified_bessel(order, x):
    """The integral over [0, pi] of exp(x cos t) cos(order t) / pi, by the trapezoidal rule."""
    t = np.linspace(0, np.pi, 2001)
    f = np.exp(x[:, None] * np.cos(t)) * np.cos(order * t)
    return ((f[:, :-1] + f[:, 1:]) / 2).mean(1)


class Case:
    """A kernel, its arguments and what it leaves. A pair (array, result) is an array, other arguments
    are i32 numbers or, as floats, f32."""

    def __init__(self, kernel, arguments, constants, grid=(1, ), types=None, rtol=0.0, name=None, **options):
        self.kernel, self.arguments, self.constants, self.grid = kernel, arguments, constants, grid
        self.types, self.rtol, self.options = types or {}, rtol, options
        self.name = name or kernel.__name__

    def write(self, folder):
        about = {"name": self.name, "grid": list(self.grid), "num_warps": 4, "num_stages": 3,
                 "args": [], "check": [], "rtol": self.rtol, "atol": 0.0, "producer": "NumPy", **self.options}
        arrays = 0
        for argument in self.arguments:
            if not isinstance(argument, tuple):
                kind = "i64" if isinstance(argument, np.int64) else "fp32" if isinstance(argument, float) else "i32"
                about["args"].append({"scalar": argument if kind == "fp32" else int(argument), "type": kind})
                continue
            before, after = argument
            about["args"].append({"tensor": arrays, "type": "*" + type_of(before)})
            save(folder / f"arg{arrays}.npy", before)
            if after is not None:
                save(folder / f"want{arrays}.npy", after)
                about["check"].append(arrays)
            arrays += 1
        (folder / "case.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")

    def signature(self):
        """Types by parameter; the numbers that follow a descriptor are part of it."""
        names = [name for name in self.kernel.arg_names if name not in self.constants]
        given = iter(self.arguments)
        for name in names:
            argument = next(given)
            described = self.types.get(name)
            if described:
                for _ in range(4):
                    next(given)
            yield name, described or ("*" + type_of(argument[0]) if isinstance(argument, tuple) else
                                      "fp32" if isinstance(argument, float) else "i32")


def type_of(array):
    return {"f2": "fp16", "f4": "fp32", "i4": "i32"}[array.dtype.str[1:]]


def save(path, array):
    if not path.exists():
        np.save(path, array)


def source_of(case):
    signature = dict(case.signature())
    if not is_since((3, 3)):
        return triton.compiler.ASTSource(fn=case.kernel, signature=signature, constants=case.constants)
    signature |= {name: "constexpr" for name in case.constants}
    return triton.compiler.ASTSource(fn=case.kernel, signature=signature, constexprs=case.constants)


def unlowered(case, options):
    """What the front end hands to upstream's passes."""
    backend, context = make_backend(TARGET), ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    parsed = backend.parse_options({"num_warps": 4} | options)
    makes = backend.get_codegen_implementation
    codegen = makes(parsed) if inspect.signature(makes).parameters else makes()
    known = {"target": TARGET, "options": parsed, "codegen_fns": codegen, "module_map": backend.get_module_map(),
             "context": context}
    source = source_of(case)
    return str(source.make_ir(*[known[name] for name in inspect.signature(source.make_ir).parameters]))


def texts(case):
    options = {"debug": True} if case.options.get("debug") else {}
    yield "", triton.compile(source_of(case), target=TARGET, options={"num_warps": 4} | options).asm["ttir"]
    yield "_unlowered", unlowered(case, options)


def written(text):
    """Without the folders of the machine."""
    return re.sub(r'loc\("[^"\n]*/', 'loc("', text)


def content(text):
    """What two texts have in common that differ in their places alone."""
    return re.sub(r"loc\(.*|^#loc.*\n?", "", text, flags=re.M)


def product_case():
    m, n, k = 45, 70, 51
    a = random.integers(-4, 5, (m, k)).astype(np.float16)
    b = random.integers(-4, 5, (n, k)).astype(np.float16)
    c = np.full((m, n), -1, np.float32)
    exact = a.astype(np.float32) @ b.astype(np.float32).T
    return Case(block_pointer_product, [(a, None), (b, None), (c, exact), m, n, k],
                {"BM": 32, "BN": 32, "BK": 16}, grid=(2, 3))


def edges_case():
    n, m, stride, rows, columns = 12, 20, 24, 16, 32
    x = random.standard_normal((n, stride)).astype(np.float32)
    y, z = 1 - 3 + 2 + 1, 1 + 2 - 1 + 2  # after three steps
    padded = np.full((rows, columns), np.nan, np.float32)
    padded[:n - y, :m - z] = x[y:n, z:m]
    end = np.zeros(columns, np.float32)
    end[:columns // 2] = x.ravel()[m - columns // 2:m]
    end[columns - 2:] = -1
    return Case(block_pointer_edges, [(x, None), (np.full_like(padded, -1), padded),
                                      (np.full_like(end, -1), end), n, m, stride], {"R": rows, "C": columns})


def host_case():
    m, n, stride = 50, 72, 80
    x = random.integers(-50, 50, (m, stride)).astype(np.float16)
    y = np.full((m, n), -1, np.float16)
    numbers = [m, n, np.int64(stride), np.int64(1)]
    kind = {"source": "tensordesc<fp16[32, 64]>", "target": "tensordesc<fp16[32, 64]>"}
    result = (x[:, :n].astype(np.float32) * 2 + m + stride).astype(np.float16)
    return Case(host_descriptors, [(x, None), *numbers, (y, result), m, n, np.int64(n), np.int64(1), 2.0],
                {"BM": 32, "BN": 64}, grid=(2, 2), types=kind)


def device_case():
    m, n = 50, 72
    a = random.integers(-50, 50, (m, n)).astype(np.float16)
    make = getattr(tl, "make_tensor_descriptor", None) or tl._experimental_make_tensor_descriptor
    return Case(device_descriptors, [(a, None), (np.zeros_like(a), a * 2), m, n],
                {"BM": 32, "BN": 64, "MAKE": make}, grid=(2, 2))


def asserting_case():
    x = random.integers(-100, 100, 16).astype(np.int32)
    empty = np.zeros(1, np.int32)
    return Case(asserting_functions, [(x, None), (np.zeros_like(x), x.cumsum().astype(np.int32)),
                                      (empty, x.sum(keepdims=True).astype(np.int32)),
                                      (empty, x.max(keepdims=True))], {"N": 16}, debug=True)


def failing_case():
    x = np.array([5, -2000, 7, 1] * 4, np.int32)
    empty = np.zeros(1, np.int32)
    return Case(asserting_functions, [(x, None), (np.zeros_like(x), None), (empty, None), (empty, None)],
                {"N": 16}, debug=True, name="asserting_functions_fails",
                error="no summand is below -1000")


def printing_case():
    x = np.arange(-4, 4, dtype=np.int32)
    return Case(printing, [(x, None), (np.zeros_like(x), x), 9], {"N": 8}, debug=True)


def one_element_case():
    x = random.integers(-50, 50, 64).astype(np.float32)
    return Case(one_element, [(x, None), (np.zeros_like(x), x + 2 * x.sum())], {"N": 64})


def bessel_case():
    x = np.linspace(-9, 9, 64).astype(np.float32)
    exact = [modified_bessel(order, x.astype(np.float64)).astype(np.float32) for order in (0, 1)]
    return Case(bessel, [(x, None), (np.zeros_like(x), exact[0]), (np.zeros_like(x), exact[1])], {"N": 64},
                rtol=4e-6)


# Since which release there is such a kernel, and before which.
CASES = [(product_case, (3, 2), (3, 9)), (edges_case, (3, 2), (3, 9)), (host_case, (3, 4), (4, 0)),
         (device_case, (3, 3), (4, 0)), (asserting_case, (3, 2), (4, 0)), (failing_case, (3, 8), (4, 0)),
         (printing_case, (3, 2), (4, 0)), (one_element_case, (3, 4), (4, 0)), (bessel_case, (3, 2), (4, 0))]


def main():
    global random
    for make, first, end in CASES:
        if not is_since(first) or is_since(end):
            continue
        random = np.random.default_rng(5)
        case = make()
        folder = HERE / "releases" / case.name
        folder.mkdir(parents=True, exist_ok=True)
        case.write(folder)
        for suffix, text in texts(case):
            text = written(text)
            same = [path for path in folder.glob("*.ttir")
                    if content(path.read_text(encoding="utf-8")) == content(text)]
            if not same:
                (folder / f"{VERSION}{suffix}.ttir").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
