// SPDX-License-Identifier: MIT
//
// Elementwise operations that take several elements at once, and so are not deferred.
#include "support/SpecialRegister.h"
#include "targets/cpu/Driver.h"
#include "targets/cpu/FunctionLowering.h"
#include "targets/cpu/Operations.h"

namespace tl::backend::cpu {

using llvm::Value;

static void emitMap(FunctionLowering &f, tt::MapElementwiseOp map) {
  Scratch &scratch = f.scratch;
  f.flush();
  llvm::SmallVector<ScratchBuffer *> to;
  for (mlir::Value result : map.getResult()) {
    to.push_back(scratch.allocate(f.bufferBytes(result.getType())));
    f.buffers[result] = to.back();
  }
  int64_t pack = map.getPack();
  mlir::Type type = map.getSrcs()[0].getType();
  int64_t count = elementCount(type);
  Nest nest = f.newNest(1);
  f.emitCounted(nest, f.i64(0), f.i64(count / pack), 1, 100, [&](Value *i) {
    auto indexOf = [&](int64_t k) {
      Index index;
      unsigned level = nest.levels.size() - 1;
      if (count > pack) {
        Digit digit;
        digit.extent = count / pack;
        digit.base = i;
        digit.level = level;
        index.digits.push_back(digit);
      }
      if (pack > 1) {
        Digit digit;
        digit.extent = pack;
        digit.base = f.i64(k);
        index.digits.push_back(digit);
      }
      return index;
    };
    // All elements of the pack of the first operand, then those of the second.
    Values arguments;
    for (mlir::Value source : map.getSrcs())
      for (int64_t k = 0; k < pack; ++k)
        arguments.push_back(f.evaluate(nest, source, indexOf(k)).value);
    f.atTail(nest);
    Values results = f.emitScalarRegion(nest, map.getScalarOp(), arguments);
    for (auto [r, result] : llvm::enumerate(map.getResult()))
      for (int64_t k = 0; k < pack; ++k)
        f.storeBuffer(nest, *to[r], elementType(result.getType()), indexOf(k),
                      Lanes::uniform(results[r * pack + k]));
  });
  f.leaveNest(nest);
  scratch.tick();
}

/// Of assembly, what reads where or when the program runs.
static void emitInlineAsm(FunctionLowering &f, tt::ElementwiseInlineAsmOp assembly) {
  std::optional<SpecialRegister> read = specialRegisterOf(assembly.getAsmString());
  mlir::Type type = assembly.getResultTypes().front();
  if (!read || !assembly.getArgs().empty() || assembly.getNumResults() != 1 ||
      !(type.isInteger(32) || type.isInteger(64)))
    unsupported(assembly, "the cpu target does not run inline assembly of another processor");
  llvm::Type *integer = memoryType(f.context, type);
  Value *value = llvm::ConstantInt::get(integer, 0);
  if (read == SpecialRegister::GlobalTimer) {
    f.flush();
    auto *clock = llvm::FunctionType::get(f.builder.getInt64Ty(), false);
    value = f.builder.CreateZExtOrTrunc(
        f.builder.CreateCall(f.lowering.module.getOrInsertFunction(clockHook, clock)), integer);
  }
  f.setScalar(assembly.getResult().front(), value);
}

void addElementwise(EmitterTable &table) {
  table.add<emitMap>();
  table.add<emitInlineAsm>();
}

} // namespace tl::backend::cpu
