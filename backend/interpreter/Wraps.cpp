// SPDX-License-Identifier: MIT
#include "interpreter/Wraps.h"

#include "interpreter/ops/Elements.h"

#include <algorithm>
#include <limits>

namespace tl::backend::interpreter {

namespace {

__extension__ using Wide = __int128;

int64_t nearest(Wide value) {
  constexpr Wide least = std::numeric_limits<int64_t>::min(),
                 most = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::clamp(value, least, most));
}

Wide compute(Exactness exactness, Wide a, Wide b) {
  switch (exactness) {
  case Exactness::Sum:
    return a + b;
  case Exactness::Difference:
    return a - b;
  case Exactness::Product:
    return a * b;
  default: { // a shift to the left, whose distance has no sign
    if (a == 0)
      return 0;
    if (b < 0 || b > 63)
      return a < 0 ? -(Wide(1) << 100) : Wide(1) << 100;
    return a * (Wide(1) << b);
  }
  }
}

/// Whether an element of the result is not what exact arithmetic gives. Written for the compiler to
/// vectorise.
template <class I>
bool wraps(Exactness exactness, const typename I::Unsigned *a, const typename I::Unsigned *b,
           const typename I::Unsigned *out, size_t n) {
  using S = typename I::Signed;
  bool found = false;
  if constexpr (I::bits <= 32) {
    auto any = [&](auto f) {
      for (size_t i = 0; i < n; ++i)
        found |= f(int64_t(I::sign(a[i])), int64_t(I::sign(b[i]))) != int64_t(I::sign(out[i]));
    };
    switch (exactness) {
    case Exactness::Sum:
      any([](int64_t x, int64_t y) { return x + y; });
      break;
    case Exactness::Difference:
      any([](int64_t x, int64_t y) { return x - y; });
      break;
    case Exactness::Product:
      any([](int64_t x, int64_t y) { return x * y; });
      break;
    default:
      any([](int64_t x, int64_t y) {
        return x == 0 ? 0 : y < 0 || y > 31 ? INT64_MAX : x * (int64_t(1) << y);
      });
    }
  } else {
    for (size_t i = 0; i < n; ++i)
      found |=
          compute(exactness, static_cast<S>(a[i]), static_cast<S>(b[i])) != static_cast<S>(out[i]);
  }
  return found;
}

/// The exact numbers of a value, made of the value itself where nothing wrapped.
const Exact *exactOf(Machine &m, ValueId value, std::vector<Exact> &made) {
  if (const Exact *known = m.exact(value))
    return known;
  made.resize(m.count(value));
  visitInteger(m.type(value).kind, [&](auto tag) {
    using I = decltype(tag);
    const auto *numbers = m.read<typename I::Unsigned>(value);
    for (size_t i = 0; i < made.size(); ++i)
      made[i].value = I::sign(numbers[i]);
  });
  return made.data();
}

void arithmetic(Machine &m, const Instruction &instruction) {
  const Exactness exactness = instruction.operation->exactness;
  const ValueId a = instruction.operands[0], b = instruction.operands[1],
                result = instruction.results[0];
  const size_t n = m.count(result);
  visitInteger(m.type(result).kind, [&](auto tag) {
    using I = decltype(tag);
    using U = typename I::Unsigned;
    const U *out = m.read<U>(result);
    if (!m.exact(a) && !m.exact(b) && !wraps<I>(exactness, m.read<U>(a), m.read<U>(b), out, n))
      return m.forgetExact(result);
    std::vector<Exact> ofA, ofB;
    const Exact *x = exactOf(m, a, ofA), *y = exactOf(m, b, ofB);
    Exact *exact = m.writeExact(result);
    bool any = false;
    for (size_t i = 0; i < n; ++i) {
      const Wide value = compute(exactness, x[i].value, y[i].value);
      const int64_t here = I::sign(out[i]);
      exact[i] = {nearest(value), 0, 0};
      if (value == here)
        continue;
      any = true;
      exact[i].wrap = x[i].wrap ? x[i].wrap
                      : y[i].wrap
                          ? y[i].wrap
                          : m.noteWrap({&instruction, exact[i].value, here, m.type(result).kind});
    }
    if (!any)
      m.forgetExact(result);
  });
}

/// The same instruction on the exact numbers.
void move(Machine &m, const Instruction &instruction) {
  // The condition of a select is no number.
  const size_t first = instruction.operation->exactness == Exactness::Selected;
  const std::span<const ValueId> operands = std::span(instruction.operands).subspan(first);
  bool any = false;
  for (ValueId operand : operands)
    any |= m.exact(operand) != nullptr;
  if (!any) {
    for (ValueId result : instruction.results)
      m.forgetExact(result);
    return;
  }
  Instruction moving = instruction;
  std::vector<ValueId> lent; // of these the numbers are only known here
  for (size_t i = 0; i < operands.size(); ++i) {
    moving.operands[first + i] = m.exactId(operands[i]);
    if (m.exact(operands[i]))
      continue;
    std::vector<Exact> made;
    exactOf(m, operands[i], made);
    std::copy(made.begin(), made.end(), m.writeExact(operands[i]));
    lent.push_back(operands[i]);
  }
  for (size_t i = 0; i < instruction.results.size(); ++i) {
    moving.results[i] = m.exactId(instruction.results[i]);
    m.writeExact(instruction.results[i]);
  }
  m.handle(moving);
  for (ValueId operand : lent)
    m.forgetExact(operand);
}

} // namespace

void trackWraps(Machine &m, const Instruction &instruction) {
  switch (instruction.operation->exactness) {
  case Exactness::None:
    return;
  case Exactness::Sum:
  case Exactness::Difference:
  case Exactness::Product:
  case Exactness::ShiftLeft:
    return arithmetic(m, instruction);
  case Exactness::Moved:
  case Exactness::Selected:
    return move(m, instruction);
  case Exactness::Extension: {
    const ValueId from = instruction.operands[0], to = instruction.results[0];
    if (const Exact *known = m.exact(from))
      std::copy_n(known, m.count(to), m.writeExact(to));
    else
      m.forgetExact(to);
  }
  }
}

std::string describe(const Machine &machine, const Wrap &wrap) {
  const SourceLocation &at = machine.program.locations[wrap.instruction->location];
  std::string text = std::string("its ") + nameOf(wrap.kind) + " offset wraps";
  if (at.line != 0)
    text += " at " + at.file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  return text + ", where " + std::to_string(wrap.exact) + " becomes " +
         std::to_string(wrap.wrapped);
}

} // namespace tl::backend::interpreter
