# SPDX-License-Identifier: MIT
"""What launching and compiling cost on the host, tl beside Triton."""
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

import tl_module

try:
    import triton
    import triton_peers as peers
except ImportError:
    triton = peers = None


def of_triton(device):
    return triton is not None and device.startswith("cuda")


def attempt(work, what):
    """The peer's figure; None, and a note, where it cannot be had."""
    try:
        return work()
    except Exception as error:  # noqa: BLE001
        print(f"note: no {what} of Triton: {type(error).__name__}: {str(error)[:200]}", flush=True)
        return None


def median(values):
    values = sorted(values)
    return values[len(values) // 2]


def triton_launch(device, count):
    """Microseconds a launch."""
    x, y, out = (torch.zeros(64, device=device) for _ in range(3))
    burst, spent, done = 200, 0, 0
    for _ in range(burst):
        peers.five_arguments[(1,)](out, x, y, 64, 2.0, num_warps=1)
    torch.cuda.synchronize()
    while done < count:
        start = time.perf_counter()
        for _ in range(burst):
            peers.five_arguments[(1,)](out, x, y, 64, 2.0, num_warps=1)
        spent += time.perf_counter() - start
        torch.cuda.synchronize()
        done += burst
    return 1e6 * spent / done


def launches(module, device, quick):
    """Microseconds a launch: {"driver", "tl_launch", "kernel[grid]", "triton"}."""
    cuda = device.startswith("cuda")
    count = 5000 if quick else 20000
    if not cuda:
        count = 100
    rounds, triton_rounds = [], []
    for _ in range(3 if quick else 5):
        rounds.append(module.launch_cost(count))
        if of_triton(device):
            triton_rounds.append(attempt(lambda: triton_launch(device, count // 10), "launch"))
    names = ["driver", "tl_launch", "kernel[grid]"]
    result = {name: median([r[i] for r in rounds]) for i, name in enumerate(names)}
    # What counts is the difference, taken within each repetition.
    result["over the driver"] = median([r[2] - r[0] for r in rounds])
    if triton_rounds and None not in triton_rounds:
        result["triton"] = median(triton_rounds)
    return result


def triton_compile(name, device):
    """Milliseconds of the first call of a kernel that no cache knows."""
    x = torch.zeros(6, 1024, device=device)
    source, arguments, constants = {
        "vector_add": (peers.add_kernel, (x[2], x[0], x[1], 1024), {"BLOCK": 1024}),
        "softmax": (peers.softmax_one, (x[1], x[0], 1024), {"BLOCK": 1024}),
        "layer_norm": (peers.layer_norm_f32, (x[0], x[1], x[2], x[3], x[4], x[5], 1024, 1e-5),
                       {"BLOCK": 1024}),
    }[name]
    fresh = triton.jit(source.fn)
    with tempfile.TemporaryDirectory() as folder:
        before = os.environ.get("TRITON_CACHE_DIR")
        os.environ["TRITON_CACHE_DIR"] = folder
        try:
            torch.cuda.synchronize()
            start = time.perf_counter()
            fresh[(1,)](*arguments, **constants, num_warps=4)
            torch.cuda.synchronize()
            elapsed = 1e3 * (time.perf_counter() - start)
            if not any(Path(folder).iterdir()):
                print("note: Triton's cache was not empty; its figure is too low", flush=True)
        finally:
            if before is None:
                del os.environ["TRITON_CACHE_DIR"]
            else:
                os.environ["TRITON_CACHE_DIR"] = before
    return elapsed


def compilations(module, device, quick):
    """Milliseconds: {kernel: {"tl", "triton"}}."""
    result = {}
    for name in ("vector_add", "softmax", "layer_norm"):
        module.compile_cost(name)  # the process is warm
        figures = {"tl": median([module.compile_cost(name) for _ in range(3 if quick else 9)])}
        if of_triton(device) and attempt(lambda: triton_compile(name, device), "compilation"):
            figures["triton"] = median([triton_compile(name, device)
                                        for _ in range(1 if quick else 3)])
        result[name] = figures
    return result


FIRST_TRITON = """
import os, sys, time
import torch
x = torch.ones(4096, device=sys.argv[1]); y = x.clone(); out = torch.empty_like(x)
torch.cuda.synchronize()
start = time.perf_counter()
sys.path.insert(0, sys.argv[2])
import triton_peers
triton_peers.add_kernel[(4,)](out, x, y, 4096, BLOCK=1024)
torch.cuda.synchronize()
print(1e3 * (time.perf_counter() - start))
"""


def first_kernels(device, quick):
    """Milliseconds of the first kernel of a process whose context exists, empty caches."""
    result = {}
    program = tl_module.find("first_kernel")
    if program:
        totals, kernels = [], []
        for _ in range(3 if quick else 5):
            with tempfile.TemporaryDirectory() as folder:
                environment = dict(os.environ, TL_CACHE_DIR=folder, XDG_CACHE_HOME=folder,
                                   CUDA_CACHE_DISABLE="1")
                library = tl_module.find("libtl.so.0")
                if library:
                    environment["LD_LIBRARY_PATH"] = ":".join(filter(None, [
                        str(library.parent), os.environ.get("LD_LIBRARY_PATH")]))
                done = subprocess.run([str(program), device], env=environment, text=True,
                                      capture_output=True, timeout=120)
            if done.returncode != 0:
                print("first_kernel failed: " + done.stderr.strip(), flush=True)
                return result
            total, kernel = map(float, done.stdout.split())
            totals.append(total)
            kernels.append(kernel)
        result["tl"] = median(totals)
        result["tl, device opened before"] = median(kernels)
    if of_triton(device) and not quick:
        with tempfile.TemporaryDirectory() as folder:
            environment = dict(os.environ, TRITON_CACHE_DIR=folder)
            done = subprocess.run(
                [sys.executable, "-c", FIRST_TRITON, device, str(tl_module.HERE)],
                env=environment, text=True, capture_output=True, timeout=120)
        if done.returncode == 0:
            result["triton"] = float(done.stdout.split()[-1])
        else:
            print("Triton's first kernel failed: " + done.stderr.strip()[-300:], flush=True)
    return result
