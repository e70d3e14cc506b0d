// SPDX-License-Identifier: MIT
//
// The operations that kernels have once their tensors have layouts: moving data between layouts
// and shared memory.
#ifndef TL_DIALECT_GPU
#define TL_DIALECT_GPU

include "Layouts.td"
include "Traits.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def ConvertLayoutOp : Gpu_Op<"convert_layout", [Pure, TT_MovesElements, TT_MovesAxes, TT_StaysInBuffer,
    SameOperandsAndResultShape, SameOperandsAndResultElementType]> {
  let summary = "the same tensor, held by other threads";
  let description = [{
    Moves elements until they lie as the layout of the result says: among the registers of a
    thread, by shuffles within a warp, or through shared memory, whichever the two layouts need.
  }];
  let example = [{
    %y = ttg.convert_layout %x
      : tensor<32x32xf16, #ttg.layout<blocked [32, 32], registers = [1, 4], lanes = [4, 8], warps = [4, 1], order = [1, 0]>>
        -> tensor<32x32xf16, #ttg.layout<blocked [32, 32], registers = [4, 1], lanes = [8, 4], warps = [1, 4], order = [0, 1]>>
  }];
  let arguments = (ins AnyRankedTensor:$src);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def LocalAllocOp : Gpu_Op<"local_alloc"> {
  let summary = "a piece of shared memory";
  let description = [{
    Reserves shared memory for a tensor, and stores `src` into it if there is one. The memory is
    the operation's own as long as its result is used, or up to `ttg.local_dealloc`. If it is
    `ordered`, those who write and read it order their accesses by `ttg.barrier`; otherwise barriers
    are put where they are needed.
  }];
  let example = [{
    %m = ttg.local_alloc
      : () -> !ttg.memdesc<32x32xf16, #ttg.shared<rows [32, 32], order = [1, 0]>>
  }];
  let arguments = (ins Optional<AnyRankedTensor>:$src, UnitAttr:$ordered);
  let results = (outs Res<TTG_MemDesc, "", [MemAlloc<TTG_SharedMemory>]>:$result);
  let assemblyFormat = "($src^)? attr-dict `:` functional-type($src, $result)";
  let hasVerifier = 1;
}

def LocalDeallocOp : Gpu_Op<"local_dealloc"> {
  let summary = "ends the life of a piece of shared memory";
  let description = "All accesses have been waited for.";
  let example = [{
    ttg.local_dealloc %m : !ttg.memdesc<3x32x32xf16, #ttg.shared<rows [32, 32], order = [1, 0]>>
  }];
  let arguments = (ins Arg<TTG_MemDesc, "", [MemFree<TTG_SharedMemory>]>:$src);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src))";
}

def LocalLoadOp : Gpu_Op<"local_load"> {
  let summary = "a tensor out of shared memory";
  let example = [{
    %x = ttg.local_load %m
      : !ttg.memdesc<32x32xf16, #ttg.shared<rows [32, 32], order = [1, 0]>>
        -> tensor<32x32xf16, #ttg.layout<blocked [32, 32], registers = [1, 4], lanes = [4, 8], warps = [4, 1], order = [1, 0]>>
  }];
  let arguments = (ins Arg<TTG_MemDesc, "", [MemRead<TTG_SharedMemory>]>:$src);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` type($result)";
  let hasVerifier = 1;
}

def LocalStoreOp : Gpu_Op<"local_store"> {
  let summary = "a tensor into shared memory";
  let example = [{
    ttg.local_store %x, %m
      : tensor<32x32xf16, #ttg.layout<blocked [32, 32], registers = [1, 4], lanes = [4, 8], warps = [4, 1], order = [1, 0]>>
        -> !ttg.memdesc<32x32xf16, #ttg.shared<rows [32, 32], order = [1, 0]>>
  }];
  let arguments = (ins AnyRankedTensor:$src, Arg<TTG_MemDesc, "", [MemWrite<TTG_SharedMemory>]>:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` type($src) `->` qualified(type($dst))";
  let hasVerifier = 1;
}

def MemDescIndexOp : Gpu_Op<"memdesc_index", [Pure]> {
  let summary = "one of several tensors in shared memory";
  let description = [{
    The descriptor of `src` has one axis more than its layout, the first: that many tensors lie one after the
    other. The result is the one with the given number.
  }];
  let example = [{
    ttg.memdesc_index %m[%i]
      : !ttg.memdesc<3x32x32xf16, #ttg.shared<rows [32, 32], order = [1, 0]>> -> !ttg.memdesc<32x32xf16, #ttg.shared<rows [32, 32], order = [1, 0]>>
  }];
  let arguments = (ins TTG_MemDesc:$src, I32:$index);
  let results = (outs TTG_MemDesc:$result);
  let assemblyFormat = "$src `[` $index `]` attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def MemDescSubviewOp : Gpu_Op<"memdesc_subview", [Pure]> {
  let summary = "a part of a tensor in shared memory";
  let description = [{
    The part begins at `offsets`, multiples of its extents, and must lie in one piece: its layout is
    that of the lowest offsets of `src`.
  }];
  let example = [{
    ttg.memdesc_subview %m {offsets = array<i64: 32, 0>}
      : !ttg.memdesc<64x32xf16, #ttg.shared<rows [64, 32], order = [1, 0]>> -> !ttg.memdesc<32x32xf16, #ttg.shared<rows [32, 32], order = [1, 0]>>
  }];
  let arguments = (ins TTG_MemDesc:$src, DenseI64ArrayAttr:$offsets);
  let results = (outs TTG_MemDesc:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def MemDescTransOp : Gpu_Op<"memdesc_trans", [Pure]> {
  let summary = "a tensor in shared memory with its axes in another order";
  let description = "Axis `i` of the result is axis `order[i]` of `src`; no data move.";
  let example = [{
    ttg.memdesc_trans %m {order = array<i32: 1, 0>}
      : !ttg.memdesc<64x32xf16, #ttg.shared<rows [64, 32], order = [1, 0]>> -> !ttg.memdesc<32x64xf16, #ttg.shared<rows [32, 64], order = [0, 1]>>
  }];
  let arguments = (ins TTG_MemDesc:$src, DenseI32ArrayAttr:$order);
  let results = (outs TTG_MemDesc:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

#endif
