# SPDX-License-Identifier: MIT
"""Kernels in upstream's own language, for the test that libtl takes the TTIR which upstream makes
of them, beside those of triton_to_tl.py. Each is a function and the types of its arguments; constants stand as
keywords.
"""
import triton
import triton.language as tl
from triton_to_tl import add, matmul, softmax


@triton.jit
def matmul_descriptors(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    da = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    db = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    dc = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, K, BK, num_stages=2):
        acc = tl.dot(da.load([i, k]), db.load([k, j]), acc)
    dc.store([i, j], acc.to(tl.float16))


@triton.jit
def shaping(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    a, b = tl.split(tl.reshape(v, (N // 2, 2)))
    j = tl.join(a, b)
    c = tl.cat(a, b, can_reorder=True)
    t = tl.trans(tl.reshape(tl.interleave(a, b), (4, N // 4)))
    tl.store(out + i, tl.ravel(t) + tl.ravel(j) + c + tl.flip(v))


@triton.jit
def reductions(x, out, N: tl.constexpr):
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + i)
    r = tl.sum(v, 1) + tl.max(v, 0) + tl.argmax(v, 1) + tl.min(v, 1) + tl.cumsum(v, 0).sum(0)
    w = tl.sort(v, 1)
    h = tl.histogram(tl.ravel(v).to(tl.int32), N)
    g = tl.gather(v, tl.full((N, N), 1, tl.int32), 1)
    tl.store(out + i, w + g)
    tl.store(out + tl.arange(0, N), r + h)


@triton.jit
def control_flow(x, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i, i < n, 0.0)
    s = tl.sum(v, 0)
    if tl.program_id(0) == 0:
        v = v * 2.0
    else:
        v = v + s
    while s > 1.0:
        s = s * 0.5
        v += s
    for k in range(n):
        if k % 2 == 0:
            v += k
    if n > 100:
        return
    tl.store(out + i, v)


@triton.jit
def atomics(x, counters, flags, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.atomic_add(counters + i, v)
    old = tl.atomic_max(counters + i, v, sem="relaxed")
    tl.atomic_xchg(counters + i, old, i < 5)
    while tl.atomic_cas(flags, 0, 1) == 1:
        pass
    tl.debug_barrier()
    tl.atomic_xchg(flags, 0, sem="release", scope="cta")


@triton.jit
def mathematics(x, out, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i, cache_modifier=".cg") + tl.load(out + i, eviction_policy="evict_first")
    m = tl.exp(v) + tl.exp2(v) + tl.log(v) + tl.log2(v) + tl.sin(v) + tl.cos(v) + tl.sqrt(v)
    m += tl.rsqrt(v) + tl.erf(v) + tl.floor(v) + tl.ceil(v) + tl.abs(v) + tl.fma(v, v, v)
    m += tl.sigmoid(v) + tl.maximum(v, 0.0) + tl.clamp(v, -1.0, 1.0) + tl.sqrt_rn(v)
    m += tl.div_rn(v, 3.0) + tl.umulhi(i, i) + tl.rand(seed, i) + tl.randn(seed, i)
    m += v.to(tl.bfloat16).to(tl.float32) + v.to(tl.float8e5).to(tl.float32)
    m += v.to(tl.int8).to(tl.float32) + v.to(tl.uint32, bitcast=True).to(tl.float32)
    tl.store(out + i, m)


@triton.jit
def debugging(x, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.assume(n > 0)
    i = tl.max_contiguous(tl.multiple_of(i, 16), 16)
    v = tl.load(x + i)
    tl.device_print("values: ", v, hex=True)
    tl.device_assert(v > 0, "values are positive")
    tl.store(out + i, v)


@triton.jit(noinline=True)
def product_and_sum(x, y):
    return x * y, x + y


@triton.jit
def calls(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = product_and_sum(tl.load(x), tl.load(x + 1))
    tl.store(out + i, a + b + i)


KERNELS = {
    "add": (add, "*fp32 *fp32 *fp32 i32", {"Block": 1024}),
    "softmax": (softmax, "*fp16 *fp16 i32 i32", {"Cols": 1024}),
    "matmul": (matmul, "*fp16 *fp16 *fp16 i32 i32 i32 i32 i32 i32", {"BM": 32, "BN": 64, "BK": 32, "Group": 8}),
    "matmul_descriptors": (matmul_descriptors, "*fp16 *fp16 *fp16 i32 i32 i32",
                           {"BM": 32, "BN": 64, "BK": 32}),
    "shaping": (shaping, "*fp32 *fp32", {"N": 64}),
    "reductions": (reductions, "*i32 *i32", {"N": 32}),
    "control_flow": (control_flow, "*fp32 *fp32 i32", {"N": 64}),
    "atomics": (atomics, "*fp32 *fp32 *i32", {"N": 64}),
    "mathematics": (mathematics, "*fp32 *fp32 i32", {"N": 64}),
    "debugging": (debugging, "*i32 *i32 i32", {"N": 64}),
    "calls": (calls, "*i32 *i32", {"N": 64}),
}


def ttir_of(name, target):
    """The TTIR that upstream makes of a kernel, after its own passes on TTIR."""
    function, types, constants = KERNELS[name]
    names = function.arg_names
    signature = dict(zip(names, types.split()))
    signature.update({name: "constexpr" for name in constants})
    source = triton.compiler.ASTSource(function, signature=signature, constexprs=constants)
    return triton.compile(source, target=target, options={"debug": name == "debugging"}).asm["ttir"]
