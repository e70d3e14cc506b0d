# SPDX-License-Identifier: MIT
"""The Triton side of docs/how_to/come_from_triton.md, and the proof that both sides say the same.

    triton_to_tl.py TLC TRITON_TO_TL

Upstream makes TTIR of the kernels here, and TRITON_TO_TL, which is triton_to_tl.cpp, of those of the same names
in C++. Both run on the interpreter and the CPU with the same arrays, and must leave the same. No GPU is needed.
tests/python_packages.py runs this with Triton, or skips it."""
import array
import os
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # or it warns that this is the default
try:
    import triton
    import triton.language as tl
    from triton.language.extra import libdevice
except ImportError as missing:
    print(f"[SKIP] upstream's Triton cannot be imported: {missing}")
    sys.exit(77)


# [add]
@triton.jit
def add(x, y, out, n, Block: tl.constexpr):
    offsets = tl.program_id(0) * Block + tl.arange(0, Block)
    mask = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask) + tl.load(y + offsets, mask), mask)
# [add]


# [softmax]
@triton.jit
def softmax(out, x, stride, n_cols, Cols: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, Cols)
    mask = cols < n_cols
    v = tl.load(x + row * stride + cols, mask, -float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * stride + cols, (e / tl.sum(e, 0)).to(out.dtype.element_ty), mask)
# [softmax]


# [matmul]
@triton.jit
def matmul(a, b, c, M, N, K, lda, ldb, ldc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           Group: tl.constexpr):
    pid = tl.program_id(0)
    pid_m, pid_n = tl.swizzle2d(pid // tl.cdiv(N, BN), pid % tl.cdiv(N, BN), tl.cdiv(M, BM), tl.cdiv(N, BN), Group)
    rows = pid_m * BM + tl.arange(0, BM)
    cols = pid_n * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    a_ptrs = a + rows[:, None] * lda + ks[None, :]
    b_ptrs = b + ks[:, None] * ldb + cols[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        a_tile = tl.load(a_ptrs, (rows[:, None] < M) & (ks[None, :] < K - k), 0.0)
        b_tile = tl.load(b_ptrs, (ks[:, None] < K - k) & (cols[None, :] < N), 0.0)
        acc += tl.dot(a_tile, b_tile)
        a_ptrs += BK
        b_ptrs += BK * ldb
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(c + rows[:, None] * ldc + cols[None, :], acc.to(c.dtype.element_ty), mask)
# [matmul]


# [transpose]
@triton.jit
def transpose(x, out, M, N, B: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [M, N], [N, 1], [B, B])
    target = tl.make_tensor_descriptor(out, [N, M], [M, 1], [B, B])
    i, j = tl.program_id(0) * B, tl.program_id(1) * B
    target.store([j, i], source.load([i, j]).T)
# [transpose]


# [collatz]
@triton.jit
def collatz(x, out, n):
    pid = tl.program_id(0)
    if pid >= n:
        return
    value = tl.load(x + pid)
    steps = 0
    while value != 1:
        if value % 2 == 0:
            value = value // 2
        else:
            value = 3 * value + 1
        steps += 1
    tl.store(out + pid, steps)
# [collatz]


# [loops]
@triton.jit
def loops(x, out, n, N: tl.constexpr, Degree: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    y = tl.zeros((N,), tl.float32)
    for k in tl.range(0, n, num_stages=2):  # when the kernel runs
        y += v * k
    for k in tl.static_range(Degree):  # unrolled
        y = y * v + k
    tl.store(out + i, y)
# [loops]


# [moments]
@triton.jit
def add_pairs(s1, q1, s2, q2):
    return s1 + s2, q1 + q2


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def moments(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    total, squares = tl.reduce((v, v * v), 0, add_pairs)
    highest = tl.associative_scan(v, 0, larger)
    value, place = tl.max(v, 0, return_indices=True)
    tl.store(out + i, highest - total / N + squares + value * place)
# [moments]


# [rotary]
@triton.jit
def rotated(a, b, c, s):
    return a * c - b * s, b * c + a * s


@triton.jit
def rotary(x, cosines, sines, Half: tl.constexpr):
    i = tl.arange(0, Half)
    first, second = x + i, x + Half + i
    a, b = rotated(tl.load(first), tl.load(second), tl.load(cosines + i), tl.load(sines + i))
    tl.store(first, a)
    tl.store(second, b)
# [rotary]


# [descent]
@triton.jit
def descent(state, rate, n, Block: tl.constexpr):
    weight, gradient = state
    at = tl.program_id(0) * Block + tl.arange(0, Block)
    w = tl.load(weight + at, at < n)
    tl.store(weight + at, w - w * rate * tl.load(gradient + at, at < n), at < n)
# [descent]


# [shapes]
@triton.jit
def shapes(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    even, odd = tl.split(tl.reshape(v, (N // 2, 2)))
    table = tl.join(even, odd).T  # 2 x N / 2
    table -= tl.sum(table, axis=1, keep_dims=True)
    turned = tl.interleave(odd, even)
    picked = tl.gather(v, N - 1 - i, 0)
    best = tl.where(turned > 0, turned, tl.sort(picked, descending=True))
    tl.store(out + i, best + tl.ravel(table) + tl.flip(v))
# [shapes]


# [types]
@triton.jit
def types(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)  # int32
    ratio = v / 3
    whole = v // 3
    half = ratio.to(tl.float16) * 2.5  # float16
    bits = half.to(tl.uint16, bitcast=True)
    high = (bits >> 8).to(tl.int8)
    tl.store(out + i, ratio + whole + half + high)
# [types]


# [counts]
@triton.jit
def counts(x, total, bins, lock, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + tl.program_id(0) * N + i)
    tl.atomic_add(bins + v, 1, sem="relaxed")
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(total + i, tl.load(total + i) + v)
    tl.atomic_xchg(lock, 0)
# [counts]


# [draws]
@triton.jit
def draws(out, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    u = tl.rand(seed, i)
    tl.device_assert(u < 1, "u is below one")
    tl.store(out + i, libdevice.asin(u))
# [draws]


# [elements]
@triton.constexpr_function
def power_of_two_above(n):
    return 1 << n.bit_length()


@triton.jit
def steps_to_one(value):
    steps = 0
    while value > 1:  # each element its own number of times
        if value % 2 == 0:
            value = value // 2
        else:
            value = 3 * value + 1
        steps += 1
    return steps


@triton.jit
def elements(x, out, n, N: tl.constexpr, Most: tl.constexpr):
    Bins: tl.constexpr = power_of_two_above(Most)
    tl.static_assert(Bins > Most, "there is a bin for each")
    tl.assume(n > 0)
    i = tl.max_contiguous(tl.arange(0, N), N)
    v = tl.load(x + i, (0 <= i) & (i < n), 1)
    steps = tl.map_elementwise(steps_to_one, v)
    tl.store(out + tl.arange(0, Bins), tl.histogram(steps, Bins, i < n))
# [elements]


def floats(count, low=-1.0, high=1.0):
    return array.array("f", (random.uniform(low, high) for _ in range(count)))


def integers(count, low, high):
    return array.array("i", (random.randrange(low, high) for _ in range(count)))


def eighths(count):
    """What tf32 holds, to which upstream rounds the operands of products of floats."""
    return array.array("f", (random.randrange(-64, 65) / 8 for _ in range(count)))


def zeros(count, kind="f"):
    return array.array(kind, [0] * count)


# Kernel, constants, grid, arguments. A pointer's argument is an array, a scalar's has its type; a tuple is one argument.
I32 = "i32:{}".format
CASES = [
    (add, {"Block": 64}, "2", [floats(100), floats(100), zeros(100), I32(100)]),
    (softmax, {"Cols": 64}, "3", [zeros(150), floats(150, -8, 8), I32(50), I32(50)]),
    (matmul, {"BM": 16, "BN": 16, "BK": 16, "Group": 2}, "6",
     [eighths(33 * 20), eighths(20 * 30), zeros(33 * 30), *map(I32, (33, 30, 20, 20, 30, 30))]),
    (transpose, {"B": 16}, "2,3", [floats(32 * 48), zeros(32 * 48), I32(32), I32(48)]),
    (collatz, {}, "8", [integers(7, 1, 100), zeros(7, "i"), I32(7)]),
    (loops, {"N": 32, "Degree": 3}, "1", [floats(32), zeros(32), I32(5)]),
    (moments, {"N": 32}, "1", [floats(32), zeros(32)]),
    (rotary, {"Half": 16}, "1", [floats(32), floats(16), floats(16)]),
    (descent, {"Block": 32}, "2", [(floats(50), floats(50)), "fp32:0.125", I32(50)]),
    (shapes, {"N": 32}, "1", [floats(32), zeros(32)]),
    (types, {"N": 32}, "1", [integers(32, -1000, 1000), zeros(32)]),
    (counts, {"N": 32}, "5", [integers(160, 0, 16), zeros(32, "i"), zeros(16, "i"), zeros(1, "i")]),
    (draws, {"N": 32}, "1", [zeros(32), I32(1234)]),
    (elements, {"N": 64, "Most": 30}, "1", [integers(64, 1, 27), zeros(32, "i"), I32(50)]),
]


def ttir_of(function, constants, arguments, target):
    """The TTIR that upstream makes of a kernel."""
    def type_of(one):
        if isinstance(one, tuple):
            return tuple(map(type_of, one))
        return {"f": "*fp32", "i": "*i32"}[one.typecode] if isinstance(one, array.array) else one.split(":")[0]

    signature = dict(zip(function.arg_names, [*map(type_of, arguments)] + ["constexpr"] * len(constants)))
    source = triton.compiler.ASTSource(function, signature=signature, constexprs=constants)
    # It cannot check for overflow where functions work on single elements.
    options = {"debug": True, "sanitize_overflow": False}
    return triton.compile(source, target=target, options=options).asm["ttir"]


def write_array(path, values):
    kind = {"f": "<f4", "i": "<i4"}[values.typecode]
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({len(values)},), }}"
    head = head.ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + values.tobytes())


def read_array(path, kind):
    content = path.read_bytes()
    return array.array(kind, content[10 + struct.unpack("<H", content[8:10])[0]:])


def run(tlc, text, device, grid, arguments, folder):
    """What a kernel leaves in its arrays."""
    words, saved = [], []
    for number, one in enumerate(arguments):
        if isinstance(one, array.array):
            write_array(folder / f"{number}.npy", one)
            saved.append((folder / f"{number}_after.npy", one.typecode))
            words += ["--arg", f"@{folder / f'{number}.npy'}", "--save", f"{number}={saved[-1][0]}"]
        else:
            words += ["--arg", one]
    subprocess.run([tlc, "run", text, "--grid", grid, "--device", device, "--debug", *words], check=True,
                   timeout=600)
    return [read_array(path, kind) for path, kind in saved]


def differences(ours, theirs):
    """Elements that are not equal; of floats the last bits may differ, as the texts do: of sums in another order."""
    return [(number, at, a, b) for number, (one, other) in enumerate(zip(ours, theirs, strict=True))
            for at, (a, b) in enumerate(zip(one, other, strict=True)) if abs(a - b) > 4e-6 * max(abs(a), abs(b), 1)]


def main(tlc, triton_to_tl):
    from triton.backends.compiler import GPUTarget
    passed, failed = 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["TRITON_CACHE_DIR"] = name + "/cache"
        subprocess.run([triton_to_tl, name], check=True)
        for function, constants, grid, arguments in CASES:
            title = function.__name__
            flat = [one for each in arguments for one in (each if isinstance(each, tuple) else [each])]
            ours, theirs = folder / f"{title}.ttir", folder / f"{title}_upstream.ttir"
            theirs.write_text(ttir_of(function, constants, arguments, GPUTarget("cuda", 90, 32)), encoding="utf-8")
            for device in ("interpreter", "cpu"):
                got = run(tlc, ours, device, grid, flat, folder)
                want = run(tlc, theirs, device, grid, flat, folder)
                before = [one for one in flat if isinstance(one, array.array)]
                wrong = differences(got, want) if want != before else "nothing was written"
                passed, failed = passed + (not wrong), failed + bool(wrong)
                if wrong:
                    print(f"FAIL {title} on {device}: (array, element, in C++, in Python): {wrong[:3]}")
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    random.seed(7)
    sys.exit(main(*sys.argv[1:]))
