// SPDX-License-Identifier: MIT
#include "dialect/MatrixProducts.h"

#include "dialect/ProducerWarps.h"

#include "mlir/IR/Builders.h"

#define GET_OP_CLASSES
#include "dialect/MatrixProducts.cpp.inc"

using namespace mlir;

namespace tl::ttg {

void TTGDialect::registerMatrixProductOps() {
  addOperations<
#define GET_OP_LIST
#include "dialect/MatrixProducts.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/ProducerWarps.cpp.inc"
      >();
}

LogicalResult WarpGroupDotOp::verify() {
  auto shapeOf = [](Type type) {
    if (auto memory = dyn_cast<MemDescType>(type))
      return memory.getShape();
    return cast<RankedTensorType>(type).getShape();
  };
  ArrayRef<int64_t> a = shapeOf(getA().getType()), b = shapeOf(getB().getType());
  auto d = cast<RankedTensorType>(getType());
  if (a.size() != 2 || b.size() != 2 || d.getRank() != 2 || a[0] != d.getDimSize(0) ||
      a[1] != b[0] || b[1] != d.getDimSize(1))
    return emitOpError() << "multiplies matrices whose extents agree, found " << getA().getType()
                         << ", " << getB().getType() << " and " << d;
  ArrayRef<int32_t> instruction = getInstruction(), warps = getWarps();
  if (instruction.size() != 3 || warps.size() != 2)
    return emitOpError("needs three extents of the instruction and two numbers of warps");
  if (instruction[0] != 64 || instruction[1] < 8 || instruction[1] > 256 || instruction[1] % 8 ||
      instruction[2] < 1 || a[1] % instruction[2])
    return emitOpError() << "has no instruction of " << instruction[0] << " x " << instruction[1]
                         << " x " << instruction[2] << " for a product over " << a[1];
  if (warps[0] < 4 || warps[0] % 4 || warps[1] < 1)
    return emitOpError() << "needs groups of four warps along the rows, found " << warps[0];
  return success();
}

LogicalResult LocalDotOp::verify() {
  ArrayRef<int64_t> a = getA().getType().getShape(), b = getB().getType().getShape();
  auto type = cast<RankedTensorType>(getType());
  ArrayRef<int64_t> d = type.getShape();
  size_t rank = d.size();
  if ((rank != 2 && rank != 3) || a.size() != rank || b.size() != rank ||
      a.drop_back() != d.drop_back() || a.back() != b[rank - 2] || b.back() != d.back() ||
      b.drop_back(2) != d.drop_back(2))
    return emitOpError() << "multiplies matrices, or batches of them, whose extents agree, found "
                         << getA().getType() << ", " << getB().getType() << " and " << type;
  return success();
}

LogicalResult WarpGroupDotWaitOp::verify() {
  if (int32_t(getPendings()) < 0)
    return emitOpError() << "cannot leave " << int32_t(getPendings()) << " products going on";
  return success();
}

bool isReadByProducts(Value memory) {
  return llvm::any_of(memory.getUsers(), [](Operation *user) {
    bool isView = user->getNumResults() == 1 && isa<MemDescType>(user->getResult(0).getType());
    return isa<WarpGroupDotOp>(user) || (isView && isReadByProducts(user->getResult(0)));
  });
}

} // namespace tl::ttg
