// SPDX-License-Identifier: MIT
//
// The memory group's atomics, lane after lane, so equal addresses in one block are each applied.
// Results are the old values; masked-off lanes give zero. Float max and min let the number win over
// NaN and order the zeros. What acquires or releases orders the programs for the race check
// (Races.h).
#include "interpreter/Access.h"
#include "interpreter/ops/Elements.h"
#include "interpreter/ops/MemoryElements.h"

namespace tl::backend::interpreter {

namespace {

// The values of the dialect's enums.
enum class Rmw { And = 1, Or, Xor, Add, FAdd, Max, Min, UMax, UMin, Exchange };
enum class Semantic { Relaxed = 1, Acquire, Release, AcquireRelease };

bool acquires(Semantic semantic) {
  return semantic == Semantic::Acquire || semantic == Semantic::AcquireRelease;
}
bool releases(Semantic semantic) {
  return semantic == Semantic::Release || semantic == Semantic::AcquireRelease;
}

template <class I>
typename I::Unsigned combineIntegers(Rmw op, typename I::Unsigned a, typename I::Unsigned b) {
  using W = typename I::Wide;
  switch (op) {
  case Rmw::And:
    return a & b;
  case Rmw::Or:
    return a | b;
  case Rmw::Xor:
    return a ^ b;
  case Rmw::Add:
  case Rmw::FAdd:
    return I::wrap(static_cast<W>(W(a) + W(b)));
  case Rmw::Max:
    return I::sign(a) > I::sign(b) ? a : b;
  case Rmw::Min:
    return I::sign(a) < I::sign(b) ? a : b;
  case Rmw::UMax:
    return a > b ? a : b;
  case Rmw::UMin:
    return a < b ? a : b;
  case Rmw::Exchange:
    break;
  }
  return b;
}

const char *nameOf(Rmw op) {
  constexpr const char *names[] = {"",    "and", "or",  "xor", "add", "add",
                                   "max", "min", "max", "min", "xchg"};
  return names[static_cast<int>(op)];
}

/// Applies `combine` to each lane; T is an element in a register.
template <class T, class F>
void update(Machine &m, const Instruction &instruction, Rmw op, F combine) {
  const ValueId result = instruction.results[0], maskValue = instruction.operand(2);
  const Semantic semantic = static_cast<Semantic>(instruction.numbers[1]);
  const Type &type = m.type(result);
  T *out = m.write<T>(result);
  const Pointer *pointers = m.read<Pointer>(instruction.operands[0]);
  const T *values = m.read<T>(instruction.operands[1]);
  const uint8_t *mask = maskValue == noValue ? nullptr : m.read<uint8_t>(maskValue);
  const size_t n = m.count(result);
  const std::string function = std::string("tl::atomic_") + nameOf(op);
  Access access(m, function.c_str(), type.kind, &type);
  for (size_t i = 0; i < n; ++i) {
    if (mask && !mask[i]) {
      out[i] = T();
      continue;
    }
    const T old = fromMemory<T>(type.kind, access.readAtomically(pointers[i], i));
    if (acquires(semantic))
      m.races.acquire(pointers[i].address);
    const T changed = combine(old, values[i]);
    access.writeAtomically(pointers[i], i, &changed);
    if (releases(semantic))
      m.races.release(pointers[i].address);
    out[i] = old;
  }
}

void atomicRmw(Machine &m, const Instruction &instruction) {
  const Rmw op = static_cast<Rmw>(instruction.numbers[0]);
  const Kind kind = m.type(instruction.results[0]).kind;
  if (kind == Kind::Pointer)
    update<Pointer>(m, instruction, op,
                    [](const Pointer &, const Pointer &value) { return value; });
  else if (isFloat(kind))
    visitFloat(kind, [&](auto tag) { // TTIR has but fadd and exch on floats
      using E = decltype(tag);
      using S = typename E::Storage;
      update<S>(m, instruction, op,
                [op](S a, S b) { return op == Rmw::FAdd ? E::store(E::load(a) + E::load(b)) : b; });
    });
  else
    visitInteger(kind, [&](auto tag) {
      using I = decltype(tag);
      using U = typename I::Unsigned;
      update<U>(m, instruction, op, [op](U a, U b) { return combineIntegers<I>(op, a, b); });
    });
}

/// Compares bits, as the hardware does, floats too.
void atomicCas(Machine &m, const Instruction &instruction) {
  const ValueId result = instruction.results[0], maskValue = instruction.operand(3);
  const Semantic semantic = static_cast<Semantic>(instruction.numbers[0]);
  const Type &type = m.type(result);
  const size_t n = m.count(result);
  visitBytes(type.elementBytes(), [&](auto tag) {
    using T = decltype(tag);
    T *out = m.write<T>(result);
    const Pointer *pointers = m.read<Pointer>(instruction.operands[0]);
    const uint8_t *mask = maskValue == noValue ? nullptr : m.read<uint8_t>(maskValue);
    const T *expected = m.read<T>(instruction.operands[1]);
    const T *values = m.read<T>(instruction.operands[2]);
    Access access(m, "tl::atomic_cas", type.kind, &type);
    for (size_t i = 0; i < n; ++i) {
      if (mask && !mask[i]) {
        out[i] = T();
        continue;
      }
      const T old = fromMemory<T>(type.kind, access.readAtomically(pointers[i], i));
      if (acquires(semantic))
        m.races.acquire(pointers[i].address);
      if (std::memcmp(&old, &expected[i], bytesInMemory(type.kind)) == 0) {
        access.writeAtomically(pointers[i], i, &values[i]);
        if (releases(semantic))
          m.races.release(pointers[i].address);
      }
      out[i] = old;
    }
  });
}

/// Waits for a value. Nobody else runs meanwhile: either it is there, or only the timeout ends it.
void atomicPoll(Machine &m, const Instruction &instruction) {
  const Type &type = m.type(instruction.operands[1]);
  Access access(m, "tl::atomic_poll", type.kind, nullptr);
  const Pointer pointer = *m.read<Pointer>(instruction.operands[0]);
  const bool equal = std::memcmp(access.readAtomically(pointer, 0), m.read(instruction.operands[1]),
                                 type.elementBytes()) == 0;
  if (!equal && instruction.operand(2) == noValue)
    m.fail(TL_RUNTIME_ERROR,
           "tl::atomic_poll would wait for ever for a value that only another program can write," +
               m.programName(),
           "the interpreter runs programs one after another; give a timeout, or let a program wait "
           "only "
           "for programs of lower index");
  if (equal && acquires(static_cast<Semantic>(instruction.numbers[0])))
    m.races.acquire(pointer.address);
  *m.write<uint8_t>(instruction.results[0]) = equal;
}

void atomicLoad(Machine &m, const Instruction &instruction) {
  const ValueId result = instruction.results[0], maskValue = instruction.operand(1);
  const Semantic semantic = static_cast<Semantic>(instruction.numbers[0]);
  const Type &type = m.type(result);
  const size_t n = m.count(result);
  visitBytes(type.elementBytes(), [&](auto tag) {
    using T = decltype(tag);
    T *out = m.write<T>(result);
    const Pointer *pointers = m.read<Pointer>(instruction.operands[0]);
    const uint8_t *mask = maskValue == noValue ? nullptr : m.read<uint8_t>(maskValue);
    Access access(m, "tl::atomic_load", type.kind, &type);
    for (size_t i = 0; i < n; ++i) {
      out[i] = T();
      if (mask && !mask[i])
        continue;
      out[i] = fromMemory<T>(type.kind, access.readAtomically(pointers[i], i));
      if (acquires(semantic))
        m.races.acquire(pointers[i].address);
    }
  });
}

void atomicStore(Machine &m, const Instruction &instruction) {
  const ValueId value = instruction.operands[1], maskValue = instruction.operand(2);
  const Semantic semantic = static_cast<Semantic>(instruction.numbers[0]);
  const Type &type = m.type(value);
  const size_t n = m.count(value);
  visitBytes(type.elementBytes(), [&](auto tag) {
    using T = decltype(tag);
    const Pointer *pointers = m.read<Pointer>(instruction.operands[0]);
    const T *values = m.read<T>(value);
    const uint8_t *mask = maskValue == noValue ? nullptr : m.read<uint8_t>(maskValue);
    Access access(m, "tl::atomic_store", type.kind, &type);
    for (size_t i = 0; i < n; ++i) {
      if (mask && !mask[i])
        continue;
      access.writeAtomically(pointers[i], i, &values[i]);
      if (releases(semantic))
        m.races.release(pointers[i].address);
    }
  });
}

} // namespace

void addAtomics(OperationTable &table) {
  table.add("tt.atomic_rmw", atomicRmw).attributes = {"atomic_rmw_op", "sem"};
  table.add("tt.atomic_cas", atomicCas).attributes = {"sem"};
  table.add("tt.atomic_poll", atomicPoll).attributes = {"sem"};
  table.add("tt.atomic_load", atomicLoad).attributes = {"sem"};
  table.add("tt.atomic_store", atomicStore).attributes = {"sem"};
}

} // namespace tl::backend::interpreter
