# SPDX-License-Identifier: MIT
"""Matrix products and attention in Triton, as a careful user writes them: a tile per program by
pointers, the same by tensor descriptors, and persistent programs. Each function returns a list of
(name, work), of which the fastest counts."""
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def tile_place(tile, M, N, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    return tl.swizzle2d(tile // columns, tile % columns, rows, columns, GROUP)


@triton.jit
def pointers_kernel(a, b, c, M, N, K, am, ak, bk, bn, cm, BM: tl.constexpr, BN: tl.constexpr,
                    BK: tl.constexpr, GROUP: tl.constexpr, SUM: tl.constexpr, EVEN: tl.constexpr,
                    PRECISION: tl.constexpr):
    m, n = tile_place(tl.program_id(0), M, N, BM, BN, GROUP)
    rows = m * BM + tl.arange(0, BM)
    columns = n * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    # Rows and columns that do not exist read others that do.
    a_tile = a + (rows % M)[:, None] * am + ks[None, :] * ak
    b_tile = b + ks[:, None] * bk + (columns % N)[None, :] * bn
    acc = tl.zeros((BM, BN), SUM)
    for k in range(0, K, BK):
        if EVEN:
            x, y = tl.load(a_tile), tl.load(b_tile)
        else:
            x = tl.load(a_tile, mask=ks[None, :] < K - k, other=0.0)
            y = tl.load(b_tile, mask=ks[:, None] < K - k, other=0.0)
        acc = tl.dot(x, y, acc, input_precision=PRECISION, out_dtype=SUM)
        a_tile += BK * ak
        b_tile += BK * bk
    mask = (rows < M)[:, None] & (columns < N)[None, :]
    tl.store(c + rows[:, None] * cm + columns[None, :], acc.to(c.dtype.element_ty), mask)


@triton.jit
def described_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                     GROUP: tl.constexpr, SUM: tl.constexpr, TURNED: tl.constexpr):
    m, n = tile_place(tl.program_id(0), M, N, BM, BN, GROUP)
    acc = tl.zeros((BM, BN), SUM)
    for k in range(0, K, BK):
        x = a.load([m * BM, k])
        if TURNED:
            acc = tl.dot(x, b.load([n * BN, k]).T, acc, out_dtype=SUM)
        else:
            acc = tl.dot(x, b.load([k, n * BN]), acc, out_dtype=SUM)
    c.store([m * BM, n * BN], acc.to(c.dtype))


@triton.jit
def persistent_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                      GROUP: tl.constexpr, SUM: tl.constexpr, TURNED: tl.constexpr,
                      SPECIAL: tl.constexpr):
    tiles = tl.cdiv(M, BM) * tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0), flatten=True,
                         warp_specialize=SPECIAL):
        m, n = tile_place(tile, M, N, BM, BN, GROUP)
        acc = tl.zeros((BM, BN), SUM)
        for k in range(0, K, BK):
            x = a.load([m * BM, k])
            if TURNED:
                acc = tl.dot(x, b.load([n * BN, k]).T, acc, out_dtype=SUM)
            else:
                acc = tl.dot(x, b.load([k, n * BN]), acc, out_dtype=SUM)
        c.store([m * BM, n * BN], acc.to(c.dtype))


def describable(x):
    return x.data_ptr() % 16 == 0 and x.stride(-1) == 1 and x.stride(0) * x.element_size() % 16 == 0


def matmul(a, b, c, multiprocessors, quick, exact=False):
    M, K = a.shape
    N = b.shape[1]
    total = tl.int32 if a.dtype == torch.int8 else tl.float32
    unit = 128 // a.element_size()  # 128 bytes along K

    def fits(bm, bn):
        return (bm <= 16 or bm < 2 * M) and (bn <= 16 or bn < 2 * N)

    def pointers(bm, bn, bk, warps, stages):
        grid = (triton.cdiv(M, bm) * triton.cdiv(N, bn),)
        return (f"pointers {bm} {bn} {bk} {warps} {stages}", lambda: pointers_kernel[grid](
            a, b, c, M, N, K, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0),
            BM=bm, BN=bn, BK=bk, GROUP=8, SUM=total, EVEN=K % bk == 0,
            PRECISION="ieee" if exact else "tf32", num_warps=warps, num_stages=stages))

    turned = b.stride(0) == 1

    def views(bm, bn, bk):
        return (TensorDescriptor.from_tensor(a, [bm, bk]),
                TensorDescriptor.from_tensor(b.T, [bn, bk]) if turned
                else TensorDescriptor.from_tensor(b, [bk, bn]),
                TensorDescriptor.from_tensor(c, [bm, bn]))

    def described(bm, bn, bk, warps, stages):
        grid = (triton.cdiv(M, bm) * triton.cdiv(N, bn),)
        x, y, z = views(bm, bn, bk)
        return (f"described {bm} {bn} {bk} {warps} {stages}", lambda: described_kernel[grid](
            x, y, z, M, N, K, BM=bm, BN=bn, BK=bk, GROUP=8, SUM=total, TURNED=turned,
            num_warps=warps, num_stages=stages))

    def persistent(bm, bn, bk, warps, stages, special=False):
        grid = (min(multiprocessors, triton.cdiv(M, bm) * triton.cdiv(N, bn)),)
        x, y, z = views(bm, bn, bk)
        return (f"persistent {bm} {bn} {bk} {warps} {stages}", lambda: persistent_kernel[grid](
            x, y, z, M, N, K, BM=bm, BN=bn, BK=bk, GROUP=8, SUM=total, TURNED=turned,
            SPECIAL=special, num_warps=warps, num_stages=stages))

    by_pointers = [(128, 256, unit, 8, 3), (128, 128, unit, 8, 3), (128, 128, unit, 4, 4),
                   (64, 256, unit, 4, 4), (64, 128, unit, 4, 4), (64, 64, unit, 4, 4)]
    if not quick:
        by_pointers += [(256, 128, unit, 8, 3), (128, 64, unit, 4, 4), (128, 128, unit // 2, 4, 4),
                        (64, 32, unit // 2, 2, 5)]
    if M <= 32:
        by_pointers = [(16, 64, 2 * unit, 4, 4), (16, 128, 2 * unit, 4, 4), (16, 64, unit, 4, 5),
                       (16, 32, 2 * unit, 4, 4), (16, 256, unit, 4, 4)]
    if exact:
        by_pointers = [(128, 128, 32, 8, 3), (128, 64, 32, 8, 3), (64, 64, 32, 4, 3),
                       (128, 128, 16, 8, 3), (64, 64, 16, 4, 3)]
    ways = [pointers(*x) for x in by_pointers if fits(*x[:2])]
    if not exact and describable(a) and describable(b.T if turned else b) and describable(c) and M > 32:
        by_descriptors = [(128, 256, unit, 8, 3), (128, 256, unit, 8, 4), (128, 128, unit, 4, 4)]
        ways += [described(*x) for x in by_descriptors if fits(*x[:2])]
        ways += [persistent(*x) for x in by_descriptors if fits(*x[:2])]
    return ways


# ---- Attention

@triton.jit
def attend(acc, total, peak, q, k, v, first, begin, end, rows, length, scale, HEAD: tl.constexpr,
           BN: tl.constexpr, MASKED: tl.constexpr, CAUSAL: tl.constexpr):
    lanes = tl.arange(0, BN)
    dims = tl.arange(0, HEAD)
    for start in tl.range(begin, end, BN):
        at = start + lanes
        if MASKED:
            keys = tl.load(k + at[None, :] * HEAD + dims[:, None], at[None, :] < length, 0.0)
            values = tl.load(v + at[:, None] * HEAD + dims[None, :], at[:, None] < length, 0.0)
        else:
            keys = tl.load(k + at[None, :] * HEAD + dims[:, None])
            values = tl.load(v + at[:, None] * HEAD + dims[None, :])
        scores = tl.dot(q, keys)
        if MASKED:
            seen = at[None, :] < length
            if CAUSAL:
                seen = seen & (at[None, :] <= rows[:, None])
            scores = tl.where(seen, scores, -float("inf"))
        now = tl.maximum(peak, tl.max(scores, 1) * scale)
        weights = tl.exp2(scores * scale - now[:, None])
        shrink = tl.exp2(peak - now)
        total = total * shrink + tl.sum(weights, 1)
        acc = tl.dot(weights.to(q.dtype), values, acc * shrink[:, None])
        peak = now
    return acc, total, peak


@triton.jit
def attention_kernel(q, k, v, out, logsum, length, scale, HEAD: tl.constexpr, BM: tl.constexpr,
                     BN: tl.constexpr, CAUSAL: tl.constexpr):
    first = tl.program_id(0) * BM
    if CAUSAL:
        first = (tl.num_programs(0) - 1 - tl.program_id(0)) * BM
    base = tl.program_id(1).to(tl.int64) * length * HEAD
    rows = first + tl.arange(0, BM)
    tile = rows[:, None] * HEAD + tl.arange(0, HEAD)[None, :]
    exists = rows[:, None] < length
    queries = tl.load(q + base + tile, exists, 0.0)
    acc = tl.zeros((BM, HEAD), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    peak = tl.full((BM,), -1.0e30, tl.float32)
    if CAUSAL:
        whole = (first + 1) // BN * BN
        end = tl.minimum(length, first + BM)
    else:
        whole = length // BN * BN
        end = length
    acc, total, peak = attend(acc, total, peak, queries, k + base, v + base, first, 0, whole, rows,
                              length, scale, HEAD, BN, False, CAUSAL)
    acc, total, peak = attend(acc, total, peak, queries, k + base, v + base, first, whole, end, rows,
                              length, scale, HEAD, BN, True, CAUSAL)
    tl.store(out + base + tile, (acc / total[:, None]).to(out.dtype.element_ty), exists)
    tl.store(logsum + tl.program_id(1) * length + rows, peak + tl.log2(total), rows < length)


@triton.jit
def attend_described(acc, total, peak, q, k, v, base, begin, end, rows, length, scale,
                     HEAD: tl.constexpr, BN: tl.constexpr, MASKED: tl.constexpr,
                     CAUSAL: tl.constexpr, SPECIAL: tl.constexpr):
    lanes = tl.arange(0, BN)
    for start in tl.range(begin, end, BN, warp_specialize=SPECIAL):
        scores = tl.dot(q, k.load([base + start, 0]).T)
        if MASKED:
            at = start + lanes
            seen = at[None, :] < length
            if CAUSAL:
                seen = seen & (at[None, :] <= rows[:, None])
            scores = tl.where(seen, scores, -float("inf"))
        now = tl.maximum(peak, tl.max(scores, 1) * scale)
        weights = tl.exp2(scores * scale - now[:, None])
        shrink = tl.exp2(peak - now)
        total = total * shrink + tl.sum(weights, 1)
        acc = tl.dot(weights.to(q.dtype), v.load([base + start, 0]), acc * shrink[:, None])
        peak = now
    return acc, total, peak


@triton.jit
def attention_described_kernel(q, k, v, out, logsum, length, scale, HEAD: tl.constexpr,
                               BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr,
                               SPECIAL: tl.constexpr):
    first = tl.program_id(0) * BM
    if CAUSAL:
        first = (tl.num_programs(0) - 1 - tl.program_id(0)) * BM
    base = tl.program_id(1) * length
    rows = first + tl.arange(0, BM)
    queries = q.load([base + first, 0])
    acc = tl.zeros((BM, HEAD), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    peak = tl.full((BM,), -1.0e30, tl.float32)
    whole = length // BN * BN
    end = length
    if CAUSAL:
        whole = (first + 1) // BN * BN
        end = tl.minimum(length, first + BM)
    acc, total, peak = attend_described(acc, total, peak, queries, k, v, base, 0, whole, rows,
                                        length, scale, HEAD, BN, False, CAUSAL, SPECIAL)
    acc, total, peak = attend_described(acc, total, peak, queries, k, v, base, whole, end, rows,
                                        length, scale, HEAD, BN, True, CAUSAL, False)
    out.store([base + first, 0], (acc / total[:, None]).to(out.dtype))
    tl.store(logsum + tl.program_id(1) * length + rows, peak + tl.log2(total), rows < length)


def attention(q, k, v, out, logsum, causal, quick):
    """[batch, heads, length, head] with as many heads of keys, length a multiple of 128."""
    batch, heads, length, head = q.shape
    scale = head ** -0.5 * 1.44269504

    def way(bm, bn, warps, stages):
        grid = (triton.cdiv(length, bm), batch * heads)
        return (f"pointers {bm} {bn} {warps} {stages}", lambda: attention_kernel[grid](
            q, k, v, out, logsum, length, scale, HEAD=head, BM=bm, BN=bn, CAUSAL=causal,
            num_warps=warps, num_stages=stages))

    def described(bm, bn, warps, stages):
        grid = (triton.cdiv(length, bm), batch * heads)
        flat = [x.view(-1, head) for x in (q, k, v, out)]
        views = [TensorDescriptor.from_tensor(x, [block, head])
                 for x, block in zip(flat, (bm, bn, bn, bm))]
        return (f"described {bm} {bn} {warps} {stages}", lambda: attention_described_kernel[grid](
            *views, logsum, length, scale, HEAD=head, BM=bm, BN=bn, CAUSAL=causal, SPECIAL=False,
            num_warps=warps, num_stages=stages))

    if head <= 64:
        blocks = [(128, 64, 4, 3), (128, 128, 8, 3), (128, 64, 8, 3), (64, 64, 4, 3)]
    elif head <= 128:
        blocks = [(128, 64, 8, 3), (128, 128, 8, 2), (64, 64, 4, 3), (128, 64, 4, 3)]
    else:
        blocks = [(128, 64, 8, 2), (64, 64, 4, 2), (64, 64, 8, 2)]
    if quick:
        blocks = blocks[:3]
    ways = [way(*b) for b in blocks]
    if length % 128 == 0:
        ways += [described(*b) for b in blocks]
    return ways
