// SPDX-License-Identifier: MIT
#include "dialect/Dialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#define GET_TYPEDEF_CLASSES
#include "dialect/Types.cpp.inc"

using namespace mlir;

namespace tl::tt {

void TTDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/Types.cpp.inc"
      >();
}

// ---- Pointers and block pointers, which share a name

/// Reads `<f32>`, `<f32, 1>` or `<tensor<32x64xf16>>`.
static Type parsePointer(AsmParser &parser) {
  SMLoc where = parser.getCurrentLocation();
  Type pointee;
  int addressSpace = 1;
  if (parser.parseLess() || parser.parseType(pointee) ||
      (succeeded(parser.parseOptionalComma()) && parser.parseInteger(addressSpace)) ||
      parser.parseGreater())
    return {};
  auto block = dyn_cast<RankedTensorType>(pointee);
  if (block && addressSpace == 1)
    return parser.getChecked<BlockPointerType>(where, parser.getContext(), block);
  return parser.getChecked<PointerType>(where, parser.getContext(), pointee, addressSpace);
}

Type PointerType::parse(AsmParser &parser) { return parsePointer(parser); }

void PointerType::print(AsmPrinter &printer) const {
  printer << '<' << getPointeeType();
  if (getAddressSpace() != 1)
    printer << ", " << getAddressSpace();
  printer << '>';
}

LogicalResult PointerType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, Type pointee,
                                  int addressSpace) {
  if (addressSpace == 0)
    return emitError() << "the address space of a pointer must be 1, global memory, found 0, which "
                          "has tensor maps that the host makes; pass a !tt.tensordesc instead";
  if (addressSpace != 1)
    return emitError() << "the address space of a pointer must be 1, global memory, found "
                       << addressSpace;
  if (isa<ShapedType>(pointee))
    return emitError() << "a pointer cannot point to " << pointee
                       << "; a block pointer points to a tensor of static shape";
  return success();
}

Type BlockPointerType::parse(AsmParser &parser) { return parsePointer(parser); }

void BlockPointerType::print(AsmPrinter &printer) const { printer << '<' << getBlockType() << '>'; }

LogicalResult BlockPointerType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                                       RankedTensorType block) {
  if (block.getRank() == 0)
    return emitError() << "a block pointer needs at least one axis";
  if (!block.getElementType().isIntOrFloat())
    return emitError() << "a block pointer needs integer or float elements, found "
                       << block.getElementType();
  return verifyTensorSize(block, emitError);
}

// ---- Tensor descriptors

/// Reads `tensor<32x64xf16>`, or `32x64xf16` with an optional `, layout`.
Type TensorDescType::parse(AsmParser &parser) {
  if (parser.parseLess())
    return {};
  SMLoc where = parser.getCurrentLocation();
  Type block;
  OptionalParseResult old = parser.parseOptionalType(block);
  if (old.has_value()) {
    if (failed(*old))
      return {};
    if (!isa<RankedTensorType>(block)) {
      parser.emitError(where) << "expected the shape and element type of a block";
      return {};
    }
  } else {
    SmallVector<int64_t> shape;
    Type element;
    Attribute layout;
    if (parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(element))
      return {};
    if (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(layout))
      return {};
    block = RankedTensorType::getChecked([&] { return parser.emitError(where); }, shape, element,
                                         layout);
    if (!block)
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<TensorDescType>(where, parser.getContext(),
                                           cast<RankedTensorType>(block));
}

void TensorDescType::print(AsmPrinter &printer) const {
  RankedTensorType block = getBlockType();
  auto *dialect = static_cast<TTDialect *>(&getDialect());
  printer << '<';
  if (dialect->spelling == TTDialect::Spelling::Upstream36) {
    printer << block;
  } else {
    for (int64_t extent : block.getShape())
      printer << extent << 'x';
    printer << block.getElementType();
    if (Attribute layout = block.getEncoding())
      printer << ", " << layout;
  }
  printer << '>';
}

LogicalResult TensorDescType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                                     RankedTensorType block) {
  if (block.getRank() == 0)
    return emitError() << "a tensor descriptor needs at least one axis";
  if (!block.getElementType().isIntOrFloat())
    return emitError() << "a tensor descriptor needs integer or float elements, found "
                       << block.getElementType();
  return verifyTensorSize(block, emitError);
}

RankedTensorType TensorDescType::getSignlessBlockType() const {
  RankedTensorType block = getBlockType();
  if (auto integer = dyn_cast<IntegerType>(block.getElementType());
      integer && !integer.isSignless())
    return RankedTensorType::get(
        block.getShape(), IntegerType::get(getContext(), integer.getWidth()), block.getEncoding());
  return block;
}

Type withElementType(Type type, Type element) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return RankedTensorType::get(tensor.getShape(), element, tensor.getEncoding());
  return element;
}

Type getPointeeType(Type type) {
  if (auto pointer = dyn_cast<BlockPointerType>(type))
    return pointer.getBlockType();
  if (auto pointer = dyn_cast<PointerType>(getElementTypeOrSelf(type)))
    return withElementType(type, pointer.getPointeeType());
  return {};
}

Type getI1SameShape(Type type) {
  return withElementType(type, IntegerType::get(type.getContext(), 1));
}

Type getPointerTypeSameShape(Type type, int addressSpace) {
  return withElementType(type, PointerType::get(getElementTypeOrSelf(type), addressSpace));
}

unsigned getElementBits(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<PointerType>(element) ? 64
         : element.isIntOrFloat()  ? element.getIntOrFloatBitWidth()
                                   : 0;
}

unsigned memoryBytes(Type type) {
  return getElementTypeOrSelf(type).isIndex() ? 8 : std::max(1u, getElementBits(type) / 8);
}

bool isFp8(Type element) { return isa<Float8E4M3FNType, Float8E5M2Type>(element); }

std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t extent : shape)
    text +=
        (text.empty() ? "" : "x") + (ShapedType::isDynamic(extent) ? "?" : std::to_string(extent));
  return text.empty() ? "scalar" : text;
}

std::string shapeText(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return shapeText(tensor.getShape());
  if (auto descriptor = dyn_cast<TensorDescType>(type))
    return shapeText(descriptor.getShape());
  if (auto pointer = dyn_cast<BlockPointerType>(type))
    return shapeText(pointer.getBlockType());
  return "scalar";
}

} // namespace tl::tt
