#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What tlc does with right and with wrong input: exit code and first line of each message.

    command_line.py TLC SOURCE_ROOT
"""
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import xml.dom.minidom

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from files import FILES, SPELLED, SPELLINGS, body, empty  # noqa: E402

RUN = ["run", "axpy.ttir", "--device", "cpu", "--grid", "3"]
ARGS = ["--arg", "@x.npy", "--arg", "@y.npy", "--arg", "fp32:2", "--arg", "i32:20"]


def with_args(*arguments, file="axpy.ttir", device="cpu"):
    command = ["run", file, "--device", device, "--grid", "1"]
    for argument in arguments:
        command += ["--arg", argument]
    return command


def replaced(index, argument):
    arguments = ["@x.npy", "@y.npy", "fp32:2", "i32:20"]
    arguments[index] = argument
    return with_args(*arguments)


SCALARS = ("the types of scalars are i1 i8 i16 i32 i64 u8 u16 u32 u64 fp16 bf16 fp32 fp64 fp8e4nv "
           "fp8e5")

TARGETS = ("cpu, interpreter, sm_80 to sm_121a, gfx90a, gfx942, gfx950, gfx1100, gfx1201, "
           "simt: and one of a GPU")

# name: (command, exit code, first line of stderr without "tlc: error: ")
WRONG_COMMAND_LINES = {
    "no command": ([], 2, "tlc needs a command"),
    "unknown command": (["fly"], 2, "there is no command 'fly'"),
    "command with control characters": (["a\x1b[31m"], 2, "there is no command 'a?[31m'"),
    "very long command": (["x" * 5000], 2, "there is no command '" + "x" * 60 + "...'"),
    "help for an unknown command": (["help", "fly"], 2, "there is no command 'fly'"),
    "help for two": (["help", "run", "compile"], 2, "tlc help takes one command"),
    "devices with a word": (["devices", "cpu"], 2, "tlc devices takes no arguments"),
    "unknown option": (["run", "axpy.ttir", "--girth", "1"], 2, "tlc run has no option '--girth'"),
    "option of another command": (["compile", "axpy.ttir", "--grid", "1"], 2,
                                  "tlc compile has no option '--grid'"),
    "option without its value": (["run", "axpy.ttir", "--grid"], 2,
                                 "option --grid needs a value, X[,Y[,Z]]"),
    "option with an empty value": (["compile", "axpy.ttir", "--emit", ""], 2,
                                   "option --emit needs a value, STAGE"),
    "grid that is empty": (["run", "axpy.ttir", "--grid", ""], 2,
                           "option --grid needs a value, X[,Y[,Z]]"),
    "option that is equal to nothing": (["compile", "axpy.ttir", "--target="], 2,
                                        "option --target needs a value, TARGET"),
    "option twice": (["run", "axpy.ttir", "--grid", "1", "--grid", "2"], 2,
                     "option --grid is given twice"),
    "switch with a value": (["run", "axpy.ttir", "--time=3"], 2, "option --time takes no value"),
    "run without a file": (["run", "--grid", "1"], 2, "tlc run needs a TTIR file"),
    "two files": (["run", "axpy.ttir", "two.ttir", "--grid", "1"], 2,
                  "tlc run takes one TTIR file, 'two.ttir' is one more"),
    "run without a grid": (["run", "axpy.ttir"], 2, "tlc run needs --grid X[,Y[,Z]]"),
    "missing TTIR file": (["compile", "absent.ttir"], 3,
                          "cannot read absent.ttir: No such file or directory"),
    "folder for a file": (["compile", "."], 3, "cannot read .: it is a folder"),
    "output into a folder that is not there": (
        ["compile", "axpy.ttir", "--emit", "ttir", "-o", "absent/x"], 3,
        "cannot write absent/x: No such file or directory"),
    "unknown target": (["compile", "axpy.ttir", "--target", "abacus"], 2,
                       f"there is no target 'abacus', the targets of this libtl are {TARGETS}"),
    "unknown stage": (["compile", "axpy.ttir", "--emit", "ptx"], 2,
                      "kernel axpy has no stage 'ptx', its stages are ttir, llir, asm, obj"),
    "unknown device": (["run", "axpy.ttir", "--device", "abacus", "--grid", "1"], 2,
                       "there is no device 'abacus', the devices of this machine are cpu, "
                       "interpreter"),
    "unknown emulated GPU": (["run", "axpy.ttir", "--device", "simt:abacus", "--grid", "1"], 2,
                             "there is no device 'simt:abacus', those of this kind are simt:sm_80, simt:sm_89, "
                             "simt:sm_90a, simt:sm_100a, simt:sm_120a, simt:gfx90a, simt:gfx942, simt:gfx950, "
                             "simt:gfx1100, simt:gfx1201"),
    "spelling of an older release": (
        ["compile", "axpy.ttir", "--emit", "ttir", "--ttir-version", "3.5"], 2,
        "option --ttir-version is '3.5', expected 3.6, 3.7, 3.8 or 3.9"),
    "spelling of an older release, before the file is read": (
        ["compile", "missing.ttir", "--emit", "ttir", "--ttir-version", "3.5"], 2,
        "option --ttir-version is '3.5', expected 3.6, 3.7, 3.8 or 3.9"),
    "spelling of another stage": (["compile", "axpy.ttir", "--ttir-version", "3.6"], 2,
                                  "option --ttir-version is for --emit ttir"),
    "num_warps of three": (RUN + ["--num-warps", "3"], 2,
                           "compile option num_warps is 3, expected a power of two from 1 to 32"),
    "num_warps of zero": (RUN + ["--num-warps", "0"], 2,
                          "option --num-warps is '0', expected a whole number from 1 to 32"),
    "num_stages of a word": (RUN + ["--num-stages", "many"], 2,
                             "option --num-stages is 'many', expected a whole number from 1 to 64"),
    "layout without a layout": (["layout"], 2, "tlc layout needs a layout"),
    "two layouts": (["layout", "#ttg.layout<a>", "b"], 2,
                    "tlc layout takes one layout, 'b' is one more"),
    "layout as both": (["layout", "x", "--svg", "-", "--text"], 2,
                       "tlc layout takes --svg or --text, not both"),
    "layout of a word": (["layout", "striped"], 2, "the text is no layout"),
    "layout of an odd size": (["layout", "#ttg.shared<rows [8, 8], order = [1, 0]>", "--bits", "12"],
                              2, "elements of 12 bits, expected a power of two up to 64"),
    "layout of another size": (
        ["layout", "!ttg.memdesc<8xf16, #ttg.shared<rows [8], order = [0]>>", "--bits", "32"], 2,
        "elements of 32 bits, but the type has elements of 16 bits"),
    "layout of too many elements": (
        ["layout", "#ttg.shared<rows [1024, 128], order = [1, 0]>"], 2,
        "the layout covers 2^17 elements, at most 65536 are drawn"),
    "layout of too many registers": (
        ["layout", "#ttg.layout<linear [1], register = ["
         + ", ".join(["[0]"] * 21) + "]>"], 2,
        "the layout has 2^21 registers in all threads, at most 2^20 are looked through"),
    "layout of a tensor without one": (["layout", "tensor<8xf16>"], 2,
                                       "the tensor type has no layout"),
    "layout of another shape": (["layout", "tensor<8xf16, #ttg.layout<linear [1]>>"], 2,
                                "the layout of the tensor type covers another shape"),
    "layout of a long text": (["layout", "#ttg.layout<" + " " * 70000], 2,
                              "the text of the layout has 70012 bytes, at most 65536 are read"),
    "layout with nesting": (["layout", "#ttg.layout<" + "<" * 1000], 2,
                            "the text nests more than 128 brackets"),
    "layout cut short": (["layout", "#ttg.layout<"], 2,
                         "unbalanced '<' character in pretty dialect name"),
    "diagram into a folder that is not there": (
        ["layout", "#ttg.shared<rows [8], order = [0]>", "--svg", "absent/x"], 3,
        "cannot write absent/x: No such file or directory"),
}

GRID = "', expected one to three whole numbers from 0 to 2147483647, with commas between"
WRONG_GRIDS = {
    f"grid {text!r}": (["run", "axpy.ttir", "--grid", text], 2, f"option --grid is '{text}{GRID}")
    for text in ["x", "1,", ",1", "1,2,3,4", "-1", "1.5", "2147483648", "1e3", "0x10", "1 2"]
}
WRONG_GRIDS["grid that would never end"] = (
    ["run", "axpy.ttir", "--device", "cpu", "--grid", "2147483647,2147483647,2147483647"] + ARGS, 2,
    "a grid of 2147483647x2147483647x2147483647 programs for kernel axpy exceeds the limit of "
    "1099511627776 programs a launch")

WRONG_ARGUMENTS = {
    "nothing after the at sign": (replaced(0, "@"), 2, "argument '@' names no file"),
    "an argument of no kind": (replaced(3, "20"), 2,
                               "argument '20' is none of @FILE.npy, TYPE:VALUE and null"),
    "an unknown scalar type": (replaced(3, "int:20"), 2,
                               "argument 'int:20' has the unknown type 'int'"),
    "a word for an integer": (replaced(3, "i32:twenty"), 2,
                              "argument 'i32:twenty' is not a whole number from -2147483648 to "
                              "2147483647"),
    "a fraction for an integer": (replaced(3, "i32:1.5"), 2,
                                  "argument 'i32:1.5' is not a whole number from -2147483648 to "
                                  "2147483647"),
    "an integer that does not fit": (replaced(3, "i8:128"), 2,
                                     "argument 'i8:128' is not a whole number from -128 to 127"),
    "a negative unsigned integer": (replaced(3, "u64:-1"), 2,
                                    "argument 'u64:-1' is not a whole number from 0 to "
                                    "18446744073709551615"),
    "a boolean of two": (replaced(3, "i1:2"), 2, "argument 'i1:2' is not a whole number from 0 to 1"),
    "nothing for a float": (replaced(2, "fp32:"), 2, "argument 'fp32:' is not a number"),
    "a word for a float": (replaced(2, "fp32:2x"), 2, "argument 'fp32:2x' is not a number"),
    "a float that does not fit": (replaced(2, "fp16:65520"), 2,
                                  "argument 'fp16:65520' is out of the range of fp16"),
    "a float beyond a double": (replaced(2, "fp64:1e999"), 2,
                                "argument 'fp64:1e999' is out of the range of fp64"),
    "no arguments": (RUN, 2, "kernel axpy takes 4 arguments (!tt.ptr<f32>, !tt.ptr<f32>, f32, i32), "
                             "but 0 were given"),
    "one argument too few": (with_args("@x.npy", "@y.npy", "fp32:2"), 2,
                             "kernel axpy takes 4 arguments (!tt.ptr<f32>, !tt.ptr<f32>, f32, i32), "
                             "but 3 were given"),
    "one argument too many": (RUN + ARGS + ["--arg", "i32:1"], 2,
                              "kernel axpy takes 4 arguments (!tt.ptr<f32>, !tt.ptr<f32>, f32, "
                              "i32), but 5 were given"),
    "an array of integers for floats": (replaced(0, "@i32.npy"), 2,
                                        "argument 0 is an array of int32 ('@i32.npy'), but the "
                                        "parameter is !tt.ptr<f32>, expected float32"),
    "an array of doubles for floats": (replaced(1, "@f64.npy"), 2,
                                       "argument 1 is an array of float64 ('@f64.npy'), but the "
                                       "parameter is !tt.ptr<f32>, expected float32"),
    "an array of float16 for bf16": (with_args("@f16.npy", "null", "null", "null",
                                               file="pointers.ttir"), 2,
                                     "argument 0 is an array of float16 ('@f16.npy'), but the "
                                     "parameter is !tt.ptr<bf16>, expected int16 or uint16"),
    "an array of int16 for fp8": (with_args("@i16.npy", "@i16.npy", "null", "null",
                                            file="pointers.ttir"), 2,
                                  "argument 1 is an array of int16 ('@i16.npy'), but the parameter "
                                  "is !tt.ptr<f8E5M2>, expected uint8 or int8"),
    "an array for a scalar": (replaced(3, "@i32.npy"), 2,
                              "argument 3 is an array ('@i32.npy'), but the parameter is i32"),
    "an array for an array of pointers": (with_args("@x.npy", file="indirect.ttir"), 2,
                                          "parameter 0 is !tt.ptr<!tt.ptr<f32>>, for which tlc run "
                                          "cannot pass an array"),
    "a scalar for an array": (replaced(0, "i64:4096"), 2,
                              "argument 0 is the scalar 'i64:4096', but the parameter is "
                              "!tt.ptr<f32>"),
    "null for a scalar": (replaced(2, "null"), 2,
                          "argument 2 is null, but the parameter is f32, not a pointer"),
    "an integer for a float": (replaced(2, "i32:2"), 2,
                               "argument 2 is 'i32:2', but the parameter is f32"),
    "a wider integer": (replaced(3, "i64:20"), 2, "argument 3 is 'i64:20', but the parameter is i32"),
    "save without a file": (RUN + ARGS + ["--save", "1="], 2,
                            "option --save is '1=', expected I=FILE.npy"),
    "save without an index": (RUN + ARGS + ["--save", "out.npy"], 2,
                              "option --save is 'out.npy', expected I=FILE.npy"),
    "save of an argument that is not there": (RUN + ARGS + ["--save", "4=out.npy"], 2,
                                              "option --save names argument 4, but there are 4 "
                                              "arguments, counted from 0"),
    "save of a scalar": (RUN + ARGS + ["--save", "3=out.npy"], 2,
                         "option --save names argument 3, which is 'i32:20' and not an array"),
    "save into a folder that is not there": (RUN + ARGS + ["--save", "1=absent/out.npy"], 3,
                                             "cannot write absent/out.npy: No such file or "
                                             "directory"),
}


def broken_file(name, message):
    return replaced(0, "@" + name), 3, f"{name} {message}"


WRONG_FILES = {
    "missing array": (replaced(0, "@absent.npy"), 3,
                      "cannot read absent.npy: No such file or directory"),
    "folder for an array": (replaced(0, "@."), 3, "cannot read .: it is a folder"),
    "empty array file": broken_file("empty.npy", "is not a .npy file"),
    "array file of garbage": broken_file("garbage.npy", "is not a .npy file"),
    "file cut in its magic": broken_file("cut_magic.npy", "is not a .npy file"),
    "file cut in its version": broken_file("cut_version.npy", "is truncated in its .npy header"),
    "file cut in its header": broken_file("cut_header.npy", "is truncated in its .npy header"),
    "unknown version": broken_file("version9.npy",
                                   "has version 9 of the .npy format, tlc reads 1 to 3"),
    "unknown key in the header": broken_file("bad_header.npy", "has a malformed .npy header"),
    "header without a shape": broken_file("no_shape.npy", "has a malformed .npy header"),
    "negative extent": broken_file("negative.npy", "has a malformed .npy header"),
    "extent beyond 64 bits": broken_file("too_long.npy", "has a malformed .npy header"),
    "shape beyond 64 bits": broken_file("overflow.npy", "has a shape of more than 2^64 bytes"),
    "too few elements": broken_file("short.npy",
                                    "has 79 bytes of elements, its shape needs 80"),
    "too many elements": broken_file("long.npy", "has 81 bytes of elements, its shape needs 80"),
    "Fortran order": broken_file("fortran.npy", "is in Fortran order, tlc takes C order"),
    "big-endian": broken_file("big_endian.npy",
                              "is big-endian (>f4), tlc takes little-endian arrays"),
    "complex numbers": broken_file("complex.npy", "has the element type '<c8', tlc takes booleans, "
                                                  "integers and floats of 1 to 8 bytes"),
    "text": broken_file("text.npy", "has the element type '<U4', tlc takes booleans, integers and "
                                    "floats of 1 to 8 bytes"),
    "records": broken_file("records.npy", "holds records, tlc takes arrays of numbers"),
}

FLOATS = [f"%{name} = arith.constant dense<1.0> : tensor<{type}>"
          for name, type in (("a", "16x32xf16"), ("b", "16x16xf16"), ("c", "16x16xf32"))]
LOAD = """\
module {
  tt.func public @k(%p: !tt.ptr<f32>) {
    %v = tt.load %p {boundaryChecks = array<i32: 0>} : !tt.ptr<f32>
    tt.return
  }
}
"""

# name: (text of the file wrong.ttir, the first line of stderr without "wrong.ttir:")
WRONG_TTIR = {
    "the place of a call": (
        "tt.func private @power(%n: i32) -> i32 {\n  %v = math.ipowi %n, %n : i32\n  tt.return %v : i32\n}\n"
        "tt.func public @k(%x: !tt.ptr<i32>, %n: i32) {\n  %v = tt.call @power(%n) : (i32) -> i32\n"
        "  tt.store %x, %v : !tt.ptr<i32>\n  tt.return\n}\n",
        "2:8: error: the cpu target has no lowering for 'math.ipowi', called from wrong.ttir:6:8"),
    "blanks": (" \n\n", " error: the module has no public function"),
    "words": ("hello world\n",
              "1:1: error: custom op 'hello' is unknown (tried 'builtin.hello' as well)"),
    "binary": (bytes(range(256)), "1:1: error: the text is binary, expected TTIR"),
    "a zero byte": (FILES["axpy.ttir"].replace("%pid = ", "%pid \0= "),
                    "4:10: error: the text is binary, expected TTIR"),
    "text cut in the middle": (FILES["axpy.ttir"][:700], "14:28: error: expected ':'"),
    "text cut in a string": ('module { tt.func public @k() { tt.print "x',
                             "1:43: error: expected '\"' in string literal"),
    "an empty module": ("module {\n}\n", " error: the module has no public function"),
    "two modules": ("module {\n}\nmodule {\n}\n",
                    "1:1: error: builtin.module: is nested in another module"),
    "private functions alone": (empty("").replace("public", "private"),
                                " error: the module has no public function"),
    "two kernels and no name": (FILES["two.ttir"],
                                " error: the module has 2 public functions; name the kernel to use"),
    "a declaration": ("module {\n  tt.func public @k()\n}\n",
                      "2:3: error: kernel 'k' is declared but has no body"),
    "one name twice": (FILES["two.ttir"].replace("@b", "@a"),
                       "5:3: error: redefinition of symbol named 'a'"),
    "a kernel with a result": ("module {\n  tt.func public @k() -> i32 {\n"
                               "    %x = arith.constant 1 : i32\n    tt.return %x : i32\n  }\n}\n",
                               "2:3: error: kernel 'k' returns a value; only functions without "
                               "results can be launched"),
    "a tensor for a parameter": (empty("%p: tensor<8xf32>"),
                                 "2:3: error: parameter 0 of kernel 'k' has type tensor<8xf32>, which "
                                 "the cpu target cannot receive"),
    "a block pointer as a parameter": (empty("%p: !tt.ptr<tensor<8xf32>>"),
                                       "2:3: error: parameter 0 of kernel 'k' is a block pointer, "
                                       "which no launch can pass"),
    "a descriptor without its numbers": (empty("%p: !tt.tensordesc<8xf32>"),
                                         "2:3: error: parameter 0 of kernel 'k' is a tensor "
                                         "descriptor, after which its extents (i32) and "
                                         "strides (i64) are expected, 1 of each"),
    "an unknown operation": (body("tt.fly"), "3:5: error: custom op 'tt.fly' is unknown"),
    "an unknown type": (body("%x = arith.constant 1 : f33"),
                        "3:28: error: expected non-function type"),
    "a value that is not defined": (body("%x = arith.addi %a, %a : i32"),
                                    "3:21: error: use of undeclared SSA value name '%a'"),
    "a value that is defined twice": (body("%x = arith.constant 1 : i32",
                                           "%x = arith.constant 2 : i32"),
                                      "4:5: error: redefinition of SSA value '%x'"),
    "a value that is used too early": (body("%y = arith.addi %x, %x : i32",
                                            "%x = arith.constant 1 : i32"),
                                       "3:10: error: operand #0 does not dominate this use"),
    "two types for one value": (body("%x = arith.constant 1 : i32", "%y = arith.addi %x, %x : i64"),
                                "4:21: error: use of value '%x' expects different type than prior "
                                "uses: 'i64' vs 'i32'"),
    "a function without end": ("module {\n  tt.func public @k() {\n  }\n}\n",
                               "2:23: error: custom op 'tt.func' expected non-empty function body"),
    "two ends": (body("tt.return"),
                 "3:5: error: tt.return: must be the last operation in the parent block"),
    "a call of nobody": (body("tt.call @nobody() : () -> ()"),
                         "3:5: error: tt.call: calls 'nobody', which is not a function of this "
                         "module"),
    "an attribute from nowhere": (LOAD, "3:10: error: tt.load: has an unknown attribute "
                                        "'boundaryChecks'"),
    "a tensor without elements": (
        body("%r = arith.constant dense<1> : tensor<0xi32>"),
        "3:10: error: arith.constant: tensor extents must be at least 1, found 0"),
    "a range of another length": (
        body("%r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<16xi32>"),
        "3:10: error: tt.make_range: from 0 to 8 has 8 elements, found a tensor of 16"),
    "a range that runs backwards": (
        body("%r = tt.make_range {end = 0 : i32, start = 8 : i32} : tensor<8xi32>"),
        "3:10: error: tt.make_range: needs start < end, found 8 and 0"),
    "a tensor that is too large": (
        body("%c = arith.constant dense<1> : tensor<2097152xi32>"),
        "3:10: error: arith.constant: tensor has more than 1048576 elements, found 2097152"),
    "a tensor beyond 64 bits": (
        body("%c = arith.constant dense<1> : tensor<4611686018427387904x4xi32>"),
        "3:10: error: arith.constant: tensor has more than 1048576 elements, found "
        "4611686018427387904x4"),
    "a tensor of unknown extent": (body("%c = arith.constant dense<1> : tensor<?xi32>"),
                                   "3:25: error: elements literal type must have static shape"),
    "a vector": (body("%v = arith.constant dense<1.0> : vector<4xf32>"),
                 "3:10: error: arith.constant: has a value of a type that TTIR does not have: "
                 "'vector<4xf32>'"),
    "a number that does not fit": (body("%x = arith.constant " + "9" * 30 + " : i32"),
                                   "3:25: error: integer constant out of range for attribute"),
    "matrices that do not fit": (
        body(*FLOATS, "%d = tt.dot %a, %b, %c : tensor<16x32xf16> * tensor<16x16xf16> -> "
                      "tensor<16x16xf32>"),
        "6:10: error: tt.dot: inner dimensions differ: lhs is 16x32, rhs is 16x16"),
    "a reshape that loses elements": (
        body(*FLOATS, "%d = tt.reshape %b : tensor<16x16xf16> -> tensor<4x8xf16>"),
        "6:10: error: tt.reshape: keeps the number of elements: 16x16 has 256, 4x8 has 32"),
    "a broadcast of an extent of two": (
        body(*FLOATS, "%d = tt.broadcast %b : tensor<16x16xf16> -> tensor<16x32xf16>"),
        "6:10: error: tt.broadcast: repeats only extents of 1: axis 1 of 16x16 cannot become 32"),
    "modules in modules": ("module {" * 20000,
                           "1:1032: error: the text nests more than 128 brackets"),
    "brackets in brackets": (body("%x = arith.constant dense<" + "[" * 100000),
                             "3:156: error: the text nests more than 128 brackets"),
}

WRONG_ENVIRONMENT = {
    "threads": ("TL_NUM_THREADS", "lots",
                "environment variable TL_NUM_THREADS is 'lots', expected a whole number from 1 to "
                "1024"),
    "printing": ("TL_PRINT_IR", "yes",
                 "environment variable TL_PRINT_IR is 'yes', expected none, before, after, "
                 "after-each or after-change"),
    "timing": ("TL_TIME_PASSES", "yes",
               "environment variable TL_TIME_PASSES is 'yes', expected 0 or 1"),
    "steps": ("TL_INTERPRETER_STEPS", "0",
              "environment variable TL_INTERPRETER_STEPS is '0', expected a whole number from 1 to "
              "1000000000000000000"),
    "features": ("TL_CPU_FEATURES", "avx2",
                 "environment variable TL_CPU_FEATURES is 'avx2', expected a list such as "
                 "+avx2,-avx512f"),
}

PADDED = """\
module {
  tt.func public @k(%p: !tt.ptr<i32>) {
    %r = tt.make_range {end = 24 : i32, start = 0 : i32} : tensor<24xi32>
    %q = tt.splat %p : !tt.ptr<i32> -> tensor<24x!tt.ptr<i32>>
    %a = tt.addptr %q, %r : tensor<24x!tt.ptr<i32>>, tensor<24xi32>
    tt.store %a, %r : tensor<24x!tt.ptr<i32>>
    tt.return
  }
}
"""
ZERO_STEP = """\
module {
  tt.func public @k(%p: !tt.ptr<f32>, %n: i32) {
    %zero = arith.constant 0 : i32
    %five = arith.constant 5 : i32
    %one = arith.constant 1.0 : f32
    scf.for %i = %zero to %five step STEP : i32 {
      tt.store %p, %one : !tt.ptr<f32>
    }
    tt.return
  }
}
"""


class Tests:
    def __init__(self, tlc, root):
        self.tlc, self.root = tlc, pathlib.Path(root)
        self.passed = self.failed = 0

    def tlc_run(self, command, **environment):
        return subprocess.run([self.tlc, *command], capture_output=True, timeout=600,
                              stdin=subprocess.DEVNULL, env={**os.environ, **environment})

    def check(self, name, problem):
        if problem:
            self.failed += 1
            print(f"FAIL {name}: {problem}")
        else:
            self.passed += 1

    def refuses(self, name, command, code, first_line, **environment):
        run = self.tlc_run(command, **environment)
        lines = run.stderr.decode(errors="replace").splitlines() or [""]
        problem = ""
        if run.returncode != code:
            problem = f"exit code {run.returncode}, expected {code}; it said {lines[:3]}"
        elif lines[0] != first_line:
            problem = f"said  {lines[0]!r}\n     expected  {first_line!r}"
        self.check(name, problem)

    def succeeds(self, name, command, expected_output=None, **environment):
        run = self.tlc_run(command, **environment)
        problem = ""
        if run.returncode:
            problem = f"exit code {run.returncode}: {run.stderr.decode(errors='replace')[:300]}"
        elif expected_output and not re.search(expected_output, run.stdout.decode()):
            problem = f"printed {run.stdout.decode()[:300]!r}"
        self.check(name, problem)
        return run

    def wrong_input(self):
        for table in (WRONG_COMMAND_LINES, WRONG_GRIDS, WRONG_ARGUMENTS, WRONG_FILES):
            for name, (command, code, line) in table.items():
                self.refuses(name, command, code, "tlc: error: " + line)
        for name, (text, line) in WRONG_TTIR.items():
            content = text if isinstance(text, bytes) else text.encode()
            pathlib.Path("wrong.ttir").write_bytes(content)
            self.refuses(name, ["compile", "wrong.ttir"], 1, "wrong.ttir:" + line)
        pathlib.Path("wrong.ttir").write_bytes(b"")
        self.refuses("empty TTIR file", ["compile", "wrong.ttir"], 1,
                     "tlc: error: the TTIR text is empty")
        if os.uname().machine == "x86_64":
            self.refuses("environment, without 64bit", ["compile", "axpy.ttir"], 2,
                         "tlc: error: TL_CPU_FEATURES takes away '64bit', which every program for "
                         "this processor needs", TL_CPU_FEATURES="-64bit")
        for name, (variable, value, line) in WRONG_ENVIRONMENT.items():
            for command in (RUN + ARGS, ["compile", "axpy.ttir"], ["devices"]):
                self.refuses(f"environment, {name}, tlc {command[0]}", command, 2,
                             "tlc: error: " + line, **{variable: value})
        self.refuses("device that is missing", ["run", "axpy.ttir", "--device", "hip:0", "--grid", "1"], 2,
                     "tlc: error: there is no device 'hip:0' on this machine: environment variable TL_LIBHIP "
                     "names a library that cannot be loaded: /absent.so: cannot open shared object file: No "
                     "such file or directory", TL_LIBHIP="/absent.so")
        self.refuses("environment, device", ["run", "axpy.ttir", "--grid", "3"] + ARGS, 2,
                     "tlc: error: environment variable TL_DEVICE: there is no device 'abacus', the "
                     "devices of this machine are cpu, interpreter", TL_DEVICE="abacus")

    def place_is_shown(self):
        """An error in TTIR without locations is shown in the file, with line and caret."""
        pathlib.Path("wrong.ttir").write_text(body("%x = arith.constant 1 : f33"))
        run = self.tlc_run(["compile", "wrong.ttir"])
        shown = run.stderr.decode().splitlines()
        self.check("the line of an error is shown",
                   "" if len(shown) >= 3 and shown[0].startswith("wrong.ttir:3:") and
                   shown[1].endswith("|     %x = arith.constant 1 : f33") and
                   shown[2].endswith("^") else f"it said {shown}")

    def nameless(self):
        """A kernel that has no name is refused on every target."""
        pathlib.Path("nameless.ttir").write_text('tt.func public @""() {\n  tt.return\n}\n')
        for target in ("cpu", "interpreter", "sm_90a"):
            self.refuses(f"nameless kernel, {target}",
                         ["compile", "nameless.ttir", "--target", target], 1,
                         "nameless.ttir:1:1: error: a kernel must have a name")

    def gpu_names(self):
        """Any name of a kernel becomes one that PTX has; variants that no GPU has are refused."""
        for name in ("_", "1abc", "x.y", "WARP_SZ", "$", "llvm.sin", "a b"):
            pathlib.Path("name.ttir").write_text(f'tt.func public @"{name}"() {{\n  tt.return\n}}\n')
            run = self.tlc_run(["compile", "name.ttir", "--target", "sm_90a", "--emit", "ptx"])
            found = re.search(rb"\.entry ([A-Za-z][A-Za-z0-9_]*)\(", run.stdout)
            self.check(f"PTX of a kernel named {name}", "" if found else f"it said {run.stderr}")
        # What a launch by hand needs to know; the symbol is not always the name.
        pathlib.Path("hidden.ttir").write_text(
            'tt.func public @"a b"(%p: !tt.ptr<f32>, %c: i1) {\n  tt.assert %c, "c" : i1\n'
            "  tt.grid_barrier\n  tt.return\n}\n")
        run = self.tlc_run(["compile", "hidden.ttir", "--target", "sm_90a", "--debug"])
        symbol = re.search(r"^symbol (\w+)$", run.stdout.decode(), re.M)
        ptx = self.tlc_run(["compile", "hidden.ttir", "--target", "sm_90a", "--debug", "--emit", "ptx"])
        self.check("the symbol is that of the PTX", "" if symbol and
                   f".entry {symbol[1]}(" in ptx.stdout.decode() else f"it said {run.stdout}")
        self.succeeds("hidden parameters", ["compile", "hidden.ttir", "--target", "sm_90a", "--debug"],
                      r"\nthreads 128\nshared bytes \d+\n(registers \d+\nspilled bytes \d+\n)?"
                      r"hidden parameter %2: grid barrier, pointer to 4 bytes, zero before the first launch\n"
                      r"hidden parameter %3: failure record, pointer to 24 bytes, zero before each launch\n"
                      r"stages ")
        for target in ("sm_80a", "sm_090", "sm_90f"):
            self.refuses(f"no GPU is {target}", ["compile", "axpy.ttir", "--target", target], 2,
                         f"tlc: error: there is no target '{target}', the targets of this libtl are {TARGETS}")
        pathlib.Path("calls.ttir").write_text(
            "tt.func private @g()\ntt.func private @f() {\n  tt.call @f() : () -> ()\n  tt.return\n}\n"
            "tt.func public @none() {\n  tt.call @g() : () -> ()\n  tt.return\n}\n"
            "tt.func public @again() {\n  tt.call @f() : () -> ()\n  tt.return\n}\n")
        self.refuses("a call of nothing", ["compile", "calls.ttir", "--target", "sm_90a", "--entry",
                                           "none"], 1, "calls.ttir:7:3: error: the sm_90a target "
                     "cannot call 'g', which has no body")
        self.refuses("a call of itself", ["compile", "calls.ttir", "--target", "sm_90a", "--entry",
                                          "again"], 1, "calls.ttir:11:3: error: the sm_90a target "
                     "does not run recursive functions")

    def layout(self):
        """Both diagrams, and the place of an error in the text."""
        mma = "#ttg.layout<mma [16, 8], warps = [1, 1]>"
        self.succeeds("a layout", ["layout", mma],
                      r"\n1 warp of 32 lanes, 4 registers a thread\neach element as lane:register\n"
                      r"[^@]*\n 9:  4:2  4:3  5:2  5:3  6:2  6:3  7:2  7:3\n")
        self.succeeds("a layout with copies", ["layout", "tensor<4xf32, #ttg.layout<blocked [4], "
                                               "registers = [2], lanes = [4], warps = [1], "
                                               "order = [0]>>", "--text"],
                      r"held 2 times and shown at its first place; element \(0\) is at 0:0, 2:0\n")
        self.succeeds("a shared layout", ["layout", "#ttg.shared<swizzled [2, 8], vector = 2, "
                                          "per_phase = 1, max_phase = 2, order = [1, 0]>",
                                          "--bits", "16"],
                      r"\n1: +10/5 +11/5 +8/4 +9/4 +14/7 +15/7 +12/6 +13/6\n")
        self.succeeds("planes", ["layout", "#ttg.shared<rows [2, 2, 2], order = [2, 1, 0]>"],
                      r"\[0, :, :\]\n(.|\n)*\[1, :, :\]\n")
        self.succeeds("an SVG", ["layout", mma, "--svg", "mma.svg"])
        diagram = pathlib.Path("mma.svg").read_text(encoding="utf-8")
        labels = re.findall(r'class="cell">(\d+:\d+)<', diagram)
        xml.dom.minidom.parseString(diagram)
        self.check("the SVG has each register once",
                   "" if sorted(labels) == sorted(f"{lane}:{register}" for lane in range(32)
                                                  for register in range(4)) else f"it has {labels}")
        run = self.tlc_run(["layout", "#ttg.layout<mma [16, 12], warps = [1, 1]>"])
        said = run.stderr.decode().splitlines()
        self.check("the place of an error in a layout is shown",
                   "" if run.returncode == 2 and len(said) == 3 and
                   said[1].index("[16, 12]") == said[2].index("^") else f"it said {said}")

    def help(self):
        self.succeeds("version", ["--version"], r"^tlc \d+\.\d+\.\d+\n$")
        for command in (["--help"], ["-h"], ["help"], ["help", "devices"], ["help", "compile"],
                        ["help", "run"], ["help", "help"], ["run", "--help"], ["layout", "--help"],
                        ["compile", "x", "--help"]):
            self.succeeds(f"tlc {' '.join(command)}", command, r"^usage: tlc")
        run = self.succeeds("help on the environment", ["help", "environment"], "TL_DEVICE")
        for path in ("backend/support/Environment.h", "include/tl/c/tl.h"):
            text = (self.root / path).read_text(encoding="utf-8")
            if path.endswith("tl.h"):
                text = text[text.index("environment variables"):]
                text = text[:re.search(r"help[\s*]+environment", text).start()]
            documented = set(re.findall(r"\bTL_[A-Z]+(?:_[A-Z]+)*\b", text))
            documented -= {"TL_INVALID_ARGUMENT"}
            printed = set(re.findall(r"^  (TL_[A-Z_]+)",
                                     run.stdout.decode().split("And those that")[0], re.M))
            self.check(f"the environment of {path} is that of tlc help environment",
                       "" if documented == printed else f"they differ: {documented ^ printed}")

    def devices(self):
        self.succeeds("devices", ["devices"],
                      r"^cpu: .+\ninterpreter: .+\nmissing cuda: .+\n"
                      r"(missing ptx assembler: .+\n)?missing hip: .+\n$")

    def terminal(self):
        """Binary stages are for files: a terminal would take them for commands."""
        controller, terminal = os.openpty()
        run = subprocess.run([self.tlc, "compile", "axpy.ttir", "--emit", "obj"], stdout=terminal,
                             stderr=subprocess.PIPE, timeout=60)
        os.close(terminal)
        os.close(controller)
        self.check("a binary stage on a terminal", "" if run.returncode == 2 and
                   b"the stage obj is binary and not for a terminal" in run.stderr else run.stderr.decode())

    def compile(self):
        self.succeeds("a summary", ["compile", "axpy.ttir"],
                      r"^kernel axpy\nparameters !tt\.ptr<f32>, !tt\.ptr<f32>, f32, i32\n"
                      r"stages ttir llir asm obj\nmilliseconds .+\n$")
        self.succeeds("the stage ttir", ["compile", "axpy.ttir", "--emit", "ttir"],
                      r"tt\.func public @axpy")
        self.succeeds("the stage llir", ["compile", "axpy.ttir", "--target", "cpu", "--emit=llir"],
                      r"define .*@.*axpy")
        self.succeeds("the stage asm", ["compile", "axpy.ttir", "--emit", "asm"], r"\.text")
        self.succeeds("the stage obj", ["compile", "axpy.ttir", "--emit", "obj", "-o", "k.o"])
        self.check("obj is an ELF file",
                   "" if pathlib.Path("k.o").is_file() and
                   pathlib.Path("k.o").read_bytes().startswith(b"\x7fELF") else "it is not")
        pathlib.Path("padded.ttir").write_text(PADDED)
        for remarks, wanted in (("", b"padded"), ("1", b"padded"), ("0", b"")):
            run = self.succeeds(f"padding with TL_REMARKS={remarks}", ["compile", "padded.ttir"],
                                TL_REMARKS=remarks)
            self.check(f"the remark with TL_REMARKS={remarks}",
                       "" if bool(wanted) == (b"remark: 25 % of the elements of tensors in kernel "
                                              b"'k' are padding; tensors of 24 are computed as 32"
                                              in run.stderr) else repr(run.stderr))
        self.terminal()
        self.succeeds("an entry", ["compile", "two.ttir", "--entry", "b"], r"^kernel b\n")
        run = subprocess.run([self.tlc, "compile", "-"], input=FILES["axpy.ttir"].encode(),
                             capture_output=True, timeout=600)
        self.check("TTIR from the standard input", run.stderr.decode())

    def spelling(self):
        """A text as earlier releases of Triton read it, which libtl reads as well."""
        file = pathlib.Path("spelled.ttir")
        file.write_text(SPELLED)
        command = ["compile", file.name, "--target", "interpreter", "--emit", "ttir"]
        newest = self.succeeds("the newest spelling", command).stdout.decode()
        kept = r'"tt.approx_divf !tt.tensordesc<8xf32>"'
        for release, (described, short, divides, barrier) in SPELLINGS.items():
            file.write_text(SPELLED)
            run = self.succeeds(f"the spelling of {release}", command + ["--ttir-version", release])
            text = run.stdout.decode()
            parts = (f": <f32>, {short}", f" : !tt.tensordesc{described} ->", f" = {divides} %", f"    {barrier}", kept)
            wrong = [part for part in parts if part not in text]
            self.check(f"what {release} spells in another way", f"it lacks {wrong}: {text}" if wrong else "")
            file.write_text(text)
            again = self.succeeds(f"{release}, read again", command).stdout.decode()
            same = again.replace("arith.divf", "tt.approx_divf") == newest
            self.check(f"{release}, read again, is the same", "" if same else again)
        for line, refusal in (("%p = tt.atomic_load acquire, gpu, %x : (!tt.ptr<f32>) -> f32",
                               "Triton 3.8 has no tt.atomic_load"),
                              ("tt.grid_barrier", "no release of Triton has tt.grid_barrier")):
            file.write_text(SPELLED.replace("ttg.barrier all", line))
            self.refuses(refusal, command + ["--ttir-version", "3.8"], 1, "tlc: error: " + refusal)

    def run(self):
        for device in ("cpu", "interpreter"):
            command = ["run", "axpy.ttir", "--device", device, "--grid", "3"] + ARGS
            self.succeeds(f"axpy on {device}", command + ["--save", "1=out.npy", "--save=0=x2.npy"])
            out = pathlib.Path("out.npy").read_bytes()
            good = pathlib.Path("y.npy").read_bytes()
            self.check(f"a saved array has the header that NumPy writes ({device})",
                       "" if out[:-80] == good[:-80] else repr(out[:-80]))
            values = struct.unpack("<20f", out[-80:])
            self.check(f"axpy is right on {device}",
                       "" if values == tuple(2.0 * i + 1 for i in range(20)) else str(values))
            self.check(f"an input is unchanged on {device}",
                       "" if pathlib.Path("x2.npy").read_bytes() == pathlib.Path("x.npy").read_bytes()
                       else "it is not")
            for grid in ("0", "0,5", "5,1,0", "0,2147483647,2147483647"):
                self.succeeds(f"empty grid {grid} on {device}",
                              ["run", "axpy.ttir", "--device", device, "--grid", grid] + ARGS)
            self.succeeds(f"every type of scalar on {device}",
                          with_args("i1:1", "u8:255", "i16:-32768", "i64:-9223372036854775808",
                                    "fp16:-inf", "bf16:nan", "fp64:+1e300", file="scalars.ttir",
                                    device=device))
            self.succeeds(f"integers for bf16 and fp8 on {device}",
                          with_args("@u16.npy", "@u8.npy", "@bool.npy", "@f16.npy",
                                    file="pointers.ttir", device=device))
            self.succeeds(f"null pointers on {device}",
                          with_args("null", "null", "null", "null", file="pointers.ttir",
                                    device=device))
            for name in ("none.npy", "huge_empty.npy", "version2.npy", "fortran1.npy", "scalar.npy"):
                self.succeeds(f"{name} on {device}",
                              with_args("@" + name, "@y.npy", "fp32:1", "i32:0", device=device))
        self.succeeds("the device of TL_DEVICE", ["run", "axpy.ttir", "--grid", "3"] + ARGS,
                      TL_DEVICE="interpreter")
        run = self.succeeds("--time", RUN + ARGS + ["--time"])
        self.check("--time prints the times",
                   "" if re.fullmatch(rb"compile [\d.]+ ms, run [\d.]+ ms\n", run.stderr)
                   else repr(run.stderr))

    def step_of_zero(self):
        """A loop that does not advance is one error on all devices, known early or late."""
        for step in ("%zero", "%n"):
            pathlib.Path("step.ttir").write_text(ZERO_STEP.replace("STEP", step))
            for device in ("cpu", "interpreter"):
                self.refuses(f"step {step} of zero on {device}",
                             with_args("@x.npy", "i32:0", file="step.ttir", device=device), 1,
                             "step.ttir:6:5: error: the step of a tl::range is zero in program "
                             "(0, 0, 0)")
        self.succeeds("a step of one", with_args("@x.npy", "i32:1", file="step.ttir"))

    def lost_streams(self):
        """Output that cannot be written: an error for what was asked for, nothing for the rest."""
        closed = ["sh", "-c", 'exec "$0" "$@" 2>&-', self.tlc]
        for variable, value in (("TL_TIME_PASSES", "1"), ("TL_PRINT_IR", "before"),
                                ("TL_PRINT_IR", "after"), ("TL_PRINT_IR", "after-each")):
            environment = {**os.environ, variable: value}
            command = ["compile", "axpy.ttir", "--emit", "ttir"]
            with open("/dev/full", "wb") as full:
                run = subprocess.run([self.tlc, *command], stdout=subprocess.PIPE, stderr=full,
                                     timeout=600, env=environment)
            self.check(f"{variable}={value} on a full standard error",
                       "" if run.returncode == 0 and b"@axpy" in run.stdout else
                       f"exit code {run.returncode}")
            run = subprocess.run(closed + command, stdout=subprocess.PIPE, timeout=600,
                                 env=environment)
            self.check(f"{variable}={value} on a closed standard error",
                       "" if run.returncode == 0 and b"@axpy" in run.stdout else
                       f"exit code {run.returncode}")
            run = self.tlc_run(command, **{variable: value})
            self.check(f"{variable}={value} prints",
                       "" if run.returncode == 0 and re.search(
                           b"Execution time report" if value == "1" else b"@axpy",
                           run.stderr) else repr(run.stderr[:300]))
        pathlib.Path("print.ttir").write_text(
            body('tt.print " x" {hex = false, isSigned = array<i32>}'))
        message = b"tlc: error: cannot write the standard output"
        for command in (["compile", "axpy.ttir"], ["devices"],
                        ["run", "print.ttir", "--device", "cpu", "--grid", "1"],
                        ["run", "print.ttir", "--device", "interpreter", "--grid", "1"]):
            with open("/dev/full", "wb") as full:
                run = subprocess.run([self.tlc, *command], stdout=full, stderr=subprocess.PIPE,
                                     timeout=600)
            self.check(f"tlc {' '.join(command)} on a full standard output",
                       "" if run.returncode == 3 and run.stderr.startswith(message) else
                       f"exit code {run.returncode}: {run.stderr[:300]!r}")
            run = subprocess.run(["sh", "-c", 'exec "$0" "$@" >&-', self.tlc, *command],
                                 stderr=subprocess.PIPE, timeout=600)
            self.check(f"tlc {' '.join(command)} on a closed standard output",
                       "" if run.returncode == 3 and run.stderr.startswith(message) else
                       f"exit code {run.returncode}: {run.stderr[:300]!r}")

    def fuzz(self):
        """Cut and garbled TTIR: any answer but a crash, a hang or an internal error."""
        seed = int(os.environ.get("TL_TEST_SEED", random.randrange(1 << 30)))
        print(f"seed {seed} (repeat with TL_TEST_SEED={seed})")
        rng = random.Random(seed)
        text = FILES["axpy.ttir"].encode()
        mutants = [("cut", text[:n]) for n in range(0, len(text), 97)]
        for _ in range(40):
            garbled = bytearray(text)
            for _ in range(rng.randint(1, 4)):
                at = rng.randrange(len(garbled))
                choice = rng.randrange(3)
                if choice == 0:
                    garbled[at] = rng.randrange(256)
                elif choice == 1:
                    del garbled[at:at + rng.randint(1, 12)]
                else:
                    garbled[at:at] = garbled[rng.randrange(len(garbled)):][:rng.randint(1, 20)]
            mutants.append(("garbled", bytes(garbled)))
        mutants.append(("noise", rng.randbytes(5000)))
        for kind, content in mutants:
            pathlib.Path("mutant.ttir").write_bytes(content)
            problem = ""
            try:
                run = self.tlc_run(["compile", "mutant.ttir"])
                if run.returncode not in (0, 1):
                    problem = f"exit code {run.returncode}: {run.stderr[:300]!r}"
                elif run.returncode == 1 and b"error: " not in run.stderr.splitlines()[0]:
                    problem = f"no error in {run.stderr[:300]!r}"
            except subprocess.TimeoutExpired:
                problem = "it hangs"
            if problem:
                (pathlib.Path(tempfile.gettempdir()) / "tl-mutant.ttir").write_bytes(content)
            self.check(f"{kind} TTIR", problem)


def main(tlc, root):
    for variable in [name for name in os.environ if name.startswith("TL_") and
                     name != "TL_TEST_SEED"]:
        del os.environ[variable]
    tests = Tests(tlc, root)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, content in FILES.items():
            pathlib.Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
        tests.help()
        tests.devices()
        tests.compile()
        tests.spelling()
        tests.layout()
        tests.run()
        tests.wrong_input()
        tests.place_is_shown()
        tests.nameless()
        tests.gpu_names()
        tests.step_of_zero()
        tests.lost_streams()
        tests.fuzz()
        os.chdir("/")
    print(f"{tests.passed} passed, {tests.failed} failed")
    return int(tests.failed > 0)


if __name__ == "__main__":
    sys.exit(main(*map(os.path.abspath, sys.argv[1:3])))
