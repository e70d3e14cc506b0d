// SPDX-License-Identifier: MIT
#include "dialect/MemorySyntax.h"

using namespace mlir;

namespace tl::tt {

namespace {

template <typename Enum>
ParseResult parseHint(OpAsmParser &parser, StringRef what,
                      std::optional<Enum> (*symbolize)(StringRef), Enum &value) {
  StringRef keyword;
  SMLoc where;
  if (parser.parseEqual())
    return failure();
  where = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Enum> known = symbolize(keyword);
  if (!known)
    return parser.emitError(where) << "unknown " << what << " '" << keyword << "'";
  value = *known;
  return success();
}

} // namespace

ParseResult parseHintKeywords(OpAsmParser &parser, CacheModifier &cache, EvictionPolicy &evict) {
  for (;;) {
    if (succeeded(parser.parseOptionalKeyword("cacheModifier"))) {
      if (parseHint<CacheModifier>(parser, "cache modifier", symbolizeCacheModifier, cache))
        return failure();
    } else if (succeeded(parser.parseOptionalKeyword("evictionPolicy"))) {
      if (parseHint<EvictionPolicy>(parser, "eviction policy", symbolizeEvictionPolicy, evict))
        return failure();
    } else {
      return success();
    }
  }
}

ParseResult takeCachePolicy(OpAsmParser &parser, SMLoc where, NamedAttrList &attributes,
                            CacheModifier &cache, EvictionPolicy &evict) {
  Attribute found = attributes.erase("cachePolicy");
  if (!found)
    return success();
  auto policy = dyn_cast<CachePolicyAttr>(found);
  if (!policy)
    return parser.emitError(where) << "cachePolicy must be a #tt.cache_policy, found " << found;
  cache = policy.getCacheModifier();
  evict = policy.getEvictionPolicy();
  return success();
}

void printHints(OpAsmPrinter &printer, Operation *op, CacheModifier cache, EvictionPolicy evict,
                ArrayRef<StringRef> elided) {
  SmallVector<StringRef> hidden(elided);
  hidden.append({"cache", "evict"});
  // Attributes that have their default are not printed.
  NamedAttrList attributes(op->getAttrDictionary());
  if (auto isVolatile = dyn_cast_if_present<BoolAttr>(attributes.get("isVolatile"));
      isVolatile && !isVolatile.getValue())
    hidden.push_back("isVolatile");
  if (cache != CacheModifier::NONE || evict != EvictionPolicy::NORMAL) {
    auto *dialect = static_cast<TTDialect *>(op->getDialect());
    if (dialect->spelling == TTDialect::Spelling::Upstream36) {
      if (cache != CacheModifier::NONE)
        printer << " cacheModifier = " << stringifyCacheModifier(cache);
      if (evict != EvictionPolicy::NORMAL)
        printer << " evictionPolicy = " << stringifyEvictionPolicy(evict);
    } else {
      attributes.set("cachePolicy", CachePolicyAttr::get(op->getContext(), cache, evict));
    }
  }
  printer.printOptionalAttrDict(attributes.getAttrs(), hidden);
}

} // namespace tl::tt
