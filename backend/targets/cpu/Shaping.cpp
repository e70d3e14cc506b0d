// SPDX-License-Identifier: MIT
//
// What moves elements is deferred: Evaluate.cpp reads its operand at another index. Here is what
// has scalars as results.
#include "targets/cpu/FunctionLowering.h"
#include "targets/cpu/Operations.h"

namespace tl::backend::cpu {

/// Of a tensor of two elements.
static void emitSplit(FunctionLowering &f, tt::SplitOp split) {
  f.flush();
  Nest nest = f.newNest(1);
  for (auto [i, result] : llvm::enumerate(split->getResults())) {
    Digit digit;
    digit.extent = 2;
    digit.base = f.i64(i);
    Index index;
    index.digits.push_back(digit);
    f.setScalar(result, f.evaluate(nest, split.getSrc(), index).value);
  }
  f.leaveNest(nest);
}

void addShaping(EmitterTable &table) { table.add<emitSplit>(); }

} // namespace tl::backend::cpu
