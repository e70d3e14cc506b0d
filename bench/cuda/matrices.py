# SPDX-License-Identifier: MIT
"""Matrix products and attention beside cuBLAS, cuDNN, FlashAttention and Triton, in one process and
by one clock.

    bench/run --device cuda:0 --matrices [--filter TEXT] [--quick] [--json FILE]
    bench/run --device cuda:0 --matrices --list
    bench/run --device cuda:0 --matrices --steps [--size 4096]

--steps measures the steps of docs/explanation/from_naive_to_peak.md, as shares of cuBLAS.

Figures are TFLOP/s, once with all that is read in memory alone ("cold") and once back to back
("hot"). tl, cuBLAS and Triton have several ways each, of which the fastest counts, for each of the
two where a run takes less than 0.1 ms, by measurements apart from the printed ones; --all prints
tl's, and the code at the end of a line is that of the cold one. --device cpu only tries whether
everything works."""
import argparse
import json
import math
import sys
import time
import traceback

import torch

import tl_module
from matrix_cases import TABLES, Setting, peers_of, product
from timing import Clock, middle

try:
    import triton
except ImportError:
    triton = None


class Report:
    def __init__(self, setting, module, clock, options):
        self.s, self.module, self.clock = setting, module, clock
        self.show_all, self.only_warm = options.all, options.warm
        self.doing = open(options.doing, "w", encoding="utf-8") if options.doing else None
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

    def begin(self, what):
        if self.doing:
            self.doing.seek(0)
            self.doing.truncate()
            self.doing.write(what + "\n")
            self.doing.flush()

    def rough(self, ways):
        """(milliseconds, name, work), the fastest first; what fails is left out."""
        found, best = [], math.inf
        for name, work in ways:
            try:
                self.begin(f"runs of {name}")
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
        found.sort(key=lambda way: way[0])
        # A device that has become warm is slower: those that are close are compared in turns.
        close = [way for way in found if way[0] < 1.1 * best][:4]
        if len(close) > 1:
            times = self.clock.in_turns([work for _, _, work in close], 3)
            again = [(time, *way[1:]) for time, way in zip(times, close)]
            found[:len(close)] = sorted(again, key=lambda way: way[0])
        return found

    def ours(self, case):
        ways = []
        for name in self.module.configurations(case.kernel, case.arguments):
            if (case.kernel, name) in self.slow:
                continue
            try:
                started = time.time()
                self.begin(f"compilation and first run: {case.kernel}, {name}, {case.row}")
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
                self.begin(f"step {name}")
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

    @staticmethod
    def is_close(way, best):
        """Whether a way is worth measuring beside the best, both as rough() returns them. Long ones
        run alike with all that is read in the cache and in memory."""
        return way is best or (best[0] < 0.1 and way[0] < 1.25 * best[0])

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
        found = found[found.index(best):]
        contenders = {"tl": [found[0]] + [way for way in found[1:4] if self.is_close(way, best) and
                                          self.check(case, way[2], f"tl {way[1]}")]}
        for peer, make in case.peers.items():
            try:
                candidates = self.rough(make())
            except Exception as error:  # noqa: BLE001
                print(f"note: {peer} does not run: {str(error).strip()[:160]}", flush=True)
                continue
            if candidates:
                contenders[peer] = [way for way in candidates[:4]
                                    if self.is_close(way, candidates[0])]
        cold = dict(zip(contenders, self.clock.in_turns([c[0][2] for c in contenders.values()])))
        # What is the fastest with all in memory need not be that with all in the cache.
        every = [(who, way) for who, ways in contenders.items() for _, *way in ways]
        chosen = {}
        for _, (who, way) in sorted(
                zip(self.clock.back_to_back([work for _, (_, work) in every]), every),
                key=lambda one: one[0]):
            chosen.setdefault(who, way)
        hot_ways = {who: name for who, (name, _) in chosen.items()}
        hot = dict(zip(chosen, self.clock.back_to_back([work for _, work in chosen.values()])))
        row = {"table": self.title, "case": case.row,
               "ways": {who: ways[0][1] for who, ways in contenders.items()}, "hot ways": hot_ways,
               "code": best[2].describe(),
               "cold": {n: case.flops / t * 1e-9 for n, t in cold.items()},
               "hot": {n: case.flops / hot[n] * 1e-9 for n in contenders},
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
        ways = ", ".join(f"{n}: {w}" + (f" (hot: {row['hot ways'][n]})"
                                        if row["hot ways"][n] != w else "")
                         for n, w in row["ways"].items())
        print(f"{line} {ways}; {row['code']}; {seconds:.0f} s", flush=True)

    def table(self, name, title, make):
        self.heading(title, peers_of(name))
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
    parser.add_argument("--doing", help="a file that says what runs: for the case that it never ends")
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
    report = Report(s, module, Clock(options.device, 0.04 if options.quick else 0.1), options)
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
