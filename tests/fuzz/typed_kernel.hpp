// SPDX-License-Identifier: MIT
//
// What random kernels of the whole language are made of: values of every element type, casts
// between any two, memory for each type, and slots where a kernel leaves what it has computed, with
// the distance that two devices may have there. Floats that live on are multiples of 1/4 as in
// random_kernel.hpp, so whatever they are used for is exact; results that are not are left in a
// slot and brought back to such numbers. Next: language_kernel.hpp writes the operations.
#pragma once

#include "random_kernel.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fuzz {

/// Bytes of each region of the buffers for values of other types and for atomics.
inline constexpr int region_bytes = 1 << 17;
inline constexpr int typed_regions = 10, atomic_regions = 8, slot_bytes = 1 << 19;

/// Values that a kernel has left: `count` elements from byte `offset` on.
struct slot {
  std::string name, element;
  int offset, count;
  double ulps = 0, absolute = 0; // that two devices may differ by
};

inline int bits_of(std::string_view element) {
  if (element == "bf16")
    return 16;
  if (element[0] == 'f' && element[1] == '8')
    return 8;
  return std::stoi(std::string(element.substr(1)));
}
inline bool is_integer(std::string_view element) { return element[0] == 'i'; }
inline bool is_eight_bit_float(std::string_view element) {
  return !is_integer(element) && bits_of(element) == 8;
}

class typed_generator : public generator {
public:
  explicit typed_generator(choices chosen, bool may_alias)
      : generator(std::move(chosen), may_alias) {
    pointer_names_ = "0";
    more_parameters_ = ", %typed0: !tt.ptr<i8>, %atomic0: !tt.ptr<i8>, %out0: !tt.ptr<i8>";
    fewest_ = 1;
  }

  /// Of the kernel that was written.
  std::vector<slot> slots;
  std::vector<std::string> atomics; // the element type of each atomic region

protected:
  /// Each program has memory of its own.
  void begin() override {
    auto own = [&](const std::string &name, const std::string &element, int elements) {
      const std::string size = fresh(), offset = fresh();
      line(size + " = arith.constant " + std::to_string(elements) + " : i32");
      line(offset + " = arith.muli %pid, " + size + " : i32");
      line(name + " = tt.addptr " + name + "0, " + offset + " : !tt.ptr<" + element + ">, i32");
    };
    for (const char *name : {"%x", "%y", "%z"})
      own(name, "f32", buffer_elements);
    own("%w", "i32", buffer_elements);
    own("%typed", "i8", typed_regions * region_bytes);
    own("%atomic", "i8", atomic_regions * region_bytes);
    own("%out", "i8", slot_bytes);
  }

  template <std::size_t N> const char *one_of(const char *const (&texts)[N]) {
    return texts[below(static_cast<int>(N))];
  }

  /// Types of values that live on.
  std::string any_element() override {
    static const char *const elements[] = {"f32", "i32", "f16",      "bf16",   "i8", "i16",
                                           "i64", "f64", "f8E4M3FN", "f8E5M2", "i1"};
    return chance(50) ? (chance(60) ? "f32" : "i32") : one_of(elements);
  }
  std::string any_integer() {
    static const char *const elements[] = {"i32", "i8", "i16", "i64"};
    return one_of(elements);
  }
  /// With arithmetic.
  std::string any_float() {
    static const char *const elements[] = {"f32", "f16", "bf16", "f64"};
    return one_of(elements);
  }

  value made(const std::string &operation, const std::string &element, const shape &extents) {
    value v{fresh(), element, extents};
    line(v.name + " = " + operation);
    return v;
  }
  value made(const std::string &operation, const value &like) {
    return made(operation, like.element, like.extents);
  }
  value binary(const std::string &operation, const value &a, const value &b) {
    return made(operation + " " + a.name + ", " + b.name + " : " + type_of(a), a);
  }
  value constant(const std::string &text, const std::string &element, const shape &extents) {
    const bool plain = extents.empty() && element == "i1"; // true, without a type
    return made("arith.constant " + dense(text, extents) +
                    (plain ? "" : " : " + tensor(element, extents)),
                element, extents);
  }
  value keep(const value &v) {
    pool_.push_back(v);
    return v;
  }

  // ---- Casts

  value cast(const value &v, const std::string &to) {
    const std::string &from = v.element;
    if (from == to)
      return v;
    auto plain = [&](const std::string &operation) {
      return made("arith." + operation + " " + v.name + " : " + type_of(v) + " to " +
                      tensor(to, v.extents),
                  to, v.extents);
    };
    const bool wider = bits_of(to) > bits_of(from);
    if (is_integer(from) && is_integer(to)) {
      if (to == "i1") {
        value zero = constant("0", from, v.extents);
        return compare("cmpi ne", v, zero);
      }
      return plain(!wider ? "trunci" : from == "i1" || chance(40) ? "extui" : "extsi");
    }
    if (is_integer(from))
      return is_eight_bit_float(to) ? cast(cast(v, "f32"), to)
                                    : plain(from == "i1" || chance(30) ? "uitofp" : "sitofp");
    if (is_integer(to)) {
      if (is_eight_bit_float(from))
        return cast(cast(v, "f32"), to);
      if (to == "i1") {
        value zero = constant("0.0", from, v.extents);
        return compare("cmpf une", v, zero);
      }
      return plain(chance(30) ? "fptoui" : "fptosi");
    }
    const bool eight = is_eight_bit_float(from) || is_eight_bit_float(to);
    if (from != "f32" && to != "f32" &&
        (bits_of(from) == bits_of(to) || (eight && bits_of(from) + bits_of(to) > 24)))
      return cast(cast(v, "f32"), to);
    if (eight || (!wider && chance(25)))
      return made("tt.fp_to_fp " + v.name +
                      (wider        ? ""
                       : chance(75) ? ", rounding = rtne"
                                    : ", rounding = rtz") +
                      " : " + type_of(v) + " -> " + tensor(to, v.extents),
                  to, v.extents);
    return plain(wider ? "extf" : "truncf");
  }

  value compare(const std::string &predicate, const value &a, const value &b) {
    return made("arith." + predicate + ", " + a.name + ", " + b.name + " : " + type_of(a), "i1",
                a.extents);
  }

  /// Whatever it was, as a value that lives on: floats become whole numbers of at most 512.
  value settled(const value &v) {
    if (is_integer(v.element) || is_eight_bit_float(v.element))
      return keep(v);
    value whole = made("math.floor " + v.name + " : " + type_of(v), v);
    value low = constant("-512.0", v.element, v.extents);
    value high = constant("512.0", v.element, v.extents);
    return keep(binary("arith.minnumf", binary("arith.maxnumf", whole, low), high));
  }

  /// Integers from -4 to 4, whose products are exact in every type.
  value small(const std::string &element, const shape &extents) {
    return cast(halves(extents), element);
  }

  /// A float with any bits: NaN, infinities and denormals, too.
  value any_bits(const std::string &element, const shape &extents) {
    value i = cast(pick("i32", extents), "i" + std::to_string(bits_of(element)));
    return made("tt.bitcast " + i.name + " : " + type_of(i) + " -> " + tensor(element, extents),
                element, extents);
  }

  /// For operations that are rounded once: exact whatever the operand.
  value operand(const std::string &element, const shape &extents) {
    return chance(20) ? any_bits(element, extents) : pick(element, extents);
  }

  value leaf(const std::string &element, const shape &extents) override {
    if (element == "f32" || element == "i32" || element == "i1")
      return generator::leaf(element, extents);
    if (!chance(75) && !extents.empty()) // choices that are all 0 must come to an end
      return keep(typed_load(element, extents));
    return keep(cast(pick(is_integer(element) ? "i32" : "f32", extents), element));
  }

  // ---- Memory

  /// The pointer to the region of a type. Regions are zero at first.
  std::string typed_base(const std::string &element) {
    static const char *const elements[] = {"i8",  "i16", "i32",  "i64",      "f16",
                                           "f32", "f64", "bf16", "f8E4M3FN", "f8E5M2"};
    int place = 0;
    while (element != elements[place])
      ++place;
    return pointer_at("%typed", place * region_bytes, element);
  }

  std::string pointer_at(const std::string &base, int bytes, const std::string &element) {
    std::string offset = fresh(), place = fresh(), result = fresh();
    line(offset + " = arith.constant " + std::to_string(bytes) + " : i32");
    line(place + " = tt.addptr " + base + ", " + offset + " : !tt.ptr<i8>, i32");
    if (element == "i8")
      return place;
    line(result + " = tt.bitcast " + place + " : !tt.ptr<i8> -> !tt.ptr<" + element + ">");
    return result;
  }

  std::string pointers(const std::string &element, const shape &extents, bool injective) override {
    return element == "f32" || element == "i32" ? generator::pointers(element, extents, injective)
                                                : typed_pointer(element, extents, injective);
  }

  std::string typed_pointer(const std::string &element, const shape &extents, bool injective) {
    const std::string type = "!tt.ptr<" + element + ">";
    std::string base = typed_base(element);
    if (chance(20)) { // from somewhere, with or without a promise of where
      value three = constant("3", "i32", {}), many = constant("16", "i32", {});
      value zero = constant("0", "i32", {});
      value start = binary("arith.muli", binary("arith.andi", pick("i32", {}), three), many);
      if (chance(50))
        start = made("arith.addi " + start.name + ", " + zero.name +
                         " {tt.divisibility = dense<16> : tensor<1xi32>} : i32",
                     start);
      const std::string moved = fresh();
      line(moved + " = tt.addptr " + base + ", " + start.name + " : " + type + ", i32");
      base = moved;
    }
    std::string p = pointer_to(base, type, index_of(extents, injective));
    if (!chance(5))
      return p;
    std::string address = fresh(), back = fresh(), many = tensor(type, extents);
    line(address + " = tt.ptr_to_int " + p + " : " + many + " -> " + tensor("i64", extents));
    line(back + " = tt.int_to_ptr " + address + " : " + tensor("i64", extents) + " -> " + many);
    return back;
  }

  value typed_load(const std::string &element, const shape &extents) {
    std::string p = typed_pointer(element, extents, false), rest;
    if (bits_of(element) >= 32 && chance(8))
      return made("tt.atomic_load acquire, gpu, " + p + " : (" +
                      tensor("!tt.ptr<" + element + ">", extents) + ") -> " +
                      tensor(element, extents),
                  element, extents);
    if (chance(50))
      rest = ", " + mask_of(extents).name + ", " + pick(element, extents).name;
    static const char *const hints[] = {"", " cacheModifier = ca", " cacheModifier = cg",
                                        " evictionPolicy = evict_first"};
    return made("tt.load " + p + rest + one_of(hints) + " : " +
                    tensor("!tt.ptr<" + element + ">", extents),
                element, extents);
  }

  void typed_store(const std::string &element, const shape &extents) {
    value v = pick(element, extents);
    std::string p = typed_pointer(element, extents, true);
    std::string mask = chance(50) ? ", " + mask_of(extents).name : "";
    line((bits_of(element) >= 32 && chance(8) ? "tt.atomic_store release, gpu, " : "tt.store ") +
         p + ", " + v.name + mask + " : " + tensor("!tt.ptr<" + element + ">", extents));
  }

  // ---- Slots

  /// Leaves the value where it can be compared.
  void leave(const value &given, double ulps = 0, double absolute = 0) {
    value v = given.element == "i1" ? cast(given, "i8") : given;
    const int count = count_of(v.extents), bytes = count * bits_of(v.element) / 8;
    if (slots.size() >= 40 || end_ + bytes > slot_bytes)
      return;
    slots.push_back({given.name, v.element, end_, count, ulps, absolute});
    std::string base = pointer_at("%out", end_, v.element), type = "!tt.ptr<" + v.element + ">";
    end_ += (bytes + 63) / 64 * 64;
    if (v.extents.empty()) {
      line("tt.store " + base + ", " + v.name + " : " + type);
      return;
    }
    const shape flat = {count};
    if (v.extents != flat)
      v = made("tt.reshape " + v.name + " : " + type_of(v) + " -> " + tensor(v.element, flat),
               v.element, flat);
    std::string at = pointer_to(base, type, one_dimension(flat, 0));
    line("tt.store " + at + ", " + v.name + " : " + tensor(type, flat));
  }

  void finish() override {
    const std::vector<value> known = pool_;
    int left = 0;
    for (std::size_t back = 0; back < known.size() && left < 8; ++back)
      if (const value &v = known[known.size() - 1 - back]; v.name[1] == 'v' && !chance(40)) {
        leave(v);
        ++left;
      }
    generator::finish();
  }

private:
  int end_ = 0; // of the slots
};

} // namespace fuzz
