// SPDX-License-Identifier: MIT
//
// Random kernels of real floating-point arithmetic, whose values are used in many places: stored as
// they are, transposed, in loops, element by element in the regions of scans and maps, as the
// scalars of a broadcast, in memory operations with masks. Each use writes the bits that it saw to
// a slot of one buffer, where those of one value can be compared. Next: one_value.cpp runs them.
#pragma once

#include "random_kernel.hpp"

namespace fuzz {

/// Elements that a slot has room for.
inline constexpr int slot_elements = 1024;

/// The uses of one value: slots from `first` on. Not every use writes every element.
struct witnessed {
  std::string what; // the name in the kernel
  int first, uses, count;
};

class one_value_generator final : public generator {
public:
  explicit one_value_generator(std::uint64_t seed) : generator(seed) {
    more_parameters_ = ", %o: !tt.ptr<i32>, %one: i32";
  }

  /// Of the kernel that was written last.
  std::vector<witnessed> values;
  int slots = 0;

private:
  template <std::size_t N> const char *one_of(const char *const (&texts)[N]) {
    return texts[below(static_cast<int>(N))];
  }

  value made(const std::string &operation, const std::string &element, const shape &extents) {
    value v{fresh(), element, extents};
    line(v.name + " = " + operation);
    return v;
  }

  // ---- Arithmetic

  value cast(const value &v, const std::string &element) {
    auto bits = [](const std::string &type) {
      return type == "f64" ? 64 : type == "f32" ? 32 : type == "f16" || type == "bf16" ? 16 : 8;
    };
    if (v.element == element)
      return v;
    const bool eight = bits(v.element) == 8 || bits(element) == 8;
    const bool narrows = bits(element) < bits(v.element);
    if (eight)
      return made("tt.fp_to_fp " + v.name + (narrows ? ", rounding = rtne" : "") + " : " +
                      type_of(v) + " -> " + tensor(element, v.extents),
                  element, v.extents);
    return made((narrows ? "arith.truncf " : "arith.extf ") + v.name + " : " + type_of(v) + " to " +
                    tensor(element, v.extents),
                element, v.extents);
  }

  void keep(const value &v) { pool_.push_back(cast(v, "f32")); }

  bool other_operation(const shape &extents) override {
    if (chance(12)) {
      witness_some(1);
      return true;
    }
    if (!chance(75))
      return false;
    shape where = chance(15) ? shape{} : extents;
    static const char *const elements[] = {"f32", "f32", "f32", "f64", "f64", "f16", "bf16"};
    const std::string element = one_of(elements);
    auto operand = [&] { return cast(pick("f32", where), element); };
    static const char *const functions[] = {
        "exp",   "exp2",  "log",  "log2",  "sin",   "cos",       "tan",   "sqrt",
        "rsqrt", "erf",   "tanh", "sinh",  "cosh",  "absf",      "floor", "ceil",
        "log1p", "expm1", "atan", "trunc", "round", "roundeven", "cbrt",  "asinh"};
    static const char *const two[] = {"addf",    "subf",    "mulf",     "mulf",     "mulf", "divf",
                                      "maxnumf", "minnumf", "maximumf", "minimumf", "remf"};
    switch (below(9)) {
    case 0:
    case 1: {
      value a = operand();
      return keep(made(std::string("math.") + one_of(functions) + " " + a.name + " : " + type_of(a),
                       element, where)),
             true;
    }
    case 2: { // a product that is added, and perhaps used besides
      value a = operand(), b = operand(), c = operand();
      value p = made("arith.mulf " + a.name + ", " + b.name + " : " + type_of(a), element, where);
      if (chance(30))
        keep(p);
      const bool first = chance(50);
      keep(made(std::string(chance(60) ? "arith.addf " : "arith.subf ") +
                    (first ? p.name + ", " + c.name : c.name + ", " + p.name) + " : " + type_of(a),
                element, where));
      return true;
    }
    case 3: { // by a number that is the same for all, or for a row
      value a = operand();
      value b = spread(element, where);
      keep(made(std::string(chance(70) ? "arith.divf " : "arith.mulf ") + a.name + ", " + b.name +
                    " : " + type_of(a),
                element, where));
      return true;
    }
    case 4: {
      value i = pick("i32", where);
      static const char *const types[] = {"i8", "i16", "i64"};
      if (chance(50)) {
        const std::string other = one_of(types);
        i = made((other == "i64" ? "arith.extsi " : "arith.trunci ") + i.name + " : " + type_of(i) +
                     " to " + tensor(other, where),
                 other, where);
      }
      keep(made(std::string(chance(50) ? "arith.sitofp " : "arith.uitofp ") + i.name + " : " +
                    type_of(i) + " to " + tensor(element, where),
                element, where));
      return true;
    }
    case 5: { // any float there is, those below the normal numbers too
      value i = pick("i32", where);
      keep(made("tt.bitcast " + i.name + " : " + type_of(i) + " -> " + tensor("f32", where), "f32",
                where));
      return true;
    }
    case 6: { // through 8 bits
      static const char *const eights[] = {"f8E4M3FN", "f8E5M2"};
      value a = pick("f32", where);
      keep(cast(a, one_of(eights)));
      return true;
    }
    default: {
      value a = operand(), b = operand();
      keep(made(std::string("arith.") + one_of(two) + " " + a.name + ", " + b.name + " : " +
                    type_of(a),
                element, where));
      return true;
    }
    }
  }

  /// A scalar, or a row of them, in all elements.
  value spread(const std::string &element, const shape &extents) {
    if (extents.empty())
      return cast(pick("f32", {}), element);
    if (extents.size() == 1 || chance(40)) {
      value s = cast(pick("f32", {}), element);
      return made("tt.splat " + s.name + " : " + element + " -> " + tensor(element, extents),
                  element, extents);
    }
    const std::size_t axis = static_cast<std::size_t>(below(static_cast<int>(extents.size())));
    shape less = extents;
    less.erase(less.begin() + static_cast<std::ptrdiff_t>(axis));
    value v = cast(pick("f32", less), element);
    shape one = extents;
    one[axis] = 1;
    value e = made("tt.expand_dims " + v.name + " {axis = " + std::to_string(axis) +
                       " : i32} : " + type_of(v) + " -> " + tensor(element, one),
                   element, one);
    if (one == extents)
      return e;
    return made("tt.broadcast " + e.name + " : " + type_of(e) + " -> " + tensor(element, extents),
                element, extents);
  }

  // ---- Uses

  void finish() override {
    witness_some(6);
    generator::finish();
  }

  /// Several uses of each of some values, mixed, so that some share a loop and some do not.
  void witness_some(int most) {
    std::vector<value> floats;
    for (const value &v : pool_)
      if (v.element == "f32" && count_of(v.extents) <= slot_elements)
        floats.push_back(v);
    if (floats.empty())
      return;
    struct Use {
      value v;
      int slot, kind;
    };
    std::vector<Use> uses;
    for (int i = 0; i < most; ++i) {
      // What was made last depends on most.
      const int back = below(std::min(8, static_cast<int>(floats.size())));
      const value v = floats[floats.size() - 1 - static_cast<std::size_t>(back)];
      const int count = 2 + below(4);
      values.push_back({v.name, slots, count, count_of(v.extents)});
      for (int k = 0; k < count; ++k)
        uses.insert(uses.begin() + below(static_cast<int>(uses.size()) + 1),
                    {v, slots++, k == 0 ? 0 : below(10)});
    }
    const std::vector<value> before = pool_;
    for (const Use &use : uses)
      witness(use.v, use.slot, use.kind);
    pool_ = before;
  }

  value bits_of(const value &v) {
    return made("tt.bitcast " + v.name + " : " + type_of(v) + " -> " + tensor("i32", v.extents),
                "i32", v.extents);
  }

  value constant(int number, const shape &extents) {
    return made("arith.constant " + dense(std::to_string(number), extents) + " : " +
                    tensor("i32", extents),
                "i32", extents);
  }

  /// Row-major positions.
  value positions(const shape &extents) {
    value sum{"", "i32", extents};
    int stride = 1;
    for (std::size_t d = extents.size(); d-- > 0; stride *= extents[d]) {
      value along = one_dimension(extents, d);
      value by = constant(stride, extents);
      value term = made("arith.muli " + along.name + ", " + by.name + " : " + type_of(along), "i32",
                        extents);
      sum = sum.name.empty()
                ? term
                : made("arith.addi " + sum.name + ", " + term.name + " : " + type_of(sum), "i32",
                       extents);
    }
    return sum;
  }

  std::string address(int slot, const value &at) {
    value base = constant(slot * slot_elements, at.extents);
    value place =
        made("arith.addi " + at.name + ", " + base.name + " : " + type_of(at), "i32", at.extents);
    return pointer_to("%o", "!tt.ptr<i32>", place);
  }

  void write(int slot, const value &at, const value &bits, const std::string &mask = "") {
    line("tt.store " + address(slot, at) + ", " + bits.name + mask + " : " +
         tensor("!tt.ptr<i32>", at.extents));
  }

  value transposed(const value &v) {
    shape result(v.extents.rbegin(), v.extents.rend());
    std::string order;
    for (std::size_t d = v.extents.size(); d-- > 0;)
      order += (order.empty() ? "" : ", ") + std::to_string(d);
    return made("tt.trans " + v.name + " {order = array<i32: " + order + ">} : " + type_of(v) +
                    " -> " + tensor(v.element, result),
                v.element, result);
  }

  void witness(const value &v, int slot, int kind) {
    if (v.extents.empty()) {
      value bits = bits_of(v), at = constant(slot * slot_elements, {});
      if (kind % 2 == 0) {
        std::string pointer = fresh();
        line(pointer + " = tt.addptr %o, " + at.name + " : !tt.ptr<i32>, i32");
        line("tt.store " + pointer + ", " + bits.name + " : !tt.ptr<i32>");
        return;
      }
      // The scalar as the elements of a tensor.
      const shape all = {32};
      value many = made("tt.splat " + v.name + " : f32 -> " + tensor("f32", all), "f32", all);
      value zero = made("tt.splat " + at.name + " : i32 -> " + tensor("i32", all), "i32", all);
      line("tt.store " + pointer_to("%o", "!tt.ptr<i32>", zero) + ", " + bits_of(many).name +
           " : " + tensor("!tt.ptr<i32>", all));
      return;
    }
    switch (kind) {
    case 1: { // in another order
      value at = transposed(positions(v.extents)), t = transposed(v);
      return write(slot, at, bits_of(t));
    }
    case 2: { // in a loop that runs once, which nobody knows
      value zero = made("arith.constant 0 : i32", "i32", {});
      value step = made("arith.constant 1 : i32", "i32", {});
      line("scf.for %i" + step.name.substr(1) + " = " + zero.name + " to %one step " + step.name +
           " : i32 {");
      write(slot, positions(v.extents), bits_of(v));
      line("}");
      return;
    }
    case 3: { // one element after the other, in a scan that keeps each
      std::string name = fresh();
      const std::size_t axis = static_cast<std::size_t>(below(static_cast<int>(v.extents.size())));
      line(name + " = \"tt.scan\"(" + v.name + ") <{axis = " + std::to_string(axis) +
           " : i32, reverse = false}> ({");
      line("^bb0(%a: f32, %b: f32):");
      line("  tt.scan.return %b : f32");
      line("}) : (" + type_of(v) + ") -> " + type_of(v));
      return write(slot, positions(v.extents), bits_of({name, "f32", v.extents}));
    }
    case 4: { // in a region of scalars
      std::string name = fresh();
      line(name + " = \"tt.map_elementwise\"(" + v.name + ") <{pack = 1 : i32}> ({");
      line("^bb0(%a: f32):");
      line("  tt.map_elementwise.return %a : f32");
      line("}) : (" + type_of(v) + ") -> " + type_of(v));
      return write(slot, positions(v.extents), bits_of({name, "f32", v.extents}));
    }
    case 5: // some of them
      return write(slot, positions(v.extents), bits_of(v), ", " + mask_of(v.extents).name);
    case 6: { // along a new axis, of which one place is kept
      shape one = v.extents, wide;
      one.push_back(1);
      wide = one;
      const int extent = std::min(16, 4096 / count_of(v.extents));
      wide.back() = extent;
      auto widened = [&](const value &x) {
        value e = made("tt.expand_dims " + x.name + " {axis = " + std::to_string(one.size() - 1) +
                           " : i32} : " + type_of(x) + " -> " + tensor(x.element, one),
                       x.element, one);
        return made("tt.broadcast " + e.name + " : " + type_of(e) + " -> " +
                        tensor(x.element, wide),
                    x.element, wide);
      };
      value bits = bits_of(widened(v)), at = widened(positions(v.extents));
      value place = one_dimension(wide, wide.size() - 1), chosen = constant(below(extent), wide);
      value mask = made(
          "arith.cmpi eq, " + place.name + ", " + chosen.name + " : " + type_of(place), "i1", wide);
      return write(slot, at, bits, ", " + mask.name);
    }
    case 7: { // exchanged with memory
      value at = positions(v.extents), bits = bits_of(v);
      std::string pointers = address(slot, at);
      made("tt.atomic_rmw exch, relaxed, gpu, " + pointers + ", " + bits.name + " : (" +
               tensor("!tt.ptr<i32>", v.extents) + ", " + type_of(bits) + ") -> " + type_of(bits),
           "i32", v.extents);
      return;
    }
    case 8: { // chosen by a reduction
      const std::size_t axis = static_cast<std::size_t>(below(static_cast<int>(v.extents.size())));
      value index = one_dimension(v.extents, axis);
      shape less = v.extents;
      less.erase(less.begin() + static_cast<std::ptrdiff_t>(axis));
      std::string both = fresh(), wanted = std::to_string(below(v.extents[axis]));
      line(both + ":2 = \"tt.reduce\"(" + v.name + ", " + index.name +
           ") <{axis = " + std::to_string(axis) + " : i32}> ({");
      line("^bb0(%a: f32, %i: i32, %b: f32, %j: i32):");
      line("  %c = arith.constant " + wanted + " : i32");
      line("  %t = arith.cmpi eq, %i, %c : i32");
      line("  %p = arith.select %t, %a, %b : f32");
      line("  %q = arith.select %t, %i, %j : i32");
      line("  tt.reduce.return %p, %q : f32, i32");
      line("}) : (" + type_of(v) + ", " + type_of(index) + ") -> (" + tensor("f32", less) + ", " +
           tensor("i32", less) + ")");
      value found{both + "#0", "f32", less};
      // Where the found ones lie in the whole: the same reduction of positions.
      value at = positions(v.extents);
      std::string places = fresh();
      line(places + ":2 = \"tt.reduce\"(" + at.name + ", " + index.name +
           ") <{axis = " + std::to_string(axis) + " : i32}> ({");
      line("^bb0(%a: i32, %i: i32, %b: i32, %j: i32):");
      line("  %c = arith.constant " + wanted + " : i32");
      line("  %t = arith.cmpi eq, %i, %c : i32");
      line("  %p = arith.select %t, %a, %b : i32");
      line("  %q = arith.select %t, %i, %j : i32");
      line("  tt.reduce.return %p, %q : i32, i32");
      line("}) : (" + type_of(at) + ", " + type_of(index) + ") -> (" + tensor("i32", less) + ", " +
           tensor("i32", less) + ")");
      value place{places + "#0", "i32", less};
      if (!less.empty())
        return write(slot, place, bits_of(found));
      value base = constant(slot * slot_elements, {}), bits = bits_of(found);
      value sum = made("arith.addi " + place.name + ", " + base.name + " : i32", "i32", {});
      std::string pointer = fresh();
      line(pointer + " = tt.addptr %o, " + sum.name + " : !tt.ptr<i32>, i32");
      line("tt.store " + pointer + ", " + bits.name + " : !tt.ptr<i32>");
      return;
    }
    case 9: { // gathered in reverse
      const std::size_t axis = v.extents.size() - 1;
      value along = one_dimension(v.extents, axis), last = constant(v.extents[axis] - 1, v.extents);
      value reversed = made("arith.subi " + last.name + ", " + along.name + " : " + type_of(along),
                            "i32", v.extents);
      auto gathered = [&](const value &x) {
        return made("tt.gather " + x.name + "[" + reversed.name +
                        "] {axis = " + std::to_string(axis) + " : i32} : (" + type_of(x) + ", " +
                        type_of(reversed) + ") -> " + type_of(x),
                    x.element, x.extents);
      };
      return write(slot, gathered(positions(v.extents)), bits_of(gathered(v)));
    }
    default: // as it is
      return write(slot, positions(v.extents), bits_of(v));
    }
  }
};

} // namespace fuzz
