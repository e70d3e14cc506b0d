#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Large kernels compile in seconds, and those that are too large are refused at their line.

    sizes.py TLC
"""
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile

LIMIT = 60  # seconds of the processor; each takes a few, and minutes where time is not in proportion

HEAD = "tt.func public @k(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %n: i32, %x: f32) {\n"
TAIL = "  tt.return\n}\n"


def chain(length, first, step, last):
    """Each value is computed from the one before it: `step` gets the numbers of both."""
    lines = [first] + [step(i, i + 1) for i in range(length)] + [last.format(length)]
    return HEAD + "".join(f"  {line}\n" for line in lines) + TAIL


def products(length):
    return chain(length, "%v0 = arith.muli %n, %n : i32",
                 lambda a, b: f"%v{b} = arith.muli %v{a}, %n : i32",
                 "tt.store %q, %v{} : !tt.ptr<i32>")


def polynomial(length):
    return chain(length, "%v0 = arith.addi %n, %n : i32",
                 lambda a, b: f"%v{b} = arith.{'muli' if a % 2 else 'addi'} %v{a}, %v{a // 2} : i32",
                 "tt.store %q, %v{} : !tt.ptr<i32>")


def advanced_pointer(length):
    return chain(length, "%p0 = tt.addptr %p, %n : !tt.ptr<f32>, i32",
                 lambda a, b: f"%p{b} = tt.addptr %p{a}, %n : !tt.ptr<f32>, i32",
                 "tt.store %p{}, %x : !tt.ptr<f32>")


def deep(length, step, elements=128):
    """A block of numbers, each computed from the one before it."""
    block, pointers = f"tensor<{elements}xi32>", f"tensor<{elements}x!tt.ptr<i32>>"
    return chain(length, f"%r = tt.make_range {{end = {elements} : i32, start = 0 : i32}} : {block}\n"
                         f"  %s = tt.splat %q : !tt.ptr<i32> -> {pointers}\n"
                         f"  %a = tt.addptr %s, %r : {pointers}, {block}\n"
                         f"  %w = tt.splat %n : i32 -> {block}\n"
                         f"  %v0 = arith.addi %r, %w : {block}",
                 lambda a, b: f"%v{b} = {step(a).format(f'%v{a}, %w')} : {block}",
                 f"tt.store %a, %v{{}} : {pointers}")


def copies(count):
    """A block moves on by n, again and again."""
    block = "tensor<128x!tt.ptr<f32>>"
    return chain(count, "%r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>\n"
                        f"  %s = tt.splat %p : !tt.ptr<f32> -> {block}\n"
                        "  %by = tt.splat %n : i32 -> tensor<128xi32>\n"
                        f"  %p0 = tt.addptr %s, %r : {block}, tensor<128xi32>",
                 lambda a, b: f"%p{b} = tt.addptr %p{a}, %by : {block}, tensor<128xi32>\n"
                              f"  %v{b} = tt.load %p{b} : {block}\n"
                              f"  tt.store %p{a}, %v{b} : {block}", "")


def separate(count):
    """Blocks that are moved, each under the same mask, one after another."""
    numbers, block = "tensor<1024xi32>", "tensor<1024x!tt.ptr<f32>>"
    return chain(count, f"%r = tt.make_range {{end = 1024 : i32, start = 0 : i32}} : {numbers}\n"
                        f"  %s = tt.splat %p : !tt.ptr<f32> -> {block}\n"
                        f"  %most = tt.splat %n : i32 -> {numbers}\n"
                        f"  %mask = arith.cmpi slt, %r, %most : {numbers}",
                 lambda a, b: f"%c{b} = arith.constant dense<{1024 * b}> : {numbers}\n"
                              f"  %i{b} = arith.addi %r, %c{b} : {numbers}\n"
                              f"  %p{b} = tt.addptr %s, %i{b} : {block}, {numbers}\n"
                              f"  %v{b} = tt.load %p{b}, %mask : {block}\n"
                              f"  %q{b} = tt.addptr %p{b}, %most : {block}, {numbers}\n"
                              f"  tt.store %q{b}, %v{b}, %mask : {block}", "")


def branches(count):
    """Values of which each depends on a branch of its own."""
    block = "tensor<1024xf32>"
    return chain(count, f"%v0 = tt.splat %x : f32 -> {block}",
                 lambda a, b: f"%c{b} = arith.constant {b} : i32\n"
                              f"  %g{b} = arith.cmpi sgt, %n, %c{b} : i32\n"
                              f"  %v{b} = scf.if %g{b} -> ({block}) {{\n"
                              f"    %w{b} = arith.addf %v{a}, %v{a} : {block}\n"
                              f"    scf.yield %w{b} : {block}\n  }} else {{\n"
                              f"    scf.yield %v{a} : {block}\n  }}",
                 "%s = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>\n"
                 "  tt.store %s, %v{} : tensor<1024x!tt.ptr<f32>>")


def turned(count):
    """A block is transposed, again and again."""
    block = "tensor<16x16xi32>"
    return chain(count, "%s = tt.splat %n : i32 -> tensor<16xi32>\n"
                        "  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>\n"
                        "  %m = arith.muli %r, %s : tensor<16xi32>\n"
                        "  %e = tt.expand_dims %m {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>\n"
                        f"  %v0 = tt.broadcast %e : tensor<16x1xi32> -> {block}",
                 lambda a, b: f"%t{b} = tt.trans %v{a} {{order = array<i32: 1, 0>}} : {block} -> {block}\n"
                              f"  %v{b} = arith.subi %t{b}, %v{a // 2} : {block}",
                 f"%p0 = tt.splat %q : !tt.ptr<i32> -> tensor<16x16x!tt.ptr<i32>>\n"
                 f"  tt.store %p0, %v{{}} : tensor<16x16x!tt.ptr<i32>>")


def reused(count):
    """Offsets, masks and pointers are each made of two that came before."""
    block, offsets, mask = ("tensor<64x64x" + element + ">" for element in ("!tt.ptr<i32>", "i32", "i1"))
    return chain(count, "%s = tt.splat %n : i32 -> " + offsets + "\n"
                        "  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>\n"
                        "  %e = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>\n"
                        f"  %o0 = tt.broadcast %e : tensor<64x1xi32> -> {offsets}\n"
                        f"  %p0 = tt.splat %q : !tt.ptr<i32> -> {block}\n"
                        f"  %m0 = arith.cmpi slt, %o0, %s : {offsets}",
                 lambda a, b: f"%t{b} = tt.trans %o{a // 2} {{order = array<i32: 1, 0>}} : {offsets} -> {offsets}\n"
                              f"  %o{b} = arith.addi %o{a}, %t{b} : {offsets}\n"
                              f"  %p{b} = tt.addptr %p{a}, %t{b} : {block}, {offsets}\n"
                              f"  %c{b} = arith.cmpi slt, %o{b}, %s : {offsets}\n"
                              f"  %u{b} = tt.trans %m{a // 2} {{order = array<i32: 1, 0>}} : {mask} -> {mask}\n"
                              f"  %d{b} = arith.andi %u{b}, %c{b} : {mask}\n"
                              f"  %m{b} = arith.andi %m{a}, %d{b} : {mask}",
                 f"%v = tt.load %p{{0}}, %m{{0}} : {block}\n"
                 f"  tt.store %p{count // 2}, %v, %m{{0}} : {block}")


def largest():
    """As many pointers as a block may have, none of whose threads has registers for them."""
    block = "tensor<1048576x!tt.ptr<f32>>"
    return chain(0, "%r = tt.make_range {end = 1048576 : i32, start = 0 : i32} : tensor<1048576xi32>\n"
                    f"  %s = tt.splat %p : !tt.ptr<f32> -> {block}\n"
                    f"  %p0 = tt.addptr %s, %r : {block}, tensor<1048576xi32>", None,
                 f"%v = tt.load %p0 : {block}\n"
                 "  %w = arith.addf %v, %v : tensor<1048576xf32>\n"
                 f"  tt.store %p{{}}, %w : {block}")


def unrolled(factor, body=2, loops=1):
    text = HEAD + "  %c0 = arith.constant 0 : i32\n  %c1 = arith.constant 1 : i32\n"
    for loop in range(loops):
        text += f"  %r{loop} = scf.for %i = %c0 to %n step %c1 iter_args(%a0 = %n) -> (i32) : i32 {{\n"
        for i in range(body):
            text += f"    %a{i + 1} = arith.muli %a{i}, %n : i32\n"
        text += (f"    scf.yield %a{body} : i32\n  }} {{tt.loop_unroll_factor = {factor} : i32}}\n"
                 f"  tt.store %q, %r{loop} : !tt.ptr<i32>\n")
    return text + TAIL


def doubling(levels):
    signature = "(%p: !tt.ptr<f32>, %x: f32)"
    text = f"tt.func private @f0{signature} {{\n  tt.store %p, %x : !tt.ptr<f32>\n{TAIL}"
    for level in range(1, levels + 1):
        call = f"  tt.call @f{level - 1}(%p, %x) : (!tt.ptr<f32>, f32) -> ()\n"
        text += f"tt.func private @f{level}{signature} {{\n{call}{call}{TAIL}"
    return text + HEAD + f"  tt.call @f{levels}(%p, %x) : (!tt.ptr<f32>, f32) -> ()\n" + TAIL


def nested_calls(depth):
    text = "tt.func private @f0(%n: i32) {\n" + TAIL
    for level in range(1, depth + 1):
        text += f"tt.func private @f{level}(%n: i32) {{\n  tt.call @f{level - 1}(%n) : (i32) -> ()\n{TAIL}"
    return text + HEAD + f"  tt.call @f{depth}(%n) : (i32) -> ()\n" + TAIL


def parameters(count, type):
    names = ", ".join(f"%a{i}: {type}" for i in range(count))
    return f"tt.func public @k({names}) {{\n{TAIL}"


def parameters_error(bytes, target, most):
    return (parameters(bytes // 8, "i64"), (target,),
            f"kernel 'k' has {bytes} bytes of parameters, the {target} target takes at most {most}")


def described(parameters, tensors):
    extra = "".join(f", %a{i}: i64" for i in range(parameters))
    text = (f"tt.func public @k(%p: !tt.ptr<i32> {{tt.divisibility = 16 : i32}}{extra}) {{\n"
            "  %one = arith.constant 1 : i64\n  %n = arith.constant 64 : i32\n"
            "  %0 = arith.constant dense<1> : tensor<64xi32>\n")
    for i in range(tensors):
        text += (f"  %d{i} = tt.make_tensor_descriptor %p, [%n], [%one] : <i32>, <64xi32>\n"
                 f"  tt.descriptor_store %d{i}[%n], %0 : !tt.tensordesc<64xi32>, tensor<64xi32>\n")
    return text + TAIL


def long_scan():
    """64000 lines of PTX for one warp."""
    sums = "tensor<8x1024xf32>"
    return ("tt.func public @k(%p: !tt.ptr<f32>, %x: f32) {\n"
            f"  %v = tt.splat %x : f32 -> {sums}\n"
            '  %s = "tt.scan"(%v) <{axis = 1 : i32, reverse = false}> ({\n'
            "  ^bb0(%a: f32, %b: f32):\n"
            "    %m = arith.maxnumf %a, %b : f32\n    %d = arith.subf %a, %m : f32\n"
            "    %e = arith.subf %b, %m : f32\n    %f = math.exp %d : f32\n"
            "    %g = math.exp %e : f32\n    %h = arith.addf %f, %g : f32\n"
            "    %i = math.log %h : f32\n    %j = arith.addf %m, %i : f32\n"
            "    tt.scan.return %j : f32\n"
            f"  }}) : ({sums}) -> {sums}\n"
            '  %r = "tt.reduce"(%s) <{axis = 1 : i32}> ({\n'
            "  ^bb0(%a: f32, %b: f32):\n    %c = arith.addf %a, %b : f32\n"
            "    tt.reduce.return %c : f32\n"
            f"  }}) : ({sums}) -> tensor<8xf32>\n"
            "  %q = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>\n"
            "  tt.store %q, %r : tensor<8x!tt.ptr<f32>>\n" + TAIL)


GROWS = "k' grows to more than 20000 operations when its calls are inlined"
TARGETS = ("cpu", "sm_90a")
COMPILE = {
    "a chain of products": (products(4000), TARGETS),
    "a chain of products and sums": (polynomial(2000), TARGETS),
    "a pointer that moves on": (advanced_pointer(4000), TARGETS),
    "a block that moves on": (copies(200), TARGETS),
    "sums that are deep": (deep(4000, lambda i: "arith.addi {}"), TARGETS),
    # Depth is what matters: the fewest elements of which each thread has one.
    "products as deep as kernels may be": (
        deep(19900, lambda i: "arith.muli {}" if i % 2 else "arith.xori {}", elements=32), TARGETS),
    "blocks that are moved one after another": (separate(600), ("cpu",)),
    "branches one after another": (branches(600), ("cpu",)),
    "a block that is turned again and again": (turned(800), TARGETS),
    "offsets, masks and pointers that are used again": (reused(150), ("cpu",)),
    "2^20 pointers": (largest(), TARGETS),
    "a loop unrolled 1024 times": (unrolled(1024), TARGETS),
    "loops unrolled until the kernel is full": (unrolled(512, body=2, loops=20), ("sm_90a",)),
    "calls that double to a thousand": (doubling(9), TARGETS),
    "calls that the interpreter does not inline": (doubling(40), ("interpreter",)),
    "as many parameters as PTX 7.4 takes": (parameters(512, "i64"), ("sm_80",)),
    "as many parameters as PTX 8.1 takes": (parameters(4095, "i64"), ("sm_89", "sm_90a")),
    "no room for the maps of three tensors": (described(4054, 3), ("sm_90a",)),
    "room for a map but for the gap in front of it": (described(4072, 1), ("sm_90a",)),
    "no room for a map of a tensor": (described(4092, 1), ("sm_90a",)),
    "a thousand calls deep": (nested_calls(1000), ("cpu",)),
    "a scan by one warp, all written out": (long_scan(), ("sm_90a",)),
}
# Text, targets, message, and what begins where it points if that is not the kernel.
REFUSED = {
    "calls that double for ever": (doubling(40), TARGETS, GROWS),
    "ten thousand calls deep": (nested_calls(10000), ("cpu", "sm_90a"), GROWS),
    "a loop of the front end with 100000 turns": (
        products(100000), ("cpu", "sm_90a"), "'k' has 100004 operations, at most 20000 are compiled"),
    "more parameters than PTX 7.4 takes": parameters_error(4104, "sm_80", 4096),
    "more parameters than PTX 8.1 takes": parameters_error(32768, "sm_90a", 32764),
    "a factor beyond all sense": (
        unrolled(1000000), TARGETS, "tt.loop_unroll_factor must be from 1 to 1024, found 1000000",
        "scf.for"),
}


def compile(tlc, text, target, folder):
    file = pathlib.Path(folder) / "kernel.ttir"
    file.write_text(text)
    run = subprocess.run([tlc, "compile", str(file), "--target", target, "--num-warps", "1"],
                         capture_output=True, text=True,
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 5)))
    return None if run.returncode in (-signal.SIGXCPU, -signal.SIGKILL) else run


def main():
    tlc = sys.argv[1]
    probe = subprocess.run([tlc, "compile", "-", "--target", "sm_90a"], input=HEAD + TAIL,
                           capture_output=True, text=True)
    known = "there is no target" not in probe.stderr
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, targets, *message) in {**COMPILE, **REFUSED}.items():
            for target in targets:
                if target.startswith("sm_") and not known:
                    print(f"[SKIP] {name}, {target}: the NVIDIA target is not built in")
                    continue
                run = compile(tlc, text, target, folder)
                if run is None:
                    problem = f"does not end in {LIMIT} seconds"
                elif not message:
                    problem = run.stderr if run.returncode != 0 else ""
                else:
                    place = text.index(message[1]) if message[1:] else text.index("tt.func public @k(")
                    line = text[:place].count("\n") + 1
                    column = place - text.rfind("\n", 0, place)
                    first = run.stderr.split("\n")[0]
                    found = run.returncode == 1 and message[0] in first
                    placed = f"kernel.ttir:{line}:{column}: error: " in first
                    problem = "" if found and placed else run.stderr or "is not refused"
                if problem:
                    failures += 1
                    print(f"{name}, {target}: {problem}")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
