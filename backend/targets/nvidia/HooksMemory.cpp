// SPDX-License-Identifier: MIT
//
// Accesses of global memory and atomics. A plain access that always happens is LLVM's; a predicated
// one, or one with cache hints, is inline PTX, because the instruction has its own predicate and a
// branch around it would cost more. Atomics are inline PTX: LLVM's code generator drops the order
// and scope of read-modify-writes.
#include "targets/nvidia/Hooks.h"
#include "targets/nvidia/InlinePtx.h"

#include "llvm/IR/Constants.h"

namespace tl::backend::nvidia {

using llvm::Value;

namespace {

/// How an access is cut into registers of PTX: `words` of `bits` bits.
struct Words {
  unsigned bits, words;
  std::string vector() const { return words == 1 ? "" : ".v" + std::to_string(words); }
  std::string type() const { return ".b" + std::to_string(bits); }
  /// 8-bit values travel in 16-bit registers.
  unsigned registerBits() const { return bits < 16 ? 16 : bits; }
  char letter() const { return bits == 64 ? 'l' : bits == 32 ? 'r' : 'h'; }
};

Words wordsOf(const GlobalAccess &access) {
  unsigned bytes = access.elementBytes * access.elements;
  if (bytes >= 16 && access.elementBytes == 8)
    return {64, bytes / 8};
  if (bytes >= 4 && access.elementBytes <= 4)
    return {32, bytes / 4};
  if (bytes == 8)
    return {64, 1};
  return {bytes * 8, 1};
}

/// Elements side by side in words.
llvm::SmallVector<Value *> pack(llvm::IRBuilderBase &b, llvm::ArrayRef<Value *> elements,
                                const Words &words) {
  llvm::SmallVector<Value *> packed;
  unsigned per = unsigned(elements.size()) / words.words;
  for (unsigned word = 0; word < words.words; ++word) {
    Value *value = elements[word * per];
    if (per > 1) {
      value = llvm::PoisonValue::get(llvm::FixedVectorType::get(value->getType(), per));
      for (unsigned i = 0; i < per; ++i)
        value = b.CreateInsertElement(value, elements[word * per + i], uint64_t(i));
    }
    value = b.CreateBitCast(value, b.getIntNTy(words.bits));
    packed.push_back(b.CreateZExt(value, b.getIntNTy(words.registerBits())));
  }
  return packed;
}

llvm::SmallVector<Value *> unpack(llvm::IRBuilderBase &b, llvm::ArrayRef<Value *> packed,
                                  const Words &words, const GlobalAccess &access) {
  llvm::SmallVector<Value *> elements;
  unsigned per = access.elements / words.words;
  llvm::Type *element = b.getIntNTy(access.elementBytes * 8);
  for (Value *word : packed) {
    Value *value = b.CreateTrunc(word, b.getIntNTy(words.bits));
    if (per == 1) {
      elements.push_back(value);
      continue;
    }
    Value *vector = b.CreateBitCast(value, llvm::FixedVectorType::get(element, per));
    for (unsigned i = 0; i < per; ++i)
      elements.push_back(b.CreateExtractElement(vector, uint64_t(i)));
  }
  return elements;
}

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

std::string list(unsigned first, unsigned count) {
  std::string text = count > 1 ? "{" : "";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return text + (count > 1 ? "}" : "");
}

Value *global(llvm::IRBuilderBase &b, Value *pointer) {
  return b.CreateAddrSpaceCast(pointer, b.getPtrTy(1));
}

llvm::Type *accessType(llvm::IRBuilderBase &b, const Words &words) {
  llvm::Type *word = b.getIntNTy(words.bits);
  return words.words == 1
             ? word
             : static_cast<llvm::Type *>(llvm::FixedVectorType::get(word, words.words));
}

} // namespace

llvm::SmallVector<Value *> NvidiaHooks::load(Builder &b, const GlobalAccess &access,
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
  // Results start as what they are where the predicate is false.
  std::string text, constraints;
  llvm::SmallVector<Value *> operands = {access.pointer};
  unsigned n = words.words;
  for (unsigned i = 0; i < n; ++i)
    constraints += std::string("=") + words.letter() + ",";
  constraints += "l";
  if (access.predicate) {
    constraints += ",b";
    operands.push_back(access.predicate);
    if (others.empty()) {
      operands.append(n, llvm::ConstantInt::get(reg, 0));
    } else {
      auto packed = pack(b, others, words);
      operands.append(packed.begin(), packed.end());
    }
    for (unsigned i = 0; i < n; ++i)
      constraints += "," + std::to_string(i);
    text = "@$" + std::to_string(n + 1) + " ";
  }
  text += "ld" + loadModifiers(access) + words.vector() + words.type() + " " + list(0, n) + ", [$" +
          std::to_string(n) + "];";
  llvm::SmallVector<llvm::Type *> types(n, reg);
  llvm::Type *result = n == 1 ? reg : llvm::StructType::get(b.getContext(), types);
  Value *all = emitPtx(b, result, text, constraints, operands, true);
  for (unsigned i = 0; i < n; ++i)
    loaded.push_back(n == 1 ? all : b.CreateExtractValue(all, i));
  return unpack(b, loaded, words, access);
}

void NvidiaHooks::store(Builder &b, const GlobalAccess &access,
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
          list(1, words.words) + ";";
  emitPtx(b, b.getVoidTy(), text, constraints, operands, true);
}

// ---- Atomics -----------------------------------------------------------------------------------

namespace {

std::string orderOf(const AtomicAccess &access) {
  std::string text;
  switch (access.semantic) {
  case tt::MemSemantic::RELAXED:
    text = ".relaxed";
    break;
  case tt::MemSemantic::ACQUIRE:
    text = ".acquire";
    break;
  case tt::MemSemantic::RELEASE:
    text = ".release";
    break;
  case tt::MemSemantic::ACQUIRE_RELEASE:
    text = ".acq_rel";
    break;
  }
  switch (access.scope) {
  case tt::MemSyncScope::CTA:
    return text + ".cta";
  case tt::MemSyncScope::GPU:
    return text + ".gpu";
  case tt::MemSyncScope::SYSTEM:
    return text + ".sys";
  }
  return text;
}

char letterOf(unsigned bits) { return bits == 64 ? 'l' : bits == 32 ? 'r' : 'h'; }

} // namespace

Value *NvidiaHooks::atomic(Builder &b, const AtomicAccess &access, tt::RMWOp operation,
                           Value *value, mlir::Type element, bool used) const {
  unsigned bits = value->getType()->getIntegerBitWidth();
  std::string text;
  std::string number = std::to_string(bits);
  switch (operation) {
  case tt::RMWOp::AND:
    text = ".and.b" + number;
    break;
  case tt::RMWOp::OR:
    text = ".or.b" + number;
    break;
  case tt::RMWOp::XOR:
    text = ".xor.b" + number;
    break;
  case tt::RMWOp::ADD:
    text = ".add.u" + number;
    break;
  case tt::RMWOp::FADD:
    if (element.isF16())
      text = ".add.noftz.f16";
    else if (element.isBF16() && architecture.number >= 90)
      text = ".add.noftz.bf16";
    else if (element.isF32() || element.isF64())
      text = ".add.f" + number;
    else
      return nullptr;
    break;
  case tt::RMWOp::MAX:
    text = ".max.s" + number;
    break;
  case tt::RMWOp::MIN:
    text = ".min.s" + number;
    break;
  case tt::RMWOp::UMAX:
    text = ".max.u" + number;
    break;
  case tt::RMWOp::UMIN:
    text = ".min.u" + number;
    break;
  case tt::RMWOp::XCHG:
    text = ".exch.b" + number;
    break;
  }
  bool integer = !mlir::isa<mlir::FloatType>(element);
  if (bits < 32 && (integer || operation != tt::RMWOp::FADD))
    return nullptr;
  std::string letter(1, letterOf(bits));
  llvm::Type *type = value->getType();
  // Without a use it is a reduction, which needs no answer.
  bool reduces =
      !used && operation != tt::RMWOp::XCHG &&
      (access.semantic == tt::MemSemantic::RELAXED || access.semantic == tt::MemSemantic::RELEASE);
  if (reduces) {
    std::string guard = access.predicate ? "@$2 " : "";
    llvm::SmallVector<Value *> operands = {access.pointer, value};
    if (access.predicate)
      operands.push_back(access.predicate);
    emitPtx(b, b.getVoidTy(), guard + "red" + orderOf(access) + ".global" + text + " [$0], $1;",
            "l," + letter + (access.predicate ? ",b" : ""), operands, true);
    return llvm::ConstantInt::get(type, 0);
  }
  std::string body = "atom" + orderOf(access) + ".global" + text + " $0, [$1], $2;";
  if (!access.predicate)
    return emitPtx(b, type, body, "=" + letter + ",l," + letter, {access.pointer, value}, true);
  return emitPtx(b, type, "@$3 " + body, "=" + letter + ",l," + letter + ",b,0",
                 {access.pointer, value, access.predicate, llvm::ConstantInt::get(type, 0)}, true);
}

unsigned NvidiaHooks::atomicWidth(tt::RMWOp operation, mlir::Type element) const {
  if (operation != tt::RMWOp::FADD)
    return 1;
  bool vectors = architecture.number >= 90;
  if (element.isF32())
    return vectors ? 4 : 1;
  if (element.isBF16())
    return vectors ? 8 : 1;
  return element.isF16() ? (vectors ? 8 : 2) : 1;
}

/// Additions of neighbours: pairs of 16 bits in a register, up to four registers.
llvm::SmallVector<Value *> NvidiaHooks::atomicVector(Builder &b, const AtomicAccess &access,
                                                     tt::RMWOp, llvm::ArrayRef<Value *> values,
                                                     mlir::Type element, bool used) const {
  GlobalAccess shape;
  shape.elementBytes = element.isF32() ? 4 : 2;
  shape.elements = unsigned(values.size());
  Words words{32, shape.elements * shape.elementBytes / 4};
  auto packed = pack(b, values, words);
  std::string type = element.isF32() ? ".f32" : element.isF16() ? ".f16x2" : ".bf16x2";
  std::string operation = orderOf(access) + ".global.add" + (element.isF32() ? "" : ".noftz") +
                          words.vector() + type + " ";
  unsigned n = words.words;
  bool answers = used || access.semantic == tt::MemSemantic::ACQUIRE ||
                 access.semantic == tt::MemSemantic::ACQUIRE_RELEASE;
  unsigned first = answers ? n : 0; // number of the pointer among the operands
  std::string text = answers ? "atom" + operation + list(0, n) + ", " : "red" + operation;
  text += "[$" + std::to_string(first) + "], " + list(first + 1, n) + ";";
  std::string constraints;
  for (unsigned i = 0; i < first; ++i)
    constraints += "=r,";
  constraints += "l";
  llvm::SmallVector<Value *> operands = {access.pointer};
  for (Value *word : packed) {
    operands.push_back(word);
    constraints += ",r";
  }
  if (access.predicate) {
    text = "@$" + std::to_string(first + 1 + n) + " " + text;
    operands.push_back(access.predicate);
    constraints += ",b";
    for (unsigned i = 0; i < first; ++i) {
      operands.push_back(b.getInt32(0));
      constraints += "," + std::to_string(i);
    }
  }
  if (!answers) {
    emitPtx(b, b.getVoidTy(), text, constraints, operands, true);
    return llvm::SmallVector<Value *>(values.size(), b.getIntN(shape.elementBytes * 8, 0));
  }
  llvm::SmallVector<llvm::Type *> types(n, b.getInt32Ty());
  llvm::Type *result = n == 1 ? types[0] : llvm::StructType::get(b.getContext(), types);
  Value *all = emitPtx(b, result, text, constraints, operands, true);
  llvm::SmallVector<Value *> olds;
  for (unsigned i = 0; i < n; ++i)
    olds.push_back(n == 1 ? all : b.CreateExtractValue(all, i));
  return unpack(b, olds, words, shape);
}

Value *NvidiaHooks::compareAndSwap(Builder &b, const AtomicAccess &access, Value *expected,
                                   Value *value) const {
  unsigned bits = value->getType()->getIntegerBitWidth();
  std::string letter(1, letterOf(std::max(16u, bits)));
  if (bits == 8) {
    // A byte is swapped as a part of the aligned word that holds it.
    Value *address = b.CreatePtrToInt(access.pointer, b.getInt64Ty());
    Value *base = b.CreateAnd(address, ~uint64_t(3));
    Value *shift = b.CreateShl(b.CreateTrunc(b.CreateAnd(address, 3), b.getInt32Ty()), 3);
    Value *mask = b.CreateShl(b.getInt32(0xff), shift);
    Value *pointer = b.CreateIntToPtr(base, b.getPtrTy());
    Value *word = b.CreateAlignedLoad(b.getInt32Ty(), pointer, llvm::Align(4), true);
    Value *others = b.CreateAnd(word, b.CreateNot(mask));
    auto placed = [&](Value *byte) {
      return b.CreateOr(others, b.CreateShl(b.CreateZExt(byte, b.getInt32Ty()), shift));
    };
    AtomicAccess wide = access;
    wide.pointer = pointer;
    Value *seen = compareAndSwap(b, wide, placed(expected), placed(value));
    // Another byte of the word may have changed meanwhile: then nothing was written. The answer
    // must not be what was expected.
    Value *same = b.CreateICmpEQ(b.CreateAnd(seen, b.CreateNot(mask)), others);
    Value *byte = b.CreateTrunc(b.CreateLShr(seen, shift), b.getInt8Ty());
    return b.CreateSelect(same, byte, b.CreateNot(expected));
  }
  return emitPtx(
      b, value->getType(),
      "atom" + orderOf(access) + ".global.cas.b" + std::to_string(bits) + " $0, [$1], $2, $3;",
      "=" + letter + ",l," + letter + "," + letter, {access.pointer, expected, value}, true);
}

Value *NvidiaHooks::atomicLoad(Builder &b, const AtomicAccess &access, unsigned bits) const {
  Words words{bits, 1};
  llvm::Type *reg = b.getIntNTy(words.registerBits());
  std::string letter(1, words.letter());
  AtomicAccess plain = access;
  if (plain.semantic != tt::MemSemantic::RELAXED)
    plain.semantic = tt::MemSemantic::ACQUIRE;
  std::string body = "ld" + orderOf(plain) + ".global.b" + std::to_string(bits) + " $0, [$1];";
  Value *value =
      access.predicate
          ? emitPtx(b, reg, "@$2 " + body, "=" + letter + ",l,b,0",
                    {access.pointer, access.predicate, llvm::ConstantInt::get(reg, 0)}, true)
          : emitPtx(b, reg, body, "=" + letter + ",l", {access.pointer}, true);
  return b.CreateTrunc(value, b.getIntNTy(bits));
}

void NvidiaHooks::atomicStore(Builder &b, const AtomicAccess &access, Value *value) const {
  Words words{value->getType()->getIntegerBitWidth(), 1};
  AtomicAccess plain = access;
  if (plain.semantic != tt::MemSemantic::RELAXED)
    plain.semantic = tt::MemSemantic::RELEASE;
  llvm::SmallVector<Value *> operands = {access.pointer,
                                         b.CreateZExt(value, b.getIntNTy(words.registerBits()))};
  std::string constraints = std::string("l,") + words.letter(), guard;
  if (access.predicate) {
    operands.push_back(access.predicate);
    constraints += ",b";
    guard = "@$2 ";
  }
  emitPtx(b, b.getVoidTy(),
          guard + "st" + orderOf(plain) + ".global.b" + std::to_string(words.bits) + " [$0], $1;",
          constraints, operands, true);
}

void NvidiaHooks::sharedAdd(Builder &b, Value *pointer, Value *value, Value *predicate) const {
  Value *address = b.CreatePtrToInt(pointer, b.getInt32Ty());
  emitPtx(b, b.getVoidTy(), "@$2 red.shared.add.u32 [$0], $1;", "r,r,b",
          {address, value, predicate}, true);
}

} // namespace tl::backend::nvidia
