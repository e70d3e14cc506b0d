// SPDX-License-Identifier: MIT
#include "interpreter/Operations.h"

namespace tl::backend::interpreter {

const Operation *findOperation(std::string_view name) {
  struct Groups : OperationTable {
    Groups() {
      addCreation(*this);
      addIntegers(*this);
      addFloats(*this);
      addMath(*this);
      addExtern(*this);
      addCasts(*this);
      addMemory(*this);
      addAtomics(*this);
      addDescriptors(*this);
      addReduction(*this);
      addLinearAlgebra(*this);
      addShaping(*this);
      addControlFlow(*this);
      addDebug(*this);
    }
  };
  static const Groups groups;
  return groups.find(name);
}

} // namespace tl::backend::interpreter
