// SPDX-License-Identifier: MIT
//
// From a GPU's module to the host's: the vendor's intrinsics and inline assembly become calls of
// the functions of Functions.h, accesses to memory are announced, and the rest of the code stays as
// it is. So what runs is what the GPU's code generator would have got, lane by lane:
//
//     %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()      %t = load i32, ptr (thread + 4)
//     %v = call i32 @llvm.nvvm.shfl.sync.bfly.i32(...)    %v = call i32 @tl_simt_shuffle(thread,
//     ...) store float %x, ptr addrspace(3) %p                 call @tl_simt_access(thread, %p, 4 |
//     write)
//                                                         store float %x, ptr addrspace(3) %p
//
// Pointers to shared memory are the host's addresses, whose lower 32 bits are the offset that the
// GPU's instructions would take (SharedArena). A vendor is a file with a function that knows its
// intrinsics: NvidiaIntrinsics.cpp, and NvidiaPtx.cpp for inline assembly.
#pragma once

#include "lowering/GpuModule.h"
#include "targets/cpu/HostFeatures.h"
#include "targets/simt/Functions.h"
#include "targets/simt/Printing.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tl::backend::simt {

class Translation;

/// Replaces a call of an intrinsic or of inline assembly, and returns whether it knows it. The
/// builder stands before it. A result is handed to `Translation::replace`.
using CallTranslator = bool (*)(Translation &translation, llvm::CallInst &call);

class Translation {
public:
  Translation(llvm::Module &module, CallTranslator vendor);

  /// Makes `module` the host's, with a function for one thread (ThreadEntry) of this name. Throws
  /// Error for what it does not know.
  void run(const std::string &kernel, const std::string &entry);
  /// Bytes of shared memory that the module's own arrays need.
  uint64_t sharedBytes = 0;
  /// The user's lines, by the numbers that the code notes.
  std::vector<SourceLocation> sites{SourceLocation()};
  /// What the module prints by records.
  PrintFormats formats;

  // ---- For vendors

  llvm::Module &module;
  llvm::LLVMContext &context;
  llvm::IRBuilder<> b;

  /// Calls a function of Functions.h with the thread and `operands`.
  llvm::Value *callWithThread(llvm::StringRef name, llvm::Type *result,
                              llvm::ArrayRef<llvm::Value *> operands);
  /// One that needs no thread.
  llvm::Value *callPlain(llvm::StringRef name, llvm::Type *result,
                         llvm::ArrayRef<llvm::Value *> operands);
  void replace(llvm::CallInst &call, llvm::Value *result);

  /// A word of the thread's own: see ThreadWords.
  llvm::Value *threadWord(uint64_t offset, llvm::Type *type);
  /// The pointer of a 32-bit address in shared memory.
  llvm::Value *sharedPointer(llvm::Value *address);
  /// As a 64-bit number, from a pointer of any kind or from that.
  llvm::Value *address(llvm::Value *pointer);
  void noteAccess(llvm::Value *pointer, uint64_t bytes, uint64_t alignment, AccessKind kind);
  /// A number for one more place in the code that accesses memory.
  llvm::ConstantInt *nextAccess() { return word(accessCount++); }
  /// Memory on the thread's stack for results and operands that are many.
  llvm::AllocaInst *stackWords(llvm::Type *word, uint64_t count);
  llvm::ConstantInt *word(uint64_t value) { return b.getInt32(uint32_t(value)); }

private:
  void translate(llvm::Function &function);
  void findFormats();
  void placeSharedMemory();
  void useSharedMemory(llvm::Function &function);
  void useOneStack(llvm::Function &function);
  bool translateAtomic(llvm::Instruction &instruction);
  void translateSharedAddress(llvm::Instruction &instruction);
  void noteAccesses(llvm::Function &function);
  void fuseSmallFloats(llvm::Function &function, llvm::CallInst &call);
  void makeEntry(llvm::Function &kernel, const std::string &name);
  uint32_t siteOf(const llvm::DebugLoc &where);
  void noteSite();
  llvm::Value *thread();

  const CallTranslator vendor;
  std::map<llvm::Constant *, uint64_t> sharedOffsets;
  llvm::Function *function = nullptr;
  llvm::Value *threadPointer = nullptr;
  std::map<std::string, uint32_t> siteNumbers;
  uint32_t accessCount = 0;
  std::set<unsigned> byValue; // parameters of the kernel that code gets the address of
};

/// The processor that code is made for: this one without its conversions to bf16, which take
/// denormals for zeros.
const cpu::HostFeatures &hostFeatures();

/// What the vendors' files know.
bool translateAmd(Translation &translation, llvm::CallInst &call);
bool translateAmdFnuz(Translation &translation, llvm::CallInst &call); // floats of 8 bits of gfx942
/// Of a float of 8 bits; the name is what follows "llvm.amdgcn.cvt.".
bool translateAmdConversion(Translation &translation, llvm::CallInst &call, llvm::StringRef name,
                            bool isFnuz);
bool translateNvidia(Translation &translation, llvm::CallInst &call);
bool translatePtx(Translation &translation, llvm::CallInst &call);

} // namespace tl::backend::simt
