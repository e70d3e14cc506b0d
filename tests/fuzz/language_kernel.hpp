// SPDX-License-Identifier: MIT
//
// Random kernels with every operation of the language whose result is the same on all devices, or
// within a stated distance. An operation is a function of one of the groups below; those of
// random_kernel.hpp are among them. Next: language.cpp runs them.
#pragma once

#include "typed_kernel.hpp"

#include <tl/impl/libdevice_functions.hpp>

namespace fuzz {

class language_generator final : public typed_generator {
public:
  using typed_generator::typed_generator;

private:
  bool other_operation(const shape &extents) override {
    if (!chance(75))
      return false;
    const shape where = chance(10) ? shape{} : extents;
    switch (below(26)) {
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
      return sorted(), true;
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

  // ---- elementwise

  void casts(const shape &extents) {
    static const char *const elements[] = {"f32", "f16",      "bf16",   "f64",        "i8",
                                           "i16", "i32",      "i64",    "i1",         "f32",
                                           "i32", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"};
    static const char *const starts[] = {"f32",      "f16",    "bf16",       "f64",
                                         "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"};
    value v = chance(60) ? any_bits(one_of(starts), extents) : pick(any_element(), extents);
    for (int left = 1 + below(3); left > 0; --left)
      v = cast(v, one_of(elements));
    if (v.element.find("FNUZ") != std::string::npos)
      v = cast(v, "f32");
    leave(v);
    settled(v);
  }

  void floats(const shape &extents) {
    const std::string element = any_float();
    const bool wide = bits_of(element) >= 32;
    auto any = [&] { return operand(element, extents); };
    value v;
    switch (below(7)) {
    case 0:
    case 1: {
      static const char *const two[] = {"addf",     "subf",     "mulf",    "remf",
                                        "maximumf", "minimumf", "maxnumf", "minnumf"};
      v = binary(std::string("arith.") + one_of(two), any(), any());
      break;
    }
    case 2: {
      value a = any(), b = any(), c = any();
      v = made("math.fma " + a.name + ", " + b.name + ", " + c.name + " : " + type_of(a), a);
      break;
    }
    case 3: {
      if (!wide)
        return casts(extents);
      v = chance(50) ? binary("tt.precise_divf", any(), any()) : unary("tt.precise_sqrt", any());
      break;
    }
    case 4: {
      static const char *const one[] = {"math.absf",  "math.floor", "math.ceil",
                                        "arith.negf", "math.trunc", "math.roundeven"};
      v = unary(one_of(one), any());
      break;
    }
    case 5: {
      value a = any(), low = pick(element, extents), high = pick(element, extents);
      v = made("tt.clampf " + a.name + ", " + low.name + ", " + high.name +
                   ", propagateNan = " + (chance(50) ? "all" : "none") + " : " + type_of(a),
               a);
      break;
    }
    default: { // a product that is added: exact, so contraction does not show
      value a = small(element, extents), b = small(element, extents);
      v = binary(chance(50) ? "arith.addf" : "arith.subf", binary("arith.mulf", a, b),
                 small(element, extents));
    }
    }
    leave(v);
    settled(v);
  }

  value unary(const std::string &operation, const value &a) {
    return made(operation + " " + a.name + " : " + type_of(a), a);
  }

  void integers(const shape &extents) {
    const std::string element = any_integer();
    if (chance(25)) {
      static const char *const one[] = {"math.absi", "math.ctpop", "math.ctlz", "math.cttz"};
      keep(unary(one_of(one), pick(element, extents)));
      return;
    }
    static const char *const two[] = {"addi",  "subi",  "muli",  "divsi", "divui", "remsi",
                                      "remui", "shli",  "shrsi", "shrui", "maxsi", "minsi",
                                      "maxui", "minui", "andi",  "ori",   "xori"};
    value a = pick(element, extents), b = pick(element, extents);
    if (chance(30)) // a small amount, or a small divisor
      b = constant(std::to_string(below(12) - 2), element, extents);
    const bool high = bits_of(element) >= 32 && chance(10);
    keep(binary(high ? std::string("tt.mulhiui") : std::string("arith.") + one_of(two), a, b));
  }

  void comparison(const shape &extents) {
    static const char *const integers[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                           "sge", "ult", "ule", "ugt", "uge"};
    static const char *const floats[] = {"oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                                         "ueq", "ugt", "uge", "ult", "ule", "une", "uno"};
    if (chance(50)) {
      const std::string element = any_integer();
      value a = pick(element, extents), b = pick(element, extents);
      keep(compare(std::string("cmpi ") + one_of(integers), a, b));
      return;
    }
    const std::string element = any_float();
    value a = operand(element, extents), b = operand(element, extents);
    keep(compare(std::string("cmpf ") + one_of(floats), a, b));
  }

  /// What is not rounded once is left, and goes no further.
  void functions(const shape &extents) {
    struct function {
      const char *name;
      double ulps;
    };
    static const function known[] = {{"exp", 3},   {"exp2", 3}, {"log", 2}, {"log2", 2},
                                     {"sin", 2},   {"cos", 2},  {"erf", 3}, {"sqrt", 2},
                                     {"rsqrt", 2}, {"divf", 2}};
    const function &f = known[below(10)];
    const std::string element = chance(70) ? "f32" : "f64", name = f.name;
    value a = pick(element, extents);
    value v =
        name == "divf" ? binary("arith.divf", a, pick(element, extents)) : unary("math." + name, a);
    leave(v, 2 * f.ulps, element == "f32" ? 0x1p-125 : 0);
  }

  void library(const shape &extents) {
    const tl::impl::library_function &f =
        tl::impl::library_functions[below(tl::impl::library_size)];
    auto element = [](char type) -> std::string {
      return type == 'f' ? "f32" : type == 'd' ? "f64" : type == 'i' || type == 'u' ? "i32" : "i64";
    };
    std::string names, types;
    for (std::size_t i = 1; i < f.types.size(); ++i) {
      value v = pick(element(f.types[i]), extents);
      names += (i > 1 ? ", " : "") + v.name;
      types += (i > 1 ? ", " : "") + type_of(v);
    }
    const std::string result = element(f.types[0]);
    value v =
        made("tt.extern_elementwise " + names +
                 " {libname = \"libdevice\", libpath = \"\", pure = true, symbol = \"__nv_" +
                 std::string(f.symbol) + "\"} : (" + types + ") -> " + tensor(result, extents),
             result, extents);
    const double denormal = f.ulps > 0 && result == "f32" ? 0x1p-125 : 0;
    leave(v, 2 * f.ulps, 2 * f.absolute + denormal);
    if (f.ulps == 0)
      settled(v);
  }

  // ---- reduction

  /// Operands of several types and a region that combines each of them on its own.
  struct together {
    std::vector<value> operands;
    std::string names, types, arguments, region, results, elements;
  };

  together combined(const shape &extents, const char *end) {
    together t;
    std::string first, second, body, sum;
    for (int k = 0, count = 1 + below(3); k < count; ++k) {
      const std::string i = std::to_string(k);
      const bool integer = chance(50);
      const std::string element = integer ? any_integer() : any_float();
      static const char *const integers[] = {"addi", "xori", "maxsi", "minui", "ori", "muli"};
      static const char *const floats[] = {"maxnumf", "minnumf", "maximumf", "minimumf", "addf"};
      std::string operation = integer ? one_of(integers) : one_of(floats);
      // Sums of narrow floats are exact if they are of few and small numbers.
      const bool adds = operation == "addf";
      if (adds && bits_of(element) == 16 && count_of(extents) > 64)
        operation = "maxnumf";
      value v = operation == "addf" ? small(element, extents) : pick(element, extents);
      const std::string comma = k ? ", " : "";
      t.operands.push_back(v);
      t.names += comma + v.name;
      t.types += comma + type_of(v);
      first += comma + "%a" + i + ": " + element;
      second += ", %b" + i + ": " + element;
      body += "      %c" + i + " = arith." + operation + " %a" + i + ", %b" + i + " : " + element +
              "\n";
      sum += comma + "%c" + i;
      t.elements += comma + element;
    }
    t.region = "    ^bb0(" + first + second + "):\n" + body + "      " + end + " " + sum + " : " +
               t.elements;
    return t;
  }

  void reductions(const shape &extents) {
    const int axis = below(static_cast<int>(extents.size()));
    together t = combined(extents, "tt.reduce.return");
    shape rest = extents;
    rest.erase(rest.begin() + axis);
    finish_together(t, "reduce", "axis = " + std::to_string(axis) + " : i32", rest);
  }

  void scans(const shape &extents) {
    const std::string options =
        "axis = " + std::to_string(below(static_cast<int>(extents.size()))) +
        " : i32, reverse = " + (chance(40) ? "true" : "false");
    together t;
    if (chance(60)) {
      t = combined(extents, "tt.scan.return");
    } else { // maps x -> a x + b, one after the other: the order shows
      const std::string element = any_integer();
      value a = pick(element, extents), b = pick(element, extents);
      t.operands = {a, b};
      t.names = a.name + ", " + b.name;
      t.types = type_of(a) + ", " + type_of(b);
      t.elements = element + ", " + element;
      auto of = [&](const char *text) { return std::string(text) + " : " + element + "\n"; };
      t.region = "    ^bb0(%a: " + element + ", %b: " + element + ", %c: " + element +
                 ", %d: " + element + "):\n" + of("      %p = arith.muli %a, %c") +
                 of("      %q = arith.muli %b, %c") + of("      %r = arith.addi %q, %d") +
                 "      tt.scan.return %p, %r : " + t.elements;
    }
    finish_together(t, "scan", options, extents);
  }

  void finish_together(const together &t, const std::string &operation, const std::string &options,
                       const shape &extents) {
    const std::string name = fresh();
    std::string results;
    for (const value &v : t.operands)
      results += (results.empty() ? "" : ", ") + tensor(v.element, extents);
    const std::size_t count = t.operands.size();
    line(name + (count > 1 ? ":" + std::to_string(count) : "") + " = \"tt." + operation + "\"(" +
         t.names + ") <{" + options + "}> ({");
    line(t.region);
    line("}) : (" + t.types + ") -> " + (count > 1 ? "(" + results + ")" : results));
    for (std::size_t i = 0; i < count; ++i)
      settled({count > 1 ? name + "#" + std::to_string(i) : name, t.operands[i].element, extents});
  }

  void histogram() {
    shape flat = {32 << below(6)}, bins = {2 << below(8)};
    value a = pick("i32", flat);
    if (chance(60)) // most of them are counted
      a = binary("arith.andi", a, constant(std::to_string(bins[0] * 2 - 1), "i32", flat));
    const std::string mask = chance(50) ? ", " + mask_of(flat).name : "";
    keep(made("tt.histogram " + a.name + mask + " : " + type_of(a) + " -> " + tensor("i32", bins),
              "i32", bins));
  }

  /// A bitonic network: elements change places with those whose index differs in one bit.
  void sorted() {
    static const char *const elements[] = {"i32", "i16", "f32", "i64"};
    const std::string element = one_of(elements);
    const int bits = 2 + below(4), count = 1 << bits;
    const bool descending = chance(50), integer = is_integer(element);
    value v = pick(element, {count});
    const std::string word = "i" + std::to_string(bits_of(element));
    value index = made("tt.make_range {end = " + std::to_string(count) +
                           " : i32, start = 0 : i32}" + " : " + tensor("i32", v.extents),
                       "i32", v.extents);
    for (int stage = 0; stage < bits; ++stage)
      for (int bit = stage; bit >= 0; --bit) {
        value partner = exchanged(v, 1 << bit, word);
        auto bit_of = [&](int b) {
          value m = binary("arith.andi", index, constant(std::to_string(1 << b), "i32", v.extents));
          return compare("cmpi ne", m, constant("0", "i32", v.extents));
        };
        value greater = compare(integer ? "cmpi sgt" : "cmpf ogt", v, partner);
        value less = compare(integer ? "cmpi slt" : "cmpf olt", v, partner);
        value upper = bit_of(bit), down = stage + 1 < bits ? bit_of(stage + 1) : upper;
        value flip = stage + 1 < bits ? binary("arith.xori", upper, down) : upper;
        if (descending)
          flip = binary("arith.xori", flip, constant("true", "i1", v.extents));
        value swap = made("arith.select " + flip.name + ", " + less.name + ", " + greater.name +
                              " : " + type_of(flip) + ", " + type_of(less),
                          less);
        v = made("arith.select " + swap.name + ", " + partner.name + ", " + v.name + " : " +
                     type_of(swap) + ", " + type_of(v),
                 v);
      }
    keep(v);
  }

  /// Of each element the one `distance` away: the exclusive or of both, without itself.
  value exchanged(const value &v, int distance, const std::string &word) {
    const shape cube = {v.extents[0] / (2 * distance), 2, distance};
    const shape pairs = {cube[0], distance}, grown = {cube[0], 1, distance};
    auto to = [&](const std::string &operation, const value &a, const shape &s) {
      return made("tt." + operation + " : " + type_of(a) + " -> " + tensor(a.element, s), a.element,
                  s);
    };
    value w = v;
    if (w.element != word) {
      w = made("tt.bitcast " + w.name + " : " + type_of(w) + " -> " + tensor(word, w.extents), word,
               w.extents);
    }
    value c = to("reshape " + w.name, w, cube);
    const std::string both = fresh();
    line(both + " = \"tt.reduce\"(" + c.name + ") <{axis = 1 : i32}> ({");
    line("    ^bb0(%a: " + word + ", %b: " + word + "):");
    line("      %c = arith.xori %a, %b : " + word);
    line("      tt.reduce.return %c : " + word);
    line("}) : (" + type_of(c) + ") -> " + tensor(word, pairs));
    value p = {both, word, pairs};
    value e = to("expand_dims " + p.name + " {axis = 1 : i32}", p, grown);
    value b = to("broadcast " + e.name, e, cube);
    value other = binary("arith.xori", b, c);
    value flat = to("reshape " + other.name, other, v.extents);
    if (v.element == word)
      return flat;
    return made("tt.bitcast " + flat.name + " : " + type_of(flat) + " -> " + type_of(v), v);
  }

  // ---- shaping

  void concatenation() {
    const shape half = {1 << below(8)}, whole = {half[0] * 2};
    const std::string element = any_element();
    value a = pick(element, half), b = pick(element, half);
    keep(made("tt.cat " + a.name + ", " + b.name + " : " + type_of(a) + " -> " +
                  tensor(element, whole),
              element, whole));
  }

  /// With more or fewer indices than there are elements.
  void gathered(const shape &extents) {
    const std::string element = any_element();
    const std::size_t axis = static_cast<std::size_t>(below(static_cast<int>(extents.size())));
    shape result = extents;
    result[axis] = 1 << below(7);
    if (count_of(result) > 4096)
      return;
    value a = pick(element, extents), any = pick("i32", result);
    value index =
        binary("arith.andi", any, constant(std::to_string(extents[axis] - 1), "i32", result));
    keep(made("tt.gather " + a.name + "[" + index.name + "] {axis = " + std::to_string(axis) +
                  " : i32} : (" + type_of(a) + ", " + type_of(index) + ") -> " +
                  tensor(element, result),
              element, result));
  }

  // ---- linear algebra

  void product() {
    static const char *const types[][3] = {
        {"f16", "f16", "f32"},           {"f16", "f16", "f16"},
        {"bf16", "bf16", "f32"},         {"f32", "f32", "f32"},
        {"f64", "f64", "f64"},           {"i8", "i8", "i32"},
        {"f8E4M3FN", "f8E4M3FN", "f32"}, {"f8E5M2", "f8E5M2", "f32"},
        {"f8E4M3FN", "f8E5M2", "f32"}};
    static const char *const precisions[] = {"tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"};
    static const int sizes[] = {16, 32, 64, 1, 4};
    const auto &type = types[below(9)];
    const std::string element = type[0], sum = type[2];
    const int m = sizes[below(5)], n = sizes[below(5)], k = sizes[below(5)];
    shape left = {m, k}, right = {k, n}, result = {m, n};
    if (chance(25))
      for (shape *s : {&left, &right, &result})
        s->insert(s->begin(), 2);
    const bool integer = element == "i8";
    value a = integer ? pick("i8", left) : small(element, left);
    value b = integer ? pick("i8", right) : small(type[1], right);
    value c = integer ? pick(sum, result) : small(sum, result);
    const std::string precision =
        element == "f32" ? std::string(", inputPrecision = ") + one_of(precisions) : "";
    settled(made("tt.dot " + a.name + ", " + b.name + ", " + c.name + precision + " : " +
                     type_of(a) + " * " + type_of(b) + " -> " + type_of(c),
                 sum, result));
  }

  void scaled_product() {
    static const char *const kinds[][2] = {{"e4m3", "f8E4M3FN"},
                                           {"e5m2", "f8E5M2"},
                                           {"e2m1", "i8"},
                                           {"bf16", "bf16"},
                                           {"fp16", "f16"}};
    const int k = 64, m = 16 << below(2), n = 16 << below(2);
    auto side = [&](bool is_left, int extent, std::string &kind) {
      const auto &of = kinds[below(5)];
      kind = of[0];
      const int along = kind == "e2m1" ? k / 2 : k;
      const shape s = is_left ? shape{extent, along} : shape{along, extent};
      return kind == "e2m1" ? pick("i8", s) : small(of[1], s);
    };
    auto scales = [&](int extent) { // 1/2, 1, 2 and 4
      const shape s = {extent, k / 32};
      value low = binary("arith.andi", pick("i8", s), constant("3", "i8", s));
      return binary("arith.addi", low, constant("126", "i8", s));
    };
    std::string left, right;
    value a = side(true, m, left), b = side(false, n, right), c = small("f32", {m, n});
    std::string names[2], types[2];
    const bool scaled[] = {chance(70), chance(70)};
    for (int i = 0; i < 2; ++i)
      if (scaled[i]) {
        value s = scales(i == 0 ? m : n);
        names[i] = " scale " + s.name;
        types[i] = ", " + type_of(s);
      }
    settled(made("tt.dot_scaled " + a.name + names[0] + ", " + b.name + names[1] + ", " + c.name +
                     " lhs = " + left + " rhs = " + right + " {fastMath = false} : " + type_of(a) +
                     types[0] + " * " + type_of(b) + types[1] + " -> " + type_of(c),
                 c));
  }

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
    const int columns = std::max((what < 2 ? 256 : 128) / bits_of(element), 8 << below(3));
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
    const shape block = chance(30) ? shape{columns} : shape{1 << below(5), columns};
    switch (what) {
    case 0: { // chosen rows
      const shape result = {8 << below(2), columns};
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
      const shape source = {8, columns};
      value d = describe(base, {1, columns});
      value at = one_dimension({8}, 0), y = small_scalar(0, 48), v = pick(element, source);
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
    const shape block = {1 << below(5), 8 << below(4)};
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
    const int count = count_of(extents), pack = count % 2 == 0 && chance(50) ? 2 : 1;
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
    switch (below(5)) {
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
