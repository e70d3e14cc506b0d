# SPDX-License-Identifier: MIT
"""Upstream's Triton takes the TTIR of the kernels of some programs.

    upstream_takes.py [--all] FEWEST TL-OPT RECORDER PROGRAM ...

RECORDER is the library of record_ttir.c, each PROGRAM one with kernels, FEWEST how many there are at least.
Blocks whose extents are no powers of two, which upstream must refuse, are padded by TL-OPT first. Upstream parses
and verifies all of their texts, and compiles a sample of them to the PTX of sm_90, in which is each name of a kernel,
and each operation with each combination of element types that it has in any text; then others, other ones each day,
for the seconds that TL_UPSTREAM_SECONDS allows. With --all it compiles all of them, which takes
minutes, also those whose tensors fit into no registers, half a minute each. No GPU is needed. tests/python_packages.py runs this with Triton, or skips it."""
import collections
import datetime
import math
import multiprocessing
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# What upstream does not have: ours, and said so in docs/reference/ops.md.
OWN = re.compile(r"\btt\.(grid_barrier|hint)\b|\btt\.atomic_cas \w+, \w+(, %[\w#]+){4}")
# What upstream verifies and does not compile for sm_90, in texts without their locations.
LIMITS = {
    r"tt\.dot .* : tensor<(\d+x)+[1248]x[a-z]\w*> \*": "products over fewer than 16 elements",
    r"tt\.histogram .*x(i8|i16|i64)>": "histograms of other integers than i32",
    r"f8E4M3FNUZ|f8E5M2FNUZ": "8-bit floats of AMD's",
    r"tt\.precise_divf .*f64": "rounded quotients of f64",
    r"rounding = rtz : .*f64>? ->": "roundings of f64 to zero",
    r"tt\.map_elementwise.*pack = ([2-9]|1\d)": "packs of more elements than a thread has",
    r"scf\.if .*tensordesc": "branches that yield descriptors",
    r"tt\.fp_to_fp .*(f64>? -> \S*f8|f8\w+>? -> \S*f64)": "casts between 8-bit floats and f64",
    r"rounding = rtz : \S*(b?f16|f32)>? -> \S*f8": "roundings of floats to 8 bits toward zero",
    r"arith\.constant dense<.*> : tensor<\S*xf8": "tensors of 8-bit floats as constants",
    r'"tt\.reduce"\((?:(?!tt\.reduce\.return)[\s\S])*scf\.if': "branches in functions of reductions",
}
LARGEST = 65536  # elements of a tensor, but with --all
STAGES = ("ttir", "ttgir", "llir", "ptx")

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # or it warns that this is the default
try:
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler.compiler import IRSource, make_backend
except ImportError as missing:
    print(f"[SKIP] upstream's Triton cannot be imported: {missing}")
    sys.exit(77)

TARGET = GPUTarget("cuda", 90, 32)
backend = make_backend(TARGET)


class Diagnostics:
    """What MLIR prints to the standard error while this is open."""

    def __enter__(self):
        self.file, self.kept = tempfile.TemporaryFile(), os.dup(2)
        os.dup2(self.file.fileno(), 2)
        return self

    def __exit__(self, *_):
        os.dup2(self.kept, 2)
        os.close(self.kept)

    def text(self):
        self.file.seek(0)
        return self.file.read().decode(errors="replace")


def problem_of(action):
    """The first error of upstream, without its numbers, or nothing."""
    with Diagnostics() as said:
        try:
            action()
            return ""
        except Exception as error:  # whatever upstream throws is the answer
            problem = repr(error)
    first = re.search(r"error: (.*)", said.text())
    return re.sub(r"\d+", "N", first[1] if first else problem)


def has_other_extents(text):
    return any(int(extent) & (int(extent) - 1)
               for tensor in re.findall(r"tensor(?:desc)?<((?:\d+x)+)", text) for extent in re.findall(r"\d+", tensor))


def largest_tensor(text):
    return max((math.prod(map(int, re.findall(r"\d+", tensor))) for tensor in re.findall(r"tensor<((?:\d+x)+)", text)),
               default=1)


def pad(tl_opt, path):
    """Pads the extents in a text, and gives what it is then."""
    text = subprocess.run([tl_opt, "--pad-tiles", path], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=60).stdout  # remarks are for others
    path.write_text(text, encoding="utf-8")
    return text


def new_context():
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    return context


def compile_to_ptx(path):
    context = new_context()
    source = IRSource(str(path), context, backend)
    options = backend.parse_options(source.parse_options())
    stages = {}
    backend.add_stages(stages, options, source.language)
    module = source.make_ir(TARGET, options, backend.get_codegen_implementation(options),
                            backend.get_module_map(), context)
    metadata = {"target": TARGET, **options.__dict__}
    for stage in STAGES:
        module = stages[stage](module, metadata)
    assert ".entry" in module, "no entry in PTX"


def problem_of_compiling(path):
    return path, problem_of(lambda: compile_to_ptx(path))


def forms_of(text):
    """The name of a text's kernel, and each operation with the element types that it has to do with."""
    for line in text.splitlines():
        kernel = re.search(r"tt\.func (public )?(@\w+)", line)
        operation = re.search(r"\b(?:tt|arith|math|scf|cf)\.[\w.]+", line)
        if kernel:
            yield kernel[2], ()
        elif operation:
            types = re.sub(r"(?<=[<x])\d+x", "", line[line.find(" : "):]) if " : " in line else ""
            yield operation[0], tuple(re.findall(r"!tt\.\w+|\b[a-z]+\d\w*\b", types))


def sample_of(texts):
    """The texts to compile: for each form, rarest first, one that has most of what is not there yet."""
    forms = {path: set(forms_of(text)) for path, text in texts.items()}
    where = collections.defaultdict(list)
    for path, found in forms.items():
        for form in found:
            where[form].append(path)
    chosen, covered = [], set()
    for form in sorted(where, key=lambda form: (len(where[form]), form)):
        if form not in covered:
            chosen.append(max(where[form], key=lambda path: (len(forms[path] - covered), -len(texts[path]))))
            covered |= forms[chosen[-1]]
    return chosen, len(where)


def compile_in_time(chosen, others):
    """All that are chosen, and of the others those for which there is time; the problem of each. A process each
    processor."""
    seconds = float(os.environ.get("TL_UPSTREAM_SECONDS", 0))
    end = time.monotonic() + seconds
    problems = {}
    with multiprocessing.Pool() as pool:
        # Where no seconds are allowed, none of the others is begun while the last of the chosen end.
        for path, problem in pool.imap_unordered(problem_of_compiling, chosen + (others if seconds else [])):
            problems[path] = problem
            if time.monotonic() > end and problems.keys() >= set(chosen):
                break
    return problems


def record(recorder, program, folder):
    environment = dict(os.environ, LD_PRELOAD=recorder, RECORD_TTIR=folder, TL_DEVICE="interpreter",
                       TL_TEST_DEVICES="interpreter")
    subprocess.run([program], env=environment, stdout=subprocess.DEVNULL, timeout=600)  # judged elsewhere


def main(compiles_all, fewest, tl_opt, recorder, programs):
    wrong, own, padded, left_out, limited = collections.defaultdict(list), 0, 0, 0, collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for program in programs:
            record(recorder, program, folder)
        verified, texts, context = 0, {}, new_context()
        for path in sorted(Path(folder).iterdir()):
            text = re.sub(r" loc\(.*$|^#loc.*\n", "", path.read_text(encoding="utf-8"), flags=re.M)
            if has_other_extents(text):
                if not problem_of(lambda: ir.parse_mlir_module(str(path), context)):
                    wrong["not refused: extents that are no powers of two"].append(text)
                text = pad(tl_opt, path)
                padded += 1
            if OWN.search(text):
                own += 1
                continue
            problem = problem_of(lambda: ir.parse_mlir_module(str(path), context))
            if problem:
                wrong["verifying: " + problem].append(text)
                continue
            verified += 1
            limit = next((limit for limit in LIMITS if re.search(limit, text)), None)
            if limit:
                limited[limit] += 1
            elif not compiles_all and largest_tensor(text) > LARGEST:
                left_out += 1
            else:
                texts[path] = text
        chosen, forms = sample_of(texts)
        others = [path for path in texts if path not in chosen]
        random.Random(datetime.date.today().toordinal()).shuffle(others)
        problems = compile_in_time(chosen + others, []) if compiles_all else compile_in_time(chosen, others)
        for path, problem in problems.items():
            if problem:
                wrong["compiling: " + problem].append(texts[path])
    for problem, kernels in wrong.items():
        print(f"FAIL {len(kernels)} kernels: {problem}\n{kernels[0][:1500]}")
    print(f"upstream verified {verified} kernels and compiled {len(problems)}, which have all {forms} names and forms "
          f"of operations; {own} have operations of our own, {padded} blocks that were padded")
    if left_out:
        print(f"{left_out} are compiled with --all alone, for their tensors of more than {LARGEST} elements")
    for limit, count in limited.items():
        print(f"{count} are not compiled, as upstream has no {LIMITS[limit]} there")
    enough = verified + own >= fewest
    if not enough:
        print(f"FAIL fewer than {fewest} kernels were recorded")
    print(f"{int(verified > 0)} passed, {len(wrong) + (not enough)} failed")
    return int(bool(wrong) or not enough)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    everything = arguments[:1] == ["--all"]
    fewest, tl_opt, recorder, *programs = arguments[everything:]
    sys.exit(main(everything, int(fewest), tl_opt, recorder, programs))
