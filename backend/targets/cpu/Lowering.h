// SPDX-License-Identifier: MIT
//
// From TTIR to LLVM IR for the host processor. This essay says how a block of tensor operations
// becomes loops; the class that does it is FunctionLowering.
//
// A block tensor is a loop, not a register. TTIR says "v = load(p); e = exp(v - m)" for blocks of a
// thousand elements. One huge LLVM vector for each would cost seconds of compile time and spill;
// one loop for each operation would go through the cache for every addition. So most tensors are
// never stored: they are *deferred*, that is, computed where they are used, element by element.
//
// **Evaluation.** The central function asks for value v at index i for W neighbouring lanes
// (Index.h, Evaluate.cpp). Elementwise operations ask their operands at i; broadcast, trans,
// reshape, split and gather ask at another index; range, splat and constants know the answer.
// Integers and pointers stay in the form base + lane * stride as long as arithmetic allows, so a
// load finds out by itself that its addresses are neighbours. A value that depends on the row alone
// is computed before the loop over columns: each is placed at the loop level on which its index
// depends.
//
// **Fusion roots.** Code is written only for what must happen: a store, a reduction, and
// *materialising* a value in scratch memory (Fusion.h). Materialised are the results of reductions,
// scans, products and atomics; operands of products; what loops and branches carry; a deferred load
// that a later write might overtake; and costly values that are needed again after the present
// nest, which are stored there in passing. Everything else is computed again, which is cheaper than
// a round trip through memory.
//
// **Groups.** Fusion roots over index spaces of one size share a nest of loops, unless one needs
// another's result at a different element. Its loops are the digits into which the slices of the
// fusion roots cut the index, in steps of whole vectors, several at a time, at the innermost digit.
//
// **Masks.** "offset + i < n" is a count along the innermost loop (Masks.cpp). The loop has three
// parts: full (no mask at all), tested (at most a few vectors, with masked accesses), and dead,
// where loads give their `other` without touching memory and stores vanish. In several dimensions
// one test of the last element lets whole tiles run without any mask.
//
// **Hazards.** Memory operations happen in program order even where addresses overlap. A load and a
// later store in one nest are guarded by a test of their address ranges; if they may meet, the
// loads are copied to scratch first and the fusion roots run one after another (Hazards.cpp).
//
// A softmax over one row of 1024, as an example of all this:
//
//   %v = tt.load %p, %mask, %ninf        deferred
//   %m = "tt.reduce"(%v) max             root 1: loop {load, max}; a splat of %m ends the group
//   %e = math.exp (%v - splat %m)        deferred, costly
//   %s = "tt.reduce"(%e) sum             root 2: loop {load, subtract, exp, add}, and since %e is
//                                        needed again, its elements are stored in passing
//   %r = arith.divf %e, splat %s         deferred
//   tt.store %q, %r, %mask               root 3: loop {read %e from scratch, divide, store}
//
// Each of the three loops has a full, a tested and (the first two) a dead part. That is what one
// would write by hand.
#pragma once

#include "targets/Target.h"
#include "targets/cpu/Driver.h"
#include "targets/cpu/HostFeatures.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <string>
#include <vector>

namespace tl::tt {
class FuncOp;
}

namespace tl::backend::cpu {

/// A kernel as LLVM IR, not optimised.
struct LoweredKernel {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::string entry; // symbol of the KernelEntry
  uint64_t scratchBytes = 0;
  std::vector<Site> sites;
  bool gridBarrier = false; // all programs must run at the same time
};

/// Lowers a kernel of a module that has been through the TTIR passes. Throws Error with the user's
/// line for what the CPU does not offer.
LoweredKernel lowerToLLVM(tt::FuncOp kernel, const CompileOptions &options,
                          const HostFeatures &features);

} // namespace tl::backend::cpu
