// SPDX-License-Identifier: MIT
//
// Loads and stores. Lanes whose mask is false touch nothing; a load gives them `other`, or zero
// where there is none. A block's lanes are stored in row-major order, so of lanes that meet the
// last wins.
#include "interpreter/Access.h"
#include "interpreter/ops/Elements.h"
#include "interpreter/ops/MemoryElements.h"

namespace tl::backend::interpreter {

namespace {

void load(Machine &m, const Instruction &instruction) {
  const ValueId result = instruction.results[0];
  const ValueId maskValue = instruction.operand(1), other = instruction.operand(2);
  const Type &type = m.type(result);
  const bool isVolatile = instruction.numbers[0] == 1;
  const size_t n = m.count(result);
  visitBytes(type.elementBytes(), [&](auto tag) {
    using T = decltype(tag);
    T *out = m.write<T>(result);
    const Pointer *pointers = m.read<Pointer>(instruction.operands[0]);
    const uint8_t *mask = maskValue == noValue ? nullptr : m.read<uint8_t>(maskValue);
    const T *others = other == noValue ? nullptr : m.read<T>(other);
    Access access(m, "tl::load", type.kind, &type);
    for (size_t i = 0; i < n; ++i) {
      if (mask && !mask[i]) {
        out[i] = others ? others[i] : T();
        continue;
      }
      out[i] =
          fromMemory<T>(type.kind, isVolatile ? access.readAtomically(pointers[i], i)
                                              : access.read(pointers[i], i, instruction.parameter));
    }
  });
}

void store(Machine &m, const Instruction &instruction) {
  const ValueId value = instruction.operands[1], maskValue = instruction.operand(2);
  const Type &type = m.type(value);
  const size_t n = m.count(value);
  visitBytes(type.elementBytes(), [&](auto tag) {
    using T = decltype(tag);
    const Pointer *pointers = m.read<Pointer>(instruction.operands[0]);
    const T *values = m.read<T>(value);
    const uint8_t *mask = maskValue == noValue ? nullptr : m.read<uint8_t>(maskValue);
    Access access(m, "tl::store", type.kind, &type);
    for (size_t i = 0; i < n; ++i)
      if (!mask || mask[i])
        access.write(pointers[i], i, &values[i], instruction.parameter);
  });
}

} // namespace

void addMemory(OperationTable &table) {
  table.addElementwise("tt.load", load).attributes = {"isVolatile"};
  table.add("tt.store", store);
}

} // namespace tl::backend::interpreter
