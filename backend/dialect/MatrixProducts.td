// SPDX-License-Identifier: MIT
//
// Products by instructions that read their operands from shared memory and go on while the threads
// do something else: a group of four warps starts one, commits it, and waits for it later.
#ifndef TL_DIALECT_MATRIX_PRODUCTS
#define TL_DIALECT_MATRIX_PRODUCTS

include "Layouts.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def WarpGroupDotOp : Gpu_Op<"warp_group_dot", [AllTypesMatch<["c", "d"]>]> {
  let summary = "starts a product of matrices";
  let description = [{
    Starts `c + a b` by instructions of the given shape (rows, columns, k). `warps` are the warps
    along the rows (a multiple of four) and the columns. `b` lies in shared memory with the swizzle of
    the hardware, `a` too, or in registers in the layout of the instruction's first operand. All
    threads of the program take part. The result is under way: it may be used by
    `ttg.warp_group_dot_wait`, be the `c` of another product, or be carried by a loop, and the shared
    memory must not be written, before a wait that covers the product.
  }];
  let example = [{
    %d = ttg.warp_group_dot %a, %b, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 4, 1>}
      : !ttg.memdesc<64x64xf16, #ttg.shared<hardware_swizzled [64, 64], bits = 16, bytes = 128, order = [1, 0]>>,
        !ttg.memdesc<64x64xf16, #ttg.shared<hardware_swizzled [64, 64], bits = 16, bytes = 128, order = [1, 0]>>
        -> tensor<64x64xf32, #ttg.layout<wgmma [64, 64], n = 64, warps = [4, 1]>>
  }];
  let arguments = (ins AnyTypeOf<[AnyRankedTensor, TTG_MemDesc]>:$a,
                   Arg<TTG_MemDesc, "", [MemRead<TTG_SharedMemory>]>:$b, AnyRankedTensor:$c,
                   DenseI32ArrayAttr:$instruction, DenseI32ArrayAttr:$warps);
  let results = (outs AnyRankedTensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c attr-dict `:` qualified(type($a)) `,` qualified(type($b)) `->` type($d)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool readsAFromRegisters() { return ::mlir::isa<::mlir::RankedTensorType>(getA().getType()); }
  }];
}

def WarpGroupDotWaitOp : Gpu_Op<"warp_group_dot_wait", [AllTypesMatch<["inputs", "outputs"]>]> {
  let summary = "waits for products";
  let description = [{
    Waits until at most the `pendings` last products go on. The results are the inputs, which may be
    used if their product has come to its end.
  }];
  let example = [{
    %e = ttg.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x64xf32, #ttg.layout<wgmma [64, 64], n = 64, warps = [4, 1]>>
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, I32Attr:$pendings);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = "$inputs attr-dict `:` type($inputs)";
  let hasVerifier = 1;
}

def WaitForTurnOp : Gpu_Op<"wait_for_turn"> {
  let summary = "a group of warps waits for its turn";
  let description = [{
    Groups of four warps multiply one after the other: each waits until the one before it has passed the
    turn on. Between this and `ttg.pass_turn` a group must not wait for another one; a turn in a loop in
    which the program's threads wait for each other is left out, with all others of that `loop`, which
    is a number of a loop of the kernel.
  }];
  let example = "ttg.wait_for_turn {loop = 0 : i32}";
  let arguments = (ins I32Attr:$loop);
  let assemblyFormat = "attr-dict";
}

def PassTurnOp : Gpu_Op<"pass_turn"> {
  let summary = "a group of warps passes the turn on";
  let description = [{
    The next group, after the last one the first, gets the turn. The last group does so if `last` holds,
    the others if `others` holds.
  }];
  let example = "ttg.pass_turn %last, %others {loop = 0 : i32}";
  let arguments = (ins I1:$last, I1:$others, I32Attr:$loop);
  let assemblyFormat = "$last `,` $others attr-dict";
}

def LocalDotOp : Gpu_Op<"local_dot", [AllTypesMatch<["c", "d"]>]> {
  let summary = "a product of matrices in shared memory by multiply-adds";
  let description = [{
    `c + a b`, or that of each pair of a batch. Each thread computes the elements of the result that it
    holds, and reads what it needs for that.
  }];
  let example = [{
    %d = ttg.local_dot %a, %b, %c
      : !ttg.memdesc<64x32xf32, #ttg.shared<rows [64, 32], order = [1, 0]>>,
        !ttg.memdesc<32x64xf32, #ttg.shared<rows [32, 64], order = [1, 0]>>
        -> tensor<64x64xf32, #ttg.layout<blocked [64, 64], registers = [4, 4], lanes = [4, 8], warps = [4, 1], order = [1, 0]>>
  }];
  let arguments = (ins Arg<TTG_MemDesc, "", [MemRead<TTG_SharedMemory>]>:$a,
                   Arg<TTG_MemDesc, "", [MemRead<TTG_SharedMemory>]>:$b, AnyRankedTensor:$c);
  let results = (outs AnyRankedTensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c attr-dict `:` qualified(type($a)) `,` qualified(type($b)) `->` type($d)
  }];
  let hasVerifier = 1;
}

def FenceAsyncSharedOp
    : Gpu_Op<"fence_async_shared", [MemoryEffects<[MemRead<TTG_SharedMemory>, MemWrite<TTG_SharedMemory>]>]> {
  let summary = "shows what this thread wrote to shared memory to products";
  let description = [{
    Products that are started after the next barrier read what the thread has written to shared memory.
  }];
  let example = "ttg.fence_async_shared";
  let assemblyFormat = "attr-dict";
}

#endif
