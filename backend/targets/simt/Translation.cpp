// SPDX-License-Identifier: MIT
#include "targets/simt/Translation.h"

#include "targets/cpu/Jit.h"
#include "targets/simt/Block.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

#include <cstddef>

namespace tl::backend::simt {

using llvm::Value;

namespace {

constexpr unsigned sharedSpace = 3, constantSpace = 4;
constexpr size_t longestOptimised = 1000; // instructions of a block
constexpr uint64_t sharedOffset = SharedArena::offset;

SourceLocation locationOf(const llvm::DebugLoc &where) {
  if (!where)
    return {};
  return {where->getFilename().str(), where.getLine(), where.getCol()};
}

/// What only GPUs know about a kernel. LLVM's code generator for x86 has no non-temporal loads of
/// one or two bytes.
void forgetGpu(llvm::Function &function) {
  function.setCallingConv(llvm::CallingConv::C);
  function.setAttributes(llvm::AttributeList());
  for (llvm::BasicBlock &block : function)
    for (llvm::Instruction &instruction : block) {
      instruction.setMetadata(llvm::LLVMContext::MD_nontemporal, nullptr);
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        call->setCallingConv(llvm::CallingConv::C);
    }
}

/// The code generator's time grows with the square of a block's length, and all that a thread does
/// between two branches is one block; where it is long, code that is made fast runs soon enough.
void keepCodegenShort(llvm::Function &function) {
  size_t longest = 0;
  for (const llvm::BasicBlock &block : function)
    longest = std::max(longest, block.size());
  if (longest < longestOptimised)
    return;
  function.addFnAttr(llvm::Attribute::OptimizeNone);
  function.addFnAttr(llvm::Attribute::NoInline);
}

} // namespace

const cpu::HostFeatures &hostFeatures() {
  static const cpu::HostFeatures &features = *new cpu::HostFeatures(
      cpu::HostFeatures::host().x86 ? cpu::HostFeatures::host().with("-avx512bf16,-avxneconvert")
                                    : cpu::HostFeatures::host());
  return features;
}

Translation::Translation(llvm::Module &module, CallTranslator vendor)
    : module(module), context(module.getContext()), b(context), vendor(vendor) {}

void Translation::run(const std::string &kernel, const std::string &entry) {
  const cpu::HostFeatures &features = hostFeatures();
  cpu::installDiagnosticHandler(context);
  cpu::initializeModule(module, features);
  llvm::Function *code = module.getFunction(kernel);
  if (!code)
    throw Error(TL_INTERNAL_ERROR, "the module of a kernel lacks its function");
  for (const llvm::Argument &argument : code->args())
    if (argument.hasByValAttr())
      byValue.insert(argument.getArgNo());
  findFormats();
  placeSharedMemory();
  for (llvm::Function &each : module)
    if (!each.isDeclaration()) {
      forgetGpu(each);
      translate(each);
    }
  makeEntry(*code, entry);
  for (llvm::Function &each : module)
    if (!each.isDeclaration()) {
      cpu::setTargetAttributes(each, features);
      keepCodegenShort(each);
    }
  llvm::StripDebugInfo(module);
#ifdef TL_CHECK_IR
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(module, &stream))
    throw Error(TL_INTERNAL_ERROR, "the emulator made invalid code: " + problem);
#endif
}

/// Loads the parameters from where the launch has them.
void Translation::makeEntry(llvm::Function &kernel, const std::string &name) {
  kernel.setLinkage(llvm::GlobalValue::InternalLinkage);
  auto *type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false);
  auto *entry = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", entry));
  b.SetCurrentDebugLocation(llvm::DebugLoc());
  llvm::SmallVector<Value *> operands;
  for (llvm::Argument &argument : kernel.args()) {
    Value *place = b.CreateLoad(
        b.getPtrTy(), b.CreateConstGEP1_64(b.getPtrTy(), entry->getArg(0), argument.getArgNo()));
    operands.push_back(
        byValue.contains(argument.getArgNo()) ? place : b.CreateLoad(argument.getType(), place));
  }
  b.CreateCall(&kernel, operands);
  b.CreateRetVoid();
}

void Translation::translate(llvm::Function &code) {
  function = &code;
  threadPointer = nullptr;
  useOneStack(code);
  useSharedMemory(code);
  llvm::SmallVector<llvm::Instruction *> all;
  for (llvm::BasicBlock &block : code)
    for (llvm::Instruction &instruction : block)
      all.push_back(&instruction);
  for (llvm::Instruction *instruction : all) {
    b.SetInsertPoint(instruction);
    if (!translateAtomic(*instruction))
      translateSharedAddress(*instruction);
  }
  llvm::SmallVector<llvm::CallInst *> calls;
  for (llvm::BasicBlock &block : code)
    for (llvm::Instruction &instruction : block)
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        calls.push_back(call);
  noteAccesses(code); // before calls become what accesses memory by itself
  for (llvm::CallInst *call : calls) {
    llvm::Function *callee = call->getCalledFunction();
    if (callee && !callee->isIntrinsic())
      continue;
    b.SetInsertPoint(call);
    if (vendor(*this, *call))
      continue;
    if (!callee || callee->isTargetIntrinsic()) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      if (auto *assembly = llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()))
        stream << "the assembly '" << assembly->getAsmString() << "'";
      else
        stream << "the intrinsic " << callee->getName();
      throw Error(TL_UNSUPPORTED, "the emulator does not know " + text)
          .at(locationOf(call->getDebugLoc()));
    }
    if (callee->getIntrinsicID() == llvm::Intrinsic::fma)
      fuseSmallFloats(code, *call);
    else if (callee->getIntrinsicID() == llvm::Intrinsic::readsteadycounter)
      replace(*call,
              b.CreateUDiv(callWithThread("tl_simt_clock", b.getInt64Ty(), {}), b.getInt64(10)));
  }
}

/// The host has no multiply-add of 16 bits, and one in 32 bits that is rounded again is another.
void Translation::fuseSmallFloats(llvm::Function &, llvm::CallInst &call) {
  llvm::Type *type = call.getType(), *element = type->getScalarType();
  if (!element->isHalfTy() && !element->isBFloatTy())
    return;
  const char *name = element->isHalfTy() ? "tl_simt_fma_f16" : "tl_simt_fma_bf16";
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  Value *result = vector ? llvm::PoisonValue::get(type) : nullptr;
  for (unsigned i = 0; i < (vector ? vector->getNumElements() : 1); ++i) {
    llvm::SmallVector<Value *> operands;
    for (Value *operand : call.args()) {
      if (vector)
        operand = b.CreateExtractElement(operand, uint64_t(i));
      operands.push_back(b.CreateBitCast(operand, b.getInt16Ty()));
    }
    Value *one = b.CreateBitCast(callPlain(name, b.getInt16Ty(), operands), element);
    result = vector ? b.CreateInsertElement(result, one, uint64_t(i)) : one;
  }
  replace(call, result);
}

/// LLVM notes them as "0:0:HASH,FORMAT".
void Translation::findFormats() {
  llvm::NamedMDNode *all = module.getNamedMetadata("llvm.printf.fmts");
  for (unsigned i = 0; all && i < all->getNumOperands(); ++i) {
    llvm::StringRef text =
        llvm::cast<llvm::MDString>(all->getOperand(i)->getOperand(0))->getString();
    auto [hash, format] = text.drop_front(4).split(',');
    uint64_t number = 0;
    if (text.starts_with("0:0:") && !hash.getAsInteger(16, number))
      formats[number] = format.str();
  }
}

// ---- Memory

/// The arrays in shared memory lie one after another from the begin of the block's.
void Translation::placeSharedMemory() {
  const llvm::DataLayout &layout = module.getDataLayout();
  for (llvm::GlobalVariable &global : module.globals()) {
    if (global.getAddressSpace() != sharedSpace)
      continue;
    const uint64_t alignment = global.getAlign().valueOrOne().value();
    sharedBytes = llvm::alignTo(sharedBytes, alignment);
    sharedOffsets[&global] = sharedBytes;
    sharedBytes += layout.getTypeAllocSize(global.getValueType());
  }
}

void Translation::useSharedMemory(llvm::Function &code) {
  llvm::SmallVector<llvm::Constant *> arrays;
  for (auto [array, offset] : sharedOffsets)
    arrays.push_back(array);
  llvm::convertUsersOfConstantsToInstructions(arrays);
  for (auto [array, offset] : sharedOffsets) {
    Value *place = nullptr;
    for (llvm::Use &use : llvm::make_early_inc_range(array->uses())) {
      auto *user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      if (!user || user->getFunction() != &code)
        continue;
      if (!place) {
        thread();
        b.SetInsertPoint(&code.getEntryBlock(),
                         std::next(llvm::cast<llvm::Instruction>(threadPointer)->getIterator()));
        b.SetCurrentDebugLocation(llvm::DebugLoc());
        Value *base = threadWord(offsetof(ThreadWords, shared), b.getInt64Ty());
        place = b.CreateIntToPtr(b.CreateAdd(base, b.getInt64(sharedOffset + offset)),
                                 b.getPtrTy(sharedSpace));
      }
      use.set(place);
    }
  }
}

/// The host has one address space, and so its stack is.
void Translation::useOneStack(llvm::Function &code) {
  llvm::SmallVector<llvm::AllocaInst *> foreign;
  for (llvm::BasicBlock &block : code)
    for (llvm::Instruction &instruction : block)
      if (auto *space = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
        if (space->getAddressSpace() != 0)
          foreign.push_back(space);
  for (llvm::AllocaInst *space : foreign) {
    b.SetInsertPoint(space);
    llvm::AllocaInst *own = b.CreateAlloca(space->getAllocatedType(), 0u, space->getArraySize());
    own->setAlignment(space->getAlign());
    space->replaceAllUsesWith(b.CreateAddrSpaceCast(own, space->getType()));
    space->eraseFromParent();
  }
}

/// LLVM's own atomics; the operation, and what it takes and gives, as bits.
bool Translation::translateAtomic(llvm::Instruction &instruction) {
  llvm::AtomicOrdering order = llvm::AtomicOrdering::Monotonic;
  Value *pointer = nullptr, *operand = nullptr, *expected = nullptr;
  AtomicOperation operation = AtomicOperation::load;
  llvm::Type *type = instruction.getType();
  if (auto *fence = llvm::dyn_cast<llvm::FenceInst>(&instruction)) {
    callWithThread("tl_simt_fence", b.getVoidTy(), {word(uint32_t(FenceKind::memory))});
    fence->eraseFromParent();
    return true;
  }
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load && load->isAtomic()) {
    pointer = load->getPointerOperand();
    order = load->getOrdering();
  } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
             store && store->isAtomic()) {
    pointer = store->getPointerOperand();
    operand = store->getValueOperand();
    order = store->getOrdering();
    operation = AtomicOperation::store;
    type = operand->getType();
  } else if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    pointer = swap->getPointerOperand();
    operand = swap->getNewValOperand();
    expected = swap->getCompareOperand();
    order = swap->getSuccessOrdering();
    operation = AtomicOperation::compareExchange;
    type = operand->getType();
  } else if (auto *change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    pointer = change->getPointerOperand();
    operand = change->getValOperand();
    order = change->getOrdering();
    llvm::Type *element = type->getScalarType();
    using Kind = llvm::AtomicRMWInst;
    switch (change->getOperation()) {
    case Kind::Xchg:
      operation = AtomicOperation::exchange;
      break;
    case Kind::Add:
      operation = AtomicOperation::add;
      break;
    case Kind::And:
      operation = AtomicOperation::bitAnd;
      break;
    case Kind::Or:
      operation = AtomicOperation::bitOr;
      break;
    case Kind::Xor:
      operation = AtomicOperation::bitXor;
      break;
    case Kind::Max:
      operation = AtomicOperation::maxSigned;
      break;
    case Kind::Min:
      operation = AtomicOperation::minSigned;
      break;
    case Kind::UMax:
      operation = AtomicOperation::maxUnsigned;
      break;
    case Kind::UMin:
      operation = AtomicOperation::minUnsigned;
      break;
    case Kind::FAdd:
      operation = element->isHalfTy()     ? AtomicOperation::addF16
                  : element->isBFloatTy() ? AtomicOperation::addBf16
                  : element->isFloatTy()  ? AtomicOperation::addF32
                                          : AtomicOperation::addF64;
      break;
    default:
      throw Error(TL_UNSUPPORTED, "the emulator does not know an atomic operation");
    }
  } else {
    return false;
  }
  const bool acquires = llvm::isAcquireOrStronger(order),
             releases = llvm::isReleaseOrStronger(order);
  // Of a vector each element is changed by itself.
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  llvm::Type *element = type->getScalarType();
  const auto bits = unsigned(module.getDataLayout().getTypeSizeInBits(element));
  auto asBits = [&](Value *value) -> Value * {
    if (!value)
      return b.getInt64(0);
    return b.CreateZExt(value->getType()->isPointerTy() ? b.CreatePtrToInt(value, b.getInt64Ty())
                                                        : b.CreateBitCast(value, b.getIntNTy(bits)),
                        b.getInt64Ty());
  };
  Value *result = vector ? llvm::PoisonValue::get(type) : nullptr;
  for (unsigned i = 0; i < (vector ? vector->getNumElements() : 1); ++i) {
    Value *own = vector ? b.CreateExtractElement(operand, uint64_t(i)) : operand;
    Value *old = callWithThread("tl_simt_atomic", b.getInt64Ty(),
                                {b.CreateAdd(address(pointer), b.getInt64(uint64_t(i) * bits / 8)),
                                 word(atomicWord(operation, bits / 8, acquires, releases)),
                                 asBits(own), asBits(expected), nextAccess()});
    old = b.CreateTrunc(old, b.getIntNTy(bits));
    old = element->isPointerTy() ? b.CreateIntToPtr(old, element) : b.CreateBitCast(old, element);
    result = vector ? b.CreateInsertElement(result, old, uint64_t(i)) : old;
  }
  if (llvm::isa<llvm::AtomicCmpXchgInst>(instruction)) {
    Value *both = b.CreateInsertValue(llvm::PoisonValue::get(instruction.getType()), result, 0);
    result = b.CreateInsertValue(both, b.CreateICmpEQ(result, expected), 1);
  }
  if (!instruction.getType()->isVoidTy())
    instruction.replaceAllUsesWith(result);
  instruction.eraseFromParent();
  return true;
}

void Translation::noteAccesses(llvm::Function &code) {
  const llvm::DataLayout &layout = module.getDataLayout();
  llvm::SmallVector<llvm::Instruction *> accesses;
  for (llvm::BasicBlock &block : code)
    for (llvm::Instruction &instruction : block)
      if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction)) {
        const Value *object =
            llvm::getUnderlyingObject(llvm::getLoadStorePointerOperand(&instruction));
        // The stack and constants are the thread's own; so are its words.
        const Value *pointer = llvm::getLoadStorePointerOperand(&instruction);
        if (!llvm::isa<llvm::AllocaInst, llvm::GlobalVariable>(object) && object != threadPointer &&
            pointer->getType()->getPointerAddressSpace() != constantSpace)
          accesses.push_back(&instruction);
      }
  for (llvm::Instruction *access : accesses) {
    b.SetInsertPoint(access);
    noteAccess(llvm::getLoadStorePointerOperand(access),
               layout.getTypeStoreSize(llvm::getLoadStoreType(access)),
               llvm::getLoadStoreAlignment(access).value(),
               llvm::isa<llvm::LoadInst>(access) ? AccessKind::read : AccessKind::write);
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(access);
        load && (load->isVolatile() || load->isAtomic()))
      callWithThread("tl_simt_poll", b.getVoidTy(), {});
  }
}

void Translation::noteAccess(Value *pointer, uint64_t bytes, uint64_t alignment, AccessKind kind) {
  callWithThread("tl_simt_access", b.getVoidTy(),
                 {address(pointer),
                  word(accessWord(uint32_t(bytes), uint32_t(llvm::Log2_64(alignment)), kind)),
                  nextAccess()});
}

/// 32 bits of an address in shared memory become a pointer.
void Translation::translateSharedAddress(llvm::Instruction &instruction) {
  auto *pointer = llvm::dyn_cast<llvm::IntToPtrInst>(&instruction);
  if (!pointer || pointer->getAddressSpace() != sharedSpace)
    return;
  Value *address = pointer->getOperand(0);
  if (auto *wide = llvm::dyn_cast<llvm::ZExtInst>(address))
    address = wide->getOperand(0);
  if (!address->getType()->isIntegerTy(32))
    return;
  pointer->replaceAllUsesWith(b.CreateAddrSpaceCast(sharedPointer(address), pointer->getType()));
  pointer->eraseFromParent();
}

Value *Translation::address(Value *pointer) {
  return pointer->getType()->isPointerTy() ? b.CreatePtrToInt(pointer, b.getInt64Ty()) : pointer;
}

Value *Translation::sharedPointer(Value *offset) {
  if (offset->getType()->isPointerTy())
    return b.CreateAddrSpaceCast(offset, b.getPtrTy());
  Value *base = threadWord(offsetof(ThreadWords, shared), b.getInt64Ty());
  return b.CreateIntToPtr(b.CreateAdd(base, b.CreateZExtOrTrunc(offset, b.getInt64Ty())),
                          b.getPtrTy());
}

llvm::AllocaInst *Translation::stackWords(llvm::Type *word, uint64_t count) {
  llvm::IRBuilder<> at(&function->getEntryBlock(), function->getEntryBlock().begin());
  auto *space = at.CreateAlloca(llvm::ArrayType::get(word, std::max<uint64_t>(count, 1)));
  space->setAlignment(llvm::Align(8));
  return space;
}

// ---- Calls

Value *Translation::thread() {
  if (!threadPointer) {
    llvm::IRBuilder<> at(&function->getEntryBlock(), function->getEntryBlock().begin());
    auto *type = llvm::FunctionType::get(at.getPtrTy(), false);
    threadPointer = at.CreateCall(module.getOrInsertFunction("tl_simt_thread", type));
  }
  return threadPointer;
}

Value *Translation::threadWord(uint64_t offset, llvm::Type *type) {
  return b.CreateLoad(type, b.CreateConstGEP1_64(b.getInt8Ty(), thread(), offset));
}

uint32_t Translation::siteOf(const llvm::DebugLoc &where) {
  SourceLocation location = locationOf(where);
  if (location.line == 0)
    return 0;
  auto [found, isNew] = siteNumbers.try_emplace(
      location.file + ":" + std::to_string(location.line) + ":" + std::to_string(location.column),
      uint32_t(sites.size()));
  if (isNew)
    sites.push_back(std::move(location));
  return found->second;
}

void Translation::noteSite() {
  b.CreateStore(word(siteOf(b.getCurrentDebugLocation())),
                b.CreateConstGEP1_64(b.getInt8Ty(), thread(), offsetof(ThreadWords, site)));
}

Value *Translation::callWithThread(llvm::StringRef name, llvm::Type *result,
                                   llvm::ArrayRef<Value *> operands) {
  noteSite();
  llvm::SmallVector<Value *> all = {thread()};
  all.append(operands.begin(), operands.end());
  return callPlain(name, result, all);
}

Value *Translation::callPlain(llvm::StringRef name, llvm::Type *result,
                              llvm::ArrayRef<Value *> operands) {
  llvm::SmallVector<llvm::Type *> types;
  for (Value *operand : operands)
    types.push_back(operand->getType());
  auto *type = llvm::FunctionType::get(result, types, false);
  return b.CreateCall(module.getOrInsertFunction(name, type), operands);
}

void Translation::replace(llvm::CallInst &call, Value *result) {
  if (result)
    call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

} // namespace tl::backend::simt
