// SPDX-License-Identifier: MIT
//
// A plain access that always happens is LLVM's; a predicated one, or one with cache hints, is
// inline PTX, because the instruction has its own predicate and a branch around it would cost more;
// LLVM's masked accesses take no hints.
#include "targets/nvidia/InlinePtx.h"
#include "targets/nvidia/NvidiaGpu.h"
#include "targets/nvidia/Words.h"

#include "llvm/IR/Constants.h"

namespace tl::backend::nvidia {

using llvm::Value;

namespace {

std::string loadModifiers(const GlobalAccess &access) {
  if (access.isVolatile)
    return ".volatile.global";
  std::string text = ".global";
  switch (access.cache) {
  case tt::CacheModifier::CA:
    text += ".ca";
    break;
  case tt::CacheModifier::CG:
    text += ".cg";
    break;
  case tt::CacheModifier::CS:
    text += ".cs";
    break;
  case tt::CacheModifier::CV:
    text += ".cv";
    break;
  default:
    if (access.evict == tt::EvictionPolicy::EVICT_FIRST)
      text += ".L1::evict_first";
    if (access.evict == tt::EvictionPolicy::EVICT_LAST)
      text += ".L1::evict_last";
  }
  return text;
}

std::string storeModifiers(const GlobalAccess &access) {
  std::string text = ".global";
  switch (access.cache) {
  case tt::CacheModifier::WB:
    return text + ".wb";
  case tt::CacheModifier::CG:
    return text + ".cg";
  case tt::CacheModifier::CS:
    return text + ".cs";
  case tt::CacheModifier::WT:
    return text + ".wt";
  default:
    if (access.evict == tt::EvictionPolicy::EVICT_FIRST)
      text += ".L1::evict_first";
    if (access.evict == tt::EvictionPolicy::EVICT_LAST)
      text += ".L1::evict_last";
  }
  return text;
}

bool isPlain(const GlobalAccess &access) {
  return access.cache == tt::CacheModifier::NONE && access.evict == tt::EvictionPolicy::NORMAL &&
         !access.isVolatile && !access.predicate;
}

Value *global(GpuBuilder &b, Value *pointer) {
  return b.CreateAddrSpaceCast(pointer, b.getPtrTy(1));
}

llvm::Type *accessType(GpuBuilder &b, const Words &words) {
  llvm::Type *word = b.getIntNTy(words.bits);
  return words.words == 1
             ? word
             : static_cast<llvm::Type *>(llvm::FixedVectorType::get(word, words.words));
}

} // namespace

llvm::SmallVector<Value *> Memory::load(GpuBuilder &b, const GlobalAccess &access,
                                        llvm::ArrayRef<Value *> others) const {
  Words words = wordsOf(access);
  llvm::Type *reg = b.getIntNTy(words.registerBits());
  llvm::SmallVector<Value *> loaded;
  if (isPlain(access)) {
    Value *value = b.CreateAlignedLoad(accessType(b, words), global(b, access.pointer),
                                       llvm::Align(access.elementBytes * access.elements));
    if (words.words == 1)
      loaded.push_back(value);
    else
      for (unsigned i = 0; i < words.words; ++i)
        loaded.push_back(b.CreateExtractElement(value, uint64_t(i)));
    return unpack(b, loaded, words, access);
  }
  // Results start as what they are where the predicate is false. Constants are written down: as
  // operands they would all be copies of one register, for which the assembler keeps it. Of 16 bits
  // it keeps none.
  std::string text, constraints;
  llvm::SmallVector<Value *> operands = {access.pointer};
  unsigned n = words.words;
  for (unsigned i = 0; i < n; ++i)
    constraints += std::string(access.predicate ? "=&" : "=") + words.letter() + ",";
  constraints += "l";
  if (access.predicate) {
    constraints += ",b";
    operands.push_back(access.predicate);
    llvm::SmallVector<Value *> first(n, llvm::ConstantInt::get(reg, 0));
    if (!others.empty())
      first = pack(b, others, words);
    for (unsigned i = 0; i < n; ++i)
      if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(first[i]);
          constant && words.registerBits() > 16) {
        text += "mov.b" + std::to_string(words.registerBits()) + " $" + std::to_string(i) + ", " +
                std::to_string(constant->getSExtValue()) + ";\n\t";
      } else {
        constraints += "," + std::to_string(i);
        operands.push_back(first[i]);
      }
    text += "@$" + std::to_string(n + 1) + " ";
  }
  text += "ld" + loadModifiers(access) + words.vector() + words.type() + " " + operandList(0, n) +
          ", [$" + std::to_string(n) + "];";
  llvm::SmallVector<llvm::Type *> types(n, reg);
  llvm::Type *result = n == 1 ? reg : llvm::StructType::get(b.getContext(), types);
  Value *all = emitPtx(b, result, text, constraints, operands, true);
  for (unsigned i = 0; i < n; ++i)
    loaded.push_back(n == 1 ? all : b.CreateExtractValue(all, i));
  return unpack(b, loaded, words, access);
}

void Memory::store(GpuBuilder &b, const GlobalAccess &access,
                   llvm::ArrayRef<Value *> values) const {
  Words words = wordsOf(access);
  auto packed = pack(b, values, words);
  if (isPlain(access)) {
    Value *value = nullptr;
    if (words.words == 1) {
      value = b.CreateTrunc(packed[0], b.getIntNTy(words.bits));
    } else {
      value = llvm::PoisonValue::get(accessType(b, words));
      for (unsigned i = 0; i < words.words; ++i)
        value = b.CreateInsertElement(value, packed[i], uint64_t(i));
    }
    b.CreateAlignedStore(value, global(b, access.pointer),
                         llvm::Align(access.elementBytes * access.elements));
    return;
  }
  llvm::SmallVector<Value *> operands = {access.pointer};
  std::string constraints = "l";
  for (Value *value : packed) {
    operands.push_back(value);
    constraints += std::string(",") + words.letter();
  }
  std::string text;
  if (access.predicate) {
    constraints += ",b";
    operands.push_back(access.predicate);
    text = "@$" + std::to_string(words.words + 1) + " ";
  }
  text += "st" + storeModifiers(access) + words.vector() + words.type() + " [$0], " +
          operandList(1, words.words) + ";";
  emitPtx(b, b.getVoidTy(), text, constraints, operands, true);
}

} // namespace tl::backend::nvidia
