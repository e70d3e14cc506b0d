// SPDX-License-Identifier: MIT
#pragma once
// How does the tracer, which is ordinary code and no template, know the type of a value? As a
// value_type: element, form and extents, made once per C++ type as a constant. tensor.hpp maps
// tensors to it and printer.hpp prints it.

#include "tl/dtype.hpp"
#include "tl/impl/unoptimized.hpp"
#include "tl/shape.hpp"

#include <string>
#include <string_view>

namespace tl::impl {

enum class value_form : std::uint8_t { data, pointer, descriptor };

/// The type of a value in a trace. Points to constants only.
struct value_type {
  std::string_view element; // as TTIR spells it
  element_kind kind = element_kind::boolean;
  int bits = 0;
  value_form form = value_form::data;
  int rank = 0;
  const int *extents = nullptr;
  std::string_view name = {}; // upstream's short name, which tells u8 from i8

  constexpr bool is_float() const { return kind == element_kind::floating; }
  constexpr bool is_bool() const { return kind == element_kind::boolean; }
  constexpr bool is_signed() const {
    return kind == element_kind::signed_integer || kind == element_kind::floating;
  }
  /// float8e4b15 is i8 in TTIR, and so are bytes of floats wider than that never.
  constexpr bool is_small_float() const { return is_float() && bits == 8; }
  constexpr bool is_data() const { return form == value_form::data; }

  constexpr long size() const {
    long size = 1;
    for (int axis = 0; axis < rank; ++axis)
      size *= extents[axis];
    return size;
  }
  constexpr bool same_shape(const value_type &other) const {
    if (rank != other.rank)
      return false;
    for (int axis = 0; axis < rank; ++axis)
      if (extents[axis] != other.extents[axis])
        return false;
    return true;
  }
  constexpr bool same_element(const value_type &other) const {
    return form == other.form && name == other.name;
  }
};

/// What a tensor's first template argument stands for: a value, or a pointer to one.
template <class T> struct item {
  using pointee = void;
  using element_t = T;
  static constexpr bool is_pointer = false;
};
template <class T> struct item<T *> {
  using pointee = T;
  using element_t = std::remove_const_t<T>;
  static constexpr bool is_pointer = true;
};

/// A bool in memory is a byte, so a pointer to bool is a pointer to i8 in TTIR.
constexpr std::string_view in_memory(std::string_view element) {
  return element == "i1" ? std::string_view("i8") : element;
}

template <class T, class S> constexpr value_type make_value_type() {
  using e = element<typename item<T>::element_t>;
  if constexpr (!e::known)
    return {};
  else if constexpr (item<T>::is_pointer)
    return {in_memory(e::mlir_name),
            e::kind,
            e::bits,
            value_form::pointer,
            S::rank,
            S::extents,
            e::short_name};
  else
    return {e::mlir_name, e::kind, e::bits, value_form::data, S::rank, S::extents, e::short_name};
}

template <class T, class S> inline constexpr value_type type_of = make_value_type<T, S>();
template <class T> inline constexpr const value_type &scalar_type = type_of<T, shape<>>;

/// The type with another element, for instance the bool of a comparison.
constexpr value_type with_element(const value_type &type, const value_type &element) {
  value_type result = element;
  result.rank = type.rank;
  result.extents = type.extents;
  return result;
}

TL_IMPL_UNOPTIMIZED_BEGIN

inline void append_extents(std::string &text, const value_type &type) {
  for (int axis = 0; axis < type.rank; ++axis) {
    text += std::to_string(type.extents[axis]);
    text += 'x';
  }
}

/// The type as TTIR spells it: f32, !tt.ptr<f32>, tensor<64x!tt.ptr<f32>>,
/// !tt.tensordesc<64x64xf16>.
inline void append_type(std::string &text, const value_type &type) {
  if (type.form == value_form::descriptor) {
    text += "!tt.tensordesc<";
    append_extents(text, type);
    if (type.kind == element_kind::signed_integer)
      text += 's';
    else if (type.kind == element_kind::unsigned_integer)
      text += 'u';
    text += type.element;
    text += '>';
    return;
  }
  if (type.rank > 0) {
    text += "tensor<";
    append_extents(text, type);
  }
  if (type.form == value_form::pointer) {
    text += "!tt.ptr<";
    text += type.element;
    text += '>';
  } else {
    text += type.element;
  }
  if (type.rank > 0)
    text += '>';
}

/// The type, human-readable: "float16 of 64x32".
inline std::string describe(const value_type &type) {
  std::string text(type.name);
  if (type.form == value_form::pointer)
    text = "pointer to " + text;
  if (type.rank == 0)
    return text;
  text += " of ";
  append_extents(text, type);
  text.pop_back();
  return text;
}

TL_IMPL_UNOPTIMIZED_END

} // namespace tl::impl
