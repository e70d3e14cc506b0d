// SPDX-License-Identifier: MIT
//
// Random kernels with every operation of the language whose result is the same on all devices, or
// within a stated distance: those of random_kernel.hpp, those of language_values.hpp, and here
// memory and control flow. Next: language.cpp runs them.
#pragma once

#include "language_values.hpp"

namespace fuzz {

class language_generator final : public value_generator {
public:
  using value_generator::value_generator;

private:
  bool other_operation(const shape &extents) override {
    if (!chance(70))
      return false;
    const shape where = chance(10) ? shape{} : extents;
    switch (below(28)) {
    case 0:
    case 1:
      return casts(where), true;
    case 2:
    case 3:
      return floats(where), true;
    case 4:
    case 5:
      return integers(where), true;
    case 6:
      return comparison(where), true;
    case 7:
      return functions(where), true;
    case 8:
      return library(where), true;
    case 9:
      return load_settled(extents), true;
    case 10:
      return typed_store(any_element_in_memory(), extents), true;
    case 11:
      return reductions(extents), true;
    case 12:
      return scans(extents), true;
    case 13:
      return concatenation(), true;
    case 14:
      return gathered(extents), true;
    case 15:
      return histogram(), true;
    case 16:
      return chance(30) ? sorted() : concatenation(), true;
    case 26:
      return product_loop(), true;
    case 27:
      return depth_ < 2 ? (chance(60) ? loop(depth_) : branch(depth_)) : casts(where), true;
    case 17:
      return product(), true;
    case 18:
      return scaled_product(), true;
    case 19:
      return atomic(where), true;
    case 20:
    case 21:
      return described(), true;
    case 22:
      return block_pointer(), true;
    case 23:
      return mapped(extents), true;
    case 24:
      return random_numbers(extents), true;
    default:
      return control(extents), true;
    }
  }

  std::string any_element_in_memory() {
    std::string element = any_element();
    return element == "i1" ? "i8" : element;
  }

  void load_settled(const shape &extents) { keep(typed_load(any_element_in_memory(), extents)); }

  // ---- memory

  /// Each in a region of its own, so that the order among the elements shows nowhere.
  std::string atomic_base(const std::string &element) {
    atomics.push_back(element);
    return pointer_at("%atomic", static_cast<int>(atomics.size() - 1) * region_bytes, element);
  }

  void atomic(const shape &extents) {
    static const char *const orders[] = {"relaxed", "acquire", "release", "acq_rel"};
    static const char *const scopes[] = {"gpu", "cta", "sys"};
    static const char *const kinds[] = {"add", "and", "or", "xor", "max", "min", "umax", "umin"};
    if (atomics.size() >= static_cast<std::size_t>(atomic_regions))
      return typed_store(any_element_in_memory(), extents.empty() ? shape{16} : extents);
    const bool integer = chance(60);
    static const char *const integers[] = {"i32", "i64"};
    const std::string element = integer ? one_of(integers) : any_float();
    const std::string pointer = "!tt.ptr<" + element + ">", base = atomic_base(element);
    // Where several elements meet, what each of them saw is left alone.
    const bool meet = !extents.empty() && bits_of(element) > 16 && chance(40);
    std::string at = base;
    if (!extents.empty()) {
      value index = index_of(extents, true);
      if (meet)
        index = binary("arith.andi", pick("i32", extents), constant("31", "i32", extents));
      at = pointer_to(base, pointer, index);
    }
    value v = integer                 ? pick(element, extents)
              : bits_of(element) > 16 ? small(element, extents)
                                      : cast(pick("i1", extents), element);
    const std::string where = std::string(one_of(orders)) + ", " + one_of(scopes) + ", " + at;
    const std::string mask = !extents.empty() && chance(50) ? mask_of(extents).name : "";
    const std::string types = tensor(pointer, extents) + ", " + type_of(v);
    const bool masked = !mask.empty();
    if (!meet && integer && chance(25)) {
      value other = pick(element, extents);
      value seen = made("tt.atomic_cas " + where + ", " + v.name + ", " + other.name + " : (" +
                            types + ", " + type_of(v) + ") -> " + type_of(v),
                        v);
      keep(seen);
      return;
    }
    std::string kind = integer ? one_of(kinds) : "fadd";
    if (!meet && chance(20))
      kind = "exch";
    value seen = made("tt.atomic_rmw " + kind + ", " + where + ", " + v.name +
                          (masked ? ", " + mask : "") + " : (" + types +
                          (masked ? ", " + tensor("i1", extents) : "") + ") -> " + type_of(v),
                      v);
    if (meet || masked)
      return;
    leave(seen);
    settled(seen);
  }

  /// A number for the first element of a block, which may lie outside.
  value place(int bound) {
    return chance(70) ? constant(std::to_string(below(bound + 8) - 4), "i32", {}) : pick("i32", {});
  }

  value small_scalar(int lowest, int bound) {
    return constant(std::to_string(lowest + below(bound)), "i32", {});
  }

  void described() {
    std::string element = any_element_in_memory();
    if (bits_of(element) == 64)
      element = "f32";
    const std::string base = element == "f32"   ? std::string("%x")
                             : element == "i32" ? std::string("%w")
                                                : typed_base(element);
    const int what = below(6); // gathers and scatters take rows of 32 bytes and more
    const int columns = std::max((what < 2 ? 256 : 128) / bits_of(element),
                                 chance(20) ? 1 + below(40) : 8 << below(3));
    value rows = small_scalar(1, 20), wide = small_scalar(1, 64);
    const bool nan = !is_integer(element) && chance(30);
    const std::string one = constant("1", "i64", {}).name, stride = constant("64", "i64", {}).name;
    auto describe = [&](const std::string &from, const shape &block) {
      const bool flat = block.size() == 1;
      std::string text = "tt.make_tensor_descriptor " + from + ", [" +
                         (flat ? wide.name : rows.name + ", " + wide.name) + "], [" +
                         (flat ? one : stride + ", " + one) + "]" +
                         (nan ? " {padding = 2 : i32}" : "") + " : <" + element + ">, <" +
                         tensor(element, block).substr(7);
      std::string name = fresh();
      line(name + " = " + text);
      return value{name, element, block};
    };
    auto type = [](const value &d) {
      return "!tt.tensordesc<" + tensor(d.element, d.extents).substr(7);
    };
    auto indices = [&](const shape &block) {
      return block.size() == 1 ? place(64).name : place(16).name + ", " + place(64).name;
    };
    const shape block =
        chance(30) ? shape{columns} : shape{chance(20) ? 1 + below(20) : 1 << below(5), columns};
    switch (what) {
    case 0: { // chosen rows
      const shape result = {chance(20) ? 8 + below(20) : 8 << below(2), columns};
      value d = describe(base, {1, columns});
      value at = binary("arith.andi", pick("i32", {result[0]}), constant("15", "i32", {result[0]}));
      value y = small_scalar(0, 48);
      value v = made("tt.descriptor_gather " + d.name + "[" + at.name + ", " + y.name + "] : (" +
                         type(d) + ", " + type_of(at) + ", i32) -> " + tensor(element, result),
                     element, result);
      leave(v);
      settled(v);
      return;
    }
    case 1: {
      const shape source = {chance(20) ? 8 + below(8) : 8, columns};
      value d = describe(base, {1, columns});
      value at = one_dimension({source[0]}, 0), y = small_scalar(0, 48), v = pick(element, source);
      line("tt.descriptor_scatter " + d.name + "[" + at.name + ", " + y.name + "], " + v.name +
           " : " + type(d) + ", " + type_of(at) + ", i32, " + type_of(v));
      return;
    }
    case 2: {
      if (atomics.size() >= static_cast<std::size_t>(atomic_regions) || bits_of(element) < 16)
        return;
      static const char *const integers[] = {"add", "min", "max", "and", "or", "xor"};
      const bool integer = is_integer(element);
      if (integer)
        element = "i32";
      value d = describe(atomic_base(element), block);
      value v = integer || bits_of(element) > 16 ? pick(element, block)
                                                 : cast(pick("i1", block), element);
      line(std::string("tt.descriptor_reduce ") + (integer ? one_of(integers) : "add") + ", " +
           d.name + "[" + indices(block) + "], " + v.name + " : " + type(d) + ", " + type_of(v));
      return;
    }
    case 3: {
      value d = describe(base, block), v = pick(element, block);
      line("tt.descriptor_store " + d.name + "[" + indices(block) + "], " + v.name + " : " +
           type(d) + ", " + type_of(v));
      return;
    }
    default: {
      value d = describe(base, block);
      value v = made("tt.descriptor_load " + d.name + "[" + indices(block) + "] : " + type(d) +
                         " -> " + tensor(element, block),
                     element, block);
      leave(v);
      settled(v);
    }
    }
  }

  void block_pointer() {
    std::string element = any_element_in_memory();
    const std::string base = typed_base(element);
    const shape block = {chance(20) ? 1 + below(20) : 1 << below(5),
                         chance(20) ? 1 + below(60) : 8 << below(4)};
    auto wide = [&](int number) { return constant(std::to_string(number), "i64", {}).name; };
    const std::string type = tensor(element, block);
    std::string p = fresh();
    const bool turned = chance(30);
    const std::string rows = wide(1 + below(20)), columns = wide(1 + below(60));
    line(p + " = tt.make_tensor_ptr " + base + ", [" + rows + ", " + columns + "], [" +
         wide(turned ? 1 : 64) + ", " + wide(turned ? 64 : 1) + "], [" + place(16).name + ", " +
         place(48).name + "] {order = array<i32: " + (turned ? "0, 1" : "1, 0") + ">} : <" + type +
         ">");
    if (chance(40)) {
      std::string moved = fresh(), x = small_scalar(-3, 8).name, y = small_scalar(-3, 8).name;
      line(moved + " = tt.advance " + p + ", [" + x + ", " + y + "] : <" + type + ">");
      p = moved;
    }
    if (chance(35)) {
      value v = pick(element, block);
      line("tt.store " + p + ", " + v.name + " {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<" +
           type + ">");
      return;
    }
    const bool nan = !is_integer(element) && chance(30);
    value v =
        made("tt.load " + p + " {boundaryCheck = array<i32: 0, 1>, padding = " + (nan ? "2" : "1") +
                 " : i32} : !tt.ptr<" + type + ">",
             element, block);
    leave(v);
    settled(v);
  }

  /// Tiles of two matrices in memory, multiplied in a loop: what compilers keep in flight.
  void product_loop() {
    static const char *const types[][2] = {{"f16", "f32"}, {"bf16", "f32"}, {"f32", "f32"},
                                           {"i8", "i32"},  {"f64", "f64"},  {"f8E5M2", "f32"},
                                           {"f16", "f16"}};
    static const int sizes[] = {16, 32, 64};
    const auto &type = types[below(7)];
    const std::string element = type[0], sum = type[1], pointer = "!tt.ptr<" + element + ">";
    const int m = sizes[below(3)], n = sizes[below(3)], k = sizes[below(3)], all = 64;
    const shape left = {m, k}, right = {k, n}, result = {m, n};
    /// Where the elements of a block lie in a matrix with rows of `width`.
    auto offsets = [&](const shape &block, int width) {
      value row = binary("arith.muli", one_dimension(block, 0),
                         constant(std::to_string(width), "i32", block));
      return binary("arith.addi", row, one_dimension(block, 1));
    };
    auto filled = [&](int first, const shape &matrix) {
      const std::string base = fresh(), start = constant(std::to_string(first), "i32", {}).name;
      line(base + " = tt.addptr " + typed_base(element) + ", " + start + " : " + pointer + ", i32");
      value v = element == "i8" ? pick(element, matrix) : small(element, matrix);
      line("tt.store " + pointer_to(base, pointer, offsets(matrix, matrix[1])) + ", " + v.name +
           " : " + tensor(pointer, matrix));
      return base;
    };
    const std::string a = filled(0, {m, all}), b = filled(8192, {all, n});
    if (chance(50))
      line("gpu.barrier");
    value at_a = offsets(left, all), at_b = offsets(right, n);
    value columns = one_dimension(left, 1), zero = constant("0", "i32", {});
    value end = chance(70) ? constant(std::to_string(all), "i32", {}) : small_scalar(0, all + 1);
    value step = constant(std::to_string(k), "i32", {}),
          wide = constant(std::to_string(n), "i32", {});
    value start = chance(70) ? small(sum == "i32" ? "f32" : sum, result) : small("f32", result);
    start = cast(start, sum);
    const std::string name = fresh(), index = fresh(), carried = fresh();
    line(name + " = scf.for " + index + " = " + zero.name + " to " + end.name + " step " +
         step.name + " iter_args(" + carried + " = " + start.name + ") -> (" + type_of(start) +
         ") : i32 {");
    auto moved = [&](const value &offset, const value &by) {
      value many = made("tt.splat " + by.name + " : i32 -> " + type_of(offset), offset);
      return binary("arith.addi", offset, many);
    };
    const value i{index, "i32", {}};
    std::string mask;
    if (chance(50)) { // the last columns are not there
      value limit = made("tt.splat " + end.name + " : i32 -> " + type_of(columns), columns);
      value none = constant(element[0] == 'i' ? "0" : "0.0", element, left);
      mask = ", " + compare("cmpi slt", moved(columns, i), limit).name + ", " + none.name;
    }
    value x = made("tt.load " + pointer_to(a, pointer, moved(at_a, i)) + mask + " : " +
                       tensor(pointer, left),
                   element, left);
    value y = made("tt.load " + pointer_to(b, pointer, moved(at_b, binary("arith.muli", i, wide))) +
                       " : " + tensor(pointer, right),
                   element, right);
    value d = made("tt.dot " + x.name + ", " + y.name + ", " + carried +
                       (element == "f32" && chance(50) ? ", inputPrecision = tf32" : "") + " : " +
                       type_of(x) + " * " + type_of(y) + " -> " + type_of(start),
                   start);
    line("scf.yield " + d.name + " : " + type_of(d));
    line("} {tt.num_stages = " + std::to_string(1 + below(4)) + " : i32}");
    value all_sums{name, sum, result};
    leave(all_sums);
    settled(all_sums);
  }

  // ---- creation, control flow

  /// Rounds of Philox.
  void random_numbers(const shape &extents) {
    value c[4], k[2];
    for (value &v : c)
      v = pick("i32", extents);
    for (value &v : k)
      v = pick("i32", extents);
    value m0 = constant("-766435501", "i32", extents), m1 = constant("-845247145", "i32", extents);
    for (int round = 1 + below(4); round > 0; --round) {
      value high0 = binary("tt.mulhiui", m0, c[0]), high1 = binary("tt.mulhiui", m1, c[2]);
      value low0 = binary("arith.muli", m0, c[0]), low1 = binary("arith.muli", m1, c[2]);
      c[0] = binary("arith.xori", binary("arith.xori", high1, c[1]), k[0]);
      c[2] = binary("arith.xori", binary("arith.xori", high0, c[3]), k[1]);
      c[1] = low1;
      c[3] = low0;
      k[0] = binary("arith.addi", k[0], constant("-1640531527", "i32", extents));
      k[1] = binary("arith.addi", k[1], constant("-1150833019", "i32", extents));
    }
    for (const value &v : c)
      keep(v);
  }

  void mapped(const shape &extents) {
    const int pack = extents.back() % 2 == 0 && chance(50) ? 2 : 1; // within rows
    const std::string element = any_integer();
    value a = pick(element, extents), b = pick("i1", extents);
    std::string arguments, results, types;
    for (int i = 0; i < pack; ++i) {
      arguments += (i ? ", " : "") + std::string("%a") + std::to_string(i) + ": " + element;
      results += (i ? ", " : "") + std::string("%r") + std::to_string(pack - 1 - i);
      types += (i ? ", " : "") + element;
    }
    for (int i = 0; i < pack; ++i)
      arguments += ", %b" + std::to_string(i) + ": i1";
    const std::string name = fresh();
    line(name + " = \"tt.map_elementwise\"(" + a.name + ", " + b.name +
         ") <{pack = " + std::to_string(pack) + " : i32}> ({");
    line("    ^bb0(" + arguments + "):");
    line("      %k = arith.constant " + std::to_string(below(9)) + " : " + element);
    if (chance(50)) { // branches
      line("      cf.cond_br %b0, ^bb1, ^bb2(%a0 : " + element + ")");
      line("    ^bb1:");
      line("      %s = arith.muli %a0, %k : " + element);
      line("      cf.br ^bb2(%s : " + element + ")");
      line("    ^bb2(%r0: " + element + "):");
      if (pack == 2)
        line("      %r1 = arith.select %b1, %k, %a1 : " + element);
    } else {
      for (int i = 0; i < pack; ++i) {
        const std::string n = std::to_string(i);
        line("      %r" + n + " = arith.select %b" + n + ", %a" + n + ", %k : " + element);
      }
    }
    line("      tt.map_elementwise.return " + results + " : " + types);
    line("}) : (" + type_of(a) + ", " + type_of(b) + ") -> " + type_of(a));
    keep({name, element, extents});
  }

  void control(const shape &extents) {
    switch (below(6)) {
    case 5: { // what holds, and all wait for each other
      value c = pick("i1", extents), yes = constant("true", "i1", extents);
      value holds = binary("arith.ori", c, yes);
      line("tt.assert " + holds.name + ", \"holds\" : " + type_of(holds));
      line("gpu.barrier");
      return;
    }
    case 0:
      return depth_ < 2 ? while_loop() : typed_store(any_element_in_memory(), extents);
    case 1:
      return depth_ < 2 ? one_armed() : typed_store(any_element_in_memory(), extents);
    case 2:
      return call(extents);
    case 3: { // what is known
      value zero = constant("0", "i32", {}), c = compare("cmpi sge", {"%n", "i32", {}}, zero);
      line("llvm.intr.assume " + c.name + " : i1");
      return;
    }
    default: { // the kernel may end here
      if (depth_ > 0)
        return call(extents);
      value c = pick("i1", {});
      if (chance(60)) // most do not
        c = compare("cmpi slt", {"%m", "i32", {}}, constant("-2", "i32", {}));
      const std::string label = fresh().substr(1);
      line("cf.cond_br " + c.name + ", ^out" + label + ", ^go" + label);
      line("^out" + label + ":");
      line("tt.return");
      line("^go" + label + ":");
    }
    }
  }

  void one_armed() {
    value c = pick("i1", {});
    const std::vector<value> known = pool_;
    line("scf.if " + c.name + " {");
    operations(1, 4, depth_ + 1);
    line("}");
    pool_ = known;
  }

  /// Ends when its counter or a condition of its body says so.
  void while_loop() {
    std::vector<value> carried = carried_values();
    const std::string limit = small_scalar(0, 4).name, zero = constant("0", "i32", {}).name,
                      one = constant("1", "i32", {}).name, yes = constant("true", "i1", {}).name;
    std::string types = "i32, i1", first, passed, arguments;
    const std::string name = fresh(), counter = fresh(), go = fresh();
    std::vector<value> before, inside;
    for (const value &v : carried) {
      before.push_back({fresh(), v.element, v.extents});
      inside.push_back({fresh(), v.element, v.extents});
      first += ", " + before.back().name + " = " + v.name;
      passed += ", " + before.back().name;
      arguments += ", " + inside.back().name + ": " + type_of(v);
      types += ", " + type_of(v);
    }
    const std::vector<value> known = pool_;
    line(name + ":" + std::to_string(carried.size() + 2) + " = scf.while (" + counter + " = " +
         zero + ", " + go + " = " + yes + first + ") : (" + types + ") -> (" + types + ") {");
    const std::string less = fresh(), both = fresh();
    line("  " + less + " = arith.cmpi slt, " + counter + ", " + limit + " : i32");
    line("  " + both + " = arith.andi " + less + ", " + go + " : i1");
    line("  scf.condition(" + both + ") " + counter + ", " + go + passed + " : " + types);
    line("} do {");
    const std::string now = fresh(), went = fresh(), next = fresh();
    line("^bb0(" + now + ": i32, " + went + ": i1" + arguments + "):");
    pool_.push_back({now, "i32", {}});
    for (const value &v : inside)
      pool_.push_back(v);
    operations(1, 4, depth_ + 1);
    line(next + " = arith.addi " + now + ", " + one + " : i32");
    std::string names = next + ", " + (chance(50) ? yes : pick("i1", {}).name);
    for (const value &v : carried) {
      value last = pick(v.element, v.extents);
      names += ", " + (v.element == "f32" ? clamped(last) : last).name;
    }
    line("scf.yield " + names + " : " + types);
    line("}");
    pool_ = known;
    pool_.push_back({name + "#0", "i32", {}});
    pool_.push_back({name + "#1", "i1", {}});
    for (std::size_t i = 0; i < carried.size(); ++i)
      pool_.push_back({name + "#" + std::to_string(i + 2), carried[i].element, carried[i].extents});
  }

  void call(const shape &extents) {
    const std::string element = any_integer(), f = "@f" + fresh().substr(1);
    value a = pick(element, extents), s = pick("i32", {});
    const std::string type = type_of(a);
    static const char *const two[] = {"addi", "muli", "xori", "maxsi"};
    const bool apart = chance(50);
    functions_ += "  tt.func private " + f + "(%a: " + type + ", %s: i32) -> (" + type +
                  ", i32) attributes {noinline = " + (apart ? "true" : "false") + "} {\n" +
                  "    %b = arith." + one_of(two) + " %a, %a : " + type + "\n" +
                  "    %t = arith.addi %s, %s : i32\n" + "    tt.return %b, %t : " + type +
                  ", i32\n  }\n";
    const std::string name = fresh();
    line(name + ":2 = tt.call " + f + "(" + a.name + ", " + s.name + ") : (" + type +
         ", i32) -> (" + type + ", i32)");
    keep({name + "#0", element, extents});
    keep({name + "#1", "i32", {}});
  }
};

} // namespace fuzz
