// SPDX-License-Identifier: MIT
//
// The table of forms. Recognition goes the other way and is in LayoutRecognition.cpp.
#include "layout/LayoutForms.h"

#include <algorithm>
#include <cassert>

namespace tl::backend {

namespace {

bool isPowerOfTwo(int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

/// The values of a written layout by the names of their fields.
size_t indexOf(const WrittenLayout &written, std::string_view name) {
  const std::vector<LayoutField> &fields = written.form->fields;
  for (size_t i = 0; i < fields.size(); ++i)
    if (fields[i].name == name)
      return i;
  assert(false && "the form has no such field");
  return 0;
}

unsigned number(const WrittenLayout &written, std::string_view name) {
  return unsigned(written.values[indexOf(written, name)].front());
}

std::vector<unsigned> list(const WrittenLayout &written, std::string_view name) {
  const std::vector<int64_t> &values = written.values[indexOf(written, name)];
  return {values.begin(), values.end()};
}

Blocked blocked(const WrittenLayout &w) {
  return {list(w, "registers"), list(w, "lanes"), list(w, "warps"), list(w, "order")};
}

std::optional<LayoutError> checkWarpgroups(const WrittenLayout &w) {
  if (number(w, "index") == 0 || w.form->family != std::string_view("wgmma"))
    return std::nullopt;
  return LayoutError{int(indexOf(w, "index")), "the second operand of wgmma has no registers"};
}

std::optional<LayoutError> checkFours(const WrittenLayout &w) {
  unsigned along = list(w, "warps")[0];
  if (along % 4 == 0)
    return std::nullopt;
  return LayoutError{int(indexOf(w, "warps")),
                     "wgmma needs four warps along the rows, or a multiple of it, found " +
                         std::to_string(along)};
}

std::optional<LayoutError> checkWmmaWidth(const WrittenLayout &w) {
  unsigned width = number(w, "k_width");
  if (number(w, "version") == 2 || width == 16)
    return std::nullopt;
  return LayoutError{int(indexOf(w, "k_width")),
                     "a lane of the first version of wmma holds 16 values of k, found k_width = " +
                         std::to_string(width)};
}

std::optional<LayoutError> checkRowWidth(const WrittenLayout &w) {
  unsigned bytes = std::max(16u, number(w, "bytes"));
  int64_t row = w.shape[list(w, "order")[0]] * number(w, "bits") / 8;
  if (row >= bytes)
    return std::nullopt;
  return LayoutError{int(indexOf(w, "bytes")), "a row of " + std::to_string(row) +
                                                   " bytes is narrower than the " +
                                                   std::to_string(bytes) + " bytes of a pattern"};
}

const std::vector<int64_t> elementBits = {8, 16, 32, 64};

constexpr auto PerAxis = LayoutField::PerAxis;
constexpr auto Number = LayoutField::Number;
constexpr auto Distributed = LayoutKind::Distributed;
constexpr auto Shared = LayoutKind::Shared;

std::vector<LayoutForm> makeForms() {
  const LayoutField warps{PerAxis, "warps"}, order{PerAxis, "order"};
  const LayoutField index{Number, "index", {0, 1}}, bits{Number, "bits", elementBits};
  const LayoutField side{Number, "side", {16, 32}}, version{Number, "version", {1, 2}};
  const LayoutField width{Number, "k_width", {1, 2, 4, 8, 16, 32}};
  const std::vector<LayoutField> distributed = {
      {PerAxis, "registers"}, {PerAxis, "lanes"}, warps, order};
  std::vector<LayoutField> operand = distributed;
  operand.insert(operand.begin(), index);
  using W = const WrittenLayout &;
  return {
      {"blocked", "", Distributed, 0, maxLayoutAxes, distributed,
       [](W w) { return blockedLayout(w.shape, blocked(w)); }, nullptr},
      {"mma",
       "",
       Distributed,
       2,
       3,
       {{Number, "bits", {32, 64}, 32}, warps},
       [](W w) { return mma2Accumulator(w.shape, list(w, "warps"), number(w, "bits")); },
       nullptr},
      {"wgmma",
       "",
       Distributed,
       2,
       2,
       {{Number, "n", {8, 16, 32, 64, 128, 256}}, warps},
       [](W w) { return wgmmaAccumulator(w.shape, number(w, "n"), list(w, "warps")); },
       checkFours},
      {"mfma",
       "",
       Distributed,
       2,
       3,
       {side, warps},
       [](W w) { return mfmaAccumulator(w.shape, number(w, "side"), list(w, "warps")); },
       nullptr},
      {"wmma",
       "",
       Distributed,
       2,
       3,
       {version, warps},
       [](W w) { return wmmaAccumulator(w.shape, number(w, "version"), list(w, "warps")); },
       nullptr},
      {"dot_operand",
       "mma",
       Distributed,
       2,
       3,
       {index, bits, warps},
       [](W w) {
         return mma2Operand(w.shape, number(w, "index"), number(w, "bits"), list(w, "warps"));
       },
       nullptr},
      {"dot_operand",
       "wgmma",
       Distributed,
       2,
       2,
       {index, bits, warps},
       [](W w) { return wgmmaOperand(w.shape, number(w, "bits"), list(w, "warps")); },
       [](W w) {
         auto error = checkWarpgroups(w);
         return error ? error : checkFours(w);
       }},
      {"dot_operand",
       "mfma",
       Distributed,
       2,
       3,
       {index, side, width, warps},
       [](W w) {
         return mfmaOperand(w.shape, number(w, "index"), number(w, "side"), number(w, "k_width"),
                            list(w, "warps"));
       },
       nullptr},
      {"dot_operand",
       "wmma",
       Distributed,
       2,
       3,
       {index, version, width, warps},
       [](W w) {
         return wmmaOperand(w.shape, number(w, "index"), number(w, "version"), number(w, "k_width"),
                            list(w, "warps"));
       },
       checkWmmaWidth},
      {"dot_operand", "blocked", Distributed, 2, 3, operand,
       [](W w) { return fmaOperand(w.shape, number(w, "index"), blocked(w)); }, nullptr},

      {"rows",
       "",
       Shared,
       0,
       maxLayoutAxes,
       {order},
       [](W w) { return rowMajorShared(w.shape, list(w, "order")); },
       nullptr},
      {"hardware_swizzled",
       "",
       Shared,
       2,
       maxLayoutAxes,
       {bits, {Number, "bytes", {0, 32, 64, 128}}, order},
       [](W w) {
         return hardwareSwizzledShared(w.shape, list(w, "order"), number(w, "bits"),
                                       number(w, "bytes"));
       },
       checkRowWidth},
      {"swizzled",
       "",
       Shared,
       2,
       maxLayoutAxes,
       {{Number, "vector"}, {Number, "per_phase"}, {Number, "max_phase"}, order},
       [](W w) {
         return swizzledShared(
             w.shape, list(w, "order"),
             {number(w, "vector"), number(w, "per_phase"), number(w, "max_phase")});
       },
       nullptr},
  };
}

/// "8, 16 or 32" and "blocked or linear".
template <class Items, class Text> std::string alternatives(const Items &items, Text text) {
  std::string result;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i)
      result += i + 1 == items.size() ? " or " : ", ";
    result += text(items[i]);
  }
  return result;
}

std::string alternatives(const std::vector<std::string> &names) {
  return alternatives(names, [](const std::string &name) { return name; });
}

/// What is wrong with the numbers of one field, or "".
std::string errorInField(const LayoutField &field, const std::vector<int64_t> &values,
                         size_t axes) {
  std::string name = field.name;
  if (field.type == LayoutField::Number) {
    int64_t value = values.front();
    const std::vector<int64_t> &allowed = field.allowed;
    bool fits = allowed.empty() ? isPowerOfTwo(value) && value <= 1024
                                : std::find(allowed.begin(), allowed.end(), value) != allowed.end();
    if (fits)
      return "";
    std::string expected =
        allowed.empty() ? "a power of two up to 1024"
                        : alternatives(allowed, [](int64_t item) { return std::to_string(item); });
    return name + " is " + std::to_string(value) + ", expected " + expected;
  }
  if (values.size() != axes)
    return name + " needs one number an axis: expected " + std::to_string(axes) + ", found " +
           std::to_string(values.size());
  if (name == "order") {
    std::vector<int64_t> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    for (size_t axis = 0; axis < axes; ++axis)
      if (sorted[axis] != int64_t(axis))
        return "order must be a permutation of the axes";
    return "";
  }
  int64_t most = name == "registers" ? 1024 : 64;
  int64_t product = 1;
  for (int64_t value : values) {
    if (!isPowerOfTwo(value) || value > most)
      return name + " has the number " + std::to_string(value) + ", expected powers of two up to " +
             std::to_string(most);
    product *= value;
    if (product > most)
      return name + " has " + std::to_string(product) + " or more in all, at most " +
             std::to_string(most) + " are possible";
  }
  return "";
}

} // namespace

const std::vector<LayoutForm> &layoutForms() {
  static const std::vector<LayoutForm> forms = makeForms();
  return forms;
}

const LayoutForm *findLayoutForm(LayoutKind kind, std::string_view name, std::string_view family) {
  for (const LayoutForm &form : layoutForms())
    if (form.kind == kind && form.name == name && form.family == family)
      return &form;
  return nullptr;
}

std::string layoutFormNames(LayoutKind kind) {
  std::vector<std::string> names;
  for (const LayoutForm &form : layoutForms())
    if (form.kind == kind && (names.empty() || names.back() != form.name))
      names.push_back(form.name);
  if (kind == LayoutKind::Distributed)
    names.push_back("slice");
  names.push_back("linear");
  return alternatives(names);
}

std::string layoutFamilyNames(LayoutKind kind, std::string_view name) {
  std::vector<std::string> families;
  for (const LayoutForm &form : layoutForms())
    if (form.kind == kind && form.name == name && *form.family)
      families.push_back(form.family);
  return alternatives(families);
}

std::string errorInShape(const Shape &shape) {
  if (shape.size() > maxLayoutAxes)
    return "a layout has at most " + std::to_string(maxLayoutAxes) + " axes, found " +
           std::to_string(shape.size());
  int64_t elements = 1;
  for (int64_t extent : shape) {
    if (!isPowerOfTwo(extent) || extent > (1 << 20))
      return "a layout covers extents that are powers of two, at most 2^20, found " +
             std::to_string(extent);
    elements *= extent;
    if (elements > maxLayoutElements)
      return "a layout covers at most 2^24 elements";
  }
  return "";
}

std::variant<LinearLayout, LayoutError> makeLayout(const WrittenLayout &written) {
  const LayoutForm &form = *written.form;
  size_t axes = written.shape.size();
  if (std::string error = errorInShape(written.shape); !error.empty())
    return LayoutError{-1, error};
  if (axes < form.leastAxes || axes > form.mostAxes) {
    std::string expected = std::to_string(form.leastAxes);
    if (form.mostAxes == form.leastAxes + 1)
      expected += " or " + std::to_string(form.mostAxes);
    else if (form.mostAxes > form.leastAxes)
      expected += " to " + std::to_string(form.mostAxes);
    return LayoutError{-1, std::string(form.name) + " has " + expected + " axes, found " +
                               std::to_string(axes)};
  }
  for (size_t i = 0; i < form.fields.size(); ++i)
    if (std::string error = errorInField(form.fields[i], written.values[i], axes); !error.empty())
      return LayoutError{int(i), error};
  if (form.check)
    if (auto error = form.check(written))
      return *error;
  return form.make(written);
}

Shape coveredShape(const LinearLayout &layout) {
  Shape shape(layout.outs().size());
  for (unsigned axis = 0; axis < shape.size(); ++axis)
    shape[axis] = int64_t(1) << layout.outBits(dimName(axis));
  return shape;
}

} // namespace tl::backend
