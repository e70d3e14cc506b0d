// SPDX-License-Identifier: MIT
//
// The control_flow group. A loop with a negative step counts down while the variable is above the
// upper bound; a step of zero is an error. A while loop whose iteration changes neither its values
// nor memory would run for ever, which is known at once: nobody else runs meanwhile.
#include "interpreter/ops/Elements.h"

namespace tl::backend::interpreter {

namespace {

using Wide = __int128;

/// Remembers the loop for the error of the step limit.
class LoopScope {
public:
  LoopScope(Machine &m, const Instruction &loop) : m(m), outer(m.innermostLoop) {
    m.innermostLoop = &loop;
  }
  ~LoopScope() { m.innermostLoop = outer; }

private:
  Machine &m;
  const Instruction *outer;
};

Wide bound(Machine &m, ValueId value, bool isUnsigned) {
  const int64_t number = m.integer(value);
  if (!isUnsigned)
    return number;
  const size_t bits = 8 * m.type(value).elementBytes();
  const uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  return static_cast<uint64_t>(number) & mask;
}

void forLoop(Machine &m, const Instruction &instruction) {
  const std::span<const ValueId> operands(instruction.operands);
  const bool isUnsigned = instruction.numbers[0] == 1;
  const Wide lower = bound(m, operands[0], isUnsigned), upper = bound(m, operands[1], isUnsigned);
  const Wide step = bound(m, operands[2], isUnsigned);
  if (step == 0)
    m.fail(TL_RUNTIME_ERROR, "the step of a tl::range is zero" + m.programName());
  Wide tripCount = 0;
  if (step > 0 && lower < upper)
    tripCount = (upper - lower + step - 1) / step;
  if (step < 0 && lower > upper)
    tripCount = (lower - upper - step - 1) / -step;

  const Region &body = m.region(instruction, 0);
  const std::span<const ValueId> arguments(body.blocks[0].arguments);
  if (tripCount == 0) {
    m.assign(instruction.results, operands.subspan(3));
    return;
  }
  LoopScope scope(m, instruction);
  m.assign(arguments.subspan(1), operands.subspan(3));
  Wide variable = lower;
  for (Wide i = 0; i < tripCount; ++i, variable += step) {
    const uint64_t value = static_cast<uint64_t>(variable);
    std::memcpy(m.write(arguments[0]), &value, m.type(arguments[0]).elementBytes());
    const Instruction &end = m.run(body);
    m.assign(i + 1 < tripCount ? arguments.subspan(1)
                               : std::span<const ValueId>(instruction.results),
             end.operands);
  }
}

void ifElse(Machine &m, const Instruction &instruction) {
  const bool condition = *m.read<uint8_t>(instruction.operands[0]) != 0;
  const Region &chosen = m.region(instruction, condition ? 0 : 1);
  if (chosen.blocks.empty())
    return;
  const Instruction &end = m.run(chosen);
  m.assign(instruction.results, end.operands);
}

void whileLoop(Machine &m, const Instruction &instruction) {
  const Region &before = m.region(instruction, 0), &after = m.region(instruction, 1);
  const std::span<const ValueId> carried(before.blocks[0].arguments);
  LoopScope scope(m, instruction);
  m.assign(carried, instruction.operands);
  std::vector<std::byte> earlier, now; // the carried values of two iterations
  while (true) {
    const uint64_t version = m.memoryVersion;
    now.clear();
    for (ValueId value : carried)
      now.insert(now.end(), m.read(value), m.read(value) + m.type(value).bytes());
    std::swap(earlier, now);
    const Instruction &end = m.run(before);
    const std::span<const ValueId> operands(end.operands);
    if (!*m.read<uint8_t>(operands[0])) {
      m.assign(instruction.results, operands.subspan(1));
      return;
    }
    m.assign(after.blocks[0].arguments, operands.subspan(1));
    const Instruction &yield = m.run(after);
    m.assign(carried, yield.operands);
    if (m.memoryVersion != version)
      continue;
    size_t offset = 0;
    bool same = true;
    for (ValueId value : carried) {
      const size_t bytes = m.type(value).bytes();
      same = same && std::memcmp(m.read(value), earlier.data() + offset, bytes) == 0;
      offset += bytes;
    }
    if (same) {
      m.current = &instruction;
      m.fail(TL_RUNTIME_ERROR,
             "a while loop never ends: an iteration changed neither its values nor memory," +
                 m.programName(),
             "the interpreter runs programs one after another; a program can wait only for "
             "programs of "
             "lower index");
    }
  }
}

/// `pack` elements of each source form one call, all of the first source's elements before the
/// second's.
void mapElementwise(Machine &m, const Instruction &instruction) {
  const Region &body = m.region(instruction, 0);
  const size_t pack = static_cast<size_t>(instruction.numbers[0]);
  const size_t calls = m.count(instruction.operands[0]) / pack;
  std::vector<Buffer> inputs(instruction.operands.size() * pack);
  std::vector<Buffer> outputs(instruction.results.size() * pack);
  std::vector<const std::byte *> arguments;
  std::vector<std::byte *> results;
  for (size_t i = 0; i < instruction.operands.size(); ++i)
    visitBytes(m.type(instruction.operands[i]).elementBytes(), [&](auto tag) {
      using T = decltype(tag);
      const T *source = m.read<T>(instruction.operands[i]);
      for (size_t k = 0; k < pack; ++k) {
        T *packed = reinterpret_cast<T *>(inputs[i * pack + k].reserve(calls * sizeof(T)));
        for (size_t c = 0; c < calls; ++c)
          packed[c] = source[c * pack + k];
        arguments.push_back(reinterpret_cast<const std::byte *>(packed));
      }
    });
  for (size_t i = 0; i < instruction.results.size(); ++i)
    for (size_t k = 0; k < pack; ++k)
      results.push_back(
          outputs[i * pack + k].reserve(calls * m.type(instruction.results[i]).elementBytes()));
  m.apply(body, arguments, calls, results);
  for (size_t i = 0; i < instruction.results.size(); ++i)
    visitBytes(m.type(instruction.results[i]).elementBytes(), [&](auto tag) {
      using T = decltype(tag);
      T *target = m.write<T>(instruction.results[i]);
      for (size_t k = 0; k < pack; ++k) {
        const T *packed = reinterpret_cast<const T *>(results[i * pack + k]);
        for (size_t c = 0; c < calls; ++c)
          target[c * pack + k] = packed[c];
      }
    });
}

void call(Machine &m, const Instruction &instruction) {
  m.call(instruction.callee, instruction.operands, instruction.results);
}

void gridBarrier(Machine &m, const Instruction &) { m.meetGrid(); }

} // namespace

void addControlFlow(OperationTable &table) {
  for (const char *end : {"scf.yield", "tt.return", "tt.reduce.return", "tt.scan.return",
                          "tt.map_elementwise.return"})
    table.addElementwise(end, nullptr);
  for (const char *end : {"scf.condition", "cf.br", "cf.cond_br"})
    table.add(end, nullptr);
  table.add("scf.for", forLoop).attributes = {"unsignedCmp"};
  table.add("scf.if", ifElse);
  table.add("scf.while", whileLoop);
  table.add("tt.map_elementwise", mapElementwise).attributes = {"pack"};
  table.add("tt.call", call);
  table.add("tt.grid_barrier", gridBarrier);
}

} // namespace tl::backend::interpreter
