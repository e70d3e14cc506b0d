// SPDX-License-Identifier: MIT
#include "targets/simt/Functions.h"

namespace tl::backend::simt {

const SymbolList &functionSymbols() {
  static const SymbolList &all = []() -> const SymbolList & {
    auto &list = *new SymbolList;
    addExchanges(list);
    addMemoryFunctions(list);
    addConversions(list);
    addMatrixFunctions(list);
    addWaveProducts(list);
    addCopyFunctions(list);
    return list;
  }();
  return all;
}

} // namespace tl::backend::simt
