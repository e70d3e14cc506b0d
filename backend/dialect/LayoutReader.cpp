// SPDX-License-Identifier: MIT
#include "dialect/LayoutReader.h"

#include "dialect/Context.h"
#include "dialect/Layouts.h"
#include "dialect/Legality.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tl::backend {

namespace {

constexpr size_t maxText = 64 * 1024;

[[noreturn]] void refuse(const std::string &message, const std::string &help = {},
                         uint32_t column = 1) {
  throw Error(TL_INVALID_ARGUMENT, message, help).at({"", 1, column});
}

unsigned bitsOf(Type element) {
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

} // namespace

ReadLayout readLayout(std::string_view text) {
  StringRef given(text.data(), text.size());
  if (given.size() > maxText)
    refuse("the text of the layout has " + std::to_string(text.size()) + " bytes, at most " +
           std::to_string(maxText) + " are read");
  bool isAttribute = given.starts_with("#ttg.layout<") || given.starts_with("#ttg.shared<");
  if (!isAttribute && !given.starts_with("tensor<") && !given.starts_with("!ttg.memdesc<"))
    refuse(
        "the text is no layout",
        "a layout is #ttg.layout<...> or #ttg.shared<...>, or a tensor or !ttg.memdesc type that "
        "has one");
  try {
    tt::checkText(text, "");
  } catch (Error &error) {
    error.status = TL_INVALID_ARGUMENT;
    throw;
  }
  auto context = tt::makeContext();
  context->loadDialect<tt::TTDialect, ttg::TTGDialect>();
  tt::DiagnosticCollector diagnostics(*context);
  Attribute attribute;
  Type type;
  try {
    if (isAttribute)
      attribute = parseAttribute(given, context.get());
    else
      type = parseType(given, context.get());
    if (diagnostics.hasError() || (!attribute && !type))
      diagnostics.raise(TL_INVALID_ARGUMENT, "the text is no layout");
  } catch (Error &error) {
    error.file.clear(); // the parser names its buffer by the text itself
    throw;
  }
  ReadLayout result;
  if (auto tensor = dyn_cast_or_null<RankedTensorType>(type)) {
    attribute = tensor.getEncoding();
    if (!isa_and_nonnull<ttg::LayoutAttr>(attribute))
      refuse("the tensor type has no layout");
    if (ArrayRef<int64_t>(coveredShape(cast<ttg::LayoutAttr>(attribute).getMap())) !=
        tensor.getShape())
      refuse("the layout of the tensor type covers another shape");
    result.elementBits = bitsOf(tensor.getElementType());
  } else if (auto memory = dyn_cast_or_null<ttg::MemDescType>(type)) {
    attribute = memory.getLayout();
    result.elementBits = bitsOf(memory.getElementType());
  }
  if (auto shared = dyn_cast<ttg::SharedLayoutAttr>(attribute)) {
    result.kind = LayoutKind::Shared;
    result.layout = shared.getMap();
  } else {
    result.layout = cast<ttg::LayoutAttr>(attribute).getMap();
  }
  return result;
}

} // namespace tl::backend
