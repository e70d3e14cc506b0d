// SPDX-License-Identifier: MIT
//
// The linear_algebra group. How exact is a product? Operands below 64 bits are multiplied exactly
// in double, their products and the accumulator summed in double, and the sum rounded once to the
// result's type. f64 is computed in double. Integers are summed in the result's type, which wraps.
// `tf32` rounds f32 operands to 10 mantissa bits first (to nearest, ties away from zero, as the
// hardware's conversion does); tf32x3, bf16x3, bf16x6 and ieee take them as they are.
// max_num_imprecise_acc is a permission that is not used.
#include "interpreter/ops/Elements.h"

namespace tl::backend::interpreter {

namespace {

// The values of the dialect's enums.
constexpr int64_t roundToTf32First = 0;
enum class Format { E4M3 = 0, E5M2, E2M3, E3M2, E2M1, BF16, FP16 };

double roundToTf32(double value) {
  const float x = static_cast<float>(value);
  uint32_t bits = std::bit_cast<uint32_t>(x);
  if ((bits & 0x7F800000u) == 0x7F800000u)
    return value;
  bits = (bits + 0x1000u) & ~uint32_t(0x1FFF);
  return std::bit_cast<float>(bits);
}

/// The elements as doubles.
std::vector<double> widen(Machine &m, ValueId value) {
  std::vector<double> result(m.count(value));
  visitFloat(m.type(value).kind, [&](auto tag) {
    using E = decltype(tag);
    const auto *in = m.read<typename E::Storage>(value);
    for (size_t i = 0; i < result.size(); ++i)
      result[i] = static_cast<double>(E::load(in[i]));
  });
  return result;
}

template <class T, class A, class B>
void multiplyBlock(std::vector<T> &c, const A *a, const B *b, size_t rows, size_t columns,
                   size_t depth) {
  for (size_t i = 0; i < rows; ++i) {
    T *row = c.data() + i * columns;
    for (size_t k = 0; k < depth; ++k) {
      const T x = static_cast<T>(a[i * depth + k]);
      const B *other = b + k * columns;
      for (size_t j = 0; j < columns; ++j)
        row[j] += x * static_cast<T>(other[j]);
    }
  }
}

struct Matrices {
  size_t batches, rows, columns;
};

Matrices matricesOf(const Type &type) {
  const size_t rank = type.shape.size();
  const size_t rows = static_cast<size_t>(type.shape[rank - 2]);
  const size_t columns = static_cast<size_t>(type.shape[rank - 1]);
  return {static_cast<size_t>(type.count) / (rows * columns), rows, columns};
}

/// result = a b + c on doubles, batch by batch, rounded to the result's kind.
void multiplyFloats(Machine &m, ValueId result, ValueId accumulator, const std::vector<double> &a,
                    const std::vector<double> &b, size_t depth) {
  const Type &type = m.type(result);
  const auto [batches, rows, columns] = matricesOf(type);
  visitFloat(type.kind, [&](auto tag) {
    using E = decltype(tag);
    using S = typename E::Storage;
    S *out = m.write<S>(result);
    const S *start = m.read<S>(accumulator);
    std::vector<double> sums(rows * columns);
    for (size_t batch = 0; batch < batches; ++batch) {
      std::fill(sums.begin(), sums.end(), 0.0);
      multiplyBlock(sums, a.data() + batch * rows * depth, b.data() + batch * depth * columns, rows,
                    columns, depth);
      for (size_t i = 0; i < sums.size(); ++i, ++out, ++start)
        *out = E::store(sums[i] + static_cast<double>(E::load(*start)));
    }
  });
}

void multiplyIntegers(Machine &m, const Instruction &instruction, size_t depth) {
  const ValueId result = instruction.results[0];
  const Type &type = m.type(result);
  const auto [batches, rows, columns] = matricesOf(type);
  visitInteger(m.type(instruction.operands[0]).kind, [&](auto operandTag) {
    using I = decltype(operandTag);
    const auto *a = m.read<typename I::Signed>(instruction.operands[0]);
    const auto *b = m.read<typename I::Signed>(instruction.operands[1]);
    visitInteger(type.kind, [&](auto tag) {
      using O = decltype(tag);
      using U = typename O::Unsigned;
      U *out = m.write<U>(result);
      const U *start = m.read<U>(instruction.operands[2]);
      std::vector<uint64_t> sums(rows * columns); // unsigned, so that it may wrap
      for (size_t batch = 0; batch < batches; ++batch) {
        std::fill(sums.begin(), sums.end(), 0);
        multiplyBlock(sums, a + batch * rows * depth, b + batch * depth * columns, rows, columns,
                      depth);
        for (size_t i = 0; i < sums.size(); ++i, ++out, ++start)
          *out = O::wrap(static_cast<typename O::Wide>(sums[i] + *start));
      }
    });
  });
}

void dot(Machine &m, const Instruction &instruction) {
  const Type &left = m.type(instruction.operands[0]);
  const size_t depth = static_cast<size_t>(left.shape.back());
  if (isInteger(left.kind))
    return multiplyIntegers(m, instruction, depth);
  std::vector<double> a = widen(m, instruction.operands[0]), b = widen(m, instruction.operands[1]);
  if (instruction.numbers[0] == roundToTf32First && left.kind == Kind::F32) {
    for (double &x : a)
      x = roundToTf32(x);
    for (double &x : b)
      x = roundToTf32(x);
  }
  multiplyFloats(m, instruction.results[0], instruction.operands[2], a, b, depth);
}

// ---- Scaled products

/// A value of 4 bits: sign, 2 exponent bits, 1 mantissa bit.
double decodeE2m1(unsigned nibble) {
  constexpr double magnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  return nibble & 8 ? -magnitudes[nibble & 7] : magnitudes[nibble & 7];
}

double decode(Format format, uint64_t bits) {
  switch (format) {
  case Format::E4M3:
    return float8e4nv::from_bits(static_cast<uint8_t>(bits));
  case Format::E5M2:
    return float8e5::from_bits(static_cast<uint8_t>(bits));
  case Format::BF16:
    return bfloat16::from_bits(static_cast<uint16_t>(bits));
  default:
    return float16::from_bits(static_cast<uint16_t>(bits));
  }
}

/// The operand's elements. e2m1 comes two to a byte, the lower half first, along the last axis if
/// `packLast`, else along the one before.
std::vector<double> decodeOperand(Machine &m, ValueId value, Format format, bool packLast) {
  const Type &type = m.type(value);
  const size_t n = m.count(value);
  std::vector<double> result;
  if (format == Format::E2M1) {
    const uint8_t *in = m.read<uint8_t>(value);
    const size_t columns = static_cast<size_t>(type.shape.back());
    result.resize(2 * n);
    for (size_t i = 0; i < n; ++i) {
      const size_t row = i / columns, column = i % columns;
      const size_t low = packLast ? 2 * i : 2 * row * columns + column;
      result[low] = decodeE2m1(in[i] & 15);
      result[low + (packLast ? 1 : columns)] = decodeE2m1(in[i] >> 4);
    }
    return result;
  }
  result.resize(n);
  visitBytes(type.elementBytes(), [&](auto tag) {
    using T = decltype(tag);
    if constexpr (std::is_integral_v<T>) {
      const T *in = m.read<T>(value);
      for (size_t i = 0; i < n; ++i)
        result[i] = decode(format, in[i]);
    }
  });
  return result;
}

double scaleOf(Kind kind, uint8_t bits) {
  if (kind == Kind::F8E4M3FN)
    return float8e4nv::from_bits(bits);
  return bits == 0xFF ? std::nan("") : std::ldexp(1.0, static_cast<int>(bits) - 127);
}

void dotScaled(Machine &m, const Instruction &instruction) {
  const ValueId result = instruction.results[0];
  const Type &type = m.type(result);
  const auto [batches, rows, columns] = matricesOf(type);
  const Format formatA = static_cast<Format>(instruction.numbers[0]);
  const Format formatB = static_cast<Format>(instruction.numbers[1]);
  // a is [rows, depth] and packed along depth, its last axis; b is [depth, columns].
  std::vector<double> a =
      decodeOperand(m, instruction.operands[0], formatA, instruction.numbers[2] != 0);
  std::vector<double> b =
      decodeOperand(m, instruction.operands[1], formatB, instruction.numbers[3] == 0);
  const size_t depth = a.size() / (batches * rows);
  if (const ValueId scales = instruction.operand(3); scales != noValue) {
    const uint8_t *in = m.read<uint8_t>(scales);
    const size_t groups = static_cast<size_t>(m.type(scales).shape.back());
    for (size_t i = 0; i < batches * rows; ++i) // [rows, groups]
      for (size_t k = 0; k < depth; ++k)
        a[i * depth + k] *= scaleOf(m.type(scales).kind, in[i * groups + k * groups / depth]);
  }
  if (const ValueId scales = instruction.operand(4); scales != noValue) {
    const uint8_t *in = m.read<uint8_t>(scales);
    const size_t groups = static_cast<size_t>(m.type(scales).shape.back());
    for (size_t batch = 0; batch < batches; ++batch) // [columns, groups]
      for (size_t k = 0; k < depth; ++k)
        for (size_t j = 0; j < columns; ++j)
          b[(batch * depth + k) * columns + j] *=
              scaleOf(m.type(scales).kind, in[(batch * columns + j) * groups + k * groups / depth]);
  }
  multiplyFloats(m, result, instruction.operands[2], a, b, depth);
}

} // namespace

void addLinearAlgebra(OperationTable &table) {
  table.add("tt.dot", dot).attributes = {"inputPrecision"};
  table.add("tt.dot_scaled", dotScaled).attributes = {"a_elem_type", "b_elem_type", "lhs_k_pack",
                                                      "rhs_k_pack"};
}

} // namespace tl::backend::interpreter
