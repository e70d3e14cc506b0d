# SPDX-License-Identifier: MIT
"""The files that the tests of tlc work on: kernels in TTIR, arrays in .npy, and broken ones."""
import struct

AXPY = """\
module {
  tt.func public @axpy(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %a: f32, %n: i32) {
    %c8 = arith.constant 8 : i32
    %pid = tt.get_program_id x : i32
    %start = arith.muli %pid, %c8 : i32
    %range = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
    %base = tt.splat %start : i32 -> tensor<8xi32>
    %i = arith.addi %base, %range : tensor<8xi32>
    %bound = tt.splat %n : i32 -> tensor<8xi32>
    %mask = arith.cmpi slt, %i, %bound : tensor<8xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %yp = tt.addptr %ys, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %xv = tt.load %xp, %mask : tensor<8x!tt.ptr<f32>>
    %yv = tt.load %yp, %mask : tensor<8x!tt.ptr<f32>>
    %av = tt.splat %a : f32 -> tensor<8xf32>
    %ax = arith.mulf %av, %xv : tensor<8xf32>
    %sum = arith.addf %ax, %yv : tensor<8xf32>
    tt.store %yp, %sum, %mask : tensor<8x!tt.ptr<f32>>
    tt.return
  }
}
"""

# One public function with the given parameters that does nothing.
def empty(parameters):
    return "module {\n  tt.func public @k(" + parameters + ") {\n    tt.return\n  }\n}\n"


# One public function without parameters that holds the lines.
def body(*lines):
    return ("module {\n  tt.func public @k() {\n" + "".join(f"    {line}\n" for line in lines) +
            "    tt.return\n  }\n}\n")


def npy(dtype, shape, data, fortran=False, version=1):
    """A .npy file, byte by byte, so that broken ones can be made too."""
    header = f"{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    prefix = 10 if version == 1 else 12
    header += " " * (63 - (prefix + len(header)) % 64) + "\n"
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header.encode() + data


def floats(*values):
    return npy("<f4", (len(values),), struct.pack(f"<{len(values)}f", *values))


GOOD_X = floats(*range(20))
GOOD_Y = floats(*[1.0] * 20)

FILES = {
    "axpy.ttir": AXPY,
    "two.ttir": "module {\n  tt.func public @a() {\n    tt.return\n  }\n"
                "  tt.func public @b() {\n    tt.return\n  }\n}\n",
    "scalars.ttir": empty("%a: i1, %b: i8, %c: i16, %d: i64, %e: f16, %f: bf16, %g: f64"),
    "pointers.ttir": empty("%a: !tt.ptr<bf16>, %b: !tt.ptr<f8E5M2>, %c: !tt.ptr<i1>, "
                           "%d: !tt.ptr<f16, 1>"),
    "indirect.ttir": empty("%a: !tt.ptr<!tt.ptr<f32>>"),
    "x.npy": GOOD_X,
    "y.npy": GOOD_Y,
    "f16.npy": npy("<f2", (4,), b"\0" * 8),
    "i16.npy": npy("<i2", (4,), b"\0" * 8),
    "u16.npy": npy("<u2", (4,), b"\0" * 8),
    "u8.npy": npy("|u1", (4,), b"\0" * 4),
    "bool.npy": npy("|b1", (4,), b"\0" * 4),
    "i32.npy": npy("<i4", (20,), b"\0" * 80),
    "f64.npy": npy("<f8", (2, 3), b"\0" * 48),
    "none.npy": npy("<f4", (0, 3), b""),
    "huge_empty.npy": npy("<f4", (1 << 63, 4, 0), b""),
    "scalar.npy": npy("<f4", (), b"\0" * 4),
    "version2.npy": npy("<f4", (20,), b"\0" * 80, version=2),
    "version9.npy": npy("<f4", (20,), b"\0" * 80, version=9),
    "fortran.npy": npy("<f4", (2, 10), b"\0" * 80, fortran=True),
    "fortran1.npy": npy("<f4", (20,), b"\0" * 80, fortran=True),
    "big_endian.npy": npy(">f4", (20,), b"\0" * 80),
    "complex.npy": npy("<c8", (20,), b"\0" * 160),
    "text.npy": npy("<U4", (20,), b"\0" * 320),
    "records.npy": GOOD_X.replace(b"'<f4'", b"[('a','<f4')]"),
    "short.npy": GOOD_X[:-1],
    "long.npy": GOOD_X + b"\0",
    "cut_magic.npy": GOOD_X[:4],
    "cut_version.npy": GOOD_X[:7],
    "cut_header.npy": GOOD_X[:60],
    "bad_header.npy": GOOD_X.replace(b"'shape'", b"'shame'"),
    "no_shape.npy": GOOD_X.replace(b", 'shape': (20,)", b"               "),
    "negative.npy": GOOD_X.replace(b"(20,)", b"(-2,)"),
    "overflow.npy": npy("<f4", (1 << 62, 1 << 62), b"\0" * 8),
    "too_long.npy": npy("<f4", ("9" * 30,), b"\0" * 8).replace(b"'" + b"9" * 30 + b"'", b"9" * 30),
    "garbage.npy": bytes((i * 97 + 13) % 256 for i in range(1000)),
    "empty.npy": b"",
}

# What releases spell in different ways.
SPELLED = """\
module {
  tt.func public @k(%x: !tt.ptr<f32>, %n: i32) {
    %c0_i32 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %x, [%n], [%one] : <f32>, <8xf32>
    %v = tt.descriptor_load %d[%c0_i32] : !tt.tensordesc<8xf32> -> tensor<8xf32>
    %q = tt.approx_divf %v, %v : tensor<8xf32>
    ttg.barrier all
    tt.print "tt.approx_divf !tt.tensordesc<8xf32>" {hex = false, isSigned = array<i32>}
    tt.descriptor_store %d[%c0_i32], %q : !tt.tensordesc<8xf32>, tensor<8xf32>
    tt.return
  }
}
"""
# Of each release: the type of a descriptor, its short form, a quotient, a barrier.
SPELLINGS = {
    "3.6": ("<tensor<8xf32>>", "<tensor<8xf32>>", "arith.divf", "gpu.barrier"),
    "3.7": ("<tensor<8xf32>>", "<tensor<8xf32>>", "arith.divf", "ttg.barrier all"),
    "3.8": ("<8xf32>", "<8xf32>", "arith.divf", "ttg.barrier all"),
    "3.9": ("<8xf32>", "<8xf32>", "tt.approx_divf", "ttg.barrier all"),
}
