// SPDX-License-Identifier: MIT
//
// Registration, constants, and how calls are inlined.
#include "dialect/Dialect.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialect/Dialect.cpp.inc"
#include "dialect/Enums.cpp.inc"
#include "dialect/Interfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/Attributes.cpp.inc"

using namespace mlir;

namespace tl::tt {

namespace {

/// Every function is inlined unless it says `noinline = true`.
struct Inliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *call, Operation *callable, bool) const final {
    auto mayInline = [](Operation *op) {
      auto never = op->getAttrOfType<BoolAttr>("noinline");
      return !never || !never.getValue();
    };
    return mayInline(call) && mayInline(callable);
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }

  void handleTerminator(Operation *op, Block *next) const final {
    auto ret = dyn_cast<ReturnOp>(op);
    if (!ret)
      return;
    OpBuilder builder(op);
    cf::BranchOp::create(builder, op->getLoc(), next, ret.getSrcs());
    op->erase();
  }

  void handleTerminator(Operation *op, ValueRange results) const final {
    for (auto [result, value] : llvm::zip(results, cast<ReturnOp>(op).getSrcs()))
      result.replaceAllUsesWith(value);
  }
};

} // namespace

void TTDialect::initialize() {
  registerTypes();
  registerAttributes();
  registerCreationOps();
  registerMemoryOps();
  registerElementwiseOps();
  registerReductionOps();
  registerLinearAlgebraOps();
  registerShapingOps();
  registerControlFlowOps();
  registerDebugOps();
  registerInterfaces();
}

namespace {

template <typename Op> ParseResult parseAs(OpAsmParser &parser, OperationState &state) {
  state.name = OperationName(Op::getOperationName(), parser.getContext());
  return Op::parse(parser, state);
}

} // namespace

std::optional<Dialect::ParseOpHook> TTDialect::getParseOperationHook(StringRef name) const {
  using Parse = ParseResult (*)(OpAsmParser &, OperationState &);
  // What 3.3 calls the accesses of descriptors; the text is the same.
  Parse parse = llvm::StringSwitch<Parse>(name)
                    .Case("tt.experimental_descriptor_load", parseAs<DescriptorLoadOp>)
                    .Case("tt.experimental_descriptor_store", parseAs<DescriptorStoreOp>)
                    .Case("tt.experimental_descriptor_gather", parseAs<DescriptorGatherOp>)
                    .Case("tt.experimental_descriptor_scatter", parseAs<DescriptorScatterOp>)
                    .Default(nullptr);
  if (parse)
    return ParseOpHook(*parse);
  return Dialect::getParseOperationHook(name);
}

void TTDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/Attributes.cpp.inc"
      >();
}

void TTDialect::registerInterfaces() { addInterfaces<Inliner>(); }

Operation *TTDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                          Location loc) {
  if (auto poison = dyn_cast<ub::PoisonAttr>(value))
    return ub::PoisonOp::create(builder, loc, type, poison);
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

/// Reads `<cache_modifier = cg, eviction_policy = evict_first>`, either part first or missing.
Attribute CachePolicyAttr::parse(AsmParser &parser, Type) {
  auto cache = CacheModifier::NONE;
  auto evict = EvictionPolicy::NORMAL;
  auto parseField = [&]() -> ParseResult {
    SMLoc where = parser.getCurrentLocation();
    StringRef field, value;
    if (parser.parseKeyword(&field) || parser.parseEqual() || parser.parseKeyword(&value))
      return failure();
    if (field == "cache_modifier") {
      if (auto known = symbolizeCacheModifier(value))
        return cache = *known, success();
    } else if (field == "eviction_policy") {
      if (auto known = symbolizeEvictionPolicy(value))
        return evict = *known, success();
    } else {
      return parser.emitError(where) << "unknown part '" << field << "' of a cache policy";
    }
    return parser.emitError(where) << "unknown value '" << value << "' of " << field;
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseField))
    return {};
  return get(parser.getContext(), cache, evict);
}

void CachePolicyAttr::print(AsmPrinter &printer) const {
  printer << "<cache_modifier = " << stringifyCacheModifier(getCacheModifier())
          << ", eviction_policy = " << stringifyEvictionPolicy(getEvictionPolicy()) << '>';
}

} // namespace tl::tt
