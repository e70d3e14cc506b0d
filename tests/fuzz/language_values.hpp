// SPDX-License-Identifier: MIT
//
// The operations of random kernels that make values of values, group by group: elementwise,
// reductions, shapes and products. Each takes its operands from the pool and leaves results there.
// Next: language_kernel.hpp has memory and control flow.
#pragma once

#include "typed_kernel.hpp"

#include <tl/impl/libdevice_functions.hpp>

namespace fuzz {

class value_generator : public typed_generator {
public:
  using typed_generator::typed_generator;

protected:
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
    const std::string_view signature = f.types();
    std::string names, types;
    for (std::size_t i = 1; i < signature.size(); ++i) {
      value v = pick(element(signature[i]), extents);
      names += (i > 1 ? ", " : "") + v.name;
      types += (i > 1 ? ", " : "") + type_of(v);
    }
    const std::string result = element(signature[0]);
    value v =
        made("tt.extern_elementwise " + names +
                 " {libname = \"libdevice\", libpath = \"\", pure = true, symbol = \"__nv_" +
                 std::string(f.symbol()) + "\"} : (" + types + ") -> " + tensor(result, extents),
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
    shape flat = {chance(20) ? 1 + below(200) : 32 << below(6)};
    shape bins = {chance(20) ? 1 + below(40) : 2 << below(8)};
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
    const shape half = {chance(20) ? 1 + below(200) : 1 << below(8)}, whole = {half[0] * 2};
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
    result[axis] = chance(20) ? 1 + below(100) : 1 << below(7);
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
    static const int sizes[] = {16, 32, 64, 1, 4, 5, 17, 48};
    const auto &type = types[below(9)];
    const std::string element = type[0], sum = type[2];
    const int most = chance(25) ? 8 : 5;
    const int m = sizes[below(most)], n = sizes[below(most)], k = sizes[below(most)];
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
    const int k = chance(20) ? 96 : 64;
    const int m = chance(20) ? 1 + below(40) : 16 << below(2);
    const int n = chance(20) ? 1 + below(40) : 16 << below(2);
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
};

} // namespace fuzz
