// SPDX-License-Identifier: MIT
//
// How neighbouring elements travel in registers of PTX, and how inline PTX names those.
#pragma once

#include "lowering/GpuInterfaces.h"

#include <string>

namespace tl::backend::nvidia {

/// How an access is cut into registers of PTX: `words` of `bits` bits.
struct Words {
  unsigned bits, words;
  std::string vector() const { return words == 1 ? "" : ".v" + std::to_string(words); }
  std::string type() const { return ".b" + std::to_string(bits); }
  /// 8-bit values travel in 16-bit registers.
  unsigned registerBits() const { return bits < 16 ? 16 : bits; }
  /// Of the constraint of an operand.
  char letter() const { return bits == 64 ? 'l' : bits == 32 ? 'r' : 'h'; }
};

Words wordsOf(const GlobalAccess &access);

/// Elements side by side in words, and back.
llvm::SmallVector<llvm::Value *> pack(GpuBuilder &b, llvm::ArrayRef<llvm::Value *> elements,
                                      const Words &words);
llvm::SmallVector<llvm::Value *> unpack(GpuBuilder &b, llvm::ArrayRef<llvm::Value *> packed,
                                        const Words &words, const GlobalAccess &access);

/// "$2" of one operand, "{$2, $3}" of several.
std::string operandList(unsigned first, unsigned count);

} // namespace tl::backend::nvidia
