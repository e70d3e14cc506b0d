// SPDX-License-Identifier: MIT
//
// Inline PTX: LLVM's code generator drops the order and scope of read-modify-writes, makes fences
// and a loop of a compare-and-swap of 16 bits, and has no predicate for any of them.
#include "targets/nvidia/InlinePtx.h"
#include "targets/nvidia/NvidiaGpu.h"
#include "targets/nvidia/Words.h"

#include "llvm/IR/Constants.h"

namespace tl::backend::nvidia {

using llvm::Value;

namespace {

std::string scopeOf(const AtomicAccess &access) {
  switch (access.scope) {
  case tt::MemSyncScope::CTA:
    return ".cta";
  case tt::MemSyncScope::GPU:
    return ".gpu";
  case tt::MemSyncScope::SYSTEM:
    return ".sys";
  }
  return "";
}

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
  return text + scopeOf(access);
}

char letterOf(unsigned bits) { return bits == 64 ? 'l' : bits == 32 ? 'r' : 'h'; }

} // namespace

Value *Atomics::readModifyWrite(GpuBuilder &b, const AtomicAccess &access, tt::RMWOp operation,
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

unsigned Atomics::vectorWidth(tt::RMWOp operation, mlir::Type element) const {
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
llvm::SmallVector<Value *> Atomics::readModifyWriteVector(GpuBuilder &b, const AtomicAccess &access,
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
  std::string text = answers ? "atom" + operation + operandList(0, n) + ", " : "red" + operation;
  text += "[$" + std::to_string(first) + "], " + operandList(first + 1, n) + ";";
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

Value *Atomics::compareAndSwap(GpuBuilder &b, const AtomicAccess &access, Value *expected,
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

Value *Atomics::load(GpuBuilder &b, const AtomicAccess &access, unsigned bits) const {
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

void Atomics::store(GpuBuilder &b, const AtomicAccess &access, Value *value) const {
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

void Atomics::release(GpuBuilder &b, const AtomicAccess &access) const {
  std::string fence = "fence.acq_rel" + scopeOf(access) + ";";
  if (access.predicate)
    emitPtx(b, b.getVoidTy(), "@$0 " + fence, "b", {access.predicate}, true);
  else
    emitPtx(b, b.getVoidTy(), fence, "", {}, true);
}

void Atomics::addShared(GpuBuilder &b, Value *pointer, Value *value, Value *predicate) const {
  emitPtx(b, b.getVoidTy(), "@$2 red.shared.add.u32 [$0], $1;", "r,r,b",
          {sharedAddress(b, pointer), value, predicate}, true);
}

} // namespace tl::backend::nvidia
