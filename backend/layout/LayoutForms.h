// SPDX-License-Identifier: MIT
//
// How layouts are written: the table of forms that have a name and fields, what each one makes of
// its fields, and which form a map is recognised as. dialect/Layouts.cpp reads and prints the
// attributes by this table, so a form is added here alone.
//
//   blocked [64, 32], registers = [1, 4], lanes = [4, 8], warps = [4, 1], order = [1, 0]
//   slice <mma [64, 64], warps = [4, 1]>, axis = 1
//   linear [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], warp = [], block = []
#pragma once

#include "layout/NamedLayouts.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tl::backend {

/// Whether a layout distributes elements over threads or puts them at offsets of shared memory.
enum class LayoutKind { Distributed, Shared };

/// A field of a form, `name = 8` or `name = [4, 1]`.
struct LayoutField {
  enum Type { Number, PerAxis } type;
  const char *name;
  std::vector<int64_t> allowed = {}; // of a Number; empty: any power of two up to 1024
  int64_t otherwise = -1;            // a Number that need not be written; -1: it must be
};

/// A form with its values: those of fields[i] in values[i], a Number as a list of one.
struct WrittenLayout {
  const struct LayoutForm *form = nullptr;
  Shape shape;
  std::vector<std::vector<int64_t>> values;
};

/// Why a written layout is none. `field` counts from 0; -1 is the shape.
struct LayoutError {
  int field = -1;
  std::string message;
};

/// A form: `name [shape], field = ..., field = ...`. Forms of one family that need other fields are
/// distinguished by a second word: `dot_operand mma [shape], ...`.
struct LayoutForm {
  const char *name;
  const char *family; // the second word, or ""
  LayoutKind kind;
  unsigned leastAxes, mostAxes;
  std::vector<LayoutField> fields;
  /// The map, of values that are right one by one; the second finds what is wrong with them
  /// together, and may be null.
  LinearLayout (*make)(const WrittenLayout &);
  std::optional<LayoutError> (*check)(const WrittenLayout &);
};

/// All forms but `slice` and `linear`, which have a grammar of their own.
const std::vector<LayoutForm> &layoutForms();
/// The form with the words, or null.
const LayoutForm *findLayoutForm(LayoutKind kind, std::string_view name, std::string_view family);
/// "blocked, mma, ..., slice or linear": what a kind of layout may be, for messages.
std::string layoutFormNames(LayoutKind kind);
/// The second words that a name takes, for messages; "" if it takes none.
std::string layoutFamilyNames(LayoutKind kind, std::string_view name);

/// Largest number of axes, and of elements, that a written layout may have.
inline constexpr size_t maxLayoutAxes = 8;
inline constexpr int64_t maxLayoutElements = int64_t(1) << 24;

/// What is wrong with a shape, or "".
std::string errorInShape(const Shape &shape);
/// The map that the text means.
std::variant<LinearLayout, LayoutError> makeLayout(const WrittenLayout &written);

/// The text of a layout without the angle brackets around it: a named form that makes exactly this
/// map if there is one, else its bits. Of the swizzles of the hardware, which count in bytes, only
/// those for elements of `elementBits` bits are named, or all if it is 0.
std::string layoutText(const LinearLayout &layout, LayoutKind kind, unsigned elementBits = 0);

/// Extents of the tensor that a layout covers.
Shape coveredShape(const LinearLayout &layout);

} // namespace tl::backend
