# SPDX-License-Identifier: MIT
"""What matrices.py measures: a function a table, which yields its cases one after the other, so that
only one case's memory is held. Operands are random; references are computed in float64, of a part
where all would take long."""
import itertools
import math
from dataclasses import dataclass, field
from typing import Callable

import torch

try:
    import triton_products as peers
except ImportError:
    peers = None


@dataclass
class Case:
    table: str               # "f16"
    row: str                 # "4096 x 4096 x 4096"
    kernel: str              # tl's
    flops: float
    arguments: list
    outputs: list
    check: Callable          # yields (what, tensor, reference, allowed): of the largest reference
    peers: dict = field(default_factory=dict)  # name -> function that makes [(name, work)]
    prepare: Callable = None  # before tl's runs are checked


class Setting:
    def __init__(self, device, quick, warm, seed):
        self.device, self.quick, self.warm = device, quick, warm
        self.cuda = device.startswith("cuda")
        properties = torch.cuda.get_device_properties(device) if self.cuda else None
        self.multiprocessors = properties.multi_processor_count if self.cuda else 4
        self.generator = torch.Generator(device=device)
        self.generator.manual_seed(seed)
        self.lt = None
        if self.cuda:
            try:
                import cublaslt
                self.lt = cublaslt.CublasLt()
            except Exception as error:  # noqa: BLE001
                print(f"note: without cuBLASLt by its C functions: {error}")
        self.scratch = torch.zeros(1 << (26 if self.cuda else 20), dtype=torch.float32,
                                   device=device)

    def some(self, sizes):
        """All, every second, or only the second, which needs the same code."""
        return sizes[1:2] if self.warm else sizes[:: 2 if self.quick else 1]

    def normal(self, *shape, dtype=torch.float16):
        x = torch.randn(*shape, device=self.device, generator=self.generator)
        if dtype == torch.int8:
            return (x * 40).clamp(-127, 127).to(dtype)
        return x.to(dtype)

    def matrix(self, rows, columns, dtype, turned):
        """Normal values; `turned` lies column by column."""
        if turned:
            return self.normal(columns, rows, dtype=dtype).T
        return self.normal(rows, columns, dtype=dtype)


# ---- Products

KINDS = {  # name: (operands, result, error of the result relative to its largest element)
    "f16": (torch.float16, torch.float16, 2e-3),
    "bf16": (torch.bfloat16, torch.bfloat16, 1.6e-2),
    "tf32": (torch.float32, torch.float32, 2e-3),
    "ieee": (torch.float32, torch.float32, 1e-5),
    "fp8": (torch.float8_e4m3fn, torch.float16, 1.5e-2),  # the matrix units keep about 14 bits of a sum
    "int8": (torch.int8, torch.int32, 0),
}


def product(s, kind, M, N, K, turned=(False, False), note=""):
    operand, result, allowed = KINDS[kind]
    # What cuBLAS demands of 8-bit types.
    if kind in ("fp8", "int8") and not note:
        turned = (False, True)
    a, b = s.matrix(M, K, operand, turned[0]), s.matrix(K, N, operand, turned[1])
    c = torch.empty(M, N, dtype=result, device=s.device)
    other = torch.empty_like(c)
    arguments = [a, b, c, M, N, K, *a.stride(), *b.stride(), c.stride(0), s.scratch]

    def check():
        if not s.cuda or M * N * K <= 1 << 33:
            want = a.double() @ b.double()
            yield "product", c, want, allowed
            return
        rows = torch.randperm(M, device=s.device)[:64]
        yield "rows of the product", c[rows], a[rows].double() @ b.double(), allowed

    def by_torch():
        if kind in ("f16", "bf16", "tf32", "ieee"):
            torch.backends.cuda.matmul.allow_tf32 = kind == "tf32"
            return [("torch", lambda: torch.matmul(a, b, out=other))]
        if kind == "fp8":
            one = torch.ones((), device=s.device)
            return [("torch", lambda: torch._scaled_mm(a, b, one, one, out_dtype=result,
                                                       use_fast_accum=True))]
        return [("torch", lambda: torch._int_mm(a, b))]

    def by_cublas():
        ways = by_torch()
        if s.lt:
            ways += s.lt.ways(a, b, other, kind == "tf32", 2 if s.quick else 4)
        return ways

    def by_triton():
        return peers.matmul(a, b, other, s.multiprocessors, s.quick, kind == "ieee")

    shape = f"{M} x {N} x {K}" + (f" {note}" if note else "")
    ways = {"cublas": by_cublas}
    if peers:
        ways["triton"] = by_triton
    if peers and kind in ("f16", "bf16") and M == N == K:
        ways["tutorial"] = lambda: [way for way in by_triton() if way[0].startswith("pointers")]
    return Case(kind, shape, "matmul_" + kind, 2.0 * M * N * K, arguments, [c], check, ways)


def activated(s):
    """A bias and GELU, beside cuBLAS followed by PyTorch's, and the product alone."""
    for n in s.some([1024, 2048, 4096, 8192]) if s.cuda else [64]:
        case = product(s, "f16", n, n, n)
        a, b, c = case.arguments[:3]
        bias = s.normal(n)
        other = torch.empty_like(c)
        case.kernel, case.arguments = "matmul_gelu", case.arguments[:11] + [bias]

        def check():
            rows = torch.randperm(n, device=s.device)[:64]
            want = torch.nn.functional.gelu(a[rows].double() @ b.double() + bias.double(),
                                            approximate="tanh")
            yield "rows", c[rows], want, 2e-3

        def by_torch():
            def work():
                torch.addmm(bias, a, b, out=other)
                return torch.nn.functional.gelu(other, approximate="tanh")
            return [("addmm, gelu", work)]

        case.check = check
        case.peers = {"cublas": case.peers["cublas"], "torch": by_torch}
        yield case


def batches(s):
    shapes = [(4096, 16, 16, 16), (4096, 32, 32, 64), (1024, 64, 64, 64), (256, 256, 256, 256),
              (32, 1024, 1024, 1024)]
    for batch, M, N, K in shapes if s.cuda else [(5, 16, 16, 32)]:
        a, b = s.normal(batch, M, K), s.normal(batch, K, N)
        c, other = (torch.empty(batch, M, N, dtype=torch.float16, device=s.device)
                    for _ in range(2))
        yield Case("batched", f"{batch} of {M} x {N} x {K}", "matmul_batched",
                   2.0 * batch * M * N * K, [a, b, c, batch, M, N, K], [c],
                   lambda: [("products", c, a.double() @ b.double(), 2e-3)],
                   {"cublas": lambda: [("bmm", lambda: torch.bmm(a, b, out=other))]})


def squares(kind, sizes):
    def cases(s):
        if not s.cuda:
            yield product(s, kind, 70, 56, 48)
            return
        for n in s.some(sizes):
            yield product(s, kind, n, n, n)
    return cases


def skinny(s):
    if not s.cuda:
        yield product(s, "f16", 16, 64, 96)
        return
    for M in (1, 16, 64, 100) if not s.quick else (1, 16, 64):
        yield product(s, "f16", M, 8192, 8192)
        if not s.quick:
            yield product(s, "f16", M, 8192, 8192, (False, True), "nt")


def ragged(s):
    if not s.cuda:
        yield product(s, "f16", 33, 40, 50)
        return
    for M, N, K in [(1000, 1000, 1000), (4000, 4000, 4001), (3000, 5000, 2000), (4096, 4096, 4090),
                    (100, 4096, 4096), (2047, 2049, 2048)][:: 2 if s.quick else 1]:
        yield product(s, "f16", M, N, K)


def transposed(s):
    n = 4096 if s.cuda else 64
    for kind in ("f16", "bf16", "tf32", "fp8", "int8")[: 1 if s.quick or not s.cuda else 5]:
        for first, second in itertools.product((False, True), repeat=2):
            yield product(s, kind, n, n, n, (first, second), "nt"[first] + "nt"[second])


def int4_weights(s):
    """Weights of four bits beside the same weights as float16."""
    for M in (1, 16, 64) if s.cuda else (3,):
        N, K, group = (8192, 8192, 128) if s.cuda else (136, 256, 128)
        numbers = torch.randint(0, 16, (K, N), device=s.device, generator=s.generator,
                                dtype=torch.int32)
        zeros = torch.randint(0, 16, (K // group, N), device=s.device, generator=s.generator,
                              dtype=torch.int32)
        scales = (s.normal(K // group, N).abs() * 0.02 + 0.005).half()
        x, c = s.normal(M, K), torch.empty(M, N, dtype=torch.float16, device=s.device)
        other = torch.empty_like(c)
        shifts = torch.tensor([4 * (j // 2 + j % 2 * 4) for j in range(8)], device=s.device)

        def packed(values):
            eights = values.view(values.shape[0], N // 8, 8).long() << shifts
            return eights.sum(-1).to(torch.int32)  # the upper half is cut off

        def spread(lines):
            return lines.repeat_interleave(group, 0)

        wide = ((numbers - spread(zeros)).half() * spread(scales)).half()

        def by_cublas():
            return [("torch", lambda: torch.matmul(x, wide, out=other))] + (
                s.lt.ways(x, wide, other) if s.lt else [])

        yield Case("int4", f"{M} x {N} x {K}", "matmul_int4", 2.0 * M * N * K,
                   [x, packed(numbers), packed(zeros), scales, c, M, N, K, group, s.scratch], [c],
                   lambda: [("product", c, x.double() @ wide.double(), 2e-3)],
                   {"cublas": by_cublas})


def experts(s):
    """A layer of a mixture of experts, beside a product per expert."""
    shapes = [(16, 8, 2, 4096, 1024, 16), (256, 8, 2, 4096, 1024, 64),
              (4096, 8, 2, 4096, 4096, 128), (4096, 64, 8, 2048, 1408, 64)]
    for tokens, count, choices, N, K, tile in shapes if s.cuda else [(20, 4, 2, 64, 96, 16)]:
        x, w = s.normal(tokens, K), s.normal(count, N, K)
        picked = torch.rand(tokens, count, device=s.device, generator=s.generator).topk(choices)[1]
        flat = picked.flatten()
        weights = torch.rand(tokens * choices, device=s.device, generator=s.generator)
        slots, owners = [], []
        for expert in range(count):
            mine = (flat == expert).nonzero().flatten()
            pad = -len(mine) % tile
            slots.append(torch.cat([mine, mine.new_full((pad,), len(flat))]))
            owners += [expert] * ((len(mine) + pad) // tile)
        slots = torch.cat(slots)
        used = torch.tensor([len(slots)], dtype=torch.int32, device=s.device)
        most = len(owners) * tile
        owners = torch.tensor(owners, dtype=torch.int32, device=s.device)
        out = torch.empty(tokens * choices, N, dtype=torch.float16, device=s.device)
        members = [(flat == e).nonzero().flatten() for e in range(count)]

        def by_loops():
            def work():
                other = torch.empty_like(out)
                for expert, mine in enumerate(members):
                    other[mine] = (x[mine // choices] @ w[expert].T) * weights[mine, None].half()
            return [("torch", work)]

        def check():
            some = torch.randperm(len(flat), device=s.device)[:256]
            want = torch.einsum("sk,snk->sn", x[some // choices].double(),
                                w[flat[some]].double()) * weights[some, None].double()
            yield "rows", out[some], want, 2e-3

        yield Case("moe", f"{tokens} x {N} x {K}, {choices} of {count}", "fused_moe",
                   2.0 * tokens * choices * N * K,
                   [x, w, out, weights, slots.to(torch.int32), owners, used, len(flat), most,
                    choices, N, K, tile], [out], check, {"torch": by_loops})


# ---- Attention

def decode(s):
    """One query a sequence over pages, beside attention over keys that lie together."""
    head, page = 128, 16
    for sequences, heads, key_heads, length in [(1, 32, 8, 8192), (16, 32, 8, 4096),
                                                (64, 32, 8, 2048)] if s.cuda else [(2, 4, 2, 50)]:
        row = -(-length // page)
        q = s.normal(sequences, heads, head)
        keys, values = (s.normal(sequences * row, page, key_heads, head) for _ in range(2))
        table = torch.randperm(sequences * row, device=s.device).to(torch.int32)
        table = table.view(sequences, row)
        lengths = torch.full((sequences,), length, dtype=torch.int32, device=s.device)
        partial = torch.empty(sequences * heads * 32, head, device=s.device)
        logs, out = torch.empty(sequences * heads * 32, device=s.device), torch.empty_like(q)

        def together(x):
            lines = x[table.long()].view(sequences, row * page, key_heads, head)[:, :length]
            return lines.transpose(1, 2).contiguous()

        k, v = together(keys), together(values)

        def check():
            group = heads // key_heads
            scores = torch.einsum("shd,shld->shl", q.double(),
                                  k.repeat_interleave(group, 1).double()) / math.sqrt(head)
            yield "attention", out, torch.einsum(
                "shl,shld->shd", scores.softmax(-1), v.repeat_interleave(group, 1).double()), 2e-3

        def by_flash():
            from torch.nn.attention import SDPBackend, sdpa_kernel

            def work():
                with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION]):
                    return torch.nn.functional.scaled_dot_product_attention(
                        q[:, :, None], k, v, enable_gqa=True)
            return [("torch", work)]

        yield Case("decode", f"{sequences} x {heads} of {key_heads} x {length}", "paged_decode",
                   4.0 * sequences * heads * length * head,
                   [q, keys, values, table, lengths, partial, logs, out, sequences, heads,
                    key_heads, page, row], [out], check, {"flash": by_flash} if s.cuda else {})


def gated_delta(s):
    """Chunked linear attention; PyTorch has none to compare with."""
    head = 128
    for sequences, heads, length in [(1, 16, 16384), (8, 16, 2048)] if s.cuda else [(2, 1, 70)]:
        tokens = sequences * length
        unit = 1 / math.sqrt(head)
        q, k = ((s.normal(tokens, heads, head).float() * unit).half() for _ in range(2))
        v = s.normal(tokens, heads, head)
        decay = -0.1 * torch.rand(tokens, heads, device=s.device, generator=s.generator)
        beta = torch.rand(tokens, heads, device=s.device, generator=s.generator)
        starts = torch.arange(0, tokens + 1, length, dtype=torch.int32, device=s.device)
        w, u, out = (torch.empty_like(v) for _ in range(3))
        state = torch.zeros(sequences, heads, head, head, device=s.device)

        def check():
            # The first tokens of the first sequence, one after the other.
            few, memory, wants = min(200, length), torch.zeros(
                heads, head, head, dtype=torch.float64, device=s.device), []
            for t in range(few):
                kt, vt, qt = (x[t].double() for x in (k, v, q))
                memory = memory * decay[t].double().exp()[:, None, None]
                change = beta[t].double()[:, None] * (vt - torch.einsum("hk,hkv->hv", kt, memory))
                memory = memory + kt[:, :, None] * change[:, None, :]
                wants.append(torch.einsum("hk,hkv->hv", qt, memory))
            yield "first tokens", out[:few], torch.stack(wants), 1e-2

        # Products with chunks of 64 tokens.
        flops = 2.0 * tokens * heads * (5 * 64 * head + 3 * head * head)
        yield Case("gated_delta", f"{sequences} x {heads} x {length} x {head}", "gated_delta_rule",
                   flops, [q, k, v, decay, beta, starts, w, u, state, out, sequences, heads, length],
                   [out], check, {}, lambda module: state.zero_())


def peer_ways(s, q, k, v, causal, backward=None):
    """Attention as PyTorch ships it, by the name of the library."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def ways(backend):
        def forward():
            with sdpa_kernel(backend):
                return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
        if backward is None:
            return [("torch", forward)]
        leaves = [x.detach().requires_grad_() for x in (q, k, v)]
        with sdpa_kernel(backend):
            out = torch.nn.functional.scaled_dot_product_attention(*leaves, is_causal=causal)
        return [("torch", lambda: torch.autograd.grad(out, leaves, backward, retain_graph=True))]

    return {"cudnn": lambda: ways(SDPBackend.CUDNN_ATTENTION),
            "flash": lambda: ways(SDPBackend.FLASH_ATTENTION)}


def wide_attention(q, k, v, causal, rows):
    """The rows of one head, in float64."""
    q, k, v = q[rows].double(), k.double(), v.double()
    scores = q @ k.T / math.sqrt(q.shape[-1])
    if causal:
        seen = torch.arange(k.shape[0], device=k.device)[None, :] <= rows[:, None]
        scores = scores.masked_fill(~seen, -math.inf)
    return torch.softmax(scores, -1) @ v


def attention_sizes(s, head, length):
    if not s.cuda:
        return 1, 2, 80
    return max(1, 16384 // length), max(1, 2048 // head), length


def attention_forward(head, causal, lengths):
    def cases(s):
        for length in s.some(lengths) if s.cuda else [80]:
            batch, heads, length = attention_sizes(s, head, length)
            q, k, v = (s.normal(batch, heads, length, head) for _ in range(3))
            out, other = torch.empty_like(q), torch.empty_like(q)
            logsum = torch.empty(batch, heads, length, device=s.device)
            arguments = [q, k, v, out, logsum, batch, heads, 1, length, length, 0, int(causal),
                         head]

            def check():
                rows = torch.randperm(length, device=s.device)[:256]
                yield ("rows of a head", out[-1, -1][rows],
                       wide_attention(q[-1, -1], k[-1, -1], v[-1, -1], causal, rows), 2e-3)

            ways = peer_ways(s, q, k, v, causal) if s.cuda else {}
            if peers and s.cuda:
                ways["triton"] = lambda: peers.attention(q, k, v, other, logsum, causal, s.quick)
            flops = 4.0 * batch * heads * length * length * head * (0.5 if causal else 1)
            yield Case("", f"{batch} x {heads} x {length} x {head}", "attention_forward", flops,
                       arguments, [out], check, ways)
    return cases


def attention_backward(head, causal, lengths):
    def cases(s):
        for length in s.some(lengths) if s.cuda else [80]:
            batch, heads, length = attention_sizes(s, head, length)
            q, k, v, dout = (s.normal(batch, heads, length, head) for _ in range(4))
            out, dq, dk, dv = (torch.empty_like(q) for _ in range(4))
            logsum, delta = (torch.empty(batch, heads, length, device=s.device) for _ in range(2))
            mask = int(causal)
            arguments = [q, k, v, out, dout, logsum, delta, dq, dk, dv, batch, heads, 1, length,
                         length, 0, mask, head]

            def check():
                leaves = [x[-1, -1].double().requires_grad_() for x in (q, k, v)]
                rows = torch.arange(length, device=s.device)
                wide = wide_attention(*leaves, causal, rows)
                wants = torch.autograd.grad(wide, leaves, dout[-1, -1].double())
                for what, got, want in zip(("dq", "dk", "dv"), (dq, dk, dv), wants):
                    yield what, got[-1, -1], want, 4e-3

            forward = [q, k, v, out, logsum, batch, heads, 1, length, length, 0, mask, head]
            flops = 10.0 * batch * heads * length * length * head * (0.5 if causal else 1)
            yield Case("", f"{batch} x {heads} x {length} x {head}", "attention_backward", flops,
                       arguments, [dq, dk, dv], check,
                       peer_ways(s, q, k, v, causal, dout) if s.cuda else {},
                       lambda module: module.prepare("attention_forward", forward)())
    return cases


SIZES = [512, 1024, 2048, 4096, 8192, 16384]
LENGTHS = [1024, 2048, 4096, 8192, 16384]
TABLES = [(f"matmul_{kind}", f"product, {kind}", squares(kind, SIZES)) for kind in KINDS]
TABLES += [("matmul_skinny", "product with few rows, f16", skinny),
           ("matmul_ragged", "product of odd extents, f16", ragged),
           ("matmul_transposed", "product of transposed operands", transposed),
           ("matmul_gelu", "product with bias and GELU, f16", activated),
           ("matmul_batched", "batches of products, f16", batches),
           ("matmul_int4", "product with weights of four bits", int4_weights),
           ("moe", "mixture of experts, f16", experts)]
TABLES += [(f"forward_{head}_{'causal' if causal else 'full'}",
            f"attention forward, head {head}, {'causal' if causal else 'full'}, f16",
            attention_forward(head, causal, LENGTHS))
           for head in (64, 128, 256) for causal in (False, True)]
TABLES += [(f"backward_{head}_{'causal' if causal else 'full'}",
            f"attention backward, head {head}, {'causal' if causal else 'full'}, f16",
            attention_backward(head, causal, LENGTHS[:-1]))
           for head in (64, 128) for causal in (False, True)]
TABLES += [("decode", "attention of one query over pages, f16", decode),
           ("gated_delta", "gated delta rule in chunks, f16", gated_delta)]
PEERS = {"matmul_int4": ["cublas"], "matmul_gelu": ["cublas", "torch"],
         "matmul_batched": ["cublas"], "moe": ["torch"], "decode": ["flash"], "gated_delta": []}


def peers_of(name):
    if name in PEERS:
        return PEERS[name]
    if name in ("matmul_f16", "matmul_bf16"):
        return ["cublas", "triton", "tutorial"]  # of Triton's ways, and of the tutorial's alone
    if name.startswith("matmul"):
        return ["cublas", "triton"]
    return ["cudnn", "flash"] + (["triton"] if name.startswith("forward") else [])
