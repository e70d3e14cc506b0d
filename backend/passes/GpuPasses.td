// SPDX-License-Identifier: MIT
//
// The passes that make TTGIR of TTIR, one record each: flag, and description with the text before
// and after. They decide where every element of every tensor lives; GpuPipeline.h tells how they
// work together and puts them in order. What they have to know of the GPU they read off the module
// (`ttg.gpu`), so each can be run alone on the text of the one before it.
#ifndef TL_PASSES_GPU_PASSES
#define TL_PASSES_GPU_PASSES

include "mlir/Pass/PassBase.td"

def DecomposeScaledProducts : Pass<"decompose-scaled-products", "::mlir::ModuleOp"> {
  let summary = "makes products of scaled narrow floats ordinary products";
  let description = [{
    Elements of `tt.dot_scaled` that no instruction of the GPU computes as it is (`scaled_mfma`) are
    widened and multiplied by their scales, and what comes of that goes
    into a `tt.dot` of the narrowest elements that hold all of it: bf16 for fp8, fp4 and bf16 with
    exponents as scales, tf32 for f16 with such, f16 without scales, else f32.

    ```mlir
    // before
    %d = tt.dot_scaled %a scale %sa, %b, %c lhs = e4m3 rhs = bf16 {fastMath = false}
        : tensor<16x64xf8E4M3FN>, tensor<16x2xi8> * tensor<64x16xbf16> -> tensor<16x16xf32>
    // after: %s are the scales as f32, each 32 times
    %w = tt.fp_to_fp %a : tensor<16x64xf8E4M3FN> -> tensor<16x64xf32>
    %x = arith.mulf %w, %s : tensor<16x64xf32>
    %y = arith.truncf %x : tensor<16x64xf32> to tensor<16x64xbf16>
    %d = tt.dot %y, %b, %c : tensor<16x64xbf16> * tensor<64x16xbf16> -> tensor<16x16xf32>
    ```
  }];
  let dependentDialects = ["::tl::ttg::TTGDialect", "::mlir::arith::ArithDialect"];
}

def SplitProducts : Pass<"split-products", "::mlir::ModuleOp"> {
  let summary = "writes products as products that matrix instructions compute";
  let description = [{
    f32 operands of a product that asks for tf32x3, bf16x3 or bf16x6 are split into parts, and the
    product into three or six of parts, if the module lists an instruction for them: the smallest first,
    in one chain, to which the accumulator is added. A sum of f16 or bf16 becomes one of f32 that is
    rounded. SplitProducts.cpp has the error of it, and what becomes of infinities.

    ```mlir
    // before
    %d = tt.dot %a, %b, %c, inputPrecision = bf16x3 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
    // after: %a is %x plus %r, %b is %y plus %s
    %p = tt.dot %r, %y, %zero : tensor<16x16xbf16> * tensor<16x16xbf16> -> tensor<16x16xf32>
    %q = tt.dot %x, %s, %p : tensor<16x16xbf16> * tensor<16x16xbf16> -> tensor<16x16xf32>
    %f = arith.select %qIsFinite, %q, %zero : tensor<16x16xi1>, tensor<16x16xf32>
    %t = tt.dot %x, %y, %f : tensor<16x16xbf16> * tensor<16x16xbf16> -> tensor<16x16xf32>
    %d = arith.addf %c, %t : tensor<16x16xf32>
    ```
  }];
  let dependentDialects = ["::tl::ttg::TTGDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def CheckRemainders : Pass<"check-remainders", "::mlir::ModuleOp"> {
  let summary = "lets loads for products rely on remainders being contiguous, and checks that they are";
  let description = [{
    The numbers (s + range) % n follow each other in pieces that divide n, but for one case: below zero, a
    remainder of 0 is followed by 1 - n. Kernels wrap the rows and columns of matrices like this, with s that
    is not negative, which the text does not tell. Where a load in a loop of products uses such offsets,
    they count as contiguous, and an assertion before them fails if s + range has a negative multiple of n.
    What that loop itself multiplies, as the rows of a page by their distance, stays as it is: it lies apart.

    ```mlir
    // before
    %r = arith.remsi %x, %ns : tensor<64xi32>      // %x = splat %s + range
    // after
    tt.assert %holds, "..." {tt.always_checked}
    %r = arith.remsi %x, %ns {ttg.contiguous} : tensor<64xi32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TransposeProducts : Pass<"transpose-products", "::mlir::ModuleOp"> {
  let summary = "writes products transposed where that is how an instruction takes the operands";
  let description = [{
    Instructions of groups of warps read elements of 32 and of 8 bits from shared memory with k along the rows
    alone, but take the first operand from registers, too. Where a loop loads a first operand that lies like
    that and a second one that does not, a b becomes (b^T a^T)^T: what is a second operand now lies as it
    should, and registers take the other one. A sum that a loop carries is carried transposed.

    ```mlir
    // before: %a has neighbours along k in memory, %b along n
    %sum = scf.for ... iter_args(%acc = %zeros) {
      %d = tt.dot %a, %b, %acc, inputPrecision = tf32 : tensor<128x32xf32> * tensor<32x64xf32> -> tensor<128x64xf32>
      scf.yield %d
    }
    // after
    %t = scf.for ... iter_args(%acc = %zerosT) {
      %u = tt.trans %b {order = array<i32: 1, 0>} : tensor<32x64xf32> -> tensor<64x32xf32>
      %v = tt.trans %a {order = array<i32: 1, 0>} : tensor<128x32xf32> -> tensor<32x128xf32>
      %d = tt.dot %u, %v, %acc, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x128xf32> -> tensor<64x128xf32>
      scf.yield %d
    }
    %sum = tt.trans %t {order = array<i32: 1, 0>} : tensor<64x128xf32> -> tensor<128x64xf32>
    ```
  }];
  let dependentDialects = ["::tl::ttg::TTGDialect", "::mlir::arith::ArithDialect"];
}

def CoalesceAccesses : Pass<"coalesce-accesses", "::mlir::ModuleOp"> {
  let summary = "anchors accesses of memory to layouts in which they coalesce";
  let description = [{
    Neighbours in memory go to neighbouring registers, as many as one access of a thread takes, then
    to neighbouring lanes; which elements are neighbours and how many lie aligned tells the axis
    analysis, and where it knows nothing, what is likely. Loads agree with all accesses of their shape
    and order on the widest, while stores leave no gaps between lanes. No thread goes idle for the sake
    of wide accesses. On GPUs without asynchronous copies, where threads store what they have loaded to
    shared memory, loads of operands of products that do not run along k give a thread a piece of a few
    neighbours along both axes. Gathers that exchange positions which differ in fixed bits, of which
    sorts make many, are anchored to a layout whose lowest bits are the registers'. Loads whose elements
    are no neighbours, but from anywhere or many times the same, are marked `ttg.scattered`: they take
    the layout of their addresses, or of what their value meets first.

    ```mlir
    // before
    %v = tt.load %p : tensor<1024x!tt.ptr<f32>>
    // after
    %v = tt.load %p {ttg.anchor = #ttg.layout<blocked [1024], registers = [4], lanes = [32], warps = [4], order = [0]>}
        : tensor<1024x!tt.ptr<f32>>
    ```
  }];
  let dependentDialects = ["::tl::ttg::TTGDialect"];
}

def SelectMatrixInstructions : Pass<"select-matrix-instructions", "::mlir::ModuleOp"> {
  let summary = "chooses the instruction of each product, and anchors it to that one's layouts";
  let description = [{
    The first instruction of the module's list whose types fit, and extents where it is one of groups
    of warps, computes the product. One of single warps computes smaller products, too: of those that
    are all longer along k than the product the shortest. A group of warps takes a first operand from
    registers that follows from another product, or that a loop loads with rows, not k, along memory.
    Warps go to the matrices of a batch, then where the result is longest, in units of the instruction.
    If an operand is widened from 8 bits that lie together along k, a lane has four neighbours along k
    of both operands. A product that no instruction fits, or that has hardly any multiply-adds, is
    computed by those, and anchored to a layout in which a thread has a grid of rows and columns of the
    result.

    ```mlir
    // before
    %d = tt.dot %a, %b, %c : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    // after
    %d = tt.dot %a, %b, %c {
        ttg.instruction = #ttg.matrix_instruction<family = "mma", shape = [16, 8, 16], element = f16, sum = f32>,
        ttg.anchor = #ttg.layout<mma [32, 32], warps = [2, 2]>,
        ttg.operand_anchors = [#ttg.layout<dot_operand mma [32, 32], index = 0, bits = 16, warps = [2, 2]>,
                               #ttg.layout<dot_operand mma [32, 32], index = 1, bits = 16, warps = [2, 2]>]}
        : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    ```
  }];
  let dependentDialects = ["::tl::ttg::TTGDialect"];
}

def PropagateLayouts : Pass<"propagate-layouts", "::mlir::ModuleOp"> {
  let summary = "gives every tensor a layout, from the anchors on";
  let description = [{
    A result has the layout that its operands imply without moving data; where nothing implies one,
    the operation chooses. Loops carry what their bodies yield. Rematerialisable values take the first
    layout that is required of them. Where an operand is in another layout than the operation
    requires, it is converted. The anchors are gone: the types say what they said.

    ```mlir
    // before
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
    %p = tt.addptr %x, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %v = tt.load %p {ttg.anchor = #blocked} : tensor<1024x!tt.ptr<f32>>
    // after
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    %p = tt.addptr %x, %r : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    %v = tt.load %p : tensor<1024x!tt.ptr<f32>, #blocked>
    ```
  }];
  let dependentDialects = ["::tl::ttg::TTGDialect"];
}

def RemoveLayoutConversions : Pass<"remove-layout-conversions", "::mlir::ModuleOp"> {
  let summary = "lets stores work where their values are, if that costs less than to convert them";
  let description = [{
    A store in the layout of its value touches more sectors of memory than a coalesced one, but moves
    no data between threads. Up to one and a half times as many sectors cost less, and so does any
    number where a thread has one element at most. The pointers and the mask, which are cheap mostly,
    are converted instead. An elementwise value that is computed for a conversion alone is computed in
    the layout that it is needed in, if half of its bytes at most are left to convert: such as of a row
    and a column, or of narrower numbers. A load of no more elements than there are threads, which is
    converted for all that need it, works where it is needed if a thread has one access for it.

    ```mlir
    // before
    %d = tt.dot ... -> tensor<32x32xf32, #mma>
    %e = ttg.convert_layout %d : tensor<32x32xf32, #mma> -> tensor<32x32xf32, #blocked>
    tt.store %p, %e : tensor<32x32x!tt.ptr<f32>, #blocked>
    // after
    %d = tt.dot ... -> tensor<32x32xf32, #mma>
    %q = ttg.convert_layout %p : tensor<32x32x!tt.ptr<f32>, #blocked> -> tensor<32x32x!tt.ptr<f32>, #mma>
    tt.store %q, %d : tensor<32x32x!tt.ptr<f32>, #mma>
    ```
  }];
  let dependentDialects = ["::tl::ttg::TTGDialect"];
}

def RematerialiseValues : Pass<"rematerialise-values", "::mlir::ModuleOp"> {
  let summary = "computes cheap values again rather than converting them";
  let description = [{
    A conversion of a rematerialisable value becomes another computation of it, in the layout that is
    required, and so for what it is computed from; loaded values among that are converted. Equal
    conversions become one, and what nobody uses is dropped.

    ```mlir
    // before
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #a>
    %s = arith.addi %r, %r : tensor<64xi32, #a>
    %t = ttg.convert_layout %s : tensor<64xi32, #a> -> tensor<64xi32, #b>
    // after
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #b>
    %t = arith.addi %r, %r : tensor<64xi32, #b>
    ```
  }];
  let dependentDialects = ["::tl::ttg::TTGDialect"];
}

def FeedMultiplyAdds : Pass<"feed-multiply-adds", "::mlir::ModuleOp"> {
  let summary = "puts operands into shared memory for products by multiply-adds";
  let description = [{
    A product that no instruction computes becomes `ttg.local_dot`. Its operands are put into shared
    memory so that the threads which compute them and those which read them meet in few banks, with
    rows of the first and columns of the second side by side if these are read often; a transposition
    becomes a view.

    ```mlir
    // before
    %d = tt.dot %a, %b, %c : tensor<64x32xf32, #rows> * tensor<32x64xf32, #rows> -> tensor<64x64xf32, #blocked>
    // after
    %m = ttg.local_alloc %a : (tensor<64x32xf32, #rows>) -> !ttg.memdesc<64x32xf32, #shared>
    %n = ttg.local_alloc %b : (tensor<32x64xf32, #rows>) -> !ttg.memdesc<32x64xf32, #shared1>
    %d = ttg.local_dot %m, %n, %c : !ttg.memdesc<64x32xf32, #shared>, !ttg.memdesc<32x64xf32, #shared1> -> tensor<64x64xf32, #blocked>
    ```
  }];
  let dependentDialects = ["::tl::ttg::TTGDialect"];
}

def ShareProductOperands : Pass<"share-product-operands", "::mlir::ModuleOp"> {
  let summary = "puts operands into shared memory for instructions that read it";
  let description = [{
    A product by an instruction of the family `wgmma` becomes `ttg.warp_group_dot`. Its second operand
    is put into shared memory, swizzled as the instruction wants it, and so is the first unless it has
    the layout in which the instruction takes it in registers. What a load brings is put there as it
    lies in global memory; a transposition becomes a view where the instruction can read it so. The
    result is waited for at once, or, where another product goes on beside it, when it is needed:
    ProductWaits.h. A product of fp8 whose `maxNumImpreciseAcc` is below its extent along k becomes
    products of parts of it, whose results are added as f32.

    What a loop loads for a product goes to shared memory, too: what an instruction takes from
    registers is read there as the instruction wants it, and what is computed of it before, in whatever
    shapes, is computed after it was read. So is what a loop with a product loads and only converts.
    Other loads that products follow from, and those of loops without products that have
    `tt.num_stages`, are read as they were loaded. `pipeline-loops` makes copies of those, or registers
    again. Outside of loops, what is loaded for products of single warps waits in shared memory, in as
    much of it as a program has whose threads take all registers.

    ```mlir
    // before
    %d = tt.dot %a, %b, %c {ttg.instruction = #ttg.matrix_instruction<family = "wgmma", ...>}
    // after
    %m = ttg.local_alloc %a : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared>
    %n = ttg.local_alloc %b : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared>
    %s = ttg.warp_group_dot %m, %n, %c ...
    %d = ttg.warp_group_dot_wait %s {pendings = 0 : i32}
    ```
  }];
  let dependentDialects = ["::tl::ttg::TTGDialect", "::mlir::arith::ArithDialect"];
}

def ArrangeCopies : Pass<"arrange-copies", "::mlir::ModuleOp"> {
  let summary = "gives loads for products layouts in which the lanes of a warp write in order";
  let description = [{
    Where the GPU copies in lane order (`ttg.lane_copies`), a load of a loop that goes to shared memory
    gets the layout in which such copies bring it there, if its pointers are cheap to compute again and
    it is read there with no more conflicts in the banks than before. LaneCopies.h has an example.

    ```mlir
    // before
    %a = tt.load %p : tensor<32x64x!tt.ptr<f16>, #blocked>
    %m = ttg.local_alloc %a : (tensor<32x64xf16, #blocked>) -> !ttg.memdesc<32x64xf16, #exchanged>
    // after
    %a = tt.load %q : tensor<32x64x!tt.ptr<f16>, #linear>
    %m = ttg.local_alloc %a : (tensor<32x64xf16, #linear>) -> !ttg.memdesc<32x64xf16, #swizzled>
    ```
  }];
  let dependentDialects = ["::tl::ttg::TTGDialect"];
}

def PipelineLoops : Pass<"pipeline-loops", "::mlir::ModuleOp"> {
  let summary = "starts loads of later iterations while products of this one are computed";
  let description = [{
    Loads that are put into shared memory for products become asynchronous copies into a ring of
    buffers, `num-stages` - 1 iterations ahead, or as many as shared memory has room for; loads of
    described blocks become copies by TMA. BufferRings.h says how threads learn that a buffer is full,
    or free: by the program's barrier, or by barriers in shared memory. If these order all loads of a
    loop with two products, groups of warps take turns in it. A product whose result is only carried to
    the next iteration stays in flight until that one has started its own. Loads that the copies'
    addresses follow from run ahead with them. Copies start as soon as an iteration has begun to
    multiply. Loops that may write what they load, or order memory, loads that follow from products,
    loops with one stage, and loops that are known to have two iterations at most and load by pointers,
    unless they have `tt.num_stages`, stay as they are. Iterations of a loop around one with products by described
    blocks share the rings where `tt.flatten` or `tt.warp_specialize` asks for it; so do loops that come
    one after the other and load described blocks of the same types. On GPUs without
    asynchronous copies, and where two buffers have no room, loads of the next iteration wait in
    registers until the products of this one have read the only buffer. So do, on GPUs that copy in
    lane order, loads beside the copies whose lanes are in another one. PipelineLoops.cpp has the
    argument why this is right.

    ```mlir
    // before
    scf.for ... {
      %a = tt.load %p
      %m = ttg.local_alloc %a
      %s = ttg.warp_group_dot %m, ...
      %d = ttg.warp_group_dot_wait %s {pendings = 0 : i32}
    }
    // after
    %ring = ttg.local_alloc {ordered}
    ... the first copies, a group each ...
    scf.for ... {
      ttg.async_wait {num = 1 : i32}
      ttg.fence_async_shared
      ttg.barrier local
      %m = ttg.memdesc_index %ring[%read]
      %s = ttg.warp_group_dot %m, ...
      %d = ttg.warp_group_dot_wait %s {pendings = 1 : i32}
      %w = ttg.memdesc_index %ring[%written]
      ttg.async_copy_global_to_local %p, %w mask %runs
      ttg.async_commit_group
    }
    ```
  }];
  let options = [
    Option<"numStages", "num-stages", "unsigned", "3",
           "stages of loops that do not say their own by tt.num_stages; 1 is no pipeline">,
  ];
  let dependentDialects = ["::tl::ttg::TTGDialect", "::mlir::arith::ArithDialect"];
}

def SpecializeWarps : Pass<"specialize-warps", "::mlir::ModuleOp"> {
  let summary = "gives the copies of pipelined loops to warps of their own";
  let description = [{
    Copies by TMA, and the waits for free buffers before them, become the work of four warps that the
    block has beside the program's, where `tt.warp_specialize`, or `tt.flatten` of a loop around another
    one, asks for it, or a loop has several products and fills a multiprocessor alone. The others then have more registers.
    SpecializeWarps.cpp has the argument why this is right.

    ```mlir
    // before
    %ring = ttg.local_alloc {ordered}
    ttg.init_barrier ...
    scf.for ... {
      scf.if %later {
        ttg.wait_barrier %empty, %turn {one_warp}
        ttg.barrier_expect %full, 32768
        ttg.async_descriptor_load ...
      }
      ttg.wait_barrier %full, %phase
      %s = ttg.warp_group_dot ...
    }
    // after
    %ring = ttg.local_alloc {ordered}
    ttg.init_barrier ...
    ttg.join_warps
    ttg.producer_warps {registers = 24 : i32, others = 240 : i32} {
      scf.for ... { scf.if %later { ... } }
    }
    scf.for ... {
      ttg.wait_barrier %full, %phase
      %s = ttg.warp_group_dot ...
    }
    ```
  }];
  let dependentDialects = ["::tl::ttg::TTGDialect", "::mlir::arith::ArithDialect"];
}

#endif
