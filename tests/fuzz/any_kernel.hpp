// SPDX-License-Identifier: MIT
//
// Random kernels with operations of all groups and element types: atomics, functions, conversions,
// histograms, products, printing. Their results are not to be compared; they are there to be
// compiled.
#pragma once

#include "random_kernel.hpp"

#include <algorithm>

namespace fuzz {

class any_generator final : public generator {
public:
  using generator::generator;

private:
  template <std::size_t N> const char *one_of(const char *const (&texts)[N]) {
    return texts[below(static_cast<int>(N))];
  }

  /// A value of any type, from one of f32 or i32.
  value as(const std::string &element, const shape &extents) {
    bool integer = element[0] == 'i';
    value v = pick(integer ? "i32" : "f32", extents);
    if (element == v.element)
      return v;
    bool wider = element == "i64" || element == "f64";
    const char *cast = integer             ? (wider ? "arith.extsi " : "arith.trunci ")
                       : wider             ? "arith.extf "
                       : element[1] == '8' ? "tt.fp_to_fp "
                                           : "arith.truncf ";
    std::string rounding = element[1] == '8' && !integer ? ", rounding = rtne" : "";
    std::string name = fresh();
    line(name + " = " + cast + v.name + rounding + " : " + type_of(v) +
         (element[1] == '8' && !integer ? " -> " : " to ") + tensor(element, extents));
    return {name, element, extents};
  }

  /// Back to f32 or i32, into the pool.
  void keep(const value &v) {
    bool integer = v.element[0] == 'i';
    if (v.element == "f32" || v.element == "i32" || v.element == "i1") {
      pool_.push_back(v);
      return;
    }
    bool wider = v.element == "i64" || v.element == "f64", eight = v.element[1] == '8' && !integer;
    const char *cast = integer ? (wider        ? "arith.trunci "
                                  : chance(50) ? "arith.extsi "
                                               : "arith.extui ")
                       : eight ? "tt.fp_to_fp "
                       : wider ? "arith.truncf "
                               : "arith.extf ";
    add(cast + v.name + " : " + type_of(v) + (eight ? " -> " : " to ") +
            tensor(integer ? "i32" : "f32", v.extents),
        integer ? "i32" : "f32", v.extents);
  }

  value made(const std::string &operation, const value &like) {
    value v{fresh(), like.element, like.extents};
    line(v.name + " = " + operation);
    return v;
  }

  bool other_operation(const shape &extents) override {
    if (!chance(40))
      return false;
    write(extents);
    return true;
  }

  void write(const shape &extents) {
    static const char *const floats[] = {"f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2"};
    static const char *const integers[] = {"i8", "i16", "i32", "i64"};
    static const char *const functions[] = {
        "exp",  "exp2", "log",  "log2",  "sin",   "cos",   "sqrt", "rsqrt", "erf",
        "ceil", "tanh", "absf", "floor", "log1p", "expm1", "atan", "trunc", "roundeven"};
    switch (below(16)) {
    case 0: { // functions
      static const char *const types[] = {"f32", "f64"};
      value a = as(one_of(types), extents);
      return keep(
          made(std::string("math.") + one_of(functions) + " " + a.name + " : " + type_of(a), a));
    }
    case 1: { // arithmetic of narrow and wide floats
      static const char *const two[] = {"addf",     "subf",     "mulf",    "divf",   "remf",
                                        "maximumf", "minimumf", "maxnumf", "minnumf"};
      static const char *const types[] = {"f16", "bf16", "f32", "f64"};
      std::string element = one_of(types);
      value a = as(element, extents), b = as(element, extents);
      return keep(made(std::string("arith.") + one_of(two) + " " + a.name + ", " + b.name + " : " +
                           type_of(a),
                       a));
    }
    case 2: { // of narrow and wide integers
      static const char *const two[] = {"addi",  "subi",  "muli", "divsi", "divui",
                                        "remsi", "remui", "shli", "shrsi", "shrui",
                                        "maxsi", "minui", "andi", "xori"};
      std::string element = one_of(integers);
      value a = as(element, extents), b = as(element, extents);
      return keep(made(std::string("arith.") + one_of(two) + " " + a.name + ", " + b.name + " : " +
                           type_of(a),
                       a));
    }
    case 3: { // bits
      static const char *const one[] = {"math.absi", "math.ctpop", "math.ctlz", "math.cttz"};
      value a = as(one_of(integers), extents);
      return keep(made(std::string(one_of(one)) + " " + a.name + " : " + type_of(a), a));
    }
    case 4: { // conversions
      value a = as(one_of(floats), extents);
      if (chance(50))
        return keep(a);
      std::string to = one_of(integers);
      value r{fresh(), to, extents};
      bool eight = a.element[1] == '8';
      if (eight)
        return keep(a);
      line(r.name + " = arith." + (chance(50) ? "fptosi " : "fptoui ") + a.name + " : " +
           type_of(a) + " to " + tensor(to, extents));
      return keep(r);
    }
    case 5: {
      value a = as(one_of(integers), extents);
      static const char *const types[] = {"f16", "bf16", "f32", "f64"};
      value r{fresh(), one_of(types), extents};
      line(r.name + " = arith." + (chance(50) ? "sitofp " : "uitofp ") + a.name + " : " +
           type_of(a) + " to " + type_of(r));
      return keep(r);
    }
    case 6:
    case 7:
      return atomic(chance(25) ? shape{} : extents);
    case 8: { // histogram
      shape flat = {32 << below(6)};
      value a = pick("i32", flat);
      shape bins = {2 << below(8)};
      std::string mask = chance(50) ? ", " + mask_of(flat).name : "";
      value r{fresh(), "i32", bins};
      line(r.name + " = tt.histogram " + a.name + mask + " : " + type_of(a) + " -> " + type_of(r));
      return keep(r);
    }
    case 9:
      return any_dot();
    case 10: { // memory of other types
      static const char *const types[] = {"f16", "bf16", "f64", "i8", "i16", "i64"};
      std::string element = one_of(types), base = fresh(), pointer = "!tt.ptr<" + element + ">";
      bool integer = element[0] == 'i';
      line(base + " = tt.bitcast " + (integer ? "%w : !tt.ptr<i32>" : "%x : !tt.ptr<f32>") +
           " -> " + pointer);
      std::string at = pointer_to(base, pointer, index_of(extents));
      static const char *const hints[] = {"", " cacheModifier = ca", " cacheModifier = cg",
                                          " evictionPolicy = evict_first",
                                          " evictionPolicy = evict_last"};
      std::string mask = chance(50) ? ", " + mask_of(extents).name : "";
      value r{fresh(), element, extents};
      line(r.name + " = tt.load " + at + mask + one_of(hints) + " : " + tensor(pointer, extents));
      line("tt.store " + at + ", " + r.name + mask + " : " + tensor(pointer, extents));
      return keep(r);
    }
    case 11: { // debugging
      value a = as(chance(50) ? one_of(floats) : one_of(integers), extents);
      if (chance(50)) {
        line("tt.print \" a: \" {hex = " + std::string(chance(30) ? "true" : "false") +
             ", isSigned = array<i32: 1>} : " + a.name + " : " + type_of(a));
        return;
      }
      value c = pick("i1", extents);
      line("tt.assert " + c.name + ", \"holds\" : " + type_of(c));
      return;
    }
    case 12: { // assembly
      value a = pick("i32", extents);
      value r = made("tt.elementwise_inline_asm \"add.s32 $0, $1, 1;\" {constraints = \"=r,r\", "
                     "packed_element = 1 : i32, pure = true} " +
                         a.name + " : " + type_of(a) + " -> " + type_of(a),
                     a);
      return keep(r);
    }
    case 13: { // two operands scanned together
      value a = pick("f32", extents), b = pick("i32", extents);
      std::string both = fresh();
      std::string axis = std::to_string(below(static_cast<int>(extents.size())));
      line(both + ":2 = \"tt.scan\"(" + a.name + ", " + b.name + ") <{axis = " + axis +
           " : i32, reverse = " + (chance(50) ? "true" : "false") + "}> ({");
      line("^bb0(%a: f32, %i: i32, %b: f32, %j: i32):");
      line("  %p = arith.addf %a, %b : f32");
      line("  %q = arith.maxsi %i, %j : i32");
      line("  tt.scan.return %p, %q : f32, i32");
      line("}) : (" + type_of(a) + ", " + type_of(b) + ") -> (" + type_of(a) + ", " + type_of(b) +
           ")");
      pool_.push_back({both + "#0", "f32", extents});
      pool_.push_back({both + "#1", "i32", extents});
      return;
    }
    case 14: { // a loop that asks first
      value start = pick("i32", {});
      value carried = pick("f32", extents);
      std::string name = fresh();
      line("%limit" + name.substr(1) + " = arith.constant 7 : i32");
      line(name + ":2 = scf.while (%i = " + start.name + ", %t = " + carried.name + ") : (i32, " +
           type_of(carried) + ") -> (i32, " + type_of(carried) + ") {");
      line("  %go = arith.cmpi slt, %i, %limit" + name.substr(1) + " : i32");
      line("  scf.condition(%go) %i, %t : i32, " + type_of(carried));
      line("} do {");
      line("^bb0(%i: i32, %t: " + type_of(carried) + "):");
      line("  %next = arith.addi %i, %limit" + name.substr(1) + " : i32");
      line("  %u = arith.negf %t : " + type_of(carried));
      line("  scf.yield %next, %u : i32, " + type_of(carried));
      line("}");
      pool_.push_back({name + "#0", "i32", {}});
      pool_.push_back({name + "#1", "f32", extents});
      return;
    }
    default: { // functions of the device library
      value a = pick("f32", extents);
      static const char *const names[] = {"__nv_tanf",  "__nv_sinhf", "__nv_fabsf",
                                          "__nv_cbrtf", "__nv_rintf", "__nv_rsqrtf"};
      return keep(made("tt.extern_elementwise " + a.name +
                           " {libname = \"libdevice\", libpath = \"\", pure = true, symbol = \"" +
                           one_of(names) + "\"} : (" + type_of(a) + ") -> " + type_of(a),
                       a));
    }
    }
  }

  void atomic(const shape &extents) {
    static const char *const orders[] = {"relaxed", "acquire", "release", "acq_rel"};
    static const char *const scopes[] = {"cta", "gpu", "sys"};
    static const char *const integers[] = {"i16", "i32", "i64"};
    static const char *const floats[] = {"f16", "bf16", "f32", "f64"};
    static const char *const integer_operations[] = {"and", "or",   "xor",  "add", "max",
                                                     "min", "umax", "umin", "exch"};
    bool integer = chance(60);
    std::string element = integer ? one_of(integers) : one_of(floats);
    std::string base = fresh(), pointer = "!tt.ptr<" + element + ">";
    line(base + " = tt.bitcast " + (integer ? "%w : !tt.ptr<i32>" : "%x : !tt.ptr<f32>") + " -> " +
         pointer);
    value v = as(element, extents);
    std::string at = base;
    if (!extents.empty())
      at = pointer_to(base, pointer, index_of(extents));
    std::string mask = !extents.empty() && chance(50) ? ", " + mask_of(extents).name : "";
    std::string order = one_of(orders), scope = one_of(scopes), name = fresh();
    if (chance(20)) {
      value other = as(element, extents);
      line(name + " = tt.atomic_cas " + order + ", " + scope + ", " + at + ", " + v.name + ", " +
           other.name + " : (" + tensor(pointer, extents) + ", " + type_of(v) + ", " + type_of(v) +
           ") -> " + type_of(v));
    } else {
      line(name + " = tt.atomic_rmw " +
           (integer      ? one_of(integer_operations)
            : chance(70) ? "fadd"
                         : "exch") +
           ", " + order + ", " + scope + ", " + at + ", " + v.name + mask + " : (" +
           tensor(pointer, extents) + ", " + type_of(v) +
           (mask.empty() ? "" : ", " + tensor("i1", extents)) + ") -> " + type_of(v));
    }
    if (chance(50))
      keep({name, element, extents});
  }

  void any_dot() {
    static const int sizes[] = {8, 16, 32, 64};
    int m = sizes[below(4)], n = sizes[below(4)], k = 16 << below(2);
    static const char *const types[] = {"f16", "bf16", "f32", "f64", "i8", "f8E4M3FN", "f8E5M2"};
    std::string element = one_of(types);
    value a = as(element, {m, k}), b = as(element, {k, n});
    std::string sum = element == "i8" ? "i32" : element == "f64" ? "f64" : "f32";
    value c = as(sum, {m, n});
    value d{fresh(), sum, {m, n}};
    std::string precision =
        element == "f32" ? ", inputPrecision = " + std::string(chance(50) ? "tf32" : "ieee") : "";
    line(d.name + " = tt.dot " + a.name + ", " + b.name + ", " + c.name + precision + " : " +
         type_of(a) + " * " + type_of(b) + " -> " + type_of(c));
    keep(d);
  }
};

} // namespace fuzz
