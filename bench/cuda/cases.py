# SPDX-License-Identifier: MIT
"""What is measured: a function a table, which yields its cases one after the other, so that only
one case's memory is held. Inputs are random, outputs are poisoned before they are checked, and
references are computed in float64."""
from dataclasses import dataclass, field
from typing import Callable

import torch

try:
    import triton_peers as peers
except ImportError:
    peers = None


@dataclass
class Case:
    row: str                 # "4096 x 1024"
    bytes: int               # read and written, for the bandwidth
    arguments: list          # of the tl kernel, in its order
    outputs: list            # tensors to poison
    check: Callable          # yields (what, tensor, reference, relative, absolute)
    triton: list = field(default_factory=list)  # (name, work): the best counts
    torch: Callable = None
    goals: dict = field(default_factory=dict)   # peer -> ratio that we mean to reach


class Setting:
    """Where and how large."""

    def __init__(self, device, quick, multiprocessors, seed):
        self.device, self.quick, self.multiprocessors = device, quick, multiprocessors
        self.small = not device.startswith("cuda")  # only to see that everything works
        self.generator = torch.Generator(device=device)
        self.generator.manual_seed(seed)

    def random(self, *shape, dtype=torch.float32):
        x = torch.rand(*shape, device=self.device, generator=self.generator) * 2 - 1
        return x.to(dtype)

    def integers(self, below, *shape):
        return torch.randint(0, below, shape, device=self.device, generator=self.generator,
                             dtype=torch.int32)

    def empty(self, *shape, dtype=torch.float32):
        return torch.empty(*shape, device=self.device, dtype=dtype)

    def zeros(self, *shape, dtype=torch.float32):
        return torch.zeros(*shape, device=self.device, dtype=dtype)

    def candidates(self, make):
        return make() if peers and not self.small else []


def vector_add(s):
    sizes = [1 << p for p in range(12, 28)]
    if s.quick:
        sizes = sizes[::5]
    if s.small:
        sizes = [4096, 100000]
    for n in sizes:
        x, y, out = s.random(n), s.random(n), s.empty(n)
        goals = {"triton": 0.98, "torch": 0.98}
        if n >= 1 << 24:
            goals["copy"] = 0.97
        yield Case(str(n), 12 * n, [out, x, y, n], [out],
                   lambda: [("sum", out, x.double() + y.double(), 1e-6, 1e-7)],
                   s.candidates(lambda: peers.vector_add(out, x, y)),
                   lambda: torch.add(x, y, out=out), goals)


def softmax(s):
    widths = [256 << p for p in range(10)]
    if s.quick:
        widths = [256, 1024, 8192, 32768, 131072]
    if s.small:
        widths = [256, 781, 1024, 65536]
    for cols in widths:
        rows = 16 if s.small else 2048 if cols >= 65536 else 4096
        x, out = s.random(rows, cols) * 4, s.empty(rows, cols)
        scratch = s.zeros(3 * rows * max(1, cols // 2048))
        goals = {"triton": 1.0}
        if cols >= 4096:
            goals["copy"] = 0.93

        def check():
            # In slices, to spare memory.
            for part in range(0, rows, 512):
                wide = x[part:part + 512].double()
                e = torch.exp(wide - torch.amax(wide, 1, keepdim=True))
                yield ("softmax", out[part:part + 512], e / e.sum(1, keepdim=True), 2e-5, 1e-12)

        yield Case(f"{rows} x {cols}", 8 * rows * cols, [out, x, rows, cols, scratch], [out], check,
                   s.candidates(lambda: peers.softmax(out, x, s.multiprocessors)),
                   lambda: torch.softmax(x, 1), goals)


def norm_inputs(s, rows, cols):
    x = s.random(rows, cols, dtype=torch.float16)
    w = (s.random(cols) + 1).to(torch.float16)
    b = s.random(cols, dtype=torch.float16)
    return x, w, b


def norm_widths(s):
    if s.small:
        return 32, [1024, 1500]
    return 4096, [1024, 4096, 16384] if s.quick else [1024, 2048, 4096, 8192, 16384]


EPSILON = 1e-5


def layer_norm(s):
    rows, widths = norm_widths(s)
    for cols in widths:
        x, w, b = norm_inputs(s, rows, cols)
        y = s.empty(rows, cols, dtype=torch.float16)
        mean, rstd = s.empty(rows), s.empty(rows)

        def check():
            wide = x.double()
            m = wide.mean(1, keepdim=True)
            r = 1 / torch.sqrt(((wide - m) ** 2).mean(1, keepdim=True) + EPSILON)
            yield "y", y, (wide - m) * r * w.double() + b.double(), 1e-3, 1e-3
            yield "mean", mean, m.reshape(rows), 1e-5, 1e-6
            yield "rstd", rstd, r.reshape(rows), 1e-5, 1e-6

        yield Case(f"{rows} x {cols}", 4 * rows * cols + 4 * cols + 8 * rows,
                   [y, x, w, b, mean, rstd, rows, cols], [y, mean, rstd], check,
                   s.candidates(lambda: peers.layer_norm(y, x, w, b, mean, rstd, EPSILON,
                                                         s.multiprocessors)),
                   lambda: torch.native_layer_norm(x, [cols], w, b, EPSILON), {"triton": 1.0})


def layer_norm_backward(s):
    rows, widths = norm_widths(s)
    for cols in widths:
        x, w, b = norm_inputs(s, rows, cols)
        dy = s.random(rows, cols, dtype=torch.float16)
        wide = x.float()
        mean = wide.mean(1)
        rstd = 1 / torch.sqrt(((wide - mean[:, None]) ** 2).mean(1) + EPSILON)
        dx = s.empty(rows, cols, dtype=torch.float16)
        dw, db = s.empty(cols, dtype=torch.float16), s.empty(cols, dtype=torch.float16)
        shares = max(32, 8 * s.multiprocessors)
        scratch = s.empty(2, shares, cols)

        def check():
            xhat = (x.double() - mean.double()[:, None]) * rstd.double()[:, None]
            wg = dy.double() * w.double()
            along_x = (xhat * wg).mean(1, keepdim=True)
            along_1 = wg.mean(1, keepdim=True)
            want = (wg - xhat * along_x - along_1) * rstd.double()[:, None]
            yield "dx", dx, want, 2e-3, 2e-3
            yield "dweight", dw, (dy.double() * xhat).sum(0), 2e-3, 2e-2
            yield "dbias", db, dy.double().sum(0), 2e-3, 2e-2

        yield Case(f"{rows} x {cols}", 6 * rows * cols + 8 * rows + 6 * cols,
                   [dx, dw, db, dy, x, w, mean, rstd, rows, cols, scratch], [dx, dw, db], check,
                   s.candidates(lambda: peers.layer_norm_backward(
                       dx, dw, db, dy, x, w, mean, rstd, scratch[0], scratch[1],
                       s.multiprocessors)),
                   lambda: torch.ops.aten.native_layer_norm_backward(
                       dy, x, [cols], mean[:, None], rstd[:, None], w, b, [True, True, True]),
                   {"triton": 1.0})


def square(s):
    return (64, 8192) if s.small else (8192, 8192)


def rms_norm(s):
    rows, cols = square(s)
    x, w, y = s.random(rows, cols), s.random(cols) + 1, s.empty(rows, cols)
    eps = 1e-6

    def check():
        wide = x.double()
        yield "y", y, wide / torch.sqrt((wide * wide).mean(1, keepdim=True) + eps) * w.double(), \
            1e-5, 1e-6

    yield Case(f"{rows} x {cols}", 8 * rows * cols + 4 * cols, [y, x, w, rows, cols], [y], check,
               s.candidates(lambda: peers.rms_norm(y, x, w, eps)),
               lambda: torch.nn.functional.rms_norm(x, [cols], w, eps), {"triton": 1.0})


def transpose(s):
    rows, cols = (96, 200) if s.small else (8192, 8192)
    x, out = s.random(rows, cols), s.empty(cols, rows)
    yield Case(f"{rows} x {cols}", 8 * rows * cols, [out, x, rows, cols], [out],
               lambda: [("transposed", out, x.t().double(), 0, 1e-30)],
               s.candidates(lambda: peers.transpose(out, x)),
               lambda: out.copy_(x.t()), {"triton": 1.0})


def blocks(s):
    rows, cols = (96, 256) if s.small else (8192, 8192)
    x = s.random(rows, cols, dtype=torch.float16)
    out = s.empty(rows, cols, dtype=torch.float16)
    yield Case(f"{rows} x {cols}", 4 * rows * cols, [out, x, rows, cols], [out],
               lambda: [("doubled", out, x.double() * 2, 0, 1e-30)],
               s.candidates(lambda: peers.blocks(out, x)),
               lambda: torch.add(x, x, out=out), {"triton": 1.0})


def row_sum(s):
    rows, cols = square(s)
    x, out = s.random(rows, cols), s.empty(rows)
    yield Case(f"{rows} x {cols}", 4 * rows * cols + 4 * rows, [out, x, rows, cols], [out],
               lambda: [("sums", out, x.double().sum(1), 1e-5, 1e-3)],
               s.candidates(lambda: peers.row_sum(out, x)),
               lambda: torch.sum(x, 1), {"triton": 1.0})


def large_sum(s):
    n = 100000 if s.small else 1 << 26
    x, out, scratch = s.random(n), s.empty(1), s.zeros(4096)
    scratch_peer, counter = s.zeros(4096), s.zeros(1, dtype=torch.int32)
    yield Case(str(n), 4 * n, [out, x, n, scratch], [out],
               lambda: [("sum", out, x.double().sum().reshape(1), 1e-5, 0.5)],
               s.candidates(lambda: peers.large_sum(out, x, scratch_peer, counter,
                                                    s.multiprocessors)),
               lambda: torch.sum(x), {"triton": 1.0})


def cumsum(s):
    rows, cols = square(s)
    x, out = s.random(rows, cols), s.empty(rows, cols)
    yield Case(f"{rows} x {cols}", 8 * rows * cols, [out, x, rows, cols], [out],
               lambda: [("running sums", out, torch.cumsum(x.double(), 1), 1e-4, 1e-3)],
               s.candidates(lambda: peers.cumsum(out, x)),
               lambda: torch.cumsum(x, 1), {"triton": 1.0})


def sorting_shapes(s):
    return [(64, 1000)] if s.small else [(65536, 1024), (16384, 4096), (16384, 4000)]


def sort(s):
    for rows, cols in sorting_shapes(s):
        x, out = s.random(rows, cols), s.empty(rows, cols)
        yield Case(f"{rows} x {cols}", 8 * rows * cols, [out, x, rows, cols], [out],
                   lambda: [("rows", out, torch.sort(x, 1).values.double(), 0, 1e-30)],
                   s.candidates(lambda: peers.sort(out, x)), lambda: torch.sort(x, 1),
                   {"triton": 1.5})


def topk(s):
    for rows, cols in sorting_shapes(s):
        x, out = s.random(rows, cols), s.empty(rows, 8)
        yield Case(f"{rows} x {cols}, 8", 4 * rows * cols, [out, x, rows, cols], [out],
                   lambda: [("largest", out, torch.topk(x, 8).values.double(), 0, 1e-30)],
                   s.candidates(lambda: peers.topk(out, x)), lambda: torch.topk(x, 8),
                   {"triton": 1.5})


def dropout(s):
    n = 100000 if s.small else 1 << 26
    x, out = s.random(n) + 2, s.empty(n)

    def check():
        kept = out != 0
        yield "kept values", out, torch.where(kept, x * 2, 0 * x).double(), 1e-6, 0
        share = kept.double().mean().reshape(1)
        yield "share kept", share, 0 * share + 0.5, 0, 0.01

    yield Case(str(n), 8 * n, [out, x, n, 1234], [out], check,
               s.candidates(lambda: peers.dropout(out, x, 0.5, 1234)),
               lambda: torch.nn.functional.dropout(x, 0.5, True))


def histogram(s):
    n = 100000 if s.small else 1 << 26
    x, out = s.integers(256, n), s.empty(256, dtype=torch.int32)
    yield Case(f"{n} int32, 256 bins", 4 * n, [out, x, n], [out],
               lambda: [("counts", out, torch.bincount(x, minlength=256).double(), 0, 0.5)],
               s.candidates(lambda: peers.histogram(out, x, s.multiprocessors)),
               lambda: torch.bincount(x, minlength=256))


def gather(s):
    rows, cols = (64, 1024) if s.small else (65536, 1024)
    x, index, out = s.random(rows, cols), s.integers(cols, rows, cols), s.empty(rows, cols)
    wide = index.long()
    yield Case(f"{rows} x {cols}", 12 * rows * cols, [out, x, index, rows, cols], [out],
               lambda: [("picked", out, torch.gather(x, 1, wide).double(), 0, 1e-30)],
               s.candidates(lambda: peers.gather(out, x, index)),
               lambda: torch.gather(x, 1, wide))


def functions(s):
    ways = {  # in the order of functions.cpp
        "exp": torch.exp, "exp2": torch.exp2, "log": torch.log, "log2": torch.log2,
        "sqrt": torch.sqrt, "rsqrt": torch.rsqrt, "sin": torch.sin, "cos": torch.cos,
        "erf": torch.erf, "tanh": torch.tanh, "pow": lambda x: torch.pow(x, x),
        "log1p": torch.log1p, "atan": torch.atan, "sigmoid": torch.sigmoid}
    n = 100000 if s.small else 1 << 24
    for number, (name, function) in enumerate(ways.items()):
        x, out = s.random(n) + 2, s.empty(n)

        def reference():
            wide = x.double()
            return sum(function(wide + k / 64) for k in range(32))

        # No bandwidth: 32 evaluations of 4 bytes each count.
        yield Case(name, 32 * 4 * n, [out, x, n, number], [out],
                   lambda: [("sums", out, reference(), 1e-5, 1e-4)],
                   s.candidates(lambda: peers.functions(out, x, name)),
                   None, {"triton": 1.0})


# The kernel's name, what stands above its table, its cases.
TABLES = [
    ("vector_add", "vector add, float", vector_add),
    ("softmax", "softmax, float", softmax),
    ("layer_norm", "layer norm, float16", layer_norm),
    ("layer_norm_backward", "layer norm backward, float16", layer_norm_backward),
    ("rms_norm", "RMS norm, float", rms_norm),
    ("transpose", "transposition, float", transpose),
    ("row_sum", "sums of rows, float", row_sum),
    ("large_sum", "sum of a vector, float", large_sum),
    ("cumsum", "running sums of rows, float", cumsum),
    ("sort", "rows in order, float", sort),
    ("topk", "the eight largest of rows, float", topk),
    ("dropout", "dropout, float", dropout),
    ("histogram", "histogram", histogram),
    ("gather", "gather in rows, float by int32", gather),
    ("blocks", "twice a float16 matrix, by tensor descriptors", blocks),
    ("functions", "32 times a function, float", functions),
]
