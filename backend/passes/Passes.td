// SPDX-License-Identifier: MIT
//
// The passes on TTIR, one record each: flag, description with the text before and after, options. The
// order in which they run is in Pipeline.cpp.
#ifndef TL_PASSES_PASSES
#define TL_PASSES_PASSES

include "mlir/Pass/PassBase.td"

def CheckLegality : Pass<"check-legality", "::mlir::ModuleOp"> {
  let summary = "refuses what is not TTIR, replaces what only earlier releases wrote";
  let description = [{
    What the library does to every text that it reads, as a pass of tl-opt: operations and types that
    TTIR does not have are errors; old operations are brought up to date.

    ```mlir
    // before
    gpu.barrier
    %c = tt.cat %a, %b : tensor<64xf32> -> tensor<128xf32>
    // after
    ttg.barrier all
    %0 = tt.join %a, %b : tensor<64xf32> -> tensor<64x2xf32>
    %1 = tt.trans %0 {order = array<i32: 1, 0>} : tensor<64x2xf32> -> tensor<2x64xf32>
    %c = tt.reshape %1 : tensor<2x64xf32> -> tensor<128xf32>
    ```
  }];
  let dependentDialects = ["::tl::ttg::TTGDialect"];
}

def RewriteBlockPointers : Pass<"rewrite-block-pointers", "::mlir::ModuleOp"> {
  let summary = "turns block pointers into pointers and masks";
  let description = [{
    What releases before 3.9 write as `tt.make_tensor_ptr` and `tt.advance`. A block pointer becomes its
    base, extents, strides and offsets (64 bits each), wherever it goes: through loops, branches and
    function parameters. Blocks are loaded and stored with a mask that is true where
    `0 <= index < extent` for each axis in `boundaryCheck`; elsewhere a load gives what `padding`
    says, zero without one. It is the first pass, so that no other one sees a block pointer.

    ```mlir
    // before
    %b = tt.make_tensor_ptr %p, [%n], [%one], [%i] {order = array<i32: 0>} : <tensor<64xf32>>
    %t = tt.load %b {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
    // after: pointers %q = %p + %j * %one and mask 0 <= %j < %n, for %j = %i ... %i + 63
    %t = tt.load %q, %m, %zero : tensor<64x!tt.ptr<f32>>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ReceiveDescriptors : Pass<"receive-descriptors", "::mlir::ModuleOp"> {
  let summary = "makes the descriptors that a kernel takes as parameters";
  let description = [{
    A kernel takes a descriptor of a tensor with R axes in 2 R + 1 parameters: the descriptor, R
    extents (i32) and R strides (i64). A launch passes the tensor's address for the first of them; the
    kernel makes the descriptor of all. Whoever launches it promises what makers of
    descriptors on the host check: the last stride is 1, and the address and the other strides are
    multiples of 16 bytes.

    ```mlir
    // before, with the parameters %d, %m, %n: i32, %s, %t: i64
    %x = tt.descriptor_load %d[%m, %n] : !tt.tensordesc<8x64xf32> -> tensor<8x64xf32>
    // after, with the address %p for %d
    %one = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %one] : <f32>, <8x64xf32>
    %x = tt.descriptor_load %d[%m, %n] : !tt.tensordesc<8x64xf32> -> tensor<8x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LiftAssertions : Pass<"lift-assertions", "::mlir::ModuleOp"> {
  let summary = "asserts after a reduction or scan what its function asserts; what is not checked goes";
  let description = [{
    Assertions that are not checked (without `debug`) go, so that no later pass keeps anything for
    their sake: a loop with one is pipelined like a loop without.

    How often and in which order a reduction calls its function is open, and targets call it on whole
    vectors. So each message of its assertions becomes one operand more, which says whether all
    conditions have held, and an assertion after the operation. Branches and loops in the function
    yield the conditions of theirs.

    ```mlir
    // before
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.cmpi ne, %a, %b : i32
      tt.assert %c, "equal" : i1
      tt.reduce.return %a : i32
    }) : (tensor<64xi32>) -> i32
    // after
    %s, %ok = "tt.reduce"(%x, %true) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %p: i1, %b: i32, %q: i1):
      %c = arith.cmpi ne, %a, %b : i32
      %both = arith.andi %p, %q : i1
      %all = arith.andi %both, %c : i1
      tt.reduce.return %a, %all : i32, i1
    }) : (tensor<64xi32>, tensor<64xi1>) -> (i32, i1)
    tt.assert %ok, "equal" : i1
    ```
  }];
  let options = [
    Option<"debug", "debug", "bool", "true", "whether assertions are checked that depend on it">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PadTiles : Pass<"pad-tiles", "::mlir::ModuleOp"> {
  let summary = "makes the extents of all tensors powers of two";
  let description = [{
    Extents may be any number; code for tensors is generated for powers of two. Each other one grows to
    the next, and what was not there before must not be seen. What elements of the padding hold is
    open, so that element by element nothing changes, and sums from the first element on are right, too. Else

    - what accesses memory, counts or asserts gets a mask; descriptors have none, so that those of
      such blocks become pointers, and of rows only those with numbers of the tensor are accessed;
    - reductions and scans from the last element on take the identity of their function for the padding,
      or, if that is not known, a flag for each element;
    - products get zeros where one extends along the inner dimension;
    - a reshape that moves elements becomes a gather;
    - what prints gets the types from before, beyond which it prints nothing.

    What is left and has effects is an error, as is code for groups of elements which cross the rows. A
    remark says how much of a kernel is padding.

    ```mlir
    // before
    %x = tt.load %p : tensor<100x!tt.ptr<f32>>
    // after
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %m = arith.cmpi slt, %r, %c100 : tensor<128xi32>
    %x = tt.load %p, %m, %zero : tensor<128x!tt.ptr<f32>>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect"];
}

def StructureFunctions : Pass<"structure-functions", "::mlir::ModuleOp"> {
  let summary = "makes branches and loops of the blocks of functions that are called";
  let description = [{
    A function that returns early has several blocks. Where it is called in a loop or a branch, which
    have one, it could not be inlined. What is called becomes one block, with `scf.if` for branches
    and `scf.while` for loops. Kernels stay as they are: they are called by nobody.

    ```mlir
    // before
    cf.cond_br %c, ^early, ^late
    ^late:
      tt.store %p, %x : !tt.ptr<f32>
      cf.br ^early
    ^early:
    // after
    scf.if %c {
    } else {
      tt.store %p, %x : !tt.ptr<f32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect"];
}

def CheckSteps : Pass<"check-steps", "::mlir::ModuleOp"> {
  let summary = "makes a loop with a step of zero an error";
  let description = [{
    Folding takes a loop with a step of zero for one without iterations. So, before anything is
    folded, an assertion is written before every loop whose step is zero or not known yet. With the
    attribute `tt.always_checked` it does not depend on the compile option `debug`.

    ```mlir
    // before
    scf.for %i = %a to %b step %n : i32 {
    // after
    %c0_i32 = arith.constant 0 : i32
    %0 = arith.cmpi ne, %n, %c0_i32 : i32
    tt.assert %0, "the step of a tl::range is zero" {tt.always_checked} : i1
    scf.for %i = %a to %b step %n : i32 {
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def KeepHints : Pass<"keep-hints", "::mlir::ModuleOp"> {
  let summary = "keeps promises that are written as additions of zero";
  let description = [{
    A promise about a value that was not made where the promise stands, such as a parameter in a
    branch, is written as an addition of zero with hints. Folding would lose it: it becomes an
    operation of its own, before anything is folded.

    ```mlir
    // before
    %y = arith.addi %x, %c0_i32 {tt.divisibility = dense<16> : tensor<1xi32>} : i32
    // after
    %y = tt.hint %x {tt.divisibility = dense<16> : tensor<1xi32>} : i32
    ```

    For targets that do not look at hints the pass removes these operations.
  }];
  let options = [Option<"remove", "remove", "bool", "false", "remove the operations instead">];
  let dependentDialects = ["::tl::tt::TTDialect"];
}

def Simplify : Pass<"simplify"> {
  let summary = "folds constants and rewrites operations to simpler ones";
  let description = [{
    The canonicalization of MLIR, but for one of its rewrites, which counts the rounds of a loop in
    as many bits as its numbers have: from -2000000000 to 2000000000 it finds none. Loops without
    iterations, with one, or without a body that does anything are simplified here by an exact count.

    ```mlir
    // before
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %x) -> (i32) : i32 {
      %b = arith.addi %a, %n : i32
      scf.yield %b : i32
    }
    // after
    %r = arith.addi %x, %n : i32
    ```
  }];
}

def CheckSizes : Pass<"check-sizes", "::mlir::ModuleOp"> {
  let summary = "makes a kernel that is too large to compile an error";
  let description = [{
    Compiling takes time and memory for every operation, and calls are inlined: ten lines in which
    each function calls the one before it twice grow to a thousand operations, forty lines to a
    trillion. So, before anything is inlined, the operations of every function are counted with
    those of the functions that it calls. A kernel may have 20000.
  }];
}

def DropAcquires : Pass<"drop-acquires", "::mlir::ModuleOp"> {
  let summary = "lets atomics whose old values nobody reads acquire nothing";
  let description = [{
    Who does not read what a read-modify-write has found cannot tell whose write it has seen: there is
    nothing that it could go on for. `acq_rel`, which is upstream's default, becomes `release`, and
    `acquire` becomes `relaxed`. What comes after such an atomic may then be loaded before it, and the
    hardware has shorter instructions for it. Values from which nothing follows that the kernel does,
    and assertions that are not checked (without `debug`), are no readers. The interpreter does the
    same, so that it reports programs that rely on more.

    ```mlir
    // before
    %old = tt.atomic_rmw fadd, acq_rel, gpu, %p, %x : (!tt.ptr<f32>, f32) -> f32
    // after
    %old = tt.atomic_rmw fadd, release, gpu, %p, %x : (!tt.ptr<f32>, f32) -> f32
    ```
  }];
  let options = [
    Option<"debug", "debug", "bool", "true", "whether assertions are checked that depend on it">,
  ];
}

def KeepOrder : Pass<"keep-order", "::mlir::ModuleOp"> {
  let summary = "refuses what shows in which order programs run";
  let description = [{
    For the compile option `deterministic`. Refused are atomic additions of floats, whose roundings
    depend on the order; what an atomic returns, if anything but arithmetic that nobody uses reads it;
    exchanges, of which the first or the last wins; clocks and numbers of processors. Other atomics
    give the same in every order, and `tt.atomic_poll` without a timeout is how to ask for one. It
    runs before inlining, so that the error is where the operation was written.

    No reshape may reorder: sums add up elements in the order of their positions.

    ```mlir
    // before
    %r = tt.reshape %x allow_reorder : tensor<16x32xf32> -> tensor<512xf32>
    // after
    %r = tt.reshape %x : tensor<16x32xf32> -> tensor<512xf32>
    ```
  }];
}

def FuseMultiplyAdd : Pass<"fuse-multiply-add", "::mlir::ModuleOp"> {
  let summary = "rounds a product and the sum that it goes into once";
  let description = [{
    Whether a product of `f32` or `f64` is rounded is decided here, once, for all of its uses. If each of them
    is an `arith.addf` or `arith.subf` in the block where the product stands, perhaps after an `arith.negf`, it
    is kept exact: every one of these sums becomes a `math.fma`. Anything else that reads the product, a store
    or a maximum, reads a rounded number, and then all do. A product that is written twice is one, and of
    two exact ones in a sum the left stays exact. A product of two constants or with 1 is left to
    folding, one that is added to a `tt.dot` to Combine, and those of 8 and 16 bits are rounded.

    Code generators contract nothing. So a value of the IR is one value in the machine, however often
    and in however many loops it is computed. The interpreter does the same, with `fp_fusion` off nobody does.

    ```mlir
    // before
    %p = arith.mulf %a, %b : tensor<64xf32>
    %x = arith.addf %p, %c : tensor<64xf32>
    %q = arith.mulf %a, %c : tensor<64xf32>
    %y = arith.subf %b, %q : tensor<64xf32>
    tt.store %to, %q : tensor<64x!tt.ptr<f32>>
    // after
    %x = math.fma %a, %b, %c : tensor<64xf32>
    %q = arith.mulf %a, %c : tensor<64xf32>
    %y = arith.subf %b, %q : tensor<64xf32>
    tt.store %to, %q : tensor<64x!tt.ptr<f32>>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def Combine : Pass<"combine", "::mlir::ModuleOp"> {
  let summary = "merges neighbouring operations into one";
  let description = [{
    Rewrites that need to see several operations at once:
    a product added to something becomes a product with an accumulator; a chain of pointer additions
    becomes one; a masked load under a select takes the select's value for masked-off lanes; a
    multiplication of broadcasts that is summed over the inner axis becomes a product; a quotient times
    its divisor and the remainder add up to what was divided; a reshape whose uses do not care for the
    order may reorder.

    ```mlir
    // before
    %d = tt.dot %a, %b, %zero : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    %r = arith.addf %d, %c : tensor<32x32xf32>
    // after
    %r = tt.dot %a, %b, %c : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    ```
  }];
  let options = [
    Option<"keepOrder", "keep-order", "bool", "false",
           "add up in the order that is written: no sum becomes a product, no reshape may reorder">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ReorderBroadcasts : Pass<"reorder-broadcasts", "::mlir::ModuleOp"> {
  let summary = "computes before broadcasting rather than after";
  let description = [{
    An elementwise operation on splats is one scalar operation and a splat; on broadcasts of one
    shape it works on the small tensors.

    ```mlir
    // before
    %x = tt.splat %a : i32 -> tensor<64xi32>
    %y = tt.splat %b : i32 -> tensor<64xi32>
    %z = arith.addi %x, %y : tensor<64xi32>
    // after
    %s = arith.addi %a, %b : i32
    %z = tt.splat %s : i32 -> tensor<64xi32>
    ```
  }];
}

def SplitPrograms : Pass<"split-programs", "::mlir::ModuleOp"> {
  let summary = "divides programs that multiply among several blocks of threads";
  let description = [{
    For the compile option `num_ctas`. Rows of products, and all that follows from them or that they
    follow from, are divided among `blocks` blocks, which the hardware runs as a cluster; each of
    them is a program of the kernel that comes out, and the kernel's `tt.blocks` says how many a program
    has. Loads in loops that are the same for all are marked by `tt.multicast`. A kernel stays whole if
    it has no product with enough rows, does more to memory than to load and to store the results, stores
    in loops anything but described blocks of one matrix that begin at multiples of their rows, or moves
    elements along the rows. SplitPrograms.cpp has the argument why this is right.

    ```mlir
    // before: %rows = %p * 256 + range(0, 256)
    %a = tt.descriptor_load %x[%first, %k] : !tt.tensordesc<256x64xf16> -> tensor<256x64xf16>
    %b = tt.descriptor_load %y[%k, %column] : !tt.tensordesc<64x128xf16> -> tensor<64x128xf16>
    %d = tt.dot %a, %b, %c : tensor<256x64xf16> * tensor<64x128xf16> -> tensor<256x128xf32>
    // after
    %mine = arith.addi %first, %rank128 : i32
    %a = tt.descriptor_load %half[%mine, %k] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
    %b = tt.descriptor_load %y[%k, %column] {tt.multicast = 2 : i32} : !tt.tensordesc<64x128xf16> -> tensor<64x128xf16>
    %d = tt.dot %a, %b, %c : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    ```
  }];
  let options = [Option<"blocks", "blocks", "unsigned", "1", "of a program; 1 leaves it whole">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def DescribePointers : Pass<"describe-pointers", "::mlir::ModuleOp"> {
  let summary = "loads operands of products as described blocks where pointers are strided";
  let description = [{
    TMA brings blocks of descriptors, and moves them faster than threads copy what pointers lead to.
    A load becomes that of a block, by a descriptor that the launch makes, where all of this is
    proven:

    - the pointers are a parameter plus `offset + i * stride + j`, or that with i and j exchanged,
      and the stride is a constant times parameters and a multiple of 16 bytes;
    - the offset is a sum of products of coordinates and such strides, of at most five axes;
    - the mask is what TMA looks at by itself: indices of rows and columns below a limit that is known
      at the launch, with zeros elsewhere;
    - the loop that loads multiplies the block as it lies by groups of warps;
    - nothing writes the parameter's memory.

    ```mlir
    // before: %p = %x + %h * %n * 128 + (%i + range(0, 64)) * 128 + range(0, 128),
    //         %m = %i + range(0, 64) < %n
    %t = tt.load %p, %m, %zero : tensor<64x128x!tt.ptr<f16>>
    // after
    %d = tt.make_tensor_descriptor %x, [%max, %n, %c128], [%n128, %row, %one] : <f16>, <1x64x128xf16>
    %t = tt.descriptor_load %d[%h, %i, %c0] : !tt.tensordesc<1x64x128xf16> -> tensor<64x128xf16>
    ```

    That a coordinate is not negative and has 32 bits may follow from parameters that are from 0 to
    2^30: the descriptor names them, and the launch sees whether they are, and whether strides and
    extents are such as TMA takes. For other arguments the kernel is compiled without this pass. What
    follows from nothing but does not change in the loop can be checked before it (`may-check`).
  }];
  let options = [
    Option<"productWarps", "product-warps", "unsigned", "0",
           "warps of the program, if groups of four multiply out of shared memory; 0 otherwise">,
    Option<"mayCheck", "may-check", "bool", "false",
           "check in the kernel what neither follows from its text nor is known at the launch">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def RewriteDescriptors : Pass<"rewrite-descriptors", "::mlir::ModuleOp"> {
  let summary = "turns tensor descriptors into pointers and masks";
  let description = [{
    For targets that have no hardware for descriptors. A descriptor becomes its base, its extents and
    its strides (64 bits each) and whether it pads with NaN, wherever it goes: through loops, branches
    and function parameters. Blocks are loaded and stored with a mask that is true where
    `0 <= index < extent` for every axis.

    ```mlir
    // before
    %d = tt.make_tensor_descriptor %p, [%n], [%one] : <f32>, <64xf32>
    %t = tt.descriptor_load %d[%i] : !tt.tensordesc<64xf32> -> tensor<64xf32>
    // after: pointers %q = %p + %j * %one and mask 0 <= %j < %n, for %j = %i ... %i + 63
    %t = tt.load %q, %m, %zero : tensor<64x!tt.ptr<f32>>
    ```

    TMA can move the blocks of a descriptor if its base and all strides but the last,
    which is 1, are known to be multiples of 16 bytes, and so are the rows of its block, the last
    index of every access and, where blocks are written, the last extent of the tensor; the block has
    no extent above 256 and at most 64 KiB, elements of one byte are not padded with NaN, and the
    descriptor is only used by loads and stores of blocks and by reductions of 32-bit integers. With
    `copies=possible` such descriptors stay. With `copies=worthwhile` those of them stay that are
    made of parameters and constants, so that the launch can make the tensor map, and whose blocks
    are not moved in a loop; and those whose blocks are operands of products in loops, which
    `pipeline-loops` has TMA bring ahead of time, if groups of four of the program's `product-warps`
    warps multiply out of shared memory.
  }];
  let options = [
    Option<"copies", "copies", "TmaUse", "TmaUse::none",
           "which descriptors stay for TMA",
           [{::llvm::cl::values(
               clEnumValN(TmaUse::none, "none", "none of them"),
               clEnumValN(TmaUse::worthwhile, "worthwhile", "made by the launch, in no loop"),
               clEnumValN(TmaUse::possible, "possible", "wherever TMA can"))}]>,
    Option<"productWarps", "product-warps", "unsigned", "0",
           "warps of the program, if groups of four multiply out of shared memory; 0 otherwise">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def HoistInvariants : Pass<"hoist-invariants", "::mlir::ModuleOp"> {
  let summary = "moves what does not change out of loops";
  let description = [{
    Operations without effects whose operands come from outside move in front of the loop, unless the
    loop says `licm = <disable = true>`. So do loads, if nothing in the loop writes memory; a loop
    that may not run at all must not touch memory, so the load's mask becomes false then.

    ```mlir
    // before
    scf.for %i = %lo to %hi step %c1 : i32 {
      %v = tt.load %p : !tt.ptr<f32>
      ...
    // after
    %runs = arith.cmpi slt, %lo, %hi : i32
    %v = tt.load %p, %runs : !tt.ptr<f32>
    scf.for %i = %lo to %hi step %c1 : i32 {
      ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def UnrollLoops : Pass<"unroll-loops", "::mlir::ModuleOp"> {
  let summary = "unrolls the loops that ask for it, and short ones";
  let description = [{
    A loop with `tt.loop_unroll_factor = n` and a constant step runs `n` bodies at a time; what is left
    runs in a second loop, which is not pipelined (`tt.num_stages = 1`). The trip count is
    computed so that empty and very long loops stay right.

    With `short`, loops of at most four iterations that load, say nothing of how they are to be run and
    hold no product are unrolled as a whole, if that is little code: loads of all iterations are then
    on their way together.

    ```mlir
    // before
    scf.for %i = %c0 to %n step %c1 : i32 { ... } {tt.loop_unroll_factor = 2 : i32}
    // after
    scf.for %i = %c0 to %even step %c2 : i32 { ...; ... }
    scf.for %i = %even to %n step %c1 : i32 { ... } {tt.num_stages = 1 : i32}
    ```
  }];
  let options = [Option<"unrollShort", "short", "bool", "false", "unroll short loops">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def MergeLoads : Pass<"merge-loads", "::mlir::ModuleOp"> {
  let summary = "loads once what nothing writes";
  let description = [{
    A load of few elements from a parameter of the kernel is the same as an earlier one through equal
    pointers, if nothing in the kernel writes that parameter's memory or waits for others who do.

    ```mlir
    // before
    %a = tt.load %p : !tt.ptr<i32>
    tt.store %q, %x : !tt.ptr<f32>
    %b = tt.load %p : !tt.ptr<i32>
    // after: all uses of %b are of %a
    ```
  }];
}

def MergeLoopValues : Pass<"merge-loop-values", "::mlir::ModuleOp"> {
  let summary = "carries equal values through a loop once";
  let description = [{
    Two values that a loop carries are the same if they start equal and every iteration makes equal values
    from equal values. All uses of the second become uses of the first, and the canonicaliser drops
    it.

    ```mlir
    // before
    %r:2 = scf.for %i = %lo to %hi step %s iter_args(%a = %x, %b = %x) -> (i32, i32) : i32 {
      %c = arith.addi %a, %k : i32
      %d = arith.addi %b, %k : i32
      scf.yield %c, %d : i32, i32
    }
    // after: %b is %a, %r#1 is %r#0
    ```
  }];
}

def ScalarizeInduction : Pass<"scalarize-induction", "::mlir::ModuleOp"> {
  let summary = "carries a scalar where a loop advances a whole tensor by one amount";
  let description = [{
    A tensor of pointers or integers that a loop advances by the same amount in every lane is its
    first value plus a scalar. Only the scalar is carried; the tensor is built again where it is
    used. So loops (`scf.for`, and `scf.while` where the condition hands the tensor on unchanged)
    carry no tensors of pointers, and the lanes' pattern stays visible inside the loop.

    ```mlir
    // before
    %r = scf.for %i = %lo to %hi step %s iter_args(%p = %p0) -> (tensor<64x!tt.ptr<f32>>) : i32 {
      %v = tt.load %p : tensor<64x!tt.ptr<f32>>
      %q = tt.addptr %p, %c64s : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      scf.yield %q : tensor<64x!tt.ptr<f32>>
    }
    // after
    %r = scf.for %i = %lo to %hi step %s iter_args(%o = %c0) -> (i64) : i32 {
      %os = tt.splat %o : i64 -> tensor<64xi64>
      %p = tt.addptr %p0, %os : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
      %v = tt.load %p : tensor<64x!tt.ptr<f32>>
      %n = arith.addi %o, %c64 : i64
      scf.yield %n : i64
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif
