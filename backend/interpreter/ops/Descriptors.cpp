// SPDX-License-Identifier: MIT
//
// The memory group's tensor descriptors. Coordinates outside the described shape read the padding
// and are not written, so a block may stick out; coordinates inside are ordinary accesses and
// checked as such.
#include "interpreter/Access.h"
#include "interpreter/ops/Elements.h"
#include "interpreter/ops/MemoryElements.h"

#include <limits>

namespace tl::backend::interpreter {

namespace {

// The values of the dialect's enums.
constexpr int64_t padWithNan = 2;
enum class ReduceKind { Add = 1, Min, Max, Increment, Decrement, And, Or, Xor };

void makeDescriptor(Machine &m, const Instruction &instruction) {
  const ValueId result = instruction.results[0];
  const size_t rank = (instruction.operands.size() - 1) / 2; // extents, then strides
  Descriptor descriptor;
  descriptor.base = *m.read<Pointer>(instruction.operands[0]);
  descriptor.rank = static_cast<int32_t>(rank);
  descriptor.padWithNan = instruction.numbers[0] == padWithNan;
  for (size_t i = 0; i < rank; ++i) {
    descriptor.shape[i] = m.integer(instruction.operands[1 + i]);
    descriptor.strides[i] = m.integer(instruction.operands[1 + rank + i]);
  }
  *m.write<Descriptor>(result) = descriptor;
}

/// Visits the elements of a block in row-major order: f(lane, pointer, inside).
template <class F>
void visitBlock(const Descriptor &descriptor, const std::vector<int64_t> &block,
                const std::vector<int64_t> &start, uint64_t elementBytes, F f) {
  const size_t rank = block.size();
  int64_t lanes = 1;
  for (int64_t extent : block)
    lanes *= extent;
  std::vector<int64_t> index(rank, 0);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    bool inside = true;
    uint64_t offset = 0;
    for (size_t d = 0; d < rank; ++d) {
      const int64_t coordinate = start[d] + index[d];
      inside = inside && coordinate >= 0 && coordinate < descriptor.shape[d];
      offset += static_cast<uint64_t>(coordinate) * static_cast<uint64_t>(descriptor.strides[d]);
    }
    Pointer pointer = descriptor.base;
    pointer.address += offset * elementBytes;
    f(static_cast<size_t>(lane), pointer, inside);
    for (size_t d = rank; d-- > 0;) {
      if (++index[d] < block[d])
        break;
      index[d] = 0;
    }
  }
}

/// A coordinate that wrapped lies outside of the tensor, or beside what was meant, without a word.
void checkCoordinates(Machine &m, ValueId value) {
  const Exact *exact = m.options.debug ? m.exact(value) : nullptr;
  for (size_t i = 0; exact && i < m.count(value); ++i)
    if (exact[i].wrap) {
      const Wrap &wrap = m.wrapOf(exact[i].wrap);
      m.current = wrap.instruction;
      m.fail(TL_RUNTIME_ERROR,
             std::string("an ") + nameOf(wrap.kind) +
                 " coordinate of a tensor descriptor wraps: " + std::to_string(wrap.exact) +
                 " becomes " + std::to_string(wrap.wrapped) + "," + m.programName());
    }
}

/// Visits the rows that a gather or scatter names.
template <class F>
void visitRows(Machine &m, const Descriptor &descriptor, ValueId rows, int64_t column,
               int64_t columns, uint64_t elementBytes, F f) {
  checkCoordinates(m, rows);
  visitInteger(m.type(rows).kind, [&](auto tag) {
    using I = decltype(tag);
    const auto *numbers = m.read<typename I::Unsigned>(rows);
    const std::vector<int64_t> block = {1, columns};
    for (int64_t r = 0; r < m.type(rows).count; ++r)
      visitBlock(descriptor, block, {static_cast<int64_t>(I::sign(numbers[r])), column},
                 elementBytes, [&](size_t lane, const Pointer &pointer, bool inside) {
                   f(static_cast<size_t>(r * columns) + lane, pointer, inside);
                 });
  });
}

int64_t columnOf(Machine &m, ValueId value) {
  checkCoordinates(m, value);
  return m.integer(value);
}

std::vector<int64_t> startOf(Machine &m, const Instruction &instruction, size_t firstIndex) {
  std::vector<int64_t> start;
  for (size_t i = firstIndex; i < instruction.operands.size(); ++i) {
    checkCoordinates(m, instruction.operands[i]);
    start.push_back(m.integer(instruction.operands[i]));
  }
  return start;
}

const std::vector<int64_t> &blockOf(const Machine &m, const Instruction &instruction) {
  return m.type(instruction.operands[0]).block;
}

/// What is read outside.
template <class T> T padding(Kind kind, bool nan) {
  T value = {};
  if (nan && isFloat(kind))
    visitFloat(kind, [&](auto tag) {
      using E = decltype(tag);
      using S = typename E::Storage;
      if constexpr (sizeof(S) == sizeof(T)) {
        const S stored = E::store(std::numeric_limits<typename E::Compute>::quiet_NaN());
        std::memcpy(static_cast<void *>(&value), &stored, sizeof value);
      }
    });
  return value;
}

void descriptorLoad(Machine &m, const Instruction &instruction) {
  const ValueId result = instruction.results[0];
  const Descriptor descriptor = *m.read<Descriptor>(instruction.operands[0]);
  const Type &type = m.type(result);
  const std::vector<int64_t> start = startOf(m, instruction, 1);
  visitBytes(type.elementBytes(), [&](auto tag) {
    using T = decltype(tag);
    T *out = m.write<T>(result);
    const T outside = padding<T>(type.kind, descriptor.padWithNan);
    Access access(m, "load of a tensor descriptor", type.kind, &type);
    visitBlock(descriptor, blockOf(m, instruction), start, bytesInMemory(type.kind),
               [&](size_t lane, const Pointer &pointer, bool inside) {
                 out[lane] =
                     inside ? fromMemory<T>(type.kind, access.read(pointer, lane)) : outside;
               });
  });
}

void descriptorStore(Machine &m, const Instruction &instruction) {
  const ValueId value = instruction.operands[1];
  const Descriptor descriptor = *m.read<Descriptor>(instruction.operands[0]);
  const Type &type = m.type(value);
  const std::byte *values = m.read(value);
  Access access(m, "store of a tensor descriptor", type.kind, &type);
  visitBlock(descriptor, blockOf(m, instruction), startOf(m, instruction, 2),
             bytesInMemory(type.kind), [&](size_t lane, const Pointer &pointer, bool inside) {
               if (inside)
                 access.write(pointer, lane, values + lane * type.elementBytes());
             });
}

template <class I>
typename I::Unsigned combine(ReduceKind kind, bool isSigned, typename I::Unsigned old,
                             typename I::Unsigned value) {
  using W = typename I::Wide;
  const bool less = isSigned ? I::sign(value) < I::sign(old) : value < old;
  switch (kind) {
  case ReduceKind::Add:
    return I::wrap(static_cast<W>(W(old) + W(value)));
  case ReduceKind::Min:
    return less ? value : old;
  case ReduceKind::Max:
    return less ? old : value;
  case ReduceKind::Increment: // counts to the value, then starts again
    return old >= value ? typename I::Unsigned(0) : I::wrap(static_cast<W>(W(old) + 1));
  case ReduceKind::Decrement:
    return old == 0 || old > value ? value : I::wrap(static_cast<W>(W(old) - 1));
  case ReduceKind::And:
    return old & value;
  case ReduceKind::Or:
    return old | value;
  case ReduceKind::Xor:
    break;
  }
  return old ^ value;
}

void descriptorReduce(Machine &m, const Instruction &instruction) {
  const ValueId value = instruction.operands[1];
  const ReduceKind kind = static_cast<ReduceKind>(instruction.numbers[0]);
  const bool isSigned = !m.type(instruction.operands[0]).isUnsigned;
  const std::vector<int64_t> &block = blockOf(m, instruction);
  const Descriptor descriptor = *m.read<Descriptor>(instruction.operands[0]);
  const Type &type = m.type(value);
  const std::vector<int64_t> start = startOf(m, instruction, 2);
  Access access(m, "atomic of a tensor descriptor", type.kind, &type);
  auto update = [&](const auto *values, auto combined) {
    using T = std::remove_cvref_t<decltype(*values)>;
    visitBlock(descriptor, block, start, bytesInMemory(type.kind),
               [&](size_t lane, const Pointer &pointer, bool inside) {
                 if (!inside)
                   return;
                 const T old = fromMemory<T>(type.kind, access.readAtomically(pointer, lane));
                 const T changed = combined(old, values[lane]);
                 access.writeAtomically(pointer, lane, &changed);
               });
  };
  if (isFloat(type.kind))
    visitFloat(type.kind, [&](auto tag) {
      using E = decltype(tag);
      using S = typename E::Storage;
      update(m.read<S>(value), [kind](S a, S b) {
        const auto x = E::load(a), y = E::load(b);
        return E::store(kind == ReduceKind::Min   ? minNumber(x, y)
                        : kind == ReduceKind::Max ? maxNumber(x, y)
                                                  : x + y);
      });
    });
  else
    visitInteger(type.kind, [&](auto tag) {
      using I = decltype(tag);
      using U = typename I::Unsigned;
      update(m.read<U>(value), [&](U a, U b) { return combine<I>(kind, isSigned, a, b); });
    });
}

void descriptorGather(Machine &m, const Instruction &instruction) {
  const ValueId result = instruction.results[0];
  const Descriptor descriptor = *m.read<Descriptor>(instruction.operands[0]);
  const Type &type = m.type(result);
  visitBytes(type.elementBytes(), [&](auto tag) {
    using T = decltype(tag);
    T *out = m.write<T>(result);
    const T outside = padding<T>(type.kind, descriptor.padWithNan);
    Access access(m, "gather of a tensor descriptor", type.kind, &type);
    visitRows(m, descriptor, instruction.operands[1], columnOf(m, instruction.operands[2]),
              type.shape[1], bytesInMemory(type.kind),
              [&](size_t lane, const Pointer &pointer, bool inside) {
                out[lane] = inside ? fromMemory<T>(type.kind, access.read(pointer, lane)) : outside;
              });
  });
}

void descriptorScatter(Machine &m, const Instruction &instruction) {
  const ValueId value = instruction.operands[3];
  const Descriptor descriptor = *m.read<Descriptor>(instruction.operands[0]);
  const Type &type = m.type(value);
  const std::byte *values = m.read(value);
  Access access(m, "scatter of a tensor descriptor", type.kind, &type);
  visitRows(m, descriptor, instruction.operands[1], columnOf(m, instruction.operands[2]),
            type.shape[1], bytesInMemory(type.kind),
            [&](size_t lane, const Pointer &pointer, bool inside) {
              if (inside)
                access.write(pointer, lane, values + lane * type.elementBytes());
            });
}

} // namespace

void addDescriptors(OperationTable &table) {
  table.add("tt.make_tensor_descriptor", makeDescriptor).attributes = {"padding"};
  table.add("tt.descriptor_load", descriptorLoad);
  table.add("tt.descriptor_store", descriptorStore);
  table.add("tt.descriptor_reduce", descriptorReduce).attributes = {"kind"};
  table.add("tt.descriptor_gather", descriptorGather);
  table.add("tt.descriptor_scatter", descriptorScatter);
}

} // namespace tl::backend::interpreter
