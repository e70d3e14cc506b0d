# SPDX-License-Identifier: MIT
"""Matrix products and attention beside cuBLAS, cuDNN, FlashAttention and Triton, in one process and
by one clock.

    bench/run --device cuda:0 --matrices [--filter TEXT] [--quick] [--json FILE]
    bench/run --device cuda:0 --matrices --list
    bench/run --device cuda:0 --matrices --steps [--size 4096]

--steps measures the steps of docs/explanation/from_naive_to_peak.md, as shares of cuBLAS.

Figures are TFLOP/s, once with all that is read in memory alone ("cold") and once back to back
("hot"). tl, cuBLAS and Triton have several ways each, of which the fastest counts; --all prints
tl's. --device cpu only tries whether everything works."""
import argparse
import itertools
import json
import math
import sys
import time
import traceback
from dataclasses import dataclass, field
from typing import Callable

import torch

import tl_module
from timing import Clock, middle

try:
    import triton
    import triton_products as peers
except ImportError:
    triton = peers = None


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
    "fp8": (torch.float8_e4m3fn, torch.float16, 2e-3),
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
        if kind in ("f16", "bf16", "tf32"):
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
        return peers.matmul(a, b, other, s.multiprocessors, s.quick)

    shape = f"{M} x {N} x {K}" + (f" {note}" if note else "")
    ways = {"cublas": by_cublas}
    if peers:
        ways["triton"] = by_triton
    return Case(kind, shape, "matmul_" + kind, 2.0 * M * N * K, arguments, [c], check, ways)


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


# ---- Attention

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
           ("matmul_transposed", "product of transposed operands", transposed)]
TABLES += [(f"forward_{head}_{'causal' if causal else 'full'}",
            f"attention forward, head {head}, {'causal' if causal else 'full'}, f16",
            attention_forward(head, causal, LENGTHS))
           for head in (64, 128, 256) for causal in (False, True)]
TABLES += [(f"backward_{head}_{'causal' if causal else 'full'}",
            f"attention backward, head {head}, {'causal' if causal else 'full'}, f16",
            attention_backward(head, causal, LENGTHS[:-1]))
           for head in (64, 128) for causal in (False, True)]


class Report:
    def __init__(self, setting, module, clock, show_all, only_warm):
        self.s, self.module, self.clock, self.show_all = setting, module, clock, show_all
        self.only_warm = only_warm
        self.rows, self.wrong, self.slow = [], [], set()

    def check(self, case, work, who):
        if case.prepare:
            case.prepare(self.module)
        for output in case.outputs:
            output.view(torch.uint8).fill_(0x7B)
        work()
        self.clock.synchronize()
        for what, got, want, allowed in case.check():
            error = (got.double() - want).abs().max().item() / max(want.abs().max().item(), 1e-30)
            if not error <= allowed:
                self.wrong.append(f"{case.table} {case.row}: {who}: {what} is off by {error:.3g}")
                print("WRONG: " + self.wrong[-1], flush=True)
                return False
        return True

    def rough(self, ways):
        """(milliseconds, name, work), the fastest first; what fails is left out."""
        found, best = [], math.inf
        for name, work in ways:
            try:
                work()
                self.clock.synchronize()
                times = self.clock.runs(work, 1)
                if times[0] < 3 * best:
                    times += self.clock.runs(work, 4)
            except Exception as error:  # noqa: BLE001
                print(f"note: {name} does not run: {str(error).strip()[:160]}", flush=True)
                if "CUDA error" in str(error) or "illegal" in str(error):
                    raise
                continue
            found.append((middle(times), name, work))
            best = min(best, found[-1][0])
        return sorted(found, key=lambda way: way[0])

    def ours(self, case):
        ways = []
        for name in self.module.configurations(case.kernel, case.arguments):
            if (case.kernel, name) in self.slow:
                continue
            try:
                started = time.time()
                ways.append((name, self.module.prepare(case.kernel, case.arguments, name)))
                if time.time() - started > 5:
                    print(f"note: {name} took {time.time() - started:.1f} s to compile and run")
            except tl_module.Failed as error:
                print(f"note: tl {name}: {str(error).strip()[:200]}", flush=True)
                self.slow.add((case.kernel, name))
        return self.rough(ways)

    def warm(self, case):
        """Compiles all that `case` needs into the caches on disk."""
        self.ours(case)
        for make in case.peers.values():
            try:
                self.rough(make())
            except Exception as error:  # noqa: BLE001
                print(f"note: {str(error).strip()[:160]}", flush=True)

    def steps(self, size):
        """Each step of matmul_steps beside cuBLAS, at size cubed."""
        case = product(self.s, "f16", size, size, size)
        case.kernel, case.table = "matmul_steps", "steps"
        _, peer, work = self.rough(case.peers["cublas"]())[0]
        print(f"\nproduct of {size} x {size} x {size} f16 in steps (TFLOP/s)\n{'':>28}     hot    cold"
              f" of cuBLAS ({peer})", flush=True)
        for name in self.module.configurations(case.kernel, case.arguments):
            try:
                ours = self.module.prepare(case.kernel, case.arguments, name)
                right = self.check(case, ours, name)
            except tl_module.Failed as error:
                print(f"{name:<28} {str(error).strip()[:200]}", flush=True)
                continue
            hot = [case.flops / t * 1e-9 for t in self.clock.back_to_back([ours, work])]
            cold = [case.flops / t * 1e-9 for t in self.clock.in_turns([ours, work])]
            print(f"{name:<28} {hot[0]:7.1f} {cold[0]:7.1f}   {hot[0] / hot[1]:8.3f}   {ours.describe()}"
                  + ("" if right else "  WRONG"), flush=True)
            self.rows.append({"step": name, "hot": hot, "cold": cold, "code": ours.describe()})

    def measure(self, case):
        started = time.time()
        found = self.ours(case)
        for best in found:
            if self.check(case, best[2], f"tl {best[1]}"):
                break
        else:
            self.wrong.append(f"{case.table} {case.row}: no configuration is right")
            return
        if self.show_all:
            for rough, name, work in found:
                print(f"    {case.flops / rough * 1e-9:8.1f}  {name:<34} {work.describe()}")
        names, ways, works = ["tl"], [best[1]], [best[2]]
        for peer, make in case.peers.items():
            try:
                candidates = self.rough(make())
            except Exception as error:  # noqa: BLE001
                print(f"note: {peer} does not run: {str(error).strip()[:160]}", flush=True)
                continue
            if candidates:
                names.append(peer)
                ways.append(candidates[0][1])
                works.append(candidates[0][2])
        cold = dict(zip(names, self.clock.in_turns(works)))
        hot = dict(zip(names, self.clock.back_to_back(works)))
        row = {"table": self.title, "case": case.row, "ways": dict(zip(names, ways)),
               "code": best[2].describe(),
               "cold": {n: case.flops / t * 1e-9 for n, t in cold.items()},
               "hot": {n: case.flops / t * 1e-9 for n, t in hot.items()},
               "microseconds": {n: 1e3 * t for n, t in hot.items()}}
        self.rows.append(row)
        self.print_row(row, time.time() - started)

    def heading(self, title, columns):
        self.title, self.columns = title, columns
        cells = "".join(f"{c:>8}" for c in ["tl"] + columns)
        cells += "".join(f"{'/' + c:>8}" for c in columns)
        print(f"\n{title} (TFLOP/s)\n{'':>25}{'hot':<{len(cells) + 2}}cold\n{'':>25}{cells}  {cells}",
              flush=True)

    def print_row(self, row, seconds):
        line = f"{row['case']:>24} "
        for state in ("hot", "cold"):
            figures = row[state]
            line += "".join(f"{figures[c]:8.1f}" if c in figures else f"{'-':>8}"
                            for c in ["tl"] + self.columns)
            line += "".join(f"{figures['tl'] / figures[c]:8.3f}" if c in figures else f"{'-':>8}"
                            for c in self.columns) + "  "
        ways = ", ".join(f"{n}: {w}" for n, w in row["ways"].items())
        print(f"{line} {ways}; {row['code']}; {seconds:.0f} s", flush=True)

    def table(self, name, title, make):
        attention = "attention" in title
        self.heading(title, (["cudnn", "flash"] if attention else ["cublas"])
                     + (["triton"] if "backward" not in title else []))
        try:
            for case in make(self.s):
                case.table = name
                try:
                    if self.only_warm:
                        self.warm(case)
                    else:
                        self.measure(case)
                except Exception as error:  # noqa: BLE001
                    self.wrong.append(f"{name} {case.row}: {type(error).__name__}: {error}")
                    print("FAILED: " + self.wrong[-1], flush=True)
                    traceback.print_exc()
                    if "CUDA error" in str(error):
                        raise
                self.module.forget()
        finally:
            self.summary()

    def summary(self):
        mine = [r for r in self.rows if r["table"] == self.title]
        for peer in self.columns:
            for state in ("hot", "cold"):
                ratios = [r[state]["tl"] / r[state][peer] for r in mine if peer in r[state]]
                if ratios:
                    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
                    print(f"    geometric mean beside {peer}, {state}: {mean:.3f}, lowest "
                          f"{min(ratios):.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="bench/run --matrices")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--filter", default="", help="tables whose name holds one of these texts")
    parser.add_argument("--quick", action="store_true", help="every second size, fewer peers' ways")
    parser.add_argument("--all", action="store_true", help="all of tl's ways, too")
    parser.add_argument("--steps", action="store_true", help="from naive to peak")
    parser.add_argument("--size", type=int, default=4096, help="of --steps")
    parser.add_argument("--warm", action="store_true", help="only compile, into the caches on disk")
    parser.add_argument("--list", action="store_true", help="the names of the tables")
    parser.add_argument("--json", help="write all figures to this file")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no table after so long")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1000000)
    options = parser.parse_args()
    if options.list:
        print("\n".join(name for name, _, _ in TABLES))
        return 0
    stream = None
    if options.device.startswith("cuda"):
        torch.cuda.set_device(torch.device(options.device))
        stream = torch.cuda.current_stream().cuda_stream
    s = Setting(options.device, options.quick, options.warm, options.seed)
    module = tl_module.Module(options.device, stream, s.multiprocessors)
    print(f"device:  {module.description()}\npeers:   torch {torch.__version__}, triton "
          f"{getattr(triton, '__version__', 'absent')}, cuBLASLt "
          f"{s.lt.version() if s.lt else 'absent'}\nseed:    {options.seed}", flush=True)
    report = Report(s, module, Clock(options.device, 0.04 if options.quick else 0.1), options.all,
                    options.warm)
    begin = time.time()
    if options.steps:
        report.steps(options.size if s.cuda else 256)
    wanted = options.filter.split(",")
    for name, title, make in TABLES:
        if (not options.steps and any(text in name for text in wanted)
                and time.time() - begin < options.seconds):
            report.table(name, title, make)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"device": module.description(), "seed": options.seed, "rows": report.rows,
                       "wrong": report.wrong}, file, indent=1)
    for line in report.wrong:
        print("WRONG: " + line)
    print(f"\n{'some results are WRONG' if report.wrong else 'all results are right'}, "
          f"{time.time() - begin:.0f} s")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
