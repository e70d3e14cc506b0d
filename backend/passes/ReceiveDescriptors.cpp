// SPDX-License-Identifier: MIT
//
// A descriptor that the host has made is 2 R + 1 parameters for a tensor with R axes:
//
//     %d: !tt.tensordesc<32x64xf16>, %m: i32, %n: i32, %s: i64, %one: i64
//
// Upstream hands over a tensor map for the first of them, which not all devices have. Here it is
// the address of the tensor, and the kernel makes a descriptor of that and of the other parameters,
// as kernels do that get the numbers themselves.
#include "dialect/Hints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/Passes.h"

using namespace mlir;

namespace tl::tt {

#define GEN_PASS_DEF_RECEIVEDESCRIPTORS
#include "passes/Passes.h.inc"

namespace {

/// Promises that the address, or a stride in elements, is a multiple.
void promiseDivisibility(FuncOp function, unsigned index, int64_t divisor) {
  Builder builder(function.getContext());
  if (divisor > 1 && !function.getArgAttr(index, divisibilityName))
    function.setArgAttr(index, divisibilityName, builder.getI32IntegerAttr(int32_t(divisor)));
}

LogicalResult receive(FuncOp function, unsigned index) {
  Block &entry = function.getBody().front();
  auto type = cast<TensorDescType>(entry.getArgument(index).getType());
  const unsigned rank = unsigned(type.getShape().size());
  const auto isInteger = [&](unsigned at, unsigned bits) {
    return at < entry.getNumArguments() && entry.getArgument(at).getType().isInteger(bits);
  };
  for (unsigned axis = 0; axis < rank; ++axis)
    if (!isInteger(index + 1 + axis, 32) || !isInteger(index + 1 + rank + axis, 64))
      return function.emitError()
             << "parameter " << index << " of kernel '" << function.getName()
             << "' is a tensor descriptor, after which its extents (i32) and strides (i64) are "
                "expected, "
             << rank << " of each";

  Type element = type.getSignlessBlockType().getElementType();
  BlockArgument described = entry.getArgument(index);
  Type base = PointerType::get(element);
  BlockArgument address = entry.insertArgument(index, base, described.getLoc());
  OpBuilder builder = OpBuilder::atBlockBegin(&entry);
  const auto numbers = [&](unsigned first) {
    return SmallVector<Value>(entry.getArguments().slice(first + 1, rank));
  };
  SmallVector<Value> strides = numbers(index + 1 + rank);
  // The host has seen to it that the last one is 1.
  strides.back() =
      arith::ConstantOp::create(builder, described.getLoc(), builder.getI64IntegerAttr(1));
  described.replaceAllUsesWith(
      MakeTensorDescOp::create(builder, described.getLoc(), type, address, numbers(index + 1),
                               strides, PaddingOption::PAD_ZERO, DenseI32ArrayAttr()));
  entry.eraseArgument(index + 1);
  function.setFunctionType(FunctionType::get(function.getContext(), entry.getArgumentTypes(),
                                             function.getResultTypes()));
  // And that TMA takes the tensor.
  const int64_t bytes = 16, elementBytes = memoryBytes(element);
  promiseDivisibility(function, index, bytes);
  for (unsigned axis = 0; axis + 1 < rank; ++axis)
    promiseDivisibility(function, index + 1 + rank + axis, bytes / elementBytes);
  return success();
}

struct ReceiveDescriptors : impl::ReceiveDescriptorsBase<ReceiveDescriptors> {
  void runOnOperation() override {
    if (failed(receiveDescriptors(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult receiveDescriptors(ModuleOp module) {
  for (FuncOp function : module.getOps<FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    for (unsigned index = 0; index < function.getNumArguments(); ++index) {
      if (!isa<TensorDescType>(function.getArgument(index).getType()))
        continue;
      if (!SymbolTable::symbolKnownUseEmpty(function, module))
        break; // a callee gets descriptors that its callers have made
      module.getContext()->loadDialect<arith::ArithDialect>();
      if (failed(receive(function, index)))
        return failure();
    }
  }
  return success();
}

} // namespace tl::tt
