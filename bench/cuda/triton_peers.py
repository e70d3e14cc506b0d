# SPDX-License-Identifier: MIT
"""The kernels of the benchmarks in Triton, as a careful user writes them. Where the best number of
warps or programs is not plain, several candidates are given and the fastest counts. Each function
returns a list of (name, work)."""
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.tools.tensor_descriptor import TensorDescriptor


def power(n):
    return triton.next_power_of_2(n)


# ---- Vector add

@triton.jit
def add_kernel(out, x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask) + tl.load(y + at, mask), mask)


def vector_add(out, x, y):
    n = out.numel()

    def way(block, warps):
        grid = (triton.cdiv(n, block),)
        return (f"block {block} {warps}",
                lambda: add_kernel[grid](out, x, y, n, BLOCK=block, num_warps=warps))

    return [way(512, 4), way(1024, 4), way(2048, 8), way(4096, 8)]


# ---- Softmax

@triton.jit
def softmax_one(out, x, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    v = tl.load(x + row * n + cols, mask, -float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * n + cols, e * (1.0 / tl.sum(e, 0)), mask)


@triton.jit
def softmax_rows(out, x, rows, n, R: tl.constexpr, BLOCK: tl.constexpr):
    at = (tl.program_id(0) * R + tl.arange(0, R))[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    mask = (at < rows) & (cols < n)
    v = tl.load(x + at * n + cols, mask, -float("inf"))
    e = tl.exp(v - tl.max(v, 1)[:, None])
    tl.store(out + at * n + cols, e * (1.0 / tl.sum(e, 1))[:, None], mask)


@triton.jit
def softmax_persistent(out, x, rows, n, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        v = tl.load(x + row * n + cols, mask, -float("inf"))
        e = tl.exp(v - tl.max(v, 0))
        tl.store(out + row * n + cols, e * (1.0 / tl.sum(e, 0)), mask)


@triton.jit
def softmax_loop(out, x, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    lanes = tl.arange(0, BLOCK)
    peak = tl.full([BLOCK], -3.0e38, tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + lanes
        v = tl.load(x + row + cols, cols < n, -float("inf"))
        now = tl.maximum(peak, v)
        total = total * tl.exp(peak - now) + tl.exp(v - now)
        peak = now
    top = tl.max(peak, 0)
    scale = 1.0 / tl.sum(total * tl.exp(peak - top), 0)
    blocks = tl.cdiv(n, BLOCK)
    for step in range(0, blocks):
        cols = (blocks - 1 - step) * BLOCK + lanes
        mask = cols < n
        v = tl.load(x + row + cols, mask, -float("inf"))
        tl.store(out + row + cols, tl.exp(v - top) * scale, mask)


def softmax(out, x, multiprocessors):
    rows, n = x.shape
    block = power(n)

    def one(warps):
        return (f"one {block} {warps}",
                lambda: softmax_one[(rows,)](out, x, n, BLOCK=block, num_warps=warps))

    def several(r, warps):
        grid = (triton.cdiv(rows, r),)
        return (f"rows {r} {block} {warps}",
                lambda: softmax_rows[grid](out, x, rows, n, R=r, BLOCK=block, num_warps=warps))

    def persistent(warps, residents, stages):
        grid = (min(rows, multiprocessors * residents),)
        return (f"persistent {block} {warps} {residents}",
                lambda: softmax_persistent[grid](out, x, rows, n, BLOCK=block, STAGES=stages,
                                                 num_warps=warps))

    def loop(part, warps):
        return (f"loop {part} {warps}",
                lambda: softmax_loop[(rows,)](out, x, n, BLOCK=part, num_warps=warps))

    if block <= 512:
        return [one(1), one(2), several(4, 4), persistent(4, 16, 2)]
    if block <= 2048:
        return [one(4), one(8), persistent(8, 8, 2)]
    if block <= 8192:
        return [one(8), one(16), persistent(8, 4, 2)]
    if block <= 32768:
        return [one(16), one(32), persistent(16, 2, 2), loop(8192, 16)]
    # A block of the whole row spills: at 131072 columns it takes five times as long.
    return [loop(4096, 8), loop(8192, 16), loop(16384, 32)] + ([one(32)] if n <= 65536 else [])


# ---- Layer norm

@triton.jit
def layer_norm_one(y, x, w, b, mean, rstd, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    v = tl.load(x + row * n + cols, mask, 0.0).to(tl.float32)
    weight = tl.load(w + cols, mask, 0.0)
    bias = tl.load(b + cols, mask, 0.0)
    m = tl.sum(v, 0) / n
    centred = tl.where(mask, v - m, 0.0)
    r = tl.rsqrt(tl.sum(centred * centred, 0) / n + eps)
    tl.store(mean + row, m)
    tl.store(rstd + row, r)
    result = centred * r * weight.to(tl.float32) + bias.to(tl.float32)
    tl.store(y + row * n + cols, result.to(tl.float16), mask)


@triton.jit
def layer_norm_persistent(y, x, w, b, mean, rstd, rows, n, eps, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    weight = tl.load(w + cols, mask, 0.0)
    bias = tl.load(b + cols, mask, 0.0)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        v = tl.load(x + row * n + cols, mask, 0.0).to(tl.float32)
        m = tl.sum(v, 0) / n
        centred = tl.where(mask, v - m, 0.0)
        r = tl.rsqrt(tl.sum(centred * centred, 0) / n + eps)
        tl.store(mean + row, m)
        tl.store(rstd + row, r)
        result = centred * r * weight.to(tl.float32) + bias.to(tl.float32)
        tl.store(y + row * n + cols, result.to(tl.float16), mask)


def layer_norm(y, x, w, b, mean, rstd, eps, multiprocessors):
    rows, n = x.shape
    block = power(n)

    def one(warps):
        return (f"one {block} {warps}",
                lambda: layer_norm_one[(rows,)](y, x, w, b, mean, rstd, n, eps, BLOCK=block,
                                                num_warps=warps))

    def persistent(warps, residents):
        grid = (min(rows, multiprocessors * residents),)
        return (f"persistent {block} {warps} {residents}",
                lambda: layer_norm_persistent[grid](y, x, w, b, mean, rstd, rows, n, eps,
                                                    BLOCK=block, num_warps=warps))

    if block <= 2048:
        return [one(2), one(4), one(8), persistent(4, 8)]
    if block <= 4096:
        return [one(4), one(8), one(16), persistent(8, 4)]
    return [one(8), one(16), one(32), persistent(16, 2)]


@triton.jit
def backward_fused(dx, dy, x, w, mean, rstd, partial_dw, partial_db, rows, n,
                   BLOCK: tl.constexpr):
    program = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    weight = tl.load(w + cols, mask, 0.0)
    dw = tl.zeros([BLOCK], tl.float32)
    db = tl.zeros([BLOCK], tl.float32)
    for row in range(program, rows, tl.num_programs(0)):
        v = tl.load(x + row * n + cols, mask, 0.0).to(tl.float32)
        g = tl.load(dy + row * n + cols, mask, 0.0).to(tl.float32)
        r = tl.load(rstd + row)
        xhat = tl.where(mask, (v - tl.load(mean + row)) * r, 0.0)
        wg = weight.to(tl.float32) * g
        along_x = tl.sum(xhat * wg, 0) / n
        along_1 = tl.sum(wg, 0) / n
        result = (wg - (xhat * along_x + along_1)) * r
        tl.store(dx + row * n + cols, result.to(tl.float16), mask)
        dw += g * xhat
        db += g
    tl.store(partial_dw + program * n + cols, dw, mask)
    tl.store(partial_db + program * n + cols, db, mask)


@triton.jit
def sum_partials(dw, db, partial_dw, partial_db, rows, n, R: tl.constexpr, C: tl.constexpr):
    cols = tl.program_id(0) * C + tl.arange(0, C)
    a = tl.zeros([R, C], tl.float32)
    b = tl.zeros([R, C], tl.float32)
    for first in range(0, rows, R):
        at = (first + tl.arange(0, R))[:, None]
        mask = (at < rows) & (cols[None, :] < n)
        offsets = at * n + cols[None, :]
        a += tl.load(partial_dw + offsets, mask, 0.0)
        b += tl.load(partial_db + offsets, mask, 0.0)
    tl.store(dw + cols, tl.sum(a, 0).to(tl.float16), cols < n)
    tl.store(db + cols, tl.sum(b, 0).to(tl.float16), cols < n)


@triton.jit
def backward_dx(dx, dy, x, w, mean, rstd, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    v = tl.load(x + row * n + cols, mask, 0.0).to(tl.float32)
    g = tl.load(dy + row * n + cols, mask, 0.0).to(tl.float32)
    weight = tl.load(w + cols, mask, 0.0).to(tl.float32)
    r = tl.load(rstd + row)
    xhat = tl.where(mask, (v - tl.load(mean + row)) * r, 0.0)
    wg = weight * g
    along_x = tl.sum(xhat * wg, 0) / n
    along_1 = tl.sum(wg, 0) / n
    result = (wg - (xhat * along_x + along_1)) * r
    tl.store(dx + row * n + cols, result.to(tl.float16), mask)


@triton.jit
def backward_weights(partial_dw, partial_db, dy, x, mean, rstd, rows, n, R: tl.constexpr,
                     C: tl.constexpr):
    cols = tl.program_id(0) * C + tl.arange(0, C)
    dw = tl.zeros([R, C], tl.float32)
    db = tl.zeros([R, C], tl.float32)
    part = tl.cdiv(rows, tl.num_programs(1))
    begin = tl.program_id(1) * part
    end = tl.minimum(begin + part, rows)
    for first in range(begin, end, R):
        row = first + tl.arange(0, R)
        at = row[:, None]
        mask = (at < end) & (cols[None, :] < n)
        offsets = at * n + cols[None, :]
        g = tl.load(dy + offsets, mask, 0.0).to(tl.float32)
        v = tl.load(x + offsets, mask, 0.0).to(tl.float32)
        m = tl.load(mean + row, row < end, 0.0)
        r = tl.load(rstd + row, row < end, 0.0)
        dw += g * (v - m[:, None]) * r[:, None]
        db += g
    tl.store(partial_dw + tl.program_id(1) * n + cols, tl.sum(dw, 0), cols < n)
    tl.store(partial_db + tl.program_id(1) * n + cols, tl.sum(db, 0), cols < n)


def layer_norm_backward(dx, dw, db, dy, x, w, mean, rstd, partial_dw, partial_db,
                        multiprocessors):
    rows, n = x.shape
    block = power(n)

    def add_up(shares):
        sum_partials[(triton.cdiv(n, 32),)](dw, db, partial_dw, partial_db, shares, n, R=64, C=32,
                                            num_warps=8)

    def fused(warps, residents):
        programs = min(rows, multiprocessors * residents)

        def work():
            backward_fused[(programs,)](dx, dy, x, w, mean, rstd, partial_dw, partial_db, rows, n,
                                        BLOCK=block, num_warps=warps)
            add_up(programs)

        return f"fused {block} {warps} {residents}", work

    def apart(warps):
        shares = min(rows, 32)

        def work():
            backward_dx[(rows,)](dx, dy, x, w, mean, rstd, n, BLOCK=block, num_warps=warps)
            backward_weights[(triton.cdiv(n, 128), shares)](
                partial_dw, partial_db, dy, x, mean, rstd, rows, n, R=16, C=128, num_warps=4)
            add_up(shares)

        return f"apart {block} {warps}", work

    if block <= 2048:
        return [fused(4, 4), fused(8, 2), fused(8, 4)]
    if block <= 4096:
        return [fused(8, 2), fused(16, 2), apart(8)]
    return [fused(16, 1), fused(32, 1), apart(16)]


# ---- RMS norm

@triton.jit
def rms_norm_one(y, x, w, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    v = tl.load(x + row * n + cols, mask, 0.0)
    weight = tl.load(w + cols, mask, 0.0)
    r = tl.rsqrt(tl.sum(v * v, 0) / n + eps)
    tl.store(y + row * n + cols, v * r * weight, mask)


def rms_norm(y, x, w, eps):
    rows, n = x.shape
    block = power(n)

    def one(warps):
        return (f"one {block} {warps}",
                lambda: rms_norm_one[(rows,)](y, x, w, n, eps, BLOCK=block, num_warps=warps))

    return [one(4)] if block <= 1024 else [one(8), one(16), one(32)]


# ---- Transposition

@triton.jit
def transpose_tile(out, x, rows, cols, M: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(1) * M + tl.arange(0, M)
    j = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + i[:, None] * cols + j[None, :], (i[:, None] < rows) & (j[None, :] < cols))
    tl.store(out + j[:, None] * rows + i[None, :], tl.trans(v),
             (j[:, None] < cols) & (i[None, :] < rows))


def transpose(out, x):
    rows, cols = x.shape

    def tile(m, n, warps):
        grid = (triton.cdiv(cols, n), triton.cdiv(rows, m))
        return (f"tile {m} {n} {warps}",
                lambda: transpose_tile[grid](out, x, rows, cols, M=m, N=n, num_warps=warps))

    return [tile(32, 32, 4), tile(64, 64, 4), tile(64, 64, 8), tile(128, 64, 8)]


# ---- Blocks of tensor descriptors

@triton.jit
def double_host(out, x, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.program_id(1) * M, tl.program_id(0) * N
    out.store([i, j], x.load([i, j]) * 2.0)


@triton.jit
def double_device(out, x, rows, cols, M: tl.constexpr, N: tl.constexpr):
    to = tl.make_tensor_descriptor(out, [rows, cols], [cols, 1], [M, N])
    source = tl.make_tensor_descriptor(x, [rows, cols], [cols, 1], [M, N])
    i, j = tl.program_id(1) * M, tl.program_id(0) * N
    to.store([i, j], source.load([i, j]) * 2.0)


def blocks(out, x):
    rows, cols = x.shape
    triton.set_allocator(lambda size, alignment, stream:
                         torch.empty(size, device=x.device, dtype=torch.int8))

    def grid(m, n):
        return (triton.cdiv(cols, n), triton.cdiv(rows, m))

    def host(m, n, warps):
        to, source = (TensorDescriptor.from_tensor(t, [m, n]) for t in (out, x))
        return (f"host {m} {n} {warps}",
                lambda: double_host[grid(m, n)](to, source, M=m, N=n, num_warps=warps))

    def device(m, n, warps):
        return (f"device {m} {n} {warps}",
                lambda: double_device[grid(m, n)](out, x, rows, cols, M=m, N=n, num_warps=warps))

    return [host(32, 64, 4), host(32, 128, 4), host(32, 128, 8), host(64, 128, 4),
            host(64, 128, 8), device(64, 128, 4), device(128, 128, 8)]


# ---- Sums

@triton.jit
def row_sum_one(out, x, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    tl.store(out + row, tl.sum(tl.load(x + row * n + cols, cols < n, 0.0), 0))


@triton.jit
def row_sum_loop(out, x, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(x + row * n + cols, cols < n, 0.0)
    tl.store(out + row, tl.sum(total, 0))


def at_once(kernel, out, x, warps):
    """The kernel with a block that holds a row."""
    rows, n = x.shape
    block = power(n)
    return (f"one {block} {warps}",
            lambda: kernel[(rows,)](out, x, n, BLOCK=block, num_warps=warps))


def in_parts(kernel, out, x, part, warps):
    rows, n = x.shape
    return (f"loop {part} {warps}",
            lambda: kernel[(rows,)](out, x, n, BLOCK=part, num_warps=warps))


def row_sum(out, x):
    return ([at_once(row_sum_one, out, x, warps) for warps in (8, 16)] +
            [in_parts(row_sum_loop, out, x, part, warps)
             for part, warps in ((1024, 4), (2048, 4), (4096, 8))])


@triton.jit
def large_sum_last(out, x, n, partial, finished, BLOCK: tl.constexpr, PROGRAMS: tl.constexpr):
    programs = tl.num_programs(0)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(tl.program_id(0) * BLOCK, n, programs * BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x + at, at < n, 0.0)
    tl.store(partial + tl.program_id(0), tl.sum(total, 0))
    tl.debug_barrier()
    if tl.atomic_add(finished, 1) == programs - 1:
        every = tl.arange(0, PROGRAMS)
        tl.store(out, tl.sum(tl.load(partial + every, every < programs, 0.0), 0))
        tl.store(finished, 0)


@triton.jit
def large_sum_partial(partial, x, n, BLOCK: tl.constexpr):
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x + at, at < n, 0.0)
    tl.store(partial + tl.program_id(0), tl.sum(total, 0))


def large_sum(out, x, partial, finished, multiprocessors):
    n = x.numel()

    def last(block, warps, residents):
        grid = (min(2048, multiprocessors * residents),)
        return (f"last {block} {warps} {residents}",
                lambda: large_sum_last[grid](out, x, n, partial, finished, BLOCK=block,
                                             PROGRAMS=2048, num_warps=warps))

    def two(block, warps, residents):
        programs = min(2048, multiprocessors * residents)

        def work():
            large_sum_partial[(programs,)](partial, x, n, BLOCK=block, num_warps=warps)
            row_sum_one[(1,)](out, partial, programs, BLOCK=2048, num_warps=8)

        return f"two kernels {block} {warps} {residents}", work

    return [last(4096, 8, 4), last(2048, 4, 8), two(4096, 8, 4), two(2048, 4, 8)]


@triton.jit
def cumsum_one(out, x, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    tl.store(out + row + cols, tl.cumsum(tl.load(x + row + cols, mask, 0.0), 0), mask)


@triton.jit
def cumsum_loop(out, x, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    carried = 0.0
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < n
        v = tl.load(x + row + cols, mask, 0.0)
        tl.store(out + row + cols, tl.cumsum(v, 0) + carried, mask)
        carried += tl.sum(v, 0)


def cumsum(out, x):
    return ([at_once(cumsum_one, out, x, warps) for warps in (8, 16, 32)] +
            [in_parts(cumsum_loop, out, x, part, warps) for part, warps in ((2048, 4), (4096, 8))])


@triton.jit
def sort_one(out, x, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    tl.store(out + row + cols, tl.sort(tl.load(x + row + cols, mask, float("inf"))), mask)


@triton.jit
def topk_one(out, x, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + cols, cols < n, -float("inf"))
    tl.store(out + row * 8 + tl.arange(0, 8), tl.topk(v, 8))


def sort(out, x):
    return [at_once(sort_one, out, x, warps) for warps in (1, 2, 4, 8, 16)]


def topk(out, x):
    return [at_once(topk_one, out, x, warps) for warps in (1, 2, 4, 8, 16)]


# ---- Dropout

@triton.jit
def dropout_each(x, out, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    v = tl.load(x + at, mask)
    tl.store(out + at, tl.where(tl.rand(seed, at) > p, v / (1 - p), 0.0), mask)


@triton.jit
def dropout_four(x, out, n, p, seed, BLOCK: tl.constexpr):
    quads = tl.program_id(0) * (BLOCK // 4) + tl.arange(0, BLOCK // 4)
    a, b, c, d = tl.rand4x(seed, quads)
    random = tl.reshape(tl.join(tl.join(a, c), tl.join(b, d)), [BLOCK])
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    v = tl.load(x + at, mask, 0.0) * (1.0 / (1.0 - p))
    tl.store(out + at, tl.where(random > p, v, 0.0), mask)


def dropout(out, x, p, seed):
    n = x.numel()

    def way(name, kernel, block, warps):
        grid = (triton.cdiv(n, block),)
        return (f"{name} {block} {warps}",
                lambda: kernel[grid](x, out, n, p, seed, BLOCK=block, num_warps=warps))

    return [way("each", dropout_each, 1024, 4), way("four", dropout_four, 1024, 4),
            way("four", dropout_four, 2048, 4), way("four", dropout_four, 4096, 8)]


# ---- Histogram and gather

@triton.jit
def histogram_loop(out, x, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    counts = tl.zeros([BINS], tl.int32)
    for start in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        at = start + tl.arange(0, BLOCK)
        mask = at < n
        counts += tl.histogram(tl.load(x + at, mask, 0), BINS, mask)
    tl.atomic_add(out + tl.arange(0, BINS), counts, sem="relaxed")


def histogram(out, x, multiprocessors):
    n = x.numel()

    def loop(block, warps, residents):
        grid = (min(triton.cdiv(n, block), multiprocessors * residents),)

        def work():
            out.zero_()
            histogram_loop[grid](out, x, n, BINS=256, BLOCK=block, num_warps=warps)

        return f"loop {block} {warps} {residents}", work

    return [loop(2048, 4, 8), loop(4096, 8, 4), loop(8192, 8, 4), loop(1024, 4, 8)]


@triton.jit
def gather_register(out, x, index, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    at = tl.load(index + row + cols, mask, 0)
    v = tl.load(x + row + cols, mask, 0.0)
    tl.store(out + row + cols, tl.gather(v, at, 0), mask)


@triton.jit
def gather_memory(out, x, index, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    at = tl.load(index + row + cols, mask, 0)
    tl.store(out + row + cols, tl.load(x + row + at, mask), mask)


def gather(out, x, index):
    rows, n = x.shape
    block = power(n)

    def way(name, kernel, warps):
        return (f"{name} {block} {warps}",
                lambda: kernel[(rows,)](out, x, index, n, BLOCK=block, num_warps=warps))

    return [way("register", gather_register, 4), way("register", gather_register, 8),
            way("memory", gather_memory, 4), way("memory", gather_memory, 8)]


# ---- Mathematical functions

@triton.jit
def function_kernel(out, x, n, NAME: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    v = tl.load(x + at, mask, 1.0)
    total = tl.zeros([BLOCK], tl.float32)
    for k in range(0, 32):
        u = v + k.to(tl.float32) * 0.015625
        if NAME == "exp":
            total += tl.exp(u)
        elif NAME == "exp2":
            total += tl.exp2(u)
        elif NAME == "log":
            total += tl.log(u)
        elif NAME == "log2":
            total += tl.log2(u)
        elif NAME == "sqrt":
            total += tl.sqrt(u)
        elif NAME == "rsqrt":
            total += tl.rsqrt(u)
        elif NAME == "sin":
            total += tl.sin(u)
        elif NAME == "cos":
            total += tl.cos(u)
        elif NAME == "erf":
            total += tl.erf(u)
        elif NAME == "tanh":
            total += libdevice.tanh(u)
        elif NAME == "pow":
            total += libdevice.pow(u, u)
        elif NAME == "log1p":
            total += libdevice.log1p(u)
        elif NAME == "atan":
            total += libdevice.atan(u)
        else:
            total += tl.sigmoid(u)
    tl.store(out + at, total, mask)


def functions(out, x, name):
    n = out.numel()

    def way(block, warps):
        return (f"block {block} {warps}",
                lambda: function_kernel[(triton.cdiv(n, block),)](out, x, n, NAME=name,
                                                                  BLOCK=block, num_warps=warps))

    return [way(1024, 4), way(512, 4), way(2048, 8)]


# ---- The cost of launching and compiling

@triton.jit
def five_arguments(out, x, y, n, scale):
    tl.store(out, tl.load(x) + tl.load(y) * scale, n > 0)


@triton.jit
def layer_norm_f32(x, w, b, y, mean, rstd, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    v = tl.load(x + row * n + cols, mask, 0.0)
    m = tl.sum(v, 0) / n
    centred = tl.where(mask, v - m, 0.0)
    r = tl.rsqrt(tl.sum(centred * centred, 0) / n + eps)
    tl.store(mean + row, m)
    tl.store(rstd + row, r)
    tl.store(y + row * n + cols,
             centred * r * tl.load(w + cols, mask) + tl.load(b + cols, mask), mask)
