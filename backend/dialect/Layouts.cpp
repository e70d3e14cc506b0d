// SPDX-License-Identifier: MIT
//
// How layouts are read and written: by name where they have one, by the images of their bits
// otherwise. The attributes of GpuTarget.td are registered here too: a dialect has one parser.
#include "dialect/Layouts.h"

#include "layout/LayoutForms.h"

#include "dialect/Dialect.h"
#include "dialect/GpuTarget.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#define GET_ATTRDEF_CLASSES
#include "dialect/GpuAttributes.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/LayoutTypes.cpp.inc"

using namespace mlir;
using tl::backend::dimName;
using tl::backend::LayoutError;
using tl::backend::LayoutField;
using tl::backend::LayoutForm;
using tl::backend::LayoutKind;
using tl::backend::LinearLayout;
using tl::backend::WrittenLayout;

namespace tl::ttg {

namespace {

/// Slices of slices that a text may nest.
constexpr unsigned mostSlices = 8;

/// An input dimension of a layout and the most bits it may have: together fewer than 64.
struct InDimName {
  StringLiteral name;
  unsigned mostBits;
};
constexpr InDimName distributedDims[] = {{"register", 24}, {"lane", 6}, {"warp", 6}, {"block", 4}};
constexpr InDimName sharedDims[] = {{"offset", 24}, {"block", 4}};

// ---- Pieces

ParseResult parseNumbers(AsmParser &parser, std::vector<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(values.emplace_back()); });
}

/// `[d0, d1]` with extents that a tensor can have.
FailureOr<tl::backend::Shape> parseShape(AsmParser &parser) {
  SMLoc where = parser.getCurrentLocation();
  tl::backend::Shape shape;
  if (parseNumbers(parser, shape))
    return failure();
  std::string error = tl::backend::errorInShape(shape);
  if (!error.empty())
    return parser.emitError(where) << error;
  return shape;
}

/// `, name =`, the beginning of a field. Where a field that need not be written is not, `ahead`
/// keeps the word that was found instead, and the result is false.
FailureOr<bool> parseFieldName(AsmParser &parser, StringRef name, bool needed, StringRef &ahead) {
  SMLoc where = parser.getCurrentLocation();
  StringRef word = ahead;
  if (word.empty()) {
    if (parser.parseComma())
      return failure();
    where = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return failure();
  }
  ahead = "";
  if (word != name) {
    if (needed)
      return parser.emitError(where)
             << "expected the field '" << name << "', found '" << word << "'";
    ahead = word;
    return false;
  }
  if (parser.parseEqual())
    return failure();
  return true;
}

// ---- Forms

/// `linear [shape], dim = [[image], ...], ...` with images outermost axis first. Dimensions at the
/// end that have no bits may be left out.
FailureOr<LinearLayout> parseLinear(AsmParser &parser, ArrayRef<InDimName> dims) {
  auto shape = parseShape(parser);
  if (failed(shape))
    return failure();
  std::vector<LinearLayout::OutDim> outs;
  for (unsigned axis = unsigned(shape->size()); axis-- > 0;)
    outs.push_back({dimName(axis), unsigned(llvm::Log2_64(uint64_t((*shape)[axis])))});
  std::vector<LinearLayout::InDim> ins;
  bool ended = false;
  for (const InDimName &dim : dims) {
    LinearLayout::InDim in{dim.name.str(), {}};
    auto parseImage = [&]() -> ParseResult {
      SMLoc where = parser.getCurrentLocation();
      std::vector<int64_t> image;
      if (parseNumbers(parser, image))
        return failure();
      if (image.size() != shape->size())
        return parser.emitError(where) << "an image has one coordinate an axis: expected "
                                       << shape->size() << ", found " << image.size();
      uint64_t flat = 0;
      unsigned shift = 0;
      for (unsigned axis = unsigned(shape->size()); axis-- > 0;) {
        if (image[axis] < 0 || image[axis] >= (*shape)[axis])
          return parser.emitError(where) << "coordinate " << image[axis] << " is outside of axis "
                                         << axis << " of extent " << (*shape)[axis];
        flat |= uint64_t(image[axis]) << shift;
        shift += unsigned(llvm::Log2_64(uint64_t((*shape)[axis])));
      }
      in.images.push_back(flat);
      if (in.images.size() > dim.mostBits)
        return parser.emitError(where)
               << dim.name << " has too many bits, at most " << dim.mostBits << " are possible";
      return success();
    };
    SMLoc where = parser.getCurrentLocation();
    ended = ended || failed(parser.parseOptionalComma());
    if (!ended) {
      where = parser.getCurrentLocation();
      StringRef word;
      if (parser.parseKeyword(&word))
        return failure();
      if (word != dim.name)
        return parser.emitError(where)
               << "expected the field '" << dim.name << "', found '" << word << "'";
      if (parser.parseEqual() ||
          parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseImage))
        return failure();
    }
    ins.push_back(std::move(in));
  }
  return LinearLayout(std::move(ins), std::move(outs));
}

/// A form of the table, after its name.
FailureOr<LinearLayout> parseForm(AsmParser &parser, const LayoutForm &form) {
  WrittenLayout written;
  written.form = &form;
  SMLoc whereShape = parser.getCurrentLocation();
  auto shape = parseShape(parser);
  if (failed(shape))
    return failure();
  written.shape = *shape;
  SmallVector<SMLoc> where;
  StringRef ahead;
  for (const LayoutField &field : form.fields) {
    std::vector<int64_t> values;
    auto isWritten = parseFieldName(parser, field.name, field.otherwise == -1, ahead);
    if (failed(isWritten))
      return failure();
    where.push_back(parser.getCurrentLocation());
    if (!*isWritten)
      values.push_back(field.otherwise);
    else if (field.type == LayoutField::Number ? parser.parseInteger(values.emplace_back())
                                               : parseNumbers(parser, values))
      return failure();
    written.values.push_back(std::move(values));
  }
  auto made = tl::backend::makeLayout(written);
  if (const auto *error = std::get_if<LayoutError>(&made))
    return parser.emitError(error->field < 0 ? whereShape : where[size_t(error->field)])
           << error->message;
  return std::get<LinearLayout>(std::move(made));
}

FailureOr<LinearLayout> parseLayout(AsmParser &parser, LayoutKind kind, unsigned slices);

/// `slice <parent>, axis = 1`.
FailureOr<LinearLayout> parseSlice(AsmParser &parser, unsigned slices) {
  SMLoc where = parser.getCurrentLocation();
  if (slices == mostSlices)
    return parser.emitError(where) << "slices nest more than " << mostSlices << " deep";
  if (parser.parseLess())
    return failure();
  auto parent = parseLayout(parser, LayoutKind::Distributed, slices + 1);
  StringRef ahead;
  if (failed(parent) || parser.parseGreater() ||
      failed(parseFieldName(parser, "axis", true, ahead)))
    return failure();
  where = parser.getCurrentLocation();
  int64_t axis = 0;
  if (parser.parseInteger(axis))
    return failure();
  if (axis < 0 || axis >= int64_t(parent->outs().size()))
    return parser.emitError(where)
           << "axis is " << axis << ", but the parent has " << parent->outs().size() << " axes";
  return tl::backend::sliceLayout(*parent, unsigned(axis));
}

/// A layout without the angle brackets around it.
FailureOr<LinearLayout> parseLayout(AsmParser &parser, LayoutKind kind, unsigned slices) {
  SMLoc where = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  FailureOr<LinearLayout> map = failure();
  std::string families = tl::backend::layoutFamilyNames(kind, std::string(name));
  if (name == "linear") {
    map = kind == LayoutKind::Distributed ? parseLinear(parser, distributedDims)
                                          : parseLinear(parser, sharedDims);
  } else if (name == "slice" && kind == LayoutKind::Distributed) {
    map = parseSlice(parser, slices);
  } else {
    StringRef family;
    SMLoc whereFamily = parser.getCurrentLocation();
    if (!families.empty() && parser.parseKeyword(&family))
      return failure();
    const LayoutForm *form =
        tl::backend::findLayoutForm(kind, std::string(name), std::string(family));
    if (form)
      map = parseForm(parser, *form);
    else if (!families.empty())
      parser.emitError(whereFamily)
          << "unknown " << name << " '" << family << "', expected " << families;
    else
      parser.emitError(where) << "unknown layout '" << name << "', expected "
                              << tl::backend::layoutFormNames(kind);
  }
  if (failed(map))
    return failure();
  if (kind == LayoutKind::Distributed ? !map->isSurjective() : !map->isBijective())
    return parser.emitError(where)
           << (kind == LayoutKind::Distributed ? "the layout does not hold every element"
                                               : "the layout does not hold every element once");
  return map;
}

} // namespace

// ---- Attributes

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  auto map = parseLayout(parser, LayoutKind::Distributed, 0);
  if (failed(map) || parser.parseGreater())
    return {};
  return LayoutAttr::get(parser.getContext(), *map);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << '<' << tl::backend::layoutText(getMap(), LayoutKind::Distributed) << '>';
}

Attribute SharedLayoutAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  auto map = parseLayout(parser, LayoutKind::Shared, 0);
  if (failed(map) || parser.parseGreater())
    return {};
  return SharedLayoutAttr::get(parser.getContext(), *map);
}

void SharedLayoutAttr::print(AsmPrinter &printer) const {
  printer << '<' << tl::backend::layoutText(getMap(), LayoutKind::Shared) << '>';
}

// ---- Memory descriptors

Type MemDescType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  SharedLayoutAttr layout;
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element) || parser.parseComma() || parser.parseAttribute(layout) ||
      parser.parseGreater())
    return {};
  // One axis more than the layout has: several tensors, one after the other.
  ArrayRef<int64_t> one = shape;
  if (one.size() == layout.getMap().outs().size() + 1 && one.front() > 0)
    one = one.drop_front();
  if (ArrayRef<int64_t>(tl::backend::coveredShape(layout.getMap())) != one) {
    parser.emitError(where) << "the layout of shared memory covers another shape";
    return {};
  }
  if (!element.isIntOrFloat() && !isa<tt::PointerType>(element)) {
    parser.emitError(where) << "shared memory holds integers, floats and pointers, found "
                            << element;
    return {};
  }
  return MemDescType::get(parser.getContext(), shape, element, layout);
}

void MemDescType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t extent : getShape())
    printer << extent << 'x';
  // Which swizzles of the hardware a layout is depends on the size of the elements.
  unsigned bits = getElementType().isIntOrFloat() ? getElementType().getIntOrFloatBitWidth() : 64;
  printer << getElementType() << ", #ttg.shared<"
          << tl::backend::layoutText(getLayout().getMap(), LayoutKind::Shared, bits) << ">>";
}

void TTGDialect::registerLayouts() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/GpuAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/LayoutTypes.cpp.inc"
      >();
}

RankedTensorType withLayout(RankedTensorType type, const LinearLayout &map) {
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               LayoutAttr::get(type.getContext(), map));
}

const LinearLayout &layoutOf(Type type) {
  return cast<LayoutAttr>(cast<RankedTensorType>(type).getEncoding()).getMap();
}

} // namespace tl::ttg

llvm::hash_code tl::backend::hash_value(const LinearLayout &layout) {
  llvm::hash_code code = llvm::hash_value(layout.ins().size());
  for (const auto &in : layout.ins())
    code = llvm::hash_combine(code, in.name,
                              llvm::hash_combine_range(in.images.begin(), in.images.end()));
  for (const auto &out : layout.outs())
    code = llvm::hash_combine(code, out.name, out.bits);
  return code;
}
