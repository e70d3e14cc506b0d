// SPDX-License-Identifier: MIT
//
// Writes random kernels for the fuzz tests: mixtures of arithmetic, shape operations, reductions,
// scans, products, loops, branches and memory accesses, whose pointers lead into one buffer so that
// loads and stores may overlap. All floats are small multiples of 1/4, kept so by construction:
// sums are exact in any order and results can be compared bit for bit. Next: random_kernels.cpp
// runs them.
#pragma once

#include "choices.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fuzz {

using shape = std::vector<int>;

struct value {
  std::string name;
  std::string element; // "f32", "i32", "i1"
  shape extents;       // empty: scalar
};

inline int count_of(const shape &extents) {
  int count = 1;
  for (int extent : extents)
    count *= extent;
  return count;
}

inline std::string tensor(const std::string &element, const shape &extents) {
  if (extents.empty())
    return element;
  std::string text = "tensor<";
  for (int extent : extents)
    text += std::to_string(extent) + "x";
  return text + element + ">";
}

inline std::string type_of(const value &v) { return tensor(v.element, v.extents); }

inline constexpr int buffer_elements = 1 << 14;

/// Writes one kernel. Its parameters are three pointers to f32 and one to i32 in buffers of
/// `buffer_elements`, at most a quarter from their start, and two bounds. With `may_alias` those to
/// f32 are marked, so that they may lead to one buffer.
class generator {
public:
  explicit generator(std::uint64_t seed, bool may_alias = false)
      : generator(choices(seed), may_alias) {}
  explicit generator(choices chosen, bool may_alias = false)
      : mark_(may_alias ? " {tt.may_alias}" : ""), chosen_(std::move(chosen)) {}
  virtual ~generator() = default;

  std::string kernel() {
    body_.clear();
    pool_ = {{"%n", "i32", {}}, {"%m", "i32", {}}};
    line("%pid = tt.get_program_id x : i32");
    pool_.push_back({"%pid", "i32", {}});
    begin();
    operations(fewest_, 24, 0);
    finish();
    const std::string &end = pointer_names_, pointer = end + ": !tt.ptr<f32>" + mark_ + ", ";
    return "module {\n" + functions_ + "  tt.func public @fuzz(%x" + pointer + "%y" + pointer +
           "%z" + pointer + "%w" + end + ": !tt.ptr<i32>, %n: i32, %m: i32" + more_parameters_ +
           ") {\n" + body_ + "    tt.return\n  }\n}\n";
  }

  const choices &chosen() const { return chosen_; }

protected:
  /// Writes another operation than those of this class; false to leave it.
  virtual bool other_operation(const shape &) { return false; }

  /// Writes what comes before all operations.
  virtual void begin() {}

  /// Writes the end: what was computed last must be seen.
  virtual void finish() {
    store();
    store();
  }

  /// The type of what is moved, chosen among or carried by loops.
  virtual std::string any_element() { return chance(60) ? "f32" : "i32"; }

  int below(int bound) { return chosen_.below(bound); }
  bool chance(int percent) { return below(100) < percent; }
  std::string fresh() { return "%v" + std::to_string(next_++); }
  void line(const std::string &text) { body_ += "    " + text + "\n"; }

  value add(const std::string &operation, const std::string &element, const shape &extents) {
    value v{fresh(), element, extents};
    line(v.name + " = " + operation);
    pool_.push_back(v);
    return v;
  }

  shape random_shape() {
    static const std::vector<shape> shapes = {
        {1},     {2},      {16},     {32},     {64},       {128},      {256},
        {1024},  {4, 8},   {8, 16},  {16, 16}, {1, 32},    {32, 1},    {16, 64},
        {64, 4}, {2, 128}, {64, 16}, {8, 128}, {2, 4, 16}, {4, 16, 8}, {2, 2, 2, 2}};
    // Those that are padded.
    static const std::vector<shape> others = {{3},     {7},      {48},     {100},     {1000},
                                              {5, 7},  {1, 17},  {24, 16}, {16, 12},  {100, 1},
                                              {3, 80}, {2, 100}, {64, 3},  {3, 5, 4}, {2, 9, 6}};
    if (chance(25))
      return others[below(static_cast<int>(others.size()))];
    return shapes[below(static_cast<int>(shapes.size()))];
  }

  /// A value of this type from the pool, or a new constant, range or load.
  value pick(const std::string &element, const shape &extents) {
    std::vector<value> fitting;
    for (const value &v : pool_)
      if (v.element == element && v.extents == extents)
        fitting.push_back(v);
    if (!fitting.empty() && chance(85))
      return chance(50) ? fitting.back() : fitting[below(static_cast<int>(fitting.size()))];
    return leaf(element, extents);
  }

  virtual value leaf(const std::string &element, const shape &extents) {
    if (element == "i1") {
      value a = pick("i32", extents), b = pick("i32", extents);
      static const char *predicates[] = {"slt", "sle", "sgt", "eq", "ne", "ult"};
      return add(std::string("arith.cmpi ") + predicates[below(6)] + ", " + a.name + ", " + b.name +
                     " : " + type_of(a),
                 "i1", extents);
    }
    if (extents.empty()) {
      if (element == "i32")
        return add("arith.constant " + std::to_string(below(40) - 8) + " : i32", "i32", {});
      return add("arith.constant " + number() + " : f32", "f32", {});
    }
    if (element == "i32" && chance(40))
      return index_of(extents);
    if (element == "i32" && chance(40)) {
      value s = pick("i32", {});
      return add("tt.splat " + s.name + " : i32 -> " + tensor("i32", extents), "i32", extents);
    }
    if (chance(30)) {
      std::string text = element == "i32" ? std::to_string(below(100) - 20) : number();
      return add("arith.constant dense<" + text + "> : " + tensor(element, extents), element,
                 extents);
    }
    return load(element, extents);
  }

  std::string number() { return std::to_string((below(64) - 32) / 4.0); }

  /// start + sum of stride * coordinate, with a start below 64: at most half of a buffer lies
  /// between the first element and the last, so that there is room for where the pointers begin.
  value index_of(const shape &extents, bool injective = false) {
    value sum{"", "i32", extents};
    int inner = 1, room = buffer_elements / 2 / count_of(extents); // for how many dense blocks
    for (std::size_t d = extents.size(); d-- > 0;) {
      value range = one_dimension(extents, d);
      int stride = inner;
      if (!injective && chance(15))
        stride = below(room > 1 ? 3 : 2);
      else if (chance(20) && inner * extents[d] <= 1024 && room > 1)
        stride = inner * 2;
      if (stride > inner)
        room /= 2;
      if (stride != 1) {
        value factor =
            add("arith.constant dense<" + std::to_string(stride) + "> : " + tensor("i32", extents),
                "i32", extents);
        range = add("arith.muli " + range.name + ", " + factor.name + " : " + type_of(range), "i32",
                    extents);
      }
      inner = std::max(inner, stride) * extents[d];
      sum = sum.name.empty()
                ? range
                : add("arith.addi " + sum.name + ", " + range.name + " : " + type_of(range), "i32",
                      extents);
    }
    if (chance(30)) {
      value start =
          add("arith.constant dense<" + std::to_string(below(64)) + "> : " + tensor("i32", extents),
              "i32", extents);
      sum =
          add("arith.addi " + start.name + ", " + sum.name + " : " + type_of(sum), "i32", extents);
    }
    return sum;
  }

  /// The coordinate along one dimension, broadcast to the shape.
  value one_dimension(const shape &extents, std::size_t d) {
    shape now = {extents[d]};
    value v{fresh(), "i32", now};
    line(v.name + " = tt.make_range {end = " + std::to_string(extents[d]) +
         " : i32, start = 0 : i32} : " + tensor("i32", now));
    for (std::size_t k = 0; k < extents.size(); ++k) {
      if (k == d)
        continue;
      now.insert(now.begin() + static_cast<std::ptrdiff_t>(k < d ? k : k), 1);
      std::string name = fresh();
      line(name + " = tt.expand_dims " + v.name + " {axis = " + std::to_string(k) +
           " : i32} : " + type_of(v) + " -> " + tensor("i32", now));
      v = {name, "i32", now};
    }
    if (now != extents) {
      std::string name = fresh();
      line(name + " = tt.broadcast " + v.name + " : " + type_of(v) + " -> " +
           tensor("i32", extents));
      v = {name, "i32", extents};
    }
    return v;
  }

  value mask_of(const shape &extents) {
    if (chance(40))
      return pick("i1", extents);
    value index = index_of(extents), bound = pick("i32", {});
    value splat =
        add("tt.splat " + bound.name + " : i32 -> " + tensor("i32", extents), "i32", extents);
    value first = add("arith.cmpi slt, " + index.name + ", " + splat.name + " : " + type_of(index),
                      "i1", extents);
    if (!chance(30))
      return first;
    std::size_t d = static_cast<std::size_t>(below(static_cast<int>(extents.size())));
    value row = one_dimension(extents, d);
    value limit = add("arith.constant dense<" + std::to_string(below(extents[d] + 2)) +
                          "> : " + tensor("i32", extents),
                      "i32", extents);
    value second = add("arith.cmpi slt, " + row.name + ", " + limit.name + " : " + type_of(row),
                       "i1", extents);
    return add("arith.andi " + first.name + ", " + second.name + " : " + type_of(first), "i1",
               extents);
  }

  virtual std::string pointers(const std::string &element, const shape &extents, bool injective) {
    static const char *floats[] = {"%x", "%y", "%z"};
    std::string base = element == "f32" ? floats[below(3)] : "%w";
    std::string type = "!tt.ptr<" + element + ">";
    if (!injective && chance(15) && !extents.empty()) { // a gather
      value any = pick("i32", extents);
      value limit = add("arith.constant dense<1023> : " + tensor("i32", extents), "i32", extents);
      value inside =
          add("arith.andi " + any.name + ", " + limit.name + " : " + type_of(any), "i32", extents);
      return pointer_to(base, type, inside);
    }
    return pointer_to(base, type, index_of(extents, injective));
  }

  std::string pointer_to(const std::string &base, const std::string &type, const value &offset) {
    std::string splat = fresh(), result = fresh();
    line(splat + " = tt.splat " + base + " : " + type + " -> " + tensor(type, offset.extents));
    line(result + " = tt.addptr " + splat + ", " + offset.name + " : " +
         tensor(type, offset.extents) + ", " + type_of(offset));
    return result;
  }

  value load(const std::string &element, const shape &extents) {
    std::string pointer = pointers(element, extents, false);
    std::string type = tensor("!tt.ptr<" + element + ">", extents);
    if (chance(45))
      return add("tt.load " + pointer + " : " + type, element, extents);
    value mask = mask_of(extents);
    if (chance(30))
      return add("tt.load " + pointer + ", " + mask.name + " : " + type, element, extents);
    value other = pick(element, extents);
    return add("tt.load " + pointer + ", " + mask.name + ", " + other.name + " : " + type, element,
               extents);
  }

  void store() {
    // Prefer what was made last.
    for (std::size_t back = 0; back < pool_.size(); ++back) {
      value v = pool_[pool_.size() - 1 - back];
      if (v.extents.empty() || v.element == "i1" || chance(30))
        continue;
      if (v.element == "f32")
        v = clamped(v);
      std::string pointer = pointers(v.element, v.extents, true);
      std::string mask;
      if (chance(50))
        mask = ", " + mask_of(v.extents).name;
      line("tt.store " + pointer + ", " + v.name + mask + " : " +
           tensor("!tt.ptr<" + v.element + ">", v.extents));
      return;
    }
  }

  /// Back to multiples of 1/4 of at most 512, so that whatever is summed next is exact.
  value clamped(const value &v) {
    value low = add("arith.constant " + dense("-5.120000e+02", v.extents) + " : " + type_of(v),
                    "f32", v.extents);
    value high = add("arith.constant " + dense("5.120000e+02", v.extents) + " : " + type_of(v),
                     "f32", v.extents);
    value a =
        add("arith.maxnumf " + v.name + ", " + low.name + " : " + type_of(v), "f32", v.extents);
    return add("arith.minnumf " + a.name + ", " + high.name + " : " + type_of(v), "f32", v.extents);
  }

  static std::string dense(const std::string &text, const shape &extents) {
    return extents.empty() ? text : "dense<" + text + ">";
  }

  void operations(int fewest, int more, int depth) {
    const int outside = std::exchange(depth_, depth);
    const std::size_t count_at = chosen_.taken.size();
    for (int left = fewest + below(more); left > 0; --left) {
      const std::size_t begin = chosen_.taken.size();
      operation(depth);
      chosen_.spans.push_back({begin, chosen_.taken.size(), count_at});
    }
    depth_ = outside;
  }

  void operation(int depth) {
    shape extents = random_shape();
    // Stay with a shape that is in use, mostly.
    if (chance(75))
      for (std::size_t tries = 0; tries < 4 && !pool_.empty(); ++tries)
        if (const value &v = pool_[below(static_cast<int>(pool_.size()))]; !v.extents.empty()) {
          extents = v.extents;
          break;
        }
    if (other_operation(extents))
      return;
    switch (below(21)) {
    case 0:
    case 1:
    case 2:
      return float_arithmetic(chance(8) ? shape{} : extents);
    case 3:
    case 4:
      return integer_arithmetic(chance(10) ? shape{} : extents);
    case 5:
      return select(extents);
    case 6:
    case 7:
      load(chance(70) ? "f32" : "i32", extents);
      return;
    case 8:
    case 9:
      return store();
    case 10:
    case 11:
      return reduce(chance(70) ? "f32" : "i32", extents);
    case 12:
      return scan(extents);
    case 13:
    case 14:
      return reshape(extents);
    case 15:
      return transpose(extents);
    case 16:
      return join_or_split(extents);
    case 17:
      return gather(extents);
    case 18:
      return depth < 2 ? loop(depth) : store();
    case 19:
      return depth < 2 ? branch(depth) : reduce("i32", extents);
    default:
      return dot();
    }
  }

  void float_arithmetic(const shape &extents) {
    value a = pick("f32", extents), b = pick("f32", extents);
    static const char *two[] = {"arith.addf", "arith.subf", "arith.maxnumf", "arith.minnumf",
                                "arith.maximumf"};
    static const char *one[] = {"arith.negf", "math.absf", "math.floor"};
    if (chance(70))
      clamped(add(std::string(two[below(5)]) + " " + a.name + ", " + b.name + " : " + type_of(a),
                  "f32", extents));
    else
      add(std::string(one[below(3)]) + " " + a.name + " : " + type_of(a), "f32", extents);
  }

  void integer_arithmetic(const shape &extents) {
    value a = pick("i32", extents), b = pick("i32", extents);
    static const char *two[] = {"arith.addi",  "arith.subi",  "arith.muli",  "arith.andi",
                                "arith.ori",   "arith.xori",  "arith.divsi", "arith.remsi",
                                "arith.maxsi", "arith.minui", "arith.shrui", "arith.shli",
                                "arith.divui", "tt.mulhiui"};
    value c = add(std::string(two[below(14)]) + " " + a.name + ", " + b.name + " : " + type_of(a),
                  "i32", extents);
    if (chance(20)) {
      std::string narrow = fresh();
      static const char *types[] = {"i8", "i16", "i64"};
      std::string other = types[below(3)];
      bool wider = other == "i64";
      line(narrow + " = arith." + (wider ? "extsi " : "trunci ") + c.name + " : " + type_of(c) +
           " to " + tensor(other, extents));
      add(std::string("arith.") +
              (wider        ? "trunci "
               : chance(50) ? "extsi "
                            : "extui ") +
              narrow + " : " + tensor(other, extents) + " to " + type_of(c),
          "i32", extents);
    }
  }

  void select(const shape &extents) {
    std::string element = any_element();
    value c = pick("i1", extents), a = pick(element, extents), b = pick(element, extents);
    add("arith.select " + c.name + ", " + a.name + ", " + b.name + " : " + type_of(c) + ", " +
            type_of(a),
        element, extents);
  }

  std::string combine(const std::string &element) {
    static const char *floats[] = {"arith.addf", "arith.maxnumf", "arith.minnumf",
                                   "arith.maximumf"};
    static const char *integers[] = {"arith.addi",  "arith.xori", "arith.maxsi",
                                     "arith.minui", "arith.ori",  "arith.muli"};
    return element == "f32" ? floats[below(4)] : integers[below(6)];
  }

  void reduce(const std::string &element, const shape &extents) {
    std::size_t axis = static_cast<std::size_t>(below(static_cast<int>(extents.size())));
    shape result = extents;
    result.erase(result.begin() + static_cast<std::ptrdiff_t>(axis));
    value a = pick(element, extents);
    if (chance(20)) { // the largest and its index
      value index = one_dimension(extents, axis);
      std::string both = fresh();
      line(both + ":2 = \"tt.reduce\"(" + a.name + ", " + index.name +
           ") <{axis = " + std::to_string(axis) + " : i32}> ({");
      line("^bb0(%a: " + element + ", %i: i32, %b: " + element + ", %j: i32):");
      std::string compare = element == "f32" ? "arith.cmpf o" : "arith.cmpi s";
      std::string equal = element == "f32" ? "arith.cmpf oeq" : "arith.cmpi eq";
      line("  %g = " + compare + "gt, %a, %b : " + element);
      line("  %e = " + equal + ", %a, %b : " + element);
      line("  %l = arith.cmpi slt, %i, %j : i32");
      line("  %t = arith.andi %e, %l : i1");
      line("  %s = arith.ori %g, %t : i1");
      line("  %p = arith.select %s, %a, %b : " + element);
      line("  %q = arith.select %s, %i, %j : i32");
      line("  tt.reduce.return %p, %q : " + element + ", i32");
      line("}) : (" + type_of(a) + ", " + type_of(index) + ") -> (" + tensor(element, result) +
           ", " + tensor("i32", result) + ")");
      pool_.push_back({both + "#0", element, result});
      pool_.push_back({both + "#1", "i32", result});
      return;
    }
    std::string name = fresh();
    line(name + " = \"tt.reduce\"(" + a.name + ") <{axis = " + std::to_string(axis) +
         " : i32}> ({");
    region(element, "tt.reduce.return");
    line("}) : (" + type_of(a) + ") -> " + tensor(element, result));
    value v{name, element, result};
    pool_.push_back(v);
    if (element == "f32")
      clamped(v);
  }

  void region(const std::string &element, const std::string &terminator) {
    line("^bb0(%a: " + element + ", %b: " + element + "):");
    line("  %c = " + combine(element) + " %a, %b : " + element);
    line("  " + terminator + " %c : " + element);
  }

  void scan(const shape &extents) {
    std::string element = chance(50) ? "f32" : "i32";
    value a = pick(element, extents);
    std::string name = fresh();
    line(name + " = \"tt.scan\"(" + a.name +
         ") <{axis = " + std::to_string(below(static_cast<int>(extents.size()))) +
         " : i32, reverse = " + (chance(30) ? "true" : "false") + "}> ({");
    region(element, "tt.scan.return");
    line("}) : (" + type_of(a) + ") -> " + type_of(a));
    value v{name, element, extents};
    pool_.push_back(v);
    if (element == "f32")
      clamped(v);
  }

  void reshape(const shape &extents) {
    std::string element = any_element();
    value a = pick(element, extents);
    if (chance(35)) { // a new axis, grown
      shape wide = extents;
      std::size_t axis = static_cast<std::size_t>(below(static_cast<int>(extents.size()) + 1));
      wide.insert(wide.begin() + static_cast<std::ptrdiff_t>(axis), 1);
      value e = add("tt.expand_dims " + a.name + " {axis = " + std::to_string(axis) +
                        " : i32} : " + type_of(a) + " -> " + tensor(element, wide),
                    element, wide);
      shape grown = wide;
      grown[axis] = chance(20) ? 1 + below(20) : 1 << below(6);
      if (count_of(grown) <= 4096 && grown != wide)
        add("tt.broadcast " + e.name + " : " + type_of(e) + " -> " + tensor(element, grown),
            element, grown);
      return;
    }
    int count = count_of(extents);
    shape other;
    while (count > 1 && other.size() < 3) {
      std::vector<int> divisors;
      for (int i = 1; i <= count; ++i)
        if (count % i == 0)
          divisors.push_back(i);
      const int extent = other.size() == 2 ? count : divisors[below(int(divisors.size()))];
      other.push_back(extent);
      count /= extent;
    }
    if (other.empty())
      other.push_back(1);
    if (other != extents)
      add("tt.reshape " + a.name + " : " + type_of(a) + " -> " + tensor(element, other), element,
          other);
  }

  void transpose(const shape &extents) {
    if (extents.size() < 2)
      return;
    std::string element = any_element();
    value a = pick(element, extents);
    std::vector<int> order;
    for (std::size_t d = 0; d < extents.size(); ++d)
      order.insert(order.begin() + below(static_cast<int>(order.size()) + 1), static_cast<int>(d));
    shape result;
    std::string text;
    for (int d : order) {
      result.push_back(extents[static_cast<std::size_t>(d)]);
      text += (text.empty() ? "" : ", ") + std::to_string(d);
    }
    add("tt.trans " + a.name + " {order = array<i32: " + text + ">} : " + type_of(a) + " -> " +
            tensor(element, result),
        element, result);
  }

  void join_or_split(const shape &extents) {
    std::string element = any_element();
    value a = pick(element, extents);
    if (extents.back() == 2 && extents.size() > 1) {
      shape half(extents.begin(), extents.end() - 1);
      std::string low = fresh(), high = fresh();
      line(low + ", " + high + " = tt.split " + a.name + " : " + type_of(a) + " -> " +
           tensor(element, half));
      pool_.push_back({low, element, half});
      pool_.push_back({high, element, half});
      return;
    }
    value b = pick(element, extents);
    shape both = extents;
    both.push_back(2);
    if (count_of(both) > 4096)
      return;
    add("tt.join " + a.name + ", " + b.name + " : " + type_of(a) + " -> " + tensor(element, both),
        element, both);
  }

  void gather(const shape &extents) {
    std::string element = any_element();
    value a = pick(element, extents), any = pick("i32", extents);
    std::size_t axis = static_cast<std::size_t>(below(static_cast<int>(extents.size())));
    value limit = add("arith.constant dense<" + std::to_string(extents[axis] - 1) +
                          "> : " + tensor("i32", extents),
                      "i32", extents);
    value index =
        add("arith.andi " + any.name + ", " + limit.name + " : " + type_of(any), "i32", extents);
    add("tt.gather " + a.name + "[" + index.name + "] {axis = " + std::to_string(axis) +
            " : i32} : (" + type_of(a) + ", " + type_of(index) + ") -> " + type_of(a),
        element, extents);
  }

  void dot() {
    static const int sizes[] = {1, 4, 16, 32, 5, 20};
    const int most = chance(20) ? 6 : 4;
    int m = sizes[below(most)], n = sizes[below(most)], k = sizes[below(most)];
    value a = halves({m, k}), b = halves({k, n});
    value c = pick("f32", {m, n});
    value d = add("tt.dot " + a.name + ", " + b.name + ", " + c.name + " : " + type_of(a) + " * " +
                      type_of(b) + " -> " + type_of(c),
                  "f32", {m, n});
    clamped(d);
  }

  /// Integers from -4 to 4, so that products are exact.
  value halves(const shape &extents) {
    value v = pick("f32", extents);
    value low =
        add("arith.constant " + dense("-4.0", extents) + " : " + type_of(v), "f32", extents);
    value high =
        add("arith.constant " + dense("4.0", extents) + " : " + type_of(v), "f32", extents);
    value a = add("arith.maxnumf " + v.name + ", " + low.name + " : " + type_of(v), "f32", extents);
    value b =
        add("arith.minnumf " + a.name + ", " + high.name + " : " + type_of(v), "f32", extents);
    return add("math.floor " + b.name + " : " + type_of(b), "f32", extents);
  }

  std::vector<value> carried_values() {
    std::vector<value> carried;
    int count = 1 + below(3);
    for (int i = 0; i < count; ++i) {
      shape extents = chance(25) ? shape{} : random_shape();
      carried.push_back(pick(any_element(), extents));
    }
    return carried;
  }

  void yield(const std::vector<value> &carried) {
    std::string names, types;
    for (const value &v : carried) {
      value next = pick(v.element, v.extents);
      if (v.element == "f32")
        next = clamped(next);
      names += (names.empty() ? "" : ", ") + next.name;
      types += (types.empty() ? "" : ", ") + type_of(v);
    }
    line("scf.yield " + names + " : " + types);
  }

  void results(const std::string &name, const std::vector<value> &carried) {
    for (std::size_t i = 0; i < carried.size(); ++i)
      pool_.push_back({name + "#" + std::to_string(i), carried[i].element, carried[i].extents});
  }

  void loop(int depth) {
    std::vector<value> carried = carried_values();
    std::string types, arguments, name = fresh(), variable = fresh(), end = fresh(), zero = fresh(),
                                  step = fresh();
    std::size_t known = pool_.size();
    std::vector<value> inside;
    for (const value &v : carried) {
      value argument{fresh(), v.element, v.extents};
      arguments += (arguments.empty() ? "" : ", ") + argument.name + " = " + v.name;
      types += (types.empty() ? "" : ", ") + type_of(v);
      inside.push_back(argument);
    }
    line(zero + " = arith.constant " + std::to_string(chance(75) ? 0 : below(5) - 2) + " : i32");
    if (chance(80)) {
      line(end + " = arith.constant " + std::to_string(below(4)) + " : i32");
    } else { // not known before
      value any = pick("i32", {}), three = add("arith.constant 3 : i32", "i32", {});
      line(end + " = arith.andi " + any.name + ", " + three.name + " : i32");
    }
    line(step + " = arith.constant " + std::to_string(1 + below(2)) + " : i32");
    line(name + ":" + std::to_string(carried.size()) + " = scf.for " + variable + " = " + zero +
         " to " + end + " step " + step + " iter_args(" + arguments + ") -> (" + types +
         ") : i32 {");
    pool_.push_back({variable, "i32", {}});
    for (const value &v : inside)
      pool_.push_back(v);
    operations(1, 5, depth + 1);
    yield(carried);
    static const char *const hints[] = {"",
                                        "",
                                        " {tt.num_stages = 3 : i32}",
                                        " {tt.num_stages = 1 : i32}",
                                        " {tt.flatten}",
                                        " {tt.loop_unroll_factor = 2 : i32}"};
    line(std::string("}") + hints[below(6)]);
    pool_.resize(known);
    results(name, carried);
  }

  void branch(int depth) {
    std::vector<value> carried = carried_values();
    value condition = pick("i1", {});
    std::string types, name = fresh();
    for (const value &v : carried)
      types += (types.empty() ? "" : ", ") + type_of(v);
    std::size_t known = pool_.size();
    line(name + ":" + std::to_string(carried.size()) + " = scf.if " + condition.name + " -> (" +
         types + ") {");
    for (int arm = 0; arm < 2; ++arm) {
      operations(0, 4, depth + 1);
      yield(carried);
      pool_.resize(known);
      line(arm == 0 ? "} else {" : "}");
    }
    results(name, carried);
  }

  std::vector<value> pool_;
  std::string mark_;            // of the pointers to f32
  std::string more_parameters_; // ", %o: !tt.ptr<i32>"

  std::string functions_;     // before the kernel
  std::string pointer_names_; // what the names of the parameters x, y, z and w end in
  int fewest_ = 6;            // operations
  int depth_ = 0;             // of loops and branches around

private:
  choices chosen_;
  std::string body_;
  int next_ = 0;
};

} // namespace fuzz
