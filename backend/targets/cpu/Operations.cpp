// SPDX-License-Identifier: MIT
#include "targets/cpu/Operations.h"

namespace tl::backend::cpu {

const EmitterTable &emitters() {
  struct Groups : EmitterTable {
    Groups() {
      addCreation(*this);
      addMemory(*this);
      addAtomics(*this);
      addElementwise(*this);
      addReduction(*this);
      addScans(*this);
      addLinearAlgebra(*this);
      addScaledProducts(*this);
      addShaping(*this);
      addControlFlow(*this);
      addDebug(*this);
    }
  };
  static const Groups groups;
  return groups;
}

} // namespace tl::backend::cpu
