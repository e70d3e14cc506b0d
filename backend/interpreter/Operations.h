// SPDX-License-Identifier: MIT
//
// What the operations of TTIR mean, one record each. A file of ops/ enters those of its group, by
// the names that TTIR has for them:
//
//     table.add("tt.gather", gather).attributes = {"axis"};
//     table.add("tt.scan", scan).attributes = {"axis", "reverse"};
//
// The decoder looks an operation up here, and hands on its operands in the order of its record in
// backend/dialect and the attributes that are named here; see Instruction.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tl::backend::interpreter {

class Machine;
struct Instruction;

/// Reads the elements of the operands, writes those of the results.
using Handler = void (*)(Machine &, const Instruction &);

/// How the exact numbers of the results follow from those of the operands; see Wraps.h.
enum class Exactness : uint8_t {
  None, // not at all
  Sum,
  Difference,
  Product,
  ShiftLeft,
  Extension, // they are those of the operand
  Moved,     // as the elements of the result from those of the operands
  Selected   // likewise, but for the first operand, the condition
};

struct Operation {
  std::string_view name;
  Handler handler = nullptr; // null: of the end of a block, read by whoever runs the block
  /// Works element by element, so that it may be run on the scalars of many elements at once. See
  /// Interpreter.h on lanes.
  bool elementwise = false;
  Exactness exactness = Exactness::None;
  std::vector<std::string_view> attributes; // that the handler needs
  unsigned variant = 0;                     // tells operations of one handler apart
};

class OperationTable {
public:
  Operation &add(std::string_view name, Handler handler) {
    return add(name, Exactness::None, handler);
  }
  Operation &add(std::string_view name, Exactness exactness, Handler handler) {
    Operation operation;
    operation.name = name;
    operation.handler = handler;
    operation.exactness = exactness;
    return operations.emplace(name, operation).first->second;
  }
  Operation &addElementwise(std::string_view name, Handler handler) {
    return addElementwise(name, Exactness::None, handler);
  }
  Operation &addElementwise(std::string_view name, Exactness exactness, Handler handler) {
    Operation &operation = add(name, exactness, handler);
    operation.elementwise = true;
    return operation;
  }
  /// Null if there is none of that name.
  const Operation *find(std::string_view name) const {
    auto it = operations.find(name);
    return it == operations.end() ? nullptr : &it->second;
  }

private:
  std::unordered_map<std::string_view, Operation> operations;
};

/// All that the interpreter knows; null for anything else.
const Operation *findOperation(std::string_view name);

// The groups; each is a file of ops/.
void addCreation(OperationTable &);
void addIntegers(OperationTable &);
void addFloats(OperationTable &);
void addMath(OperationTable &);
void addExtern(OperationTable &);
void addCasts(OperationTable &);
void addMemory(OperationTable &);
void addAtomics(OperationTable &);
void addDescriptors(OperationTable &);
void addReduction(OperationTable &);
void addLinearAlgebra(OperationTable &);
void addShaping(OperationTable &);
void addControlFlow(OperationTable &);
void addDebug(OperationTable &);

} // namespace tl::backend::interpreter
