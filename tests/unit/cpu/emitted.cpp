// SPDX-License-Identifier: MIT
#include "emitted.hpp"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <stdexcept>

namespace emitted {
namespace {

using llvm::Type;
using llvm::Value;

void verify(llvm::Module &module) {
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(module, &stream)) {
    module.print(llvm::errs(), nullptr);
    throw std::runtime_error("invalid IR: " + problem);
  }
}

struct Built {
  std::unique_ptr<LoadedCode> code;
  std::string assembly;
};

Built finish(llvm::Module &module, const HostFeatures &features, bool keepAssembly) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      setTargetAttributes(function, features);
  verify(module);
  Built built;
  if (keepAssembly)
    built.assembly = compileToAssembly(*llvm::CloneModule(module), features);
  built.code = loadCode(compileToObject(module, features), "entry");
  return built;
}

/// The vector type as it lies in memory: lanes of i8 or i16 may not be padded.
Type *lanesOf(Type *element, unsigned lanes) {
  return lanes == 1 ? element : llvm::FixedVectorType::get(element, lanes);
}

template <typename Emit>
ArrayFunction arrayFunction(unsigned operands, unsigned lanes, const HostFeatures &features,
                            bool keepAssembly, Type *(*in)(llvm::LLVMContext &, unsigned),
                            unsigned inTag, Emit emit) {
  llvm::LLVMContext context;
  installDiagnosticHandler(context);
  llvm::Module module("test", context);
  initializeModule(module, features);
  llvm::IRBuilder<> b(context);
  Type *pointer = b.getPtrTy();
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(b.getVoidTy(), {pointer, b.getInt64Ty(), pointer, pointer, pointer},
                              false),
      llvm::GlobalValue::ExternalLinkage, "entry", module);
  for (unsigned i : {0u, 2u, 3u, 4u})
    function->addParamAttr(i, llvm::Attribute::NoAlias);
  auto *head = llvm::BasicBlock::Create(context, "head", function);
  auto *loop = llvm::BasicBlock::Create(context, "loop", function);
  auto *exit = llvm::BasicBlock::Create(context, "exit", function);
  b.SetInsertPoint(head);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  auto *index = b.CreatePHI(b.getInt64Ty(), 2);
  index->addIncoming(b.getInt64(0), head);
  Type *element = in(context, inTag);
  std::vector<Value *> values;
  for (unsigned i = 0; i < operands; ++i)
    values.push_back(b.CreateAlignedLoad(lanesOf(element, lanes),
                                         b.CreateGEP(element, function->getArg(2 + i), index),
                                         llvm::Align(1)));
  Value *result = emit(b, values);
  b.CreateAlignedStore(result,
                       b.CreateGEP(result->getType()->getScalarType(), function->getArg(0), index),
                       llvm::Align(1));
  Value *next = b.CreateAdd(index, b.getInt64(lanes));
  index->addIncoming(next, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpULT(next, function->getArg(1)), loop, exit);
  b.SetInsertPoint(exit);
  b.CreateRetVoid();
  Built built = finish(module, features, keepAssembly);
  return {std::move(built.code), std::move(built.assembly)};
}

Type *floatType(llvm::LLVMContext &context, unsigned bits) {
  return bits == 32 ? Type::getFloatTy(context) : Type::getDoubleTy(context);
}

Type *integerType(llvm::LLVMContext &context, unsigned bits) {
  return Type::getIntNTy(context, bits);
}

Type *formatType(llvm::LLVMContext &context, unsigned format) {
  return storageType(context, FloatFormat(format));
}

} // namespace

TextKernel textKernel(const std::string &ir, const std::string &entry,
                      const HostFeatures &features) {
  llvm::LLVMContext context;
  installDiagnosticHandler(context);
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(ir, problem, context);
  if (!module)
    throw std::runtime_error(problem.getMessage().str());
  initializeModule(*module, features);
  for (llvm::Function &function : *module)
    if (!function.isDeclaration())
      setTargetAttributes(function, features);
  verify(*module);
  TextKernel kernel;
  kernel.name = entry;
  kernel.entry = entry;
  kernel.object = compileToObject(*module, features);
  return kernel;
}

ArrayFunction math(MathFunction function, unsigned bits, unsigned lanes,
                   const HostFeatures &features, bool keepAssembly) {
  return arrayFunction(operandCount(function), lanes, features, keepAssembly, floatType, bits,
                       [&](llvm::IRBuilderBase &b, const std::vector<Value *> &values) {
                         return emitMath(b, function, values, features);
                       });
}

ArrayFunction conversion(FloatFormat from, FloatFormat to, Rounding rounding, unsigned lanes,
                         const HostFeatures &features, bool keepAssembly) {
  return arrayFunction(1, lanes, features, keepAssembly, formatType, unsigned(from),
                       [&](llvm::IRBuilderBase &b, const std::vector<Value *> &values) {
                         return emitFloatConversion(b, values[0], from, to, rounding, features);
                       });
}

ArrayFunction floatToInteger(unsigned floatBits, unsigned integerBits, bool isSigned,
                             unsigned lanes, const HostFeatures &features) {
  return arrayFunction(1, lanes, features, false, floatType, floatBits,
                       [&](llvm::IRBuilderBase &b, const std::vector<Value *> &values) {
                         return emitFloatToInteger(b, values[0], integerBits, isSigned);
                       });
}

ArrayFunction integerToFloat(unsigned integerBits, bool isSigned, FloatFormat to, unsigned lanes,
                             const HostFeatures &features) {
  return arrayFunction(1, lanes, features, false, integerType, integerBits,
                       [&](llvm::IRBuilderBase &b, const std::vector<Value *> &values) {
                         return emitIntegerToFloat(b, values[0], isSigned, to, features);
                       });
}

DotFunction dot(const DotSpec &spec, const DotLayout &layout, const HostFeatures &features,
                bool keepAssembly) {
  llvm::LLVMContext context;
  installDiagnosticHandler(context);
  llvm::Module module("test", context);
  initializeModule(module, features);
  llvm::IRBuilder<> b(context);
  Type *pointer = b.getPtrTy();
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(b.getVoidTy(), {pointer, pointer, pointer, pointer, b.getInt64Ty()},
                              false),
      llvm::GlobalValue::ExternalLinkage, "entry", module);
  auto *head = llvm::BasicBlock::Create(context, "head", function);
  auto *loop = llvm::BasicBlock::Create(context, "loop", function);
  auto *exit = llvm::BasicBlock::Create(context, "exit", function);
  b.SetInsertPoint(head);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  auto *index = b.CreatePHI(b.getInt64Ty(), 2);
  index->addIncoming(b.getInt64(0), head);
  auto at = [&](unsigned argument, int64_t row, int64_t column, int64_t batch) {
    return DotOperand{function->getArg(argument), b.getInt64(row), b.getInt64(column),
                      b.getInt64(batch)};
  };
  DotOperand aOperand = at(0, layout.aRow, layout.aColumn, layout.aBatch);
  DotOperand bOperand = at(1, layout.bRow, layout.bColumn, layout.bBatch);
  uint64_t workspaceBytes = dotWorkspaceBytes(spec, aOperand, bOperand, features);
  emitDot(b, spec, aOperand, bOperand, at(2, layout.cRow, 1, layout.cBatch), function->getArg(3),
          features);
  Value *next = b.CreateAdd(index, b.getInt64(1));
  index->addIncoming(next, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpULT(next, function->getArg(4)), loop, exit);
  b.SetInsertPoint(exit);
  b.CreateRetVoid();
  Built built = finish(module, features, keepAssembly);
  return {std::move(built.code), std::move(built.assembly), workspaceBytes};
}

} // namespace emitted
