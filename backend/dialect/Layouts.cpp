// SPDX-License-Identifier: MIT
//
// How layouts are read and written: by name where they have one, by the images of their bits
// otherwise.
#include "dialect/Layouts.h"

#include "layout/NamedLayouts.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#define GET_ATTRDEF_CLASSES
#include "dialect/LayoutAttributes.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/LayoutTypes.cpp.inc"

using namespace mlir;
using tl::backend::Blocked;
using tl::backend::dimName;
using tl::backend::LinearLayout;

namespace tl::ttg {

namespace {

bool isPowerOfTwo(int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

/// The shape that a layout covers.
SmallVector<int64_t> shapeOf(const LinearLayout &map) {
  SmallVector<int64_t> shape(map.outs().size());
  for (unsigned axis = 0; axis < shape.size(); ++axis)
    shape[axis] = int64_t(1) << map.outBits(dimName(axis));
  return shape;
}

// ---- Lists -------------------------------------------------------------------------------------

ParseResult parseNumbers(AsmParser &parser, SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(values.emplace_back()); });
}

void printNumbers(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
}

/// `[d0, d1]` with extents that a tensor can have.
FailureOr<SmallVector<int64_t>> parseShape(AsmParser &parser) {
  SMLoc where = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  if (parseNumbers(parser, shape))
    return failure();
  int64_t elements = 1;
  for (int64_t extent : shape) {
    if (!isPowerOfTwo(extent) || extent > (int64_t(1) << 20) || (elements *= extent) > (1 << 24))
      return parser.emitError(where) << "a layout covers extents that are powers of two, at most "
                                        "2^20, found "
                                     << extent;
  }
  return shape;
}

/// `, name = [numbers]` for each axis, powers of two.
ParseResult parsePerAxis(AsmParser &parser, StringRef name, size_t rank,
                         std::vector<unsigned> &values, bool powers) {
  SMLoc where = parser.getCurrentLocation();
  SmallVector<int64_t> numbers;
  if (parser.parseComma() || parser.parseKeyword(name) || parser.parseEqual() ||
      parseNumbers(parser, numbers))
    return failure();
  if (numbers.size() != rank)
    return parser.emitError(where) << name << " needs one number an axis: expected " << rank
                                   << ", found " << numbers.size();
  for (int64_t number : numbers) {
    if (number < 0 || number > (1 << 20) || (powers && !isPowerOfTwo(number)))
      return parser.emitError(where) << name << " has an impossible number " << number;
    values.push_back(unsigned(number));
  }
  return success();
}

// ---- Linear form -------------------------------------------------------------------------------

/// `linear [shape], dim = [[image], ...], ...` with images outermost axis first.
FailureOr<LinearLayout> parseLinear(AsmParser &parser, ArrayRef<StringLiteral> dims) {
  auto shape = parseShape(parser);
  if (failed(shape))
    return failure();
  std::vector<LinearLayout::OutDim> outs;
  for (unsigned axis = unsigned(shape->size()); axis-- > 0;)
    outs.push_back({dimName(axis), unsigned(llvm::Log2_64(uint64_t((*shape)[axis])))});
  std::vector<LinearLayout::InDim> ins;
  for (StringLiteral dim : dims) {
    LinearLayout::InDim in{dim.str(), {}};
    if (parser.parseComma() || parser.parseKeyword(dim) || parser.parseEqual())
      return failure();
    auto parseImage = [&]() -> ParseResult {
      SMLoc where = parser.getCurrentLocation();
      SmallVector<int64_t> image;
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
      if (in.images.size() > 24)
        return parser.emitError(where) << "too many bits in " << dim;
      return success();
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseImage))
      return failure();
    ins.push_back(std::move(in));
  }
  return LinearLayout(std::move(ins), std::move(outs));
}

void printLinear(AsmPrinter &printer, const LinearLayout &map) {
  SmallVector<int64_t> shape = shapeOf(map);
  printer << "linear ";
  printNumbers(printer, shape);
  for (const auto &in : map.ins()) {
    printer << ", " << in.name << " = [";
    for (unsigned bit = 0; bit < in.images.size(); ++bit) {
      if (bit)
        printer << ", ";
      SmallVector<int64_t> image;
      for (unsigned axis = 0; axis < shape.size(); ++axis)
        image.push_back(shape[axis] > 1 ? int64_t(map.image(in.name, bit, dimName(axis))) : 0);
      printNumbers(printer, image);
    }
    printer << ']';
  }
}

// ---- Blocked form ------------------------------------------------------------------------------

/// The parameters of a blocked layout that gives this very map, if there are some.
std::optional<Blocked> recognizeBlocked(const LinearLayout &map) {
  SmallVector<int64_t> shape = shapeOf(map);
  unsigned rank = unsigned(shape.size());
  if (rank == 0)
    return std::nullopt;
  // The order in which axes are met, most minor first.
  Blocked blocked{std::vector<unsigned>(rank, 1),
                  std::vector<unsigned>(rank, 1),
                  std::vector<unsigned>(rank, 1),
                  {}};
  auto meet = [&](unsigned axis) {
    if (!llvm::is_contained(blocked.order, axis))
      blocked.order.push_back(axis);
  };
  auto axisOf = [&](StringRef in, unsigned bit) -> std::optional<unsigned> {
    for (unsigned axis = 0; axis < rank; ++axis)
      if (shape[axis] > 1 && map.image(in, bit, dimName(axis)))
        return axis;
    return std::nullopt;
  };
  for (const auto &in : map.ins())
    for (unsigned bit = 0; bit < in.images.size(); ++bit) {
      auto axis = axisOf(in.name, bit);
      if (!axis)
        return std::nullopt;
      meet(*axis);
      if (in.name == "lane")
        blocked.lanes[*axis] *= 2;
      else if (in.name == "warp")
        blocked.warps[*axis] *= 2;
      else if (in.name == "register" &&
               map.image(in.name, bit, dimName(*axis)) == blocked.registers[*axis])
        blocked.registers[*axis] *= 2;
      else if (in.name == "block")
        return std::nullopt;
    }
  for (unsigned axis = rank; axis-- > 0;)
    meet(axis);
  if (tl::backend::blockedLayout(tl::backend::Shape(shape.begin(), shape.end()), blocked) != map)
    return std::nullopt;
  return blocked;
}

FailureOr<LinearLayout> parseBlocked(AsmParser &parser) {
  auto shape = parseShape(parser);
  if (failed(shape))
    return failure();
  Blocked blocked;
  size_t rank = shape->size();
  if (parsePerAxis(parser, "registers", rank, blocked.registers, true) ||
      parsePerAxis(parser, "lanes", rank, blocked.lanes, true) ||
      parsePerAxis(parser, "warps", rank, blocked.warps, true))
    return failure();
  SMLoc where = parser.getCurrentLocation();
  if (parsePerAxis(parser, "order", rank, blocked.order, false))
    return failure();
  std::vector<unsigned> sorted = blocked.order;
  llvm::sort(sorted);
  for (unsigned axis = 0; axis < rank; ++axis)
    if (sorted[axis] != axis)
      return parser.emitError(where) << "order must be a permutation of the axes";
  return tl::backend::blockedLayout(tl::backend::Shape(shape->begin(), shape->end()), blocked);
}

void printBlocked(AsmPrinter &printer, const LinearLayout &map, const Blocked &blocked) {
  auto list = [&](ArrayRef<unsigned> values) {
    printNumbers(printer, SmallVector<int64_t>(values.begin(), values.end()));
  };
  printer << "blocked ";
  printNumbers(printer, shapeOf(map));
  printer << ", registers = ";
  list(blocked.registers);
  printer << ", lanes = ";
  list(blocked.lanes);
  printer << ", warps = ";
  list(blocked.warps);
  printer << ", order = ";
  list(blocked.order);
}

constexpr StringLiteral distributedDims[] = {"register", "lane", "warp", "block"};
constexpr StringLiteral sharedDims[] = {"offset", "block"};

} // namespace

// ---- Attributes --------------------------------------------------------------------------------

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  SMLoc where = parser.getCurrentLocation();
  StringRef form;
  if (parser.parseKeyword(&form))
    return {};
  FailureOr<LinearLayout> map = failure();
  if (form == "blocked")
    map = parseBlocked(parser);
  else if (form == "linear")
    map = parseLinear(parser, distributedDims);
  else
    parser.emitError(where) << "unknown layout '" << form << "', expected blocked or linear";
  if (failed(map) || parser.parseGreater())
    return {};
  if (!map->isSurjective()) {
    parser.emitError(where) << "the layout does not hold every element";
    return {};
  }
  return LayoutAttr::get(parser.getContext(), *map);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << '<';
  if (auto blocked = recognizeBlocked(getMap()))
    printBlocked(printer, getMap(), *blocked);
  else
    printLinear(printer, getMap());
  printer << '>';
}

Attribute SharedLayoutAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  SMLoc where = parser.getCurrentLocation();
  StringRef form;
  if (parser.parseKeyword(&form))
    return {};
  FailureOr<LinearLayout> map = failure();
  if (form == "rows") {
    auto shape = parseShape(parser);
    std::vector<unsigned> order;
    if (failed(shape) || parsePerAxis(parser, "order", shape->size(), order, false))
      return {};
    map = tl::backend::rowMajorShared(tl::backend::Shape(shape->begin(), shape->end()), order);
  } else if (form == "linear") {
    map = parseLinear(parser, sharedDims);
  } else {
    parser.emitError(where) << "unknown layout '" << form << "', expected rows or linear";
  }
  if (failed(map) || parser.parseGreater())
    return {};
  if (!map->isBijective()) {
    parser.emitError(where) << "the layout does not hold every element once";
    return {};
  }
  return SharedLayoutAttr::get(parser.getContext(), *map);
}

void SharedLayoutAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printLinear(printer, getMap());
  printer << '>';
}

// ---- Memory descriptors ------------------------------------------------------------------------

Type MemDescType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  SharedLayoutAttr layout;
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element) || parser.parseComma() || parser.parseAttribute(layout) ||
      parser.parseGreater())
    return {};
  if (shapeOf(layout.getMap()) != shape) {
    parser.emitError(where) << "the layout of shared memory covers another shape";
    return {};
  }
  return MemDescType::get(parser.getContext(), shape, element, layout);
}

void MemDescType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t extent : getShape())
    printer << extent << 'x';
  printer << getElementType() << ", " << getLayout() << '>';
}

void TTGDialect::registerLayouts() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/LayoutAttributes.cpp.inc"
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
