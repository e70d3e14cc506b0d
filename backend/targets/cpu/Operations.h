// SPDX-License-Identifier: MIT
//
// What the CPU target does with each operation: its emitters, entered by the file of the group, as
// in
//
//     void addReduction(EmitterTable &table) { table.add<emitReduce>(); }
//
// An operation that is not entered is elementwise or only moves elements. On tensors it is deferred
// (see Lowering.h) and Evaluate.cpp computes it where its elements are used; on scalars it is
// computed at once.
#pragma once

#include "dialect/Dialect.h"
#include "llvm/ADT/DenseMap.h"

namespace tl::backend::cpu {

class FunctionLowering;

/// Carries an operation out where it stands.
using Emitter = void (*)(FunctionLowering &, mlir::Operation *);

class EmitterTable {
public:
  /// Of the operation that `Emit` takes.
  template <auto Emit> void add() { add(Emit, Typed<Emit, decltype(Emit)>::emit); }
  /// Of several operations, whichever they are.
  template <class... Ops> void addAll(Emitter emitter) {
    (emitters.try_emplace(mlir::TypeID::get<Ops>(), emitter), ...);
  }
  /// Null if none was entered.
  Emitter find(mlir::Operation *operation) const {
    return emitters.lookup(operation->getName().getTypeID());
  }

private:
  template <auto Emit, class F> struct Typed;
  template <auto Emit, class Op> struct Typed<Emit, void (*)(FunctionLowering &, Op)> {
    static void emit(FunctionLowering &f, mlir::Operation *operation) {
      Emit(f, mlir::cast<Op>(operation));
    }
  };
  template <class Op> void add(void (*)(FunctionLowering &, Op), Emitter emitter) {
    addAll<Op>(emitter);
  }

  llvm::DenseMap<mlir::TypeID, Emitter> emitters;
};

/// Those of all groups.
const EmitterTable &emitters();

void addCreation(EmitterTable &);
void addMemory(EmitterTable &);
void addAtomics(EmitterTable &);
void addElementwise(EmitterTable &);
void addReduction(EmitterTable &);
void addScans(EmitterTable &);
void addLinearAlgebra(EmitterTable &);
void addScaledProducts(EmitterTable &);
void addShaping(EmitterTable &);
void addControlFlow(EmitterTable &);
void addDebug(EmitterTable &);

} // namespace tl::backend::cpu
