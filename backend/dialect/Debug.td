// SPDX-License-Identifier: MIT
//
// Operations that let a kernel speak to people, and the barrier that `debug_barrier` writes.
#ifndef TL_DIALECT_DEBUG
#define TL_DIALECT_DEBUG

include "Enums.td"
include "Types.td"

class Debug_Op<string mnemonic, list<Trait> traits = []> : TT_Op<mnemonic, "debug", traits>;

def PrintOp : Debug_Op<"print", [TT_TouchesNoBuffer, MemoryEffects<[MemWrite<TT_GlobalMemory>]>]> {
  let summary = "prints values";
  let description = [{
    Every element is printed on a line of its own after `prefix`, with the program's coordinates and
    the element's index. `hex` prints bits; `isSigned` has one entry per value, as has `written`, once
    tensors are padded: the types that they had before, beyond which nothing is printed.
  }];
  let arguments = (ins StrAttr:$prefix, BoolAttr:$hex, Variadic<TT_Any>:$args, DenseI32ArrayAttr:$isSigned,
                       OptionalAttr<TypeArrayAttr>:$written);
  let assemblyFormat = "$prefix attr-dict (`:` $args^ `:` type($args))?";
  let example = [{tt.print " x: " {hex = false, isSigned = array<i32: 0>} : %x : tensor<64xf32>}];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The extents of a value as far as it is printed.
    ::llvm::SmallVector<int64_t> getPrintedShape(unsigned number);
  }];
}

def AssertOp : Debug_Op<"assert", [TT_TouchesNoBuffer, MemoryEffects<[MemWrite<TT_GlobalMemory>]>]> {
  let summary = "stops the kernel unless a condition holds";
  let description = [{
    If any element of the condition is false the launch fails with the message and the source line.
  }];
  let arguments = (ins TT_BoolLike:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
  let example = [{tt.assert %m, "index out of range" : tensor<64xi1>}];
}

#endif
