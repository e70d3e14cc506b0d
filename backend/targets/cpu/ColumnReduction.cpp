// SPDX-License-Identifier: MIT
//
// Reductions over an axis that is not the innermost one: whole vectors of results stay in registers
// while the loop runs down the axis.
#include "targets/cpu/FunctionLowering.h"

#include "llvm/IR/Constants.h"

namespace tl::backend::cpu {

using llvm::Value;

void FunctionLowering::emitColumns(llvm::ArrayRef<FusionRoot> roots, const Copies &copies) {
  NestPlan plan = planNest(roots, true);
  unsigned low, high;
  reducedField(mlir::cast<tt::ReduceOp>(roots[0].operation), low, high);
  unsigned width = high - low, resultBits = plan.slice.bits - width;
  unsigned widest = std::min(8u, plan.slice.widestBytes);
  unsigned laneBits = plan.slice.scalarOnly
                          ? 0
                          : std::min(bitsOf(std::min(64u, features.lanes(widest))), resultBits);
  unsigned lanes = 1u << laneBits;

  auto emit = [&](Nest &nest) {
    // Lanes are spread over the bits of the result; the axis has none.
    llvm::SmallVector<unsigned> outer, axis;
    unsigned top = plan.slice.bits;
    for (auto [d, bottom] : llvm::enumerate(plan.lowBit)) {
      Digit digit;
      digit.extent = int64_t(1) << (top - bottom);
      digit.base = i64(0);
      if (bottom >= low && bottom < high) {
        axis.push_back(d);
      } else {
        unsigned from = bottom >= high ? bottom - width : bottom;
        unsigned to = from + (top - bottom);
        if (from < laneBits) {
          digit.laneShift = from;
          digit.laneBits = std::min(laneBits, to) - from;
        }
        if (to > laneBits)
          outer.push_back(d);
      }
      nest.digits.push_back(digit);
      top = bottom;
    }
    unsigned unroll = 1;
    int64_t step = 1, extent = 1;
    if (!outer.empty()) {
      const Digit &last = nest.digits[outer.back()];
      step = int64_t(1) << last.laneBits;
      extent = last.extent;
      if (plan.slice.cost <= 50 && !plan.slice.scalarOnly)
        while (unroll < 4 && step * unroll * 2 <= extent)
          unroll *= 2;
    }
    auto setDigit = [&](unsigned d, Value *base) {
      nest.digits[d].base = base;
      nest.digits[d].level = nest.levels.size() - 1;
    };
    // Down the axis, for all accumulators at once.
    std::function<void(unsigned, llvm::ArrayRef<Value *>)> down =
        [&](unsigned depth, llvm::ArrayRef<Value *> columns) {
          if (depth < axis.size()) {
            emitCounted(nest, i64(0), i64(nest.digits[axis[depth]].extent), 1,
                        plan.slice.cost * unroll, [&](Value *i) {
                          setDigit(axis[depth], i);
                          down(depth + 1, columns);
                        });
            return;
          }
          unsigned columnLevel = outer.empty() ? 0 : nest.digits[outer.back()].level;
          for (unsigned u = 0; u < unroll; ++u) {
            if (!columns.empty()) {
              nest.digits[outer.back()].base = columns[u];
              nest.digits[outer.back()].level = columnLevel;
            }
            emitPoint(nest, plan, u);
          }
        };
    auto column = [&](llvm::ArrayRef<Value *> columns) {
      for (auto [root, accumulators] : llvm::zip(plan.roots, plan.accumulators))
        beginReduce(nest, root, accumulators, unroll);
      down(0, columns);
      for (unsigned d : axis) {
        nest.digits[d].base = i64(0);
        nest.digits[d].level = 0;
      }
      for (auto [root, accumulators] : llvm::zip(plan.roots, plan.accumulators)) {
        auto reduce = mlir::cast<tt::ReduceOp>(root.operation);
        for (unsigned u = 0; u < unroll; ++u) {
          if (!columns.empty())
            nest.digits[outer.back()].base = columns[u];
          Index index;
          for (unsigned d = 0; d < nest.digits.size(); ++d)
            if (!llvm::is_contained(axis, d))
              index.digits.push_back(nest.digits[d]);
          for (auto [k, result] : llvm::enumerate(reduce.getResults())) {
            atTail(nest);
            llvm::AllocaInst *variable = accumulators.parts[u][k];
            Value *value = builder.CreateLoad(variable->getAllocatedType(), variable);
            storeBuffer(nest, *buffers.lookup(result), elementType(result.getType()), index,
                        nest.lanes == 1 ? Lanes::uniform(value) : Lanes::vector(value));
          }
        }
      }
    };
    std::function<void(unsigned)> across = [&](unsigned depth) {
      if (outer.empty())
        return column({});
      bool last = depth + 1 == outer.size();
      emitCounted(nest, i64(0), i64(nest.digits[outer[depth]].extent), last ? step * unroll : 1,
                  plan.slice.cost * 16, [&](Value *i) {
                    setDigit(outer[depth], i);
                    if (!last)
                      return across(depth + 1);
                    Values columns;
                    at(nest, nest.levels.size() - 1);
                    for (unsigned u = 0; u < unroll; ++u)
                      columns.push_back(u ? builder.CreateAdd(i, i64(u * step), "", true, true)
                                          : i);
                    column(columns);
                  });
      nest.digits[outer[depth]].base = i64(0);
      nest.digits[outer[depth]].level = 0;
    };
    across(0);
  };

  Nest nest = newNest(lanes);
  nest.copies = copies;
  llvm::DenseSet<mlir::Value> masks;
  Value *inside = allTrue(nest, plan.slice, masks);
  if (!inside) {
    emit(nest);
    return leaveNest(nest);
  }
  splitByMasks(nest, inside, masks, emit);
}

} // namespace tl::backend::cpu
