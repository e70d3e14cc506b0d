# SPDX-License-Identifier: MIT
"""Every name of upstream's language has a row in docs/reference/upstream_names.txt, and what stands there for
it is in the headers and, if it is a function, in a test of what it does. The names are those of Triton 3.9, and of the one that is installed, if one is."""
import ast
import importlib.util
import re
from pathlib import Path

from project import ROOT, Report, files, text

NAMES = {"": """
    PropagateNan TRITON_MAX_TENSOR_NUMEL abs add arange argmax argmin associative_scan assume atomic_add atomic_and
    atomic_cas atomic_load atomic_max atomic_min atomic_or atomic_poll atomic_store atomic_xchg atomic_xor bfloat16
    bitonic_merge block_type broadcast broadcast_to cast cat cdiv ceil clamp condition const constexpr constexpr_type
    cos cumprod cumsum debug_barrier device_assert device_print div_rn dot dot_scaled dtype erf exp exp2 expand_dims
    expect_zero extra fdiv flip float16 float32 float64 float8e4b15 float8e4b8 float8e4nv float8e5 float8e5b16 floor
    fma full gather histogram inline_asm_elementwise int1 int16 int32 int64 int8 interleave join load
    load_tensor_descriptor log log2 make_block_ptr make_tensor_descriptor map_elementwise math max max_constancy
    max_contiguous maximum min minimum mul multiple_of num_programs pair_uniform_to_normal permute philox philox_impl
    pi32_t pointer_type program_id rand rand4x randint randint4x randn randn4x range ravel reduce reduce_or reshape
    rsqrt sigmoid sin slice softmax sort split sqrt sqrt_rn squeeze static_assert static_print static_range store
    store_tensor_descriptor sub sum swizzle2d target_info tensor tensor_descriptor to_tensor topk trans tuple uint16
    uint32 uint64 uint8 uint_to_uniform_float umulhi unsqueeze view void where xor_sum zeros zeros_like""",
         "extra.cuda": """
    convert_custom_float8_sm70 convert_custom_float8_sm80 gdc_launch_dependents gdc_wait globaltimer libdevice
    num_threads num_warps smid"""}
FILE = "docs/reference/upstream_names.txt"


def installed(module):
    """What the module of an installed Triton exports, read without running it."""
    spec = importlib.util.find_spec("triton")
    homes = [Path(spec.origin).parent] if spec and spec.origin else []
    homes += sorted(ROOT.glob("build*/python/lib/python*/site-packages/triton"))
    for home in homes:
        source = home / "language" / module.replace(".", "/") / "__init__.py"
        if source.exists():
            for statement in ast.parse(source.read_text(encoding="utf-8")).body:
                if isinstance(statement, ast.Assign) and statement.targets[0].id == "__all__":
                    return {name.value for name in statement.value.elts}
    return set()


report = Report()
rows, group = {}, ""
for line in text(FILE).split("\n\n", 1)[1].splitlines():
    if line.endswith(":"):
        group = line[:-1] if line[:-1] in ("extra.cuda", "target_info", "tools") else ""
    elif line:
        columns = [column.strip() for column in line.split(" |")]
        report.check(len(columns) == 4, f"{FILE}: '{line}' has {len(columns)} columns, not 4")
        name = (group, columns[0])
        report.check(name not in rows, f"{FILE}: {columns[0]} has two rows")
        rows[name] = columns[1:3] if len(columns) == 4 else ["", ""]

for group, names in NAMES.items():
    for name in sorted(set(names.split()) | installed(group)):
        report.check((group, name) in rows, f"{FILE}: {name} of upstream's {group or 'language'} has no row")

# Words are looked for, and not declarations: an operator's option stands in a struct, a type in a using.
words = set(re.findall(r"\w+", "\n".join(text(path) for path in files({".hpp"}, "include"))))
# That it compiles and that upstream reads it is another promise.
tested = set(re.findall(r"\w+", "\n".join(text(path) for path in files({".hpp", ".cpp"}, "tests")
                                          if "compile_fail" not in path.parts and path.name != "corpus.hpp")))
for (group, name), (spelling, devices) in rows.items():
    for used in re.findall(r"tl::(?:\w+::)*(\w+)", spelling) + re.findall(r"[{ ]\.(\w+)", spelling):
        report.check(used in words, f"{FILE}: {used}, which stands for {name}, is in no header")
    for used in re.findall(r"tl::(?:\w+::)*(\w+)(?:<[^`(]*>)?\(", spelling):
        report.check(used in tested, f"{FILE}: {used}, which stands for {name}, is in no test")
    report.check(devices in ("all", "NVIDIA", "trace"), f"{FILE}: {name} has the devices '{devices}'")
report.finish()
