// SPDX-License-Identifier: MIT
//
// Attributes that no operation has of its own: what the author or the launcher knows of values and
// parameters, and how loops are to be compiled. Those of other releases are left alone.
#include "dialect/Hints.h"

#include "dialect/Dialect.h"

using namespace mlir;

namespace tl::tt {

namespace {

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

/// More axes than blocks have: every extent but 1 is at least 2, and a block has at most 2^20
/// elements.
constexpr int64_t mostAxes = 64;

/// One number, or one an axis: `16 : i32`, `dense<[8, 16]> : tensor<2xi32>`, `array<i32: 8, 16>`.
LogicalResult verifyPattern(NamedAttribute hint, EmitError emitError) {
  SmallVector<APInt> numbers;
  if (auto one = dyn_cast<IntegerAttr>(hint.getValue()))
    numbers.push_back(one.getValue());
  // One number in the text may stand for more than fit into memory.
  else if (auto dense = dyn_cast<DenseIntElementsAttr>(hint.getValue());
           dense && dense.getNumElements() <= mostAxes)
    numbers.append(dense.begin(), dense.end());
  else if (auto array = dyn_cast<DenseI32ArrayAttr>(hint.getValue()))
    for (int32_t number : array.asArrayRef())
      numbers.push_back(APInt(32, uint64_t(uint32_t(number))));
  if (numbers.empty())
    return emitError() << hint.getName().getValue()
                       << " must be an integer or one for each axis, found " << hint.getValue();
  for (const APInt &number : numbers)
    if (!number.isStrictlyPositive() || number.getActiveBits() > 63)
      return emitError() << hint.getName().getValue() << " must be positive, found "
                         << number.getSExtValue();
  return success();
}

LogicalResult verifyNumber(NamedAttribute hint, int64_t least, int64_t most, EmitError emitError) {
  auto number = dyn_cast<IntegerAttr>(hint.getValue());
  if (!number)
    return emitError() << hint.getName().getValue() << " must be an integer, found "
                       << hint.getValue();
  APInt value = number.getValue();
  if (value.getSignificantBits() > 64 || value.getSExtValue() < least ||
      value.getSExtValue() > most)
    return emitError() << hint.getName().getValue() << " must be from " << least << " to " << most
                       << ", found " << hint.getValue();
  return success();
}

LogicalResult verifyHint(NamedAttribute hint, EmitError emitError) {
  StringRef name = hint.getName();
  if (isHint(hint))
    return verifyPattern(hint, emitError);
  if (name == "tt.num_stages")
    return verifyNumber(hint, 0, 64, emitError);
  // A larger factor than any sensible body is an error that would exhaust memory.
  if (name == "tt.loop_unroll_factor")
    return verifyNumber(hint, 1, 1024, emitError);
  if (name == blocksName || name == multicastName)
    return verifyNumber(hint, 2, 16, emitError);
  if (name == mayAliasName && !isa<UnitAttr>(hint.getValue()))
    return emitError() << name << " must be a unit attribute, found " << hint.getValue();
  if (name == fromPointersName && !isa<DenseI32ArrayAttr>(hint.getValue()))
    return emitError() << name << " must be an array of i32, found " << hint.getValue();
  if ((name == flattenName || name == warpSpecializeName ||
       name == "tt.disallow_acc_multi_buffer") &&
      !isa<UnitAttr, BoolAttr>(hint.getValue()))
    return emitError() << name << " must be a flag, found " << hint.getValue();
  return success();
}

} // namespace

unsigned blocksOf(Operation *op, StringRef name) {
  auto number = op->getAttrOfType<IntegerAttr>(name);
  return number ? unsigned(number.getInt()) : 1;
}

bool isSet(Operation *loop, StringRef flag) {
  Attribute value = loop->getAttr(flag);
  auto given = dyn_cast_or_null<BoolAttr>(value);
  return value && (!given || given.getValue());
}

bool isHint(NamedAttribute attribute) {
  StringRef name = attribute.getName();
  return name == divisibilityName || name == contiguityName || name == constancyName;
}

SmallVector<int64_t, 4> hintNumbers(Attribute hint) {
  SmallVector<int64_t, 4> numbers;
  if (auto one = dyn_cast_or_null<IntegerAttr>(hint))
    numbers.push_back(one.getInt());
  else if (auto dense = dyn_cast_or_null<DenseIntElementsAttr>(hint))
    for (const APInt &number : dense.getValues<APInt>())
      numbers.push_back(number.getSExtValue());
  else if (auto array = dyn_cast_or_null<DenseI32ArrayAttr>(hint))
    numbers.append(array.asArrayRef().begin(), array.asArrayRef().end());
  return numbers;
}

LogicalResult TTDialect::verifyOperationAttribute(Operation *op, NamedAttribute hint) {
  return verifyHint(hint, [op] { return op->emitError(); });
}

LogicalResult TTDialect::verifyRegionArgAttribute(Operation *op, unsigned region, unsigned argument,
                                                  NamedAttribute hint) {
  Region &body = op->getRegion(region);
  Location location = body.empty() ? op->getLoc() : body.getArgument(argument).getLoc();
  return verifyHint(hint, [&] { return mlir::emitError(location); });
}

} // namespace tl::tt
