// SPDX-License-Identifier: MIT
//
// The reduction group. In which order are elements combined?
//
//  - reduce: a tree of neighbours, ((x0 x1) (x2 x3)) ((x4 x5) (x6 x7)): the order of the operands
//  is kept, so
//    an operation that is associative but not commutative is right, and errors grow with the
//    logarithm of the length. There is no start value; one element is its own reduction.
//  - scan: one after the other from the first element, or from the last if reversed.
//  - where the region is a lone float addition, both sum in double (long double for double) and
//    round once at the end: a sum of float16 neither sticks at 2048 nor overflows on the way.
//
// Regions are applied to whole rows of scalars at once where they are elementwise (Machine::apply).
#include "interpreter/ops/Elements.h"

namespace tl::backend::interpreter {

namespace {

/// A tensor seen from an axis: [outer, extent, inner].
struct View {
  size_t outer = 1, extent = 1, inner = 1;
};

View viewOf(const Type &type, size_t axis) {
  View view;
  for (size_t i = 0; i < type.shape.size(); ++i)
    (i < axis    ? view.outer
     : i == axis ? view.extent
                 : view.inner) *= static_cast<size_t>(type.shape[i]);
  return view;
}

/// True if the region only adds its two floats.
bool isFloatSum(const Machine &m, const Instruction &instruction) {
  const Region &region = m.region(instruction, 0);
  if (instruction.operands.size() != 1 || region.blocks.size() != 1 || region.blocks[0].count != 2)
    return false;
  const Instruction *body = m.instructions() + region.blocks[0].first;
  const std::vector<ValueId> &arguments = region.blocks[0].arguments;
  return body->operation->name == "arith.addf" && body[1].operands == body->results &&
         (body->operands == arguments ||
          (body->operands[0] == arguments[1] && body->operands[1] == arguments[0]));
}

template <class E>
using Accumulator = std::conditional_t<std::is_same_v<E, Double>, long double, double>;

void sumFloats(Machine &m, const Instruction &instruction, const View &view) {
  const ValueId result = instruction.results[0];
  visitFloat(m.type(result).kind, [&](auto tag) {
    using E = decltype(tag);
    using S = typename E::Storage;
    using A = Accumulator<E>;
    S *out = m.write<S>(result);
    const S *in = m.read<S>(instruction.operands[0]);
    std::vector<A> sums(view.inner);
    for (size_t o = 0; o < view.outer; ++o, in += view.extent * view.inner, out += view.inner) {
      for (size_t i = 0; i < view.inner; ++i)
        sums[i] = E::load(in[i]);
      for (size_t k = 1; k < view.extent; ++k)
        for (size_t i = 0; i < view.inner; ++i)
          sums[i] += E::load(in[k * view.inner + i]);
      for (size_t i = 0; i < view.inner; ++i)
        out[i] = E::store(sums[i]);
    }
  });
}

void scanFloatSums(Machine &m, const Instruction &instruction, const View &view, bool reverse) {
  const ValueId result = instruction.results[0];
  visitFloat(m.type(result).kind, [&](auto tag) {
    using E = decltype(tag);
    using S = typename E::Storage;
    using A = Accumulator<E>;
    S *out = m.write<S>(result);
    const S *in = m.read<S>(instruction.operands[0]);
    std::vector<A> sums(view.inner);
    for (size_t o = 0; o < view.outer; ++o) {
      for (size_t k = 0; k < view.extent; ++k) {
        const size_t row = (o * view.extent + (reverse ? view.extent - 1 - k : k)) * view.inner;
        for (size_t i = 0; i < view.inner; ++i) {
          const A x = E::load(in[row + i]);
          sums[i] = k == 0 ? x : sums[i] + x; // so that -0 stays -0
          out[row + i] = E::store(sums[i]);
        }
      }
    }
  });
}

/// Copies rows `first`, `first + step`, … of `count` along the axis, for every outer index.
template <class T>
void gatherRows(T *out, const T *in, const View &view, size_t first, size_t step, size_t count) {
  for (size_t o = 0; o < view.outer; ++o)
    for (size_t k = 0; k < count; ++k) {
      const T *row = in + (o * view.extent + first + k * step) * view.inner;
      for (size_t i = 0; i < view.inner; ++i)
        *out++ = row[i];
    }
}

template <class T>
void scatterRows(T *out, const T *in, const View &view, size_t first, size_t count) {
  for (size_t o = 0; o < view.outer; ++o)
    for (size_t k = 0; k < count; ++k) {
      T *row = out + (o * view.extent + first + k) * view.inner;
      for (size_t i = 0; i < view.inner; ++i)
        row[i] = *in++;
    }
}

/// The arrays of a region's application: one a source, times two for its arguments.
struct Operands {
  std::vector<Buffer> left, right, results;
  std::vector<const std::byte *> arguments;
  std::vector<std::byte *> outputs;

  Operands(Machine &m, const Instruction &instruction, size_t elements)
      : left(instruction.operands.size()), right(left.size()), results(left.size()) {
    for (size_t s = 0; s < left.size(); ++s) {
      const size_t bytes = elements * m.type(instruction.operands[s]).elementBytes();
      left[s].reserve(bytes);
      right[s].reserve(bytes);
      outputs.push_back(results[s].reserve(bytes));
    }
    for (Buffer &buffer : left)
      arguments.push_back(buffer.data());
    for (Buffer &buffer : right)
      arguments.push_back(buffer.data());
  }
};

void reduce(Machine &m, const Instruction &instruction) {
  View view = viewOf(m.type(instruction.operands[0]), static_cast<size_t>(instruction.numbers[0]));
  if (isFloatSum(m, instruction))
    return sumFloats(m, instruction, view);
  const Region &region = m.region(instruction, 0);
  const size_t sources = instruction.operands.size();
  const size_t total = view.outer * view.extent * view.inner;
  Operands half(m, instruction, (total + 1) / 2);
  std::vector<Buffer> current(sources); // what is left to combine
  for (size_t s = 0; s < sources; ++s) {
    const size_t bytes = total * m.type(instruction.operands[s]).elementBytes();
    std::memcpy(current[s].reserve(bytes), m.read(instruction.operands[s]), bytes);
  }
  while (view.extent > 1) {
    const size_t pairs = view.extent / 2, rest = view.extent % 2;
    for (size_t s = 0; s < sources; ++s)
      visitBytes(m.type(instruction.operands[s]).elementBytes(), [&](auto tag) {
        using T = decltype(tag);
        const T *in = reinterpret_cast<const T *>(current[s].data());
        gatherRows(reinterpret_cast<T *>(half.left[s].data()), in, view, 0, 2, pairs);
        gatherRows(reinterpret_cast<T *>(half.right[s].data()), in, view, 1, 2, pairs);
      });
    m.apply(region, half.arguments, view.outer * pairs * view.inner, half.outputs);
    View smaller = view;
    smaller.extent = pairs + rest;
    for (size_t s = 0; s < sources; ++s)
      visitBytes(m.type(instruction.operands[s]).elementBytes(), [&](auto tag) {
        using T = decltype(tag);
        T *data = reinterpret_cast<T *>(current[s].data());
        if (rest) { // the odd one out follows the pairs
          T *last = reinterpret_cast<T *>(half.left[s].data());
          gatherRows(last, data, view, view.extent - 1, 1, 1);
          scatterRows(data, last, smaller, pairs, 1);
        }
        scatterRows(data, reinterpret_cast<const T *>(half.results[s].data()), smaller, 0, pairs);
      });
    view = smaller;
  }
  for (size_t s = 0; s < sources; ++s)
    std::memcpy(m.write(instruction.results[s]), current[s].data(),
                m.type(instruction.results[s]).bytes());
}

void scan(Machine &m, const Instruction &instruction) {
  const View view =
      viewOf(m.type(instruction.operands[0]), static_cast<size_t>(instruction.numbers[0]));
  const bool reverse = instruction.numbers[1] == 1;
  if (isFloatSum(m, instruction))
    return scanFloatSums(m, instruction, view, reverse);
  const Region &region = m.region(instruction, 0);
  const size_t sources = instruction.operands.size(), rows = view.outer * view.inner;
  Operands row(m, instruction, rows);
  for (size_t k = 0; k < view.extent; ++k) {
    const size_t position = reverse ? view.extent - 1 - k : k;
    for (size_t s = 0; s < sources; ++s)
      visitBytes(m.type(instruction.operands[s]).elementBytes(), [&](auto tag) {
        using T = decltype(tag);
        const T *in = m.read<T>(instruction.operands[s]);
        Buffer &target = k == 0 ? row.results[s] : row.right[s];
        gatherRows(reinterpret_cast<T *>(target.data()), in, view, position, 1, 1);
      });
    if (k > 0)
      m.apply(region, row.arguments, rows, row.outputs);
    for (size_t s = 0; s < sources; ++s) {
      const size_t bytes = m.type(instruction.operands[s]).elementBytes();
      std::byte *out = m.write(instruction.results[s]);
      visitBytes(bytes, [&](auto tag) {
        using T = decltype(tag);
        scatterRows(reinterpret_cast<T *>(out), reinterpret_cast<const T *>(row.results[s].data()),
                    view, position, 1);
      });
      std::memcpy(row.left[s].data(), row.results[s].data(), rows * bytes);
    }
  }
}

/// Counts in the result's type, whatever the width of the source. Sources are signed; what is not
/// in [0, bins) is not counted.
void histogram(Machine &m, const Instruction &instruction) {
  const ValueId source = instruction.operands[0], maskValue = instruction.operand(1);
  const ValueId result = instruction.results[0];
  const size_t n = m.count(source), bins = m.count(result);
  const uint8_t *mask = maskValue == noValue ? nullptr : m.read<uint8_t>(maskValue);
  std::vector<uint64_t> counts(bins, 0);
  visitInteger(m.type(source).kind, [&](auto tag) {
    using I = decltype(tag);
    const auto *in = m.read<typename I::Unsigned>(source);
    for (size_t i = 0; i < n; ++i) {
      // A byte is a number of 0 … 255: narrow types hold bin numbers, not differences.
      const uint64_t bin = I::bits < 32
                               ? static_cast<uint64_t>(in[i])
                               : static_cast<uint64_t>(static_cast<int64_t>(I::sign(in[i])));
      if ((!mask || mask[i]) && bin < bins)
        ++counts[bin];
    }
  });
  visitInteger(m.type(result).kind, [&](auto tag) {
    using I = decltype(tag);
    auto *out = m.write<typename I::Unsigned>(result);
    for (size_t i = 0; i < bins; ++i)
      out[i] = I::wrap(static_cast<typename I::Wide>(counts[i]));
  });
}

} // namespace

void addReduction(OperationTable &table) {
  table.add("tt.reduce", reduce).attributes = {"axis"};
  table.add("tt.scan", scan).attributes = {"axis", "reverse"};
  table.add("tt.histogram", histogram);
}

} // namespace tl::backend::interpreter
