// SPDX-License-Identifier: MIT
//
// The creation group: constants, ranges, splats and the position in the grid.
#include "interpreter/ops/Elements.h"
#include "support/SpecialRegister.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace tl::backend::interpreter {

namespace {

void constant(Machine &m, const Instruction &instruction) {
  const ValueId result = instruction.results[0];
  const size_t elementBytes = m.type(result).elementBytes();
  const size_t n = m.count(result);
  std::byte *out = m.write(result);
  if (instruction.constant.size() == n * elementBytes) {
    std::memcpy(out, instruction.constant.data(), n * elementBytes);
    return;
  }
  visitBytes(elementBytes, [&](auto tag) {
    using T = decltype(tag);
    T value;
    std::memcpy(static_cast<void *>(&value), instruction.constant.data(), sizeof value);
    std::fill_n(reinterpret_cast<T *>(out), n, value);
  });
}

/// A value that nobody may look at; zeros make runs repeatable.
void poison(Machine &m, const Instruction &instruction) {
  const ValueId result = instruction.results[0];
  std::memset(m.write(result), 0, m.count(result) * m.type(result).elementBytes());
}

void makeRange(Machine &m, const Instruction &instruction) {
  const ValueId result = instruction.results[0];
  const size_t n = m.count(result);
  uint32_t *out = m.write<uint32_t>(result);
  const uint32_t start = static_cast<uint32_t>(instruction.numbers[0]);
  for (size_t i = 0; i < n; ++i)
    out[i] = start + static_cast<uint32_t>(i);
}

void splat(Machine &m, const Instruction &instruction) {
  const ValueId result = instruction.results[0];
  const size_t n = m.count(result);
  visitBytes(m.type(result).elementBytes(), [&](auto tag) {
    using T = decltype(tag);
    T *out = m.write<T>(result);
    std::fill_n(out, n, *m.read<T>(instruction.operands[0]));
  });
}

void programId(Machine &m, const Instruction &instruction) {
  *m.write<uint32_t>(instruction.results[0]) = m.programId[instruction.numbers[0]];
}

void numPrograms(Machine &m, const Instruction &instruction) {
  const uint32_t extents[] = {m.grid.x, m.grid.y, m.grid.z};
  *m.write<uint32_t>(instruction.results[0]) = extents[instruction.numbers[0]];
}

/// Assembly that reads where or when the program runs; the decoder lets no other pass.
void specialRegister(Machine &m, const Instruction &instruction) {
  const ValueId result = instruction.results[0];
  uint64_t value = 0;
  if (specialRegisterOf(instruction.texts[0]) == SpecialRegister::GlobalTimer)
    value = uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(
                         std::chrono::steady_clock::now().time_since_epoch())
                         .count());
  std::memcpy(m.write(result), &value, m.type(result).elementBytes());
}

} // namespace

void addCreation(OperationTable &table) {
  table.addElementwise("arith.constant", constant);
  table.addElementwise("ub.poison", poison);
  table.add("tt.make_range", makeRange).attributes = {"start"};
  table.add("tt.splat", Exactness::Moved, splat);
  table.add("tt.get_program_id", programId).attributes = {"axis"};
  table.add("tt.get_num_programs", numPrograms).attributes = {"axis"};
  table.add("tt.elementwise_inline_asm", specialRegister).attributes = {"asm_string"};
}

} // namespace tl::backend::interpreter
