// SPDX-License-Identifier: MIT
//
// The shaping group moves elements and never looks into them: loops are over bytes of one size.
// Order is row-major everywhere; `allow_reorder` is a permission that is not used.
#include "interpreter/ops/Elements.h"

#include <algorithm>

namespace tl::backend::interpreter {

namespace {

using Shape = std::vector<int64_t>;

/// Steps between neighbours along each axis of a row-major tensor.
Shape stepsOf(const Shape &shape) {
  Shape steps(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    steps[i - 1] = steps[i] * shape[i];
  return steps;
}

/// out[index] = in[sum of index[axis] * steps[axis]], for all indices of `shape` in order.
template <class T> void moveStrided(T *out, const T *in, const Shape &shape, const Shape &steps) {
  const size_t rank = shape.size();
  if (rank == 0) {
    *out = *in;
    return;
  }
  const int64_t inner = shape[rank - 1], innerStep = steps[rank - 1];
  Shape index(rank, 0);
  int64_t offset = 0;
  while (true) {
    if (innerStep == 1)
      std::copy_n(in + offset, inner, out);
    else if (innerStep == 0)
      std::fill_n(out, inner, in[offset]);
    else
      for (int64_t i = 0; i < inner; ++i)
        out[i] = in[offset + i * innerStep];
    out += inner;
    size_t axis = rank - 1;
    while (axis-- > 0) {
      offset += steps[axis];
      if (++index[axis] < shape[axis])
        break;
      offset -= steps[axis] * shape[axis];
      index[axis] = 0;
    }
    if (axis == ~size_t(0))
      return;
  }
}

void copy(Machine &m, const Instruction &instruction) {
  const ValueId result = instruction.results[0];
  std::memcpy(m.write(result), m.read(instruction.operands[0]),
              m.count(result) * m.type(result).elementBytes());
}

void broadcast(Machine &m, const Instruction &instruction) {
  const ValueId result = instruction.results[0];
  const Shape &from = m.type(instruction.operands[0]).shape, &to = m.type(result).shape;
  Shape steps = stepsOf(from);
  for (size_t i = 0; i < from.size(); ++i)
    if (from[i] == 1)
      steps[i] = 0;
  visitBytes(m.type(result).elementBytes(), [&](auto tag) {
    using T = decltype(tag);
    moveStrided(m.write<T>(result), m.read<T>(instruction.operands[0]), to, steps);
  });
}

void transpose(Machine &m, const Instruction &instruction) {
  const ValueId result = instruction.results[0];
  const Shape steps = stepsOf(m.type(instruction.operands[0]).shape);
  Shape permuted;
  for (int64_t axis : instruction.list)
    permuted.push_back(steps[static_cast<size_t>(axis)]);
  visitBytes(m.type(result).elementBytes(), [&](auto tag) {
    using T = decltype(tag);
    moveStrided(m.write<T>(result), m.read<T>(instruction.operands[0]), m.type(result).shape,
                permuted);
  });
}

void join(Machine &m, const Instruction &instruction) {
  const ValueId result = instruction.results[0];
  const size_t n = m.count(instruction.operands[0]);
  visitBytes(m.type(result).elementBytes(), [&](auto tag) {
    using T = decltype(tag);
    T *out = m.write<T>(result);
    const T *a = m.read<T>(instruction.operands[0]);
    const T *b = m.read<T>(instruction.operands[1]);
    for (size_t i = 0; i < n; ++i)
      out[2 * i] = a[i], out[2 * i + 1] = b[i];
  });
}

void split(Machine &m, const Instruction &instruction) {
  const size_t n = m.count(instruction.results[0]);
  visitBytes(m.type(instruction.results[0]).elementBytes(), [&](auto tag) {
    using T = decltype(tag);
    T *first = m.write<T>(instruction.results[0]);
    T *second = m.write<T>(instruction.results[1]);
    const T *in = m.read<T>(instruction.operands[0]);
    for (size_t i = 0; i < n; ++i)
      first[i] = in[2 * i], second[i] = in[2 * i + 1];
  });
}

void gather(Machine &m, const Instruction &instruction) {
  const ValueId result = instruction.results[0];
  const Type &source = m.type(instruction.operands[0]), &indices = m.type(instruction.operands[1]);
  const size_t axis = static_cast<size_t>(instruction.numbers[0]);
  const Shape sourceSteps = stepsOf(source.shape), steps = stepsOf(indices.shape);
  const int64_t extent = source.shape[axis];
  visitBytes(source.elementBytes(), [&](auto tag) {
    using T = decltype(tag);
    T *out = m.write<T>(result);
    const T *in = m.read<T>(instruction.operands[0]);
    visitInteger(indices.kind, [&](auto indexTag) {
      using I = decltype(indexTag);
      const auto *index = m.read<typename I::Unsigned>(instruction.operands[1]);
      for (int64_t i = 0; i < indices.count; ++i) {
        // Indices below 32 bits are unsigned numbers, wider ones signed.
        const int64_t chosen =
            I::bits < 32 ? static_cast<int64_t>(index[i]) : static_cast<int64_t>(I::sign(index[i]));
        if (chosen < 0 || chosen >= extent)
          m.fail(TL_RUNTIME_ERROR,
                 "tl::gather got index " + std::to_string(chosen) + " along an axis of " +
                     std::to_string(extent) + " elements, at lane " +
                     positionOf(indices, static_cast<size_t>(i)) + m.programName());
        int64_t offset = chosen * sourceSteps[axis], rest = i;
        for (size_t d = 0; d < steps.size(); ++d) {
          if (d != axis)
            offset += rest / steps[d] * sourceSteps[d];
          rest %= steps[d];
        }
        out[i] = in[offset];
      }
    });
  });
}

} // namespace

void addShaping(OperationTable &table) {
  table.add("tt.hint", copy);
  table.add("tt.unsplat", Exactness::Moved, copy);
  table.add("tt.expand_dims", Exactness::Moved, copy);
  table.add("tt.reshape", Exactness::Moved, copy);
  table.add("tt.broadcast", Exactness::Moved, broadcast);
  table.add("tt.trans", Exactness::Moved, transpose).attributes = {"order"};
  table.add("tt.join", Exactness::Moved, join);
  table.add("tt.split", Exactness::Moved, split);
  table.add("tt.gather", gather).attributes = {"axis"};
}

} // namespace tl::backend::interpreter
