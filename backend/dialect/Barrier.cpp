// SPDX-License-Identifier: MIT
#include "dialect/Barrier.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

#include "dialect/BarrierDialect.cpp.inc"
#include "dialect/BarrierEnums.cpp.inc"

using namespace mlir;

namespace tl::ttg {

/// Reads `all`, or names joined by `|`.
static ParseResult parseAddrSpace(OpAsmParser &parser, AddrSpaceAttr &attribute) {
  auto value = AddrSpace::None;
  do {
    StringRef name;
    SMLoc where = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    std::optional<AddrSpace> one = symbolizeAddrSpace(name);
    if (!one)
      return parser.emitError(where) << "unknown memory '" << name << "' of a barrier";
    value = value | *one;
  } while (succeeded(parser.parseOptionalVerticalBar()));
  attribute = AddrSpaceAttr::get(parser.getContext(), value);
  return success();
}

static void printAddrSpace(OpAsmPrinter &printer, Operation *, AddrSpaceAttr attribute) {
  printer << stringifyAddrSpace(attribute.getValue());
}

} // namespace tl::ttg

#define GET_OP_CLASSES
#include "dialect/Barrier.cpp.inc"

void tl::ttg::TTGDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialect/Barrier.cpp.inc"
      >();
  registerLayouts();
  registerGpuOps();
}
