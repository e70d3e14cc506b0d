// SPDX-License-Identifier: MIT
//
// Which function lowers which operation. Each group enters its own, in its own file:
//
//     static void emitGather(KernelLowering &kernel, tt::GatherOp op) { ... }
//
//     void registerShaping(OperationTable &table) {
//       table.add<emitGather>();                               // the operation of the parameter
//       table.add<emitRenaming, tt::TransOp, tt::ReshapeOp>(); // several, by mlir::Operation *
//     }
//
// The file of a new group adds its register function to the list below and to operationTable().
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace tl::backend {

class KernelLowering;

class OperationTable {
public:
  using Handler = void (*)(KernelLowering &, mlir::Operation *);

  /// Enters a function for the operation that it takes, or for each of `Ops` if it takes any.
  template <auto emit, class... Ops> void add() {
    if constexpr (sizeof...(Ops) == 0)
      addTyped<emit>(emit);
    else
      (enter(mlir::TypeID::get<Ops>(), emit), ...);
  }

  /// For all operations that no group has entered.
  void addOthers(Handler handler) { others = handler; }

  Handler find(mlir::Operation *op) const {
    auto found = handlers.find(op->getName().getTypeID());
    return found == handlers.end() ? others : found->second;
  }

private:
  template <auto emit, class Op> void addTyped(void (*)(KernelLowering &, Op)) {
    enter(mlir::TypeID::get<Op>(),
          [](KernelLowering &kernel, mlir::Operation *op) { emit(kernel, mlir::cast<Op>(op)); });
  }

  void enter(mlir::TypeID operation, Handler handler) {
    [[maybe_unused]] bool isNew = handlers.try_emplace(operation, handler).second;
    assert(isNew && "an operation is entered twice");
  }

  llvm::DenseMap<mlir::TypeID, Handler> handlers;
  Handler others = nullptr;
};

void registerAtomics(OperationTable &);
void registerControlFlow(OperationTable &);
void registerConversions(OperationTable &);
void registerCounting(OperationTable &);
void registerCreation(OperationTable &);
void registerCustomCode(OperationTable &);
void registerDebug(OperationTable &);
void registerDescriptors(OperationTable &);
void registerElementwise(OperationTable &);
void registerLinearAlgebra(OperationTable &);
void registerMemory(OperationTable &);
void registerProducerWarps(OperationTable &);
void registerReduction(OperationTable &);
void registerMultiplyAdds(OperationTable &);
void registerScan(OperationTable &);
void registerShaping(OperationTable &);
void registerSharedTensors(OperationTable &);
void registerTransfers(OperationTable &);
void registerWarpGroupProducts(OperationTable &);

} // namespace tl::backend
