# SPDX-License-Identifier: MIT
"""tl beside Triton, PyTorch and a device copy, in one process and by one clock.

    bench/run --device cuda:0 [--filter TEXT] [--quick] [--json FILE]
    bench/run --device cuda:0 --sweep NAME      every configuration of one kernel

Prints a table a kernel; exits with 1 if a result was wrong. TL_BENCH_<KERNEL>="one 1024 4" chooses
a configuration for the sizes that it fits. --device cpu only tries whether everything works."""
import argparse
import json
import sys
import time
import traceback
from pathlib import Path

import torch

import cases
import host_costs
import tl_module
from timing import Clock

POISON = {torch.float32: float("nan"), torch.float16: float("nan"), torch.int32: -12345}


class Report:
    def __init__(self, setting, module, clock, keep=None):
        self.setting, self.module, self.clock = setting, module, clock
        self.rows, self.wrong, self.missed = [], [], []
        self.keep = keep  # a folder

    # ---- Checking

    def check(self, case, who, work):
        """Whether the outputs are right; a reference that is off by more is a wrong result."""
        for output in case.outputs:
            output.fill_(POISON[output.dtype])
        work()
        self.clock.synchronize()
        for what, got, want, relative, absolute in case.check():
            error = (got.double() - want).abs() / (absolute + relative * want.abs())
            error = torch.where(got.double() == want, torch.zeros_like(error), error)
            worst = error.max().item()
            if not worst <= 1:  # also takes a NaN
                self.wrong.append(f"{who}, {case.row}: {what} is off by {worst:.3g} tolerances")
                print("WRONG: " + self.wrong[-1], flush=True)
                return False
        return True

    # ---- Kernels

    def prepare(self, kernel, case, configuration=""):
        work = self.module.prepare(kernel, case.arguments, configuration)
        for stage in ("ttir", "ptx") if self.keep else ():
            text = work.text(stage)
            if text:
                name = f"{kernel}_{case.row}_{work.name}.{stage}".replace(" ", "_")
                (self.keep / name).write_text(text, encoding="utf-8")
        return work

    def copy_of(self, size):
        """A device-to-device copy that reads and writes as many bytes in all."""
        half = max(size // 2 // 16 * 16, 16)
        source = torch.empty(half, dtype=torch.uint8, device=self.setting.device)
        target = torch.empty_like(source)
        return lambda: target.copy_(source)

    def measure(self, kernel, title, case):
        ours = self.prepare(kernel, case)
        self.check(case, f"tl {kernel} ({ours.name})", ours)
        names, works = ["tl"], [ours]
        peer = ""
        best = self.clock.best(case.triton)
        if best:
            peer, work = best
            self.check(case, f"Triton {kernel} ({peer})", work)
            names.append("triton")
            works.append(work)
        if case.torch and self.clock.best([("torch", case.torch)]):
            names.append("torch")
            works.append(case.torch)
        names.append("copy")
        works.append(self.copy_of(case.bytes))
        times = dict(zip(names, self.clock.in_turns(works)))
        row = {"kernel": kernel, "title": title, "case": case.row, "configuration": ours.name,
               "code": ours.describe(), "triton configuration": peer, "bytes": case.bytes,
               "milliseconds": times,
               "gigabytes per second": {n: case.bytes / t * 1e-6 for n, t in times.items()},
               "ratio": {n: times[n] / times["tl"] for n in names[1:]}}
        for name, goal in case.goals.items():
            # Against the better of the two: the same as against each.
            if name in row["ratio"] and row["ratio"][name] < goal:
                self.missed.append(f"{title}, {case.row}: {row['ratio'][name]:.3f} of {name}, "
                                   f"the goal is {goal}")
        self.rows.append(row)
        self.print_row(row)

    def print_heading(self, title):
        print(f"\n{title} (GB/s)\n{'':>22} {'tl':>8} {'triton':>8} {'torch':>8} {'copy':>8}"
              f" {'/triton':>8} {'/torch':>7} {'/copy':>7}  configuration | Triton's", flush=True)

    def print_row(self, row):
        def cell(group, name, width, digits):
            value = row[group].get(name)
            return f"{'-' if value is None else format(value, f'.{digits}f'):>{width}}"

        print(f"{row['case']:>22}"
              + "".join(" " + cell("gigabytes per second", n, 8, 1)
                        for n in ("tl", "triton", "torch", "copy"))
              + " " + cell("ratio", "triton", 8, 3) + " " + cell("ratio", "torch", 7, 3)
              + " " + cell("ratio", "copy", 7, 3)
              + f"  {row['configuration']} | {row['triton configuration'] or '-'}", flush=True)

    def table(self, kernel, title, make):
        self.print_heading(title)
        self.each(kernel, make, lambda case: self.measure(kernel, title, case))

    def each(self, kernel, make, work):
        """The cases; one that fails does not end the run."""
        for case in make(self.setting):
            try:
                work(case)
            except Exception as error:  # noqa: BLE001
                self.wrong.append(f"{kernel}, {case.row}: {type(error).__name__}: {error}")
                print("FAILED: " + self.wrong[-1], flush=True)
                if not isinstance(error, tl_module.Failed):
                    traceback.print_exc()
            self.module.forget()

    # ---- Sweeps

    def sweep(self, kernel, title, make):
        print(f"\n{title}: every configuration (GB/s, us, of a copy)", flush=True)
        self.each(kernel, make, lambda case: self.sweep_case(kernel, title, case))

    def sweep_case(self, kernel, title, case):
        names, works, notes = [], [], []
        for name in self.module.configurations(kernel, case.arguments):
            try:
                work = self.prepare(kernel, case, name)
                right = self.check(case, f"tl {kernel} ({name})", work)
            except tl_module.Failed as error:
                print(f"  {name}: {error}", flush=True)
                continue
            names.append("tl " + name)
            works.append(work)
            notes.append(work.describe() + ("" if right else "  WRONG"))
        for name, work in case.triton:
            if not self.clock.best([(name, work)]):
                continue
            names.append("triton " + name)
            works.append(work)
            notes.append("")
        names.append("copy")
        works.append(self.copy_of(case.bytes))
        notes.append("")
        times = self.clock.in_turns(works, 3)
        chosen = self.module.prepare(kernel, case.arguments).name
        print(f"{case.row}  (the table chooses {chosen})", flush=True)
        for time_, name, note in sorted(zip(times, names, notes)):
            print(f"  {name:<28} {case.bytes / time_ * 1e-6:8.1f} {time_ * 1e3:9.2f}"
                  f" {times[-1] / time_:6.3f}  {note}", flush=True)
            self.rows.append({"kernel": kernel, "case": case.row, "sweep": name,
                              "milliseconds": time_, "code": note})

    # ---- The host

    def launches(self):
        found = host_costs.launches(self.module, self.setting.device, self.setting.quick)
        print("\nlaunch, 5 arguments, back to back (us)", flush=True)
        for name, value in found.items():
            print(f"{name:>22} {value:8.3f}", flush=True)
        self.rows.append({"kernel": "launch", "microseconds": found})
        if found["driver"] and found["over the driver"] > 0.3:
            self.missed.append(f"launch: {found['over the driver']:.3f} us over the driver's call,"
                               " the goal is 0.3")

    def compilations(self):
        print("\ncold compilation in a warm process, first run included (ms)\n"
              f"{'':>22} {'tl':>8} {'triton':>8} {'/triton':>8}", flush=True)
        goals = {"vector_add": 25, "softmax": 50, "layer_norm": 60}
        found = host_costs.compilations(self.module, self.setting.device, self.setting.quick)
        for name, figures in found.items():
            peer = figures.get("triton")
            print(f"{name:>22} {figures['tl']:8.1f}"
                  + (f" {peer:8.1f} {peer / figures['tl']:8.1f}" if peer else ""), flush=True)
            if figures["tl"] > goals[name]:
                self.missed.append(f"compilation of {name}: {figures['tl']:.1f} ms, the goal is "
                                   f"{goals[name]}")
        self.rows.append({"kernel": "compile", "milliseconds": found})

    def first_kernel(self):
        found = host_costs.first_kernels(self.setting.device, self.setting.quick)
        print("\nfirst kernel of a process, empty caches, the context exists (ms)", flush=True)
        for name, value in found.items():
            print(f"{name:>30} {value:8.1f}", flush=True)
        self.rows.append({"kernel": "first_kernel", "milliseconds": found})
        if found.get("tl", 0) > 100:
            self.missed.append(f"first kernel: {found['tl']:.1f} ms, the goal is 100")


def arguments():
    parser = argparse.ArgumentParser(prog="bench/run")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--filter", default="", help="only tables whose name holds this text; "
                        "several, separated by commas")
    parser.add_argument("--json", help="write all figures to this file")
    parser.add_argument("--quick", action="store_true", help="fewer sizes and runs")
    parser.add_argument("--sweep", metavar="NAME", help="every configuration of one kernel, or all")
    parser.add_argument("--keep", metavar="FOLDER", help="keep the TTIR and PTX of each tl kernel")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1000000)
    return parser.parse_args()


def main():
    options = arguments()
    cuda = options.device.startswith("cuda")
    gpu, multiprocessors, stream = "CPU", 4, None
    if cuda:
        torch.cuda.set_device(torch.device(options.device))
        properties = torch.cuda.get_device_properties(options.device)
        gpu, multiprocessors = properties.name, properties.multi_processor_count
        stream = torch.cuda.current_stream().cuda_stream
    module = tl_module.Module(options.device, stream, multiprocessors)
    versions = {"torch": torch.__version__,
                "triton": getattr(host_costs.triton, "__version__", "absent")}
    print(f"device:  {options.device}, {gpu}, {multiprocessors} multiprocessors "
          f"({module.description()})\npeers:   torch {versions['torch']}, triton "
          f"{versions['triton']}\nseed:    {options.seed}", flush=True)
    setting = cases.Setting(options.device, options.quick, multiprocessors, options.seed)
    clock = Clock(options.device, 0.04 if options.quick else 0.1)
    keep = Path(options.keep) if options.keep else None
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
    report = Report(setting, module, clock, keep)
    start = time.time()
    hosts = {"launch": report.launches, "compile": report.compilations,
             "first_kernel": report.first_kernel}

    def wanted(name, text):
        return any(part in name for part in text.split(",")) if text else True

    ran = False
    for name, title, make in cases.TABLES:
        if options.sweep and (options.sweep == "all" or name in options.sweep.split(",")):
            report.sweep(name, title, make)
            ran = True
        elif not options.sweep and wanted(name, options.filter):
            report.table(name, title, make)
            ran = True
    if not options.sweep:
        for name, work in hosts.items():
            if wanted(name, options.filter):
                ran = True
                try:
                    work()
                except Exception as error:  # noqa: BLE001
                    report.wrong.append(f"{name}: {type(error).__name__}: {error}")
                    traceback.print_exc()
    if not ran:
        print("nothing has that name; there are: "
              + ", ".join([name for name, _, _ in cases.TABLES] + list(hosts)))
        return 2
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"device": options.device, "gpu": gpu, "versions": versions,
                       "seed": options.seed, "rows": report.rows, "wrong": report.wrong,
                       "missed": report.missed}, file, indent=1)
    for line in report.missed:
        print("below its goal: " + line)
    for line in report.wrong:
        print("WRONG: " + line)
    print(f"\n{'all results are right' if not report.wrong else 'some results are WRONG'}, "
          f"{len(report.missed)} figures below their goals, {time.time() - start:.0f} s")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
