// SPDX-License-Identifier: MIT
#include "targets/cpu/Costs.h"

#include "dialect/Dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/DenseMap.h"

namespace tl::backend::cpu {

namespace arith = mlir::arith;
namespace math = mlir::math;

namespace {

class CostTable {
public:
  CostTable() {
    add<arith::ConstantOp>({0, 1});
    add<math::AbsFOp, math::AbsIOp>({1, 10});
    add<math::FmaOp>({2, 10}); // again: as the product and the sum that it was
    add<tt::ExternElementwiseOp>({10, 1});
    add<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::RemFOp>({8, 1});
    add<tt::GatherOp>({8, 1});
    add<tt::FpToFpOp>({8, 4});
    add<arith::DivFOp>({4, 4});
    add<tt::PreciseDivFOp, tt::ApproxDivFOp, tt::PreciseSqrtOp>({4, 1});
  }

  Cost of(mlir::Operation *operation) const {
    if (auto found = costs.find(operation->getName().getTypeID()); found != costs.end())
      return found->second;
    if (operation->hasTrait<tt::MovesElements>() && operation->getNumOperands() == 1)
      return {0, 1};
    if (mlir::isa_and_present<math::MathDialect>(operation->getDialect()))
      return {10, 10};
    return {};
  }

private:
  template <class... Ops> void add(Cost cost) {
    (costs.try_emplace(mlir::TypeID::get<Ops>(), cost), ...);
  }
  llvm::DenseMap<mlir::TypeID, Cost> costs;
};

} // namespace

Cost costOf(mlir::Operation *operation) {
  static const CostTable table;
  return table.of(operation);
}

} // namespace tl::backend::cpu
