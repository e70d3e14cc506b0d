// SPDX-License-Identifier: MIT
//
// How cache hints are written after the operands of a memory operation. Both spellings are read,
//     cacheModifier = cg evictionPolicy = evict_first {isVolatile = true}             (up to 3.8)
//     {cachePolicy = #tt.cache_policy<cache_modifier = cg, ...>, isVolatile = true}    (since 3.9)
// and the dialect's `spelling` says which one is printed.
#pragma once

#include "dialect/Dialect.h"

namespace tl::tt {

/// Reads `cacheModifier = x` and `evictionPolicy = y` in any order.
mlir::ParseResult parseHintKeywords(mlir::OpAsmParser &parser, CacheModifier &cache,
                                    EvictionPolicy &evict);

/// Takes `cachePolicy` out of the attributes, if it is there.
mlir::ParseResult takeCachePolicy(mlir::OpAsmParser &parser, llvm::SMLoc where,
                                  mlir::NamedAttrList &attributes, CacheModifier &cache,
                                  EvictionPolicy &evict);

/// Prints both hints and the attributes of `op`, less those named in `elided`.
void printHints(mlir::OpAsmPrinter &printer, mlir::Operation *op, CacheModifier cache,
                EvictionPolicy evict, llvm::ArrayRef<llvm::StringRef> elided);

template <typename Op>
mlir::ParseResult parseCacheHints(mlir::OpAsmParser &parser, mlir::OperationState &state) {
  auto cache = CacheModifier::NONE;
  auto evict = EvictionPolicy::NORMAL;
  if (parseHintKeywords(parser, cache, evict))
    return mlir::failure();
  llvm::SMLoc where = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(state.attributes) ||
      takeCachePolicy(parser, where, state.attributes, cache, evict))
    return mlir::failure();
  auto &properties = state.getOrAddProperties<typename Op::Properties>();
  mlir::MLIRContext *context = parser.getContext();
  if (!state.attributes.get("cache"))
    properties.cache = CacheModifierAttr::get(context, cache);
  if (!state.attributes.get("evict"))
    properties.evict = EvictionPolicyAttr::get(context, evict);
  return Op::verifyInherentAttrs(state.name, state.attributes, [&] {
    return parser.emitError(where) << "'" << state.name.getStringRef() << "' op ";
  });
}

template <typename Op>
void printCacheHints(mlir::OpAsmPrinter &printer, Op op, llvm::ArrayRef<llvm::StringRef> elided) {
  printHints(printer, op, op.getCache(), op.getEvict(), elided);
}

} // namespace tl::tt
