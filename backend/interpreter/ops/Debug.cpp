// SPDX-License-Identifier: MIT
//
// The debug group. Printing gives one line an element, with the program and the position:
//
//     pid (0, 0, 0) idx (3) x: 1.5
//     pid (0, 0, 0) idx (3) x: (operand 1) 7        if there are several operands
//
// A failed assertion ends the launch; without the option `debug` assertions are not evaluated.
#include "interpreter/ops/Elements.h"

#include "tl/impl/number_text.hpp"

#include <cinttypes>
#include <cstdio>

namespace tl::backend::interpreter {

namespace {

template <class... Arguments> std::string format(const char *pattern, Arguments... arguments) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, arguments...);
  return text;
}

std::string elementText(Machine &m, ValueId value, size_t i, bool hexadecimal, bool isSigned) {
  const Kind kind = m.type(value).kind;
  const int digits = static_cast<int>(2 * bytesInMemory(kind));
  std::string text;
  if (kind == Kind::Pointer)
    return format("0x%016" PRIx64, m.read<Pointer>(value)[i].address);
  if (kind == Kind::Descriptor)
    return format("descriptor of 0x%016" PRIx64, m.read<Descriptor>(value)[i].base.address);
  if (isFloat(kind)) {
    visitFloat(kind, [&](auto tag) {
      using E = decltype(tag);
      const auto x = m.read<typename E::Storage>(value)[i];
      // Digits enough to tell any two floats apart.
      text = hexadecimal
                 ? format("0x%0*" PRIx64, digits, static_cast<uint64_t>(E::bitsOf(x)))
                 : tl::impl::number_text(static_cast<double>(E::load(x)), sizeof(x) == 8 ? 17 : 9);
    });
    return text;
  }
  visitInteger(kind, [&](auto tag) {
    using I = decltype(tag);
    const auto x = m.read<typename I::Unsigned>(value)[i];
    text = hexadecimal               ? format("0x%0*" PRIx64, digits, static_cast<uint64_t>(x))
           : isSigned && I::bits > 1 ? format("%" PRId64, static_cast<int64_t>(I::sign(x)))
                                     : format("%" PRIu64, static_cast<uint64_t>(x));
  });
  return text;
}

/// Whether an element of a tensor has coordinates below the extents, of which there may be none.
bool liesWithin(const Type &type, size_t element, const std::vector<int64_t> &extents) {
  for (size_t i = extents.size(); i-- > 0;) {
    const size_t extent = static_cast<size_t>(type.shape[i]);
    if (element % extent >= static_cast<size_t>(extents[i]))
      return false;
    element /= extent;
  }
  return true;
}

void print(Machine &m, const Instruction &instruction) {
  const bool hexadecimal = instruction.numbers[1] == 1;
  const std::string program = format("pid (%" PRIu32 ", %" PRIu32 ", %" PRIu32 ") idx (",
                                     m.programId[0], m.programId[1], m.programId[2]);
  const std::string &prefix = instruction.texts[0];
  if (instruction.operands.empty())
    m.printed += program + ")" + prefix + "\n";
  for (size_t o = 0; o < instruction.operands.size(); ++o) {
    const ValueId value = instruction.operands[o];
    const std::string operand =
        instruction.operands.size() > 1 ? "(operand " + std::to_string(o) + ") " : "";
    const bool isSigned = instruction.list.size() <= o || instruction.list[o] != 0;
    for (size_t i = 0; i < m.count(value); ++i) {
      if (!instruction.extents.empty() && !liesWithin(m.type(value), i, instruction.extents[o]))
        continue;
      std::string position = positionOf(m.type(value), i);
      position = position.empty() ? ")" : position.substr(1);
      m.printed += program + position + prefix + operand +
                   elementText(m, value, i, hexadecimal, isSigned) + "\n";
      if (m.printed.size() > 1 << 16)
        m.flushPrinted();
    }
  }
}

void deviceAssert(Machine &m, const Instruction &instruction) {
  if (!m.options.debug)
    return;
  const ValueId condition = instruction.operands[0];
  const uint8_t *holds = m.read<uint8_t>(condition);
  for (size_t i = 0; i < m.count(condition); ++i)
    if (!holds[i]) {
      const std::string position = positionOf(m.type(condition), i);
      m.fail(TL_RUNTIME_ERROR, "tl::device_assert failed: " + instruction.texts[0] +
                                   (position.empty() ? "" : ", at lane " + position) +
                                   m.programName());
    }
}

/// An assumption that does not hold lets compilers make anything of the kernel: here it is an
/// error.
void assume(Machine &m, const Instruction &instruction) {
  if (!*m.read<uint8_t>(instruction.operands[0]))
    m.fail(TL_RUNTIME_ERROR, "tl::assume was given what does not hold" + m.programName());
}

/// A promise about a value, for each axis: what compilers trust is checked here.
void checkHint(Machine &m, const Instruction &instruction) {
  const ValueId value = instruction.operands[0];
  const Type &type = m.type(value);
  const auto hint = static_cast<Hint>(instruction.numbers[0]);
  auto element = [&](size_t i) -> int64_t {
    if (type.kind == Kind::Pointer)
      return static_cast<int64_t>(m.read<Pointer>(value)[i].address);
    int64_t number = 0;
    visitInteger(type.kind, [&](auto tag) {
      using I = decltype(tag);
      const auto x = m.read<typename I::Unsigned>(value)[i];
      number = I::bits > 1 ? static_cast<int64_t>(I::sign(x)) : static_cast<int64_t>(x);
    });
    return number;
  };
  const uint64_t next = hint == Hint::Constancy      ? 0
                        : type.kind == Kind::Pointer ? bytesInMemory(type.pointee)
                                                     : 1;
  auto fail = [&](const char *function, int64_t said, size_t i, const std::string &found) {
    const std::string position = positionOf(type, i);
    m.fail(TL_RUNTIME_ERROR,
           function + std::string(" was given ") + std::to_string(said) + ", and the value is " +
               found + (position.empty() ? "" : " at lane " + position) + m.programName());
  };
  int64_t stride = 1;
  for (size_t axis = std::max<size_t>(1, type.shape.size()); axis-- > 0;) {
    const int64_t said = instruction.numbers[1 + 2 * axis], run = instruction.numbers[2 + 2 * axis];
    const int64_t extent = type.shape.empty() ? 1 : type.shape[axis];
    for (size_t i = 0; said > 1 && i < m.count(value); ++i) {
      const int64_t within = static_cast<int64_t>(i) / stride % extent % run;
      const int64_t found = element(i);
      if (hint == Hint::Divisibility) {
        if (within == 0 && found % said != 0)
          fail("tl::multiple_of", said, i, std::to_string(found));
        continue;
      }
      if (within == 0)
        continue;
      const int64_t before = element(i - static_cast<size_t>(stride));
      if (static_cast<uint64_t>(found) - static_cast<uint64_t>(before) != next)
        fail(hint == Hint::Contiguity ? "tl::max_contiguous" : "tl::max_constancy", said, i,
             std::to_string(found) + " after " + std::to_string(before));
    }
    stride *= extent;
  }
}

void barrier(Machine &m, const Instruction &) { m.aliases.forget(); }

void nothing(Machine &, const Instruction &) {}

} // namespace

void addDebug(OperationTable &table) {
  table.add("tt.print", print).attributes = {"prefix", "hex", "isSigned", "written"};
  table.add("tt.assert", deviceAssert).attributes = {"message"};
  table.add("llvm.intr.assume", assume);
  table.add(checkHintName, checkHint);
  table.add("ttg.barrier", barrier);
  table.add("gpu.barrier", barrier);
  table.add("tt.grid_dependency_wait", nothing);
  table.add("tt.grid_dependency_launch_dependents", nothing);
}

} // namespace tl::backend::interpreter
