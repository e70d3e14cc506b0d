#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The example in each operation's record is TTIR that parses and verifies, and compiles for every target or
is refused by it in one sentence; what the descriptions of passes show before and after parses, too, and each
layout that a description shows can be read.

    examples.py TL_OPT TLC LLVM_TBLGEN MLIR_INCLUDE TARGET ...

An example uses values that it does not define. They become parameters of a function around it, whose
types the parser itself tells: it says which type it expected. For the targets, which take no tensors as
parameters, the operands are loaded and the results stored."""
import concurrent.futures
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import textwrap

tl_opt, tlc, tblgen, include, *targets = sys.argv[1:]
backend = pathlib.Path(__file__).resolve().parents[3] / "backend"
dialect = backend / "dialect"


def records_of(source):
    return json.loads(subprocess.run([tblgen, "--dump-json", "-I", include, "-I", dialect, source], check=True,
                                     capture_output=True, text=True).stdout)


def blocks(record):
    return re.findall(r"```mlir\n(.*?)```", record.get("description") or "", re.S)


def shown_by_passes():
    """(pass, what it shows before or after); a loop that is shown in part is completed."""
    records = records_of(backend / "passes/Passes.td")
    for name in records["!instanceof"]["PassBase"]:
        for block in blocks(records[name]):
            for piece in re.split(r"^ *// (?:before|after).*$", block, flags=re.M):
                if piece.strip() and "(...)" not in piece:  # not all of an operation is shown
                    piece = piece.replace("...; ...", "").replace("...", "")
                    yield name, piece + "}\n" * (piece.count("{") - piece.count("}"))


def shown_layouts():
    records = records_of(dialect / "Layouts.td")
    for name in records["!instanceof"]["AttrDef"]:
        for block in blocks(records[name]):
            for line in block.split("\n"):
                if line.strip():
                    yield name, line.strip()


def examples():
    for source in sorted(dialect.glob("*.td")):
        records = records_of(source)
        for name in records["!instanceof"].get("Op", []):
            record = records[name]
            if source.name in (record.get("!locs") or [""])[0] and not record["!anonymous"]:
                yield records[record["opDialect"]["def"]]["name"] + "." + record["opName"], \
                    textwrap.dedent(record.get("example", "").strip("\n")).rstrip()


def errors_of(text):
    return subprocess.run([tl_opt], input=text, capture_output=True, text=True).stderr


FUNCTIONS = "tt.func private @f(%a: f32, %b: f32) -> f32 {\n%c = arith.addf %a, %b : f32\ntt.return %c : f32\n}\n"


def function_around(example, types, end=""):
    parameters = ", ".join(f"{name}: {type}" for name, type in types.items())
    return f"{FUNCTIONS}tt.func @example({parameters}) {{\n{example}\n{end}tt.return\n}}\n"


def with_types(example, names, end=""):
    """What the parser says in the end, and the types of the values which the example uses, as far as it knows."""
    types = dict.fromkeys(names, "i32")
    for _ in range(2 * len(names) + 1):
        error = errors_of(function_around(example, types, end))
        wrong = re.search(r"use of value '(%\w+)' expects different type than prior uses: '(.*)' vs '", error)
        if not wrong or wrong[1] not in types:
            break
        types[wrong[1]] = wrong[2]
    return error, types


def operands_of(example):
    definitions = re.findall(r"^\s*(%\w+(?:, %\w+)*) =|\^bb0\((.*)\)", example, re.M)
    defined = set(re.findall(r"%\w+", " ".join(" ".join(pair) for pair in definitions)))
    defined |= set(re.findall(r"^\s*(%\w+):\d+ =|", example, re.M)) | set(re.findall(r"scf\.for (%\w+) =", example))
    for carried in re.findall(r"iter_args\((.*?)\) ->", example):
        defined |= set(re.findall(r"(%\w+) =", carried))
    return sorted(set(re.findall(r"%\w+", example)) - defined)


def why_not(op, example):
    """Nothing if the example is good, else what the parser says."""
    if not example.strip():
        return "has no example"
    if op == "tt.func":
        return errors_of(example)
    if op.endswith(".return"):  # its operation's example has it
        return ""
    return with_types(example, operands_of(example))[0]


def results_of(example, types):
    """The values that the example defines at its outermost level, with their types: a use as a predicate,
    which none of them is by a name that the parser does not know, is refused with the right one."""
    results = {}
    for names, count in re.findall(r"^(%\w+(?:, %\w+)*)(?::(\d+))? =", example, re.M):
        for name in ([f"{names}#{i}" for i in range(int(count))] if count else names.split(", ")):
            error = errors_of(function_around(example, types, f"%probe = arith.negf {name} : f80\n"))
            results[name] = re.search(r"prior uses: 'f80' vs '(.*)'", error)[1]
    return results


def shape_and_element(type):
    inner = re.fullmatch(r"tensor<((?:\d+x)*)(.*)>", type)
    return [int(extent) for extent in inner[1].split("x")[:-1]], inner[2]


def addresses(name, type, base):
    """Lines that make the values <name>_at of a pointer for each element of a tensor's type."""
    shape, element = shape_and_element(type)
    size = math.prod(shape)
    extents = "x".join(map(str, shape))
    pointer = element if element.startswith("!tt.ptr") else f"!tt.ptr<{element}>"
    return (f"{name}_line = tt.make_range {{end = {size} : i32, start = 0 : i32}} : tensor<{size}xi32>\n"
            f"{name}_index = tt.reshape {name}_line : tensor<{size}xi32> -> tensor<{extents}xi32>\n"
            f"{name}_base = tt.splat {base} : {pointer} -> tensor<{extents}x{pointer}>\n"
            f"{name}_at = tt.addptr {name}_base, {name}_index : tensor<{extents}x{pointer}>, tensor<{extents}xi32>\n",
            pointer, f"tensor<{extents}x{pointer}>")


def descriptor(name, type):
    """Lines that make a descriptor of a large tensor, and the type of the pointer <name>_in."""
    extents, element = re.search(r"<((?:\d+x)+)([a-z]\w*)>", type).groups()
    rank = extents.count("x")
    sizes, strides = ", ".join([f"{name}_size"] * rank), ", ".join([f"{name}_stride"] * (rank - 1) + [f"{name}_one"])
    pointer = f"!tt.ptr<{element}>"
    return (f"{name}_size = arith.constant 1024 : i32\n{name}_stride = arith.constant 1024 : i64\n"
            f"{name}_one = arith.constant 1 : i64\n"
            f"{name} = tt.make_tensor_descriptor {name}_in, [{sizes}], [{strides}] : {pointer}, {type}\n", pointer)


def kernel_around(example):
    """A kernel that loads what the example uses and stores what it defines."""
    types = with_types(example, operands_of(example))[1]
    parameters, before, after = {}, "", ""
    for name, type in types.items():
        if type.startswith("!tt.tensordesc"):
            lines, parameters[name + "_in"] = descriptor(name, type)
            before += lines
            continue
        if not type.startswith("tensor<"):
            parameters[name] = type
            continue
        bits = shape_and_element(type)[1] == "i1"
        held = type.replace("i1>", "i8>") if bits else type
        lines, parameters[name + "_in"], pointers = addresses(name, held, name + "_in")
        before += lines
        if "!tt.ptr" in type:
            before += f"{name} = tt.addptr {name}_base, {name}_index : {type}, {pointers.split('x!')[0]}xi32>\n"
        elif bits:
            before += (f"{name}_byte = tt.load {name}_at : {pointers}\n"
                       f"{name} = arith.trunci {name}_byte : {held} to {type}\n")
        else:
            before += f"{name} = tt.load {name}_at : {pointers}\n"
    for index, (name, type) in enumerate(results_of(example, types).items()):
        own = f"%result{index}"
        if type.startswith("!tt.tensordesc"):
            tensor = type.replace("!tt.tensordesc", "tensor")
            corner = ", ".join([own + "_zero"] * len(shape_and_element(tensor)[0]))
            after += (f"{own}_zero = arith.constant 0 : i32\n"
                      f"{own}_part = tt.descriptor_load {name}[{corner}] : {type} -> {tensor}\n")
            name, type = own + "_part", tensor
        if type.startswith("!tt.ptr<tensor"):
            after += f"{own}_block = tt.load {name} : {type}\n"
            name, type = own + "_block", type[len("!tt.ptr<"):-1]
        element = shape_and_element(type)[1] if type.startswith("tensor<") else type
        if element.startswith("!tt.ptr"):
            number = type.replace(element, "i64")
            after += f"{own}_number = tt.ptr_to_int {name} : {type} -> {number}\n"
            name, type = own + "_number", number
        elif element == "i1":
            after += f"{own}_byte = arith.extui {name} : {type} to {type.replace('i1', 'i8')}\n"
            name, type = own + "_byte", type.replace("i1", "i8")
        if type.startswith("tensor<"):
            lines, parameters[own + "_out"], pointers = addresses(own, type, own + "_out")
            after += lines + f"tt.store {own}_at, {name} : {pointers}\n"
        else:
            parameters[own + "_out"] = f"!tt.ptr<{type}>"
            after += f"tt.store {own}_out, {name} : !tt.ptr<{type}>\n"
    return function_around(before + example, parameters, after)


# What a target refuses, and in which words.
REFUSED = {
    ("tt.elementwise_inline_asm", "interpreter"): "the interpreter cannot run inline assembly",
    ("tt.elementwise_inline_asm", "cpu"): "inline assembly",
    # It is NVIDIA's.
    ("tt.elementwise_inline_asm", "gfx942"): "the assembly of tl::inline_asm_elementwise is refused",
    ("tt.elementwise_inline_asm", "gfx1100"): "the assembly of tl::inline_asm_elementwise is refused",
    # Its factors of f32 go through shared memory, of which AMD's GPUs have less.
    ("tt.dot_scaled", "gfx942"): "needs 131072 bytes of shared memory",
    ("tt.dot_scaled", "gfx1100"): "needs 131072 bytes of shared memory",
}


def why_not_compiled(op, kernel, target):
    done = subprocess.run([tlc, "compile", "-", "--target", target, "--entry",
                           re.findall(r"tt.func (?:public )?@(\w+)", kernel)[-1]], input=kernel,
                          capture_output=True, text=True)
    sentence = REFUSED.get((op, target)) or REFUSED.get((op, target.split("_")[0]))
    if done.returncode == 0:
        return f"{op}: the {target} target takes it and is said to refuse it" if sentence else ""
    if sentence and done.returncode == 1 and sentence in done.stderr:
        return ""
    return f"{op} does not compile for {target}: {done.stderr.strip()}\nfrom\n{kernel}"


failures = 0
count = 0
kernels = {}
for op, example in examples():
    count += 1
    error = why_not(op, example)
    if error:
        failures += 1
        print(f"{op}: {error.strip()}")
    elif op == "tt.func":
        kernels[op] = example
    elif op.startswith("tt.") and not op.endswith(".return"):
        kernels[op] = kernel_around(example)
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    jobs = [(op, kernel, target) for op, kernel in kernels.items() for target in targets]
    for problem in pool.map(lambda job: why_not_compiled(*job), jobs):
        count += 1
        failures += bool(problem)
        if problem:
            print(problem)
shown = [(name, why_not(name, piece)) for name, piece in shown_by_passes()]
shown += [(name, errors_of(f"#layout = {text}\n")) for name, text in shown_layouts()]
for name, error in shown:
    count += 1
    failures += bool(error)
    if error:
        print(f"{name}: {error.strip()}")
print(f"{count - failures} passed, {failures} failed")
sys.exit(failures > 0 or count < 80)
