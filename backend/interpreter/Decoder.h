// SPDX-License-Identifier: MIT
//
// The decoder's two halves: DecodeFunctions.cpp walks functions, regions and values and gives
// values their registers; DecodeOperations.cpp turns single operations into instructions.
#pragma once

#include "analysis/AxisInfo.h"
#include "dialect/Context.h"
#include "dialect/Dialect.h"
#include "interpreter/Program.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <memory>

namespace tl::backend::interpreter {

/// Registers that are free, by size. Values take one when they are made and return it after their
/// last use.
class RegisterPool {
public:
  uint32_t take(size_t bytes);
  void give(size_t bytes, uint32_t reg) { available[classOf(bytes)].push_back(reg); }
  uint32_t count() const { return total; }
  /// A register that is nobody else's.
  uint32_t own() { return total++; }

private:
  static size_t classOf(size_t bytes) { return (bytes + 63) / 64; }
  std::map<size_t, std::vector<uint32_t>> available;
  uint32_t total = 0;
};

class Decoder {
public:
  explicit Decoder(Program &program) : program(program) {}

  /// Decodes the function, and whatever it calls, in order.
  void decodeAll(tt::FuncOp entry);

  Type typeOf(mlir::Type type, mlir::Operation *user);

private:
  uint32_t indexOf(tt::FuncOp function);
  void decodeFunction(tt::FuncOp function, uint32_t index);
  uint32_t decodeRegion(mlir::Region &region);
  void decodeBlock(mlir::Block &block, uint32_t region, uint32_t blockIndex, bool reuseRegisters);
  void markElementwise(uint32_t region);
  void trackAddresses(tt::FuncOp source); // DecodeAddresses.cpp
  uint32_t locationOf(mlir::Location loc);

  uint32_t parameterOf(mlir::Value pointer) const;
  void checkHints(mlir::Value value, mlir::DictionaryAttr attributes,
                  std::vector<Instruction> &instructions);

  ValueId define(mlir::Value value, mlir::Operation *owner);
  ValueId use(mlir::Value value) const;
  void useAll(Instruction &instruction, mlir::ValueRange range);

  // DecodeOperations.cpp. The results are entered already.
  void decodeOperation(mlir::Operation *op, Instruction &instruction);
  void decodeOperands(mlir::Operation *op, Instruction &instruction);
  void decodeSpecial(mlir::Operation *op, Instruction &instruction);
  void decodeConstant(mlir::Operation *op, mlir::Attribute value, Instruction &instruction);
  void checkExtern(tt::ExternElementwiseOp op, const Instruction &instruction);

  Program &program;
  std::vector<tt::FuncOp> queue; // function i of the program is queue[i]
  llvm::DenseMap<mlir::Operation *, uint32_t> functionIndices;
  llvm::DenseMap<mlir::Location, uint32_t> locations;
  std::unique_ptr<AxisInfoAnalysis> axes; // made where a hint stands

  // Of the function that is being decoded.
  Function function;
  llvm::DenseMap<mlir::Value, ValueId> values;
  llvm::DenseMap<mlir::Block *, uint32_t> blockIndices;
  RegisterPool registers;
};

} // namespace tl::backend::interpreter
