// SPDX-License-Identifier: MIT
//
// The elementwise group's external functions: from a symbol to a function, and the loop over lanes.
#include "arithmetic/plain/Rounded.h"
#include "interpreter/ExternFunctions.h"
#include "interpreter/ops/Elements.h"

#include <algorithm>
#include <string_view>

namespace tl::backend::interpreter {

namespace {

bool takePrefix(std::string_view &text, std::string_view prefix) {
  if (!text.starts_with(prefix))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool takeSuffix(std::string_view &text, std::string_view suffix) {
  if (!text.ends_with(suffix))
    return false;
  text.remove_suffix(suffix.size());
  return true;
}

const ExternFunction *byName(const std::vector<ExternFunction> &table, std::string_view name) {
  auto it = std::find_if(table.begin(), table.end(),
                         [&](const ExternFunction &f) { return name == f.name; });
  return it == table.end() ? nullptr : &*it;
}

/// Do the operands and the result fit the form of a function of floats?
bool fits(const ExternFunction &function, const std::vector<Kind> &operands, Kind result) {
  auto areFloats = [&](size_t count) {
    return operands.size() == count && result == operands[0] &&
           std::all_of(operands.begin(), operands.end(),
                       [&](Kind kind) { return kind == operands[0]; }) &&
           isFloat(operands[0]);
  };
  switch (function.function.index()) {
  case 0:
    return areFloats(1);
  case 1:
    return areFloats(2);
  case 2:
    return areFloats(3);
  case 3:
    return areFloats(4);
  case 4:
    return operands.size() == 2 && isFloat(operands[0]) && isInteger(operands[1]) &&
           result == operands[0];
  case 5:
    return operands.size() == 2 && isInteger(operands[0]) && isFloat(operands[1]) &&
           result == operands[1];
  default:
    return operands.size() == 1 && isFloat(operands[0]) && isInteger(result);
  }
}

const ExternFunction *findFloat(std::string_view name, const std::vector<Kind> &operands,
                                Kind result) {
  const ExternFunction *function = byName(floatFunctions(), name);
  return function && fits(*function, operands, result) ? function : nullptr;
}

// ---- Lanes

/// Element i of a float operand, widened.
template <class E> double floatAt(Machine &m, ValueId value, size_t i) {
  return static_cast<double>(E::load(m.read<typename E::Storage>(value)[i]));
}

int64_t integerAt(Machine &m, ValueId value, size_t i) {
  int64_t result = 0;
  visitInteger(m.type(value).kind, [&](auto tag) {
    using I = decltype(tag);
    result = static_cast<int64_t>(I::sign(m.read<typename I::Unsigned>(value)[i]));
  });
  return result;
}

template <class F> void floatLanes(Machine &m, const Instruction &instruction, F f) {
  const ValueId result = instruction.results[0];
  visitFloat(m.type(result).kind, [&](auto tag) {
    using E = decltype(tag);
    auto *out = m.write<typename E::Storage>(result);
    const size_t n = m.count(result);
    for (size_t i = 0; i < n; ++i)
      out[i] = E::store(f(tag, i));
  });
}

void bitLanes(Machine &m, const Instruction &instruction, Bits function) {
  const ValueId result = instruction.results[0];
  const size_t bytes = m.type(result).elementBytes(), n = m.count(result);
  std::byte *out = m.write(result);
  for (size_t i = 0; i < n; ++i) {
    uint64_t operands[4] = {};
    for (size_t k = 0; k < instruction.operands.size(); ++k) {
      const size_t size = m.type(instruction.operands[k]).elementBytes();
      std::memcpy(&operands[k], m.read(instruction.operands[k]) + i * size, size);
    }
    const uint64_t value = function(operands);
    std::memcpy(out + i * bytes, &value, bytes);
  }
}

void callExtern(Machine &m, const Instruction &instruction) {
  std::vector<Kind> kinds;
  for (ValueId operand : instruction.operands)
    kinds.push_back(m.type(operand).kind);
  const ValueId result = instruction.results[0];
  const ExternCall call = findExtern(instruction.texts[0], kinds, m.type(result).kind);
  const std::vector<ValueId> &x = instruction.operands;
  const plain::Rounding rounding(call.direction);
  std::visit(
      [&](auto f) {
        using F = decltype(f);
        if constexpr (std::is_same_v<F, Bits>)
          bitLanes(m, instruction, f);
        else if constexpr (std::is_same_v<F, Float1>)
          floatLanes(m, instruction,
                     [&](auto e, size_t i) { return f(floatAt<decltype(e)>(m, x[0], i)); });
        else if constexpr (std::is_same_v<F, Float2>)
          floatLanes(m, instruction, [&](auto e, size_t i) {
            using E = decltype(e);
            return f(floatAt<E>(m, x[0], i), floatAt<E>(m, x[1], i));
          });
        else if constexpr (std::is_same_v<F, Float3>)
          floatLanes(m, instruction, [&](auto e, size_t i) {
            using E = decltype(e);
            return f(floatAt<E>(m, x[0], i), floatAt<E>(m, x[1], i), floatAt<E>(m, x[2], i));
          });
        else if constexpr (std::is_same_v<F, Float4>)
          floatLanes(m, instruction, [&](auto e, size_t i) {
            using E = decltype(e);
            return f(floatAt<E>(m, x[0], i), floatAt<E>(m, x[1], i), floatAt<E>(m, x[2], i),
                     floatAt<E>(m, x[3], i));
          });
        else if constexpr (std::is_same_v<F, FloatInt>)
          floatLanes(m, instruction, [&](auto e, size_t i) {
            return f(floatAt<decltype(e)>(m, x[0], i), integerAt(m, x[1], i));
          });
        else if constexpr (std::is_same_v<F, IntFloat>)
          floatLanes(m, instruction, [&](auto e, size_t i) {
            return f(integerAt(m, x[0], i), floatAt<decltype(e)>(m, x[1], i));
          });
        else
          visitInteger(m.type(result).kind, [&](auto tag) {
            using I = decltype(tag);
            auto *out = m.write<typename I::Unsigned>(result);
            visitFloat(m.type(x[0]).kind, [&](auto e) {
              for (size_t i = 0; i < m.count(result); ++i) {
                const int64_t value = f(floatAt<decltype(e)>(m, x[0], i));
                const int64_t lowest = static_cast<int64_t>(I::lowest),
                              highest = static_cast<int64_t>(I::highest);
                const int64_t kept = I::bits == 1 ? value != 0 : std::clamp(value, lowest, highest);
                out[i] = I::wrap(static_cast<typename I::Wide>(kept));
              }
            });
          });
      },
      call.function->function);
}

} // namespace

ExternCall findExtern(const std::string &symbol, const std::vector<Kind> &operands, Kind result) {
  if (operands.empty())
    return {};
  const bool single = std::find(operands.begin(), operands.end(), Kind::F32) != operands.end();
  std::string_view name = symbol;
  if (takePrefix(name, "__ocml_")) {
    takePrefix(name, "native_");
    if (takeSuffix(name, "_f32") || takeSuffix(name, "_f64") || takeSuffix(name, "_f16"))
      return {findFloat(name, operands, result)};
    return {};
  }
  if (!takePrefix(name, "__nv_"))
    return {};

  std::string_view base = name;
  ExternCall call;
  if (takeSuffix(base, "_rz"))
    call.direction = FE_TOWARDZERO;
  else if (takeSuffix(base, "_rd"))
    call.direction = FE_DOWNWARD;
  else if (takeSuffix(base, "_ru"))
    call.direction = FE_UPWARD;
  else
    takeSuffix(base, "_rn");
  call.function = byName(bitFunctions(), base);
  // fma of doubles and the bit functions of one name are distinguished by their operands.
  if (call.function && call.function->operands == operands && call.function->result == result)
    return call;

  takePrefix(name, "fast_");
  std::string_view shorter = name;
  const bool hasSuffix = takeSuffix(shorter, single ? "f" : "d");
  if (hasSuffix)
    if (const ExternFunction *function = findFloat(shorter, operands, result))
      return {function};
  return {findFloat(name, operands, result)};
}

void addExtern(OperationTable &table) {
  table.addElementwise("tt.extern_elementwise", callExtern).attributes = {"symbol"};
}

} // namespace tl::backend::interpreter
