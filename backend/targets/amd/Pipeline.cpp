// SPDX-License-Identifier: MIT
#include "targets/amd/Pipeline.h"

#include "codegen/Kernels.h"
#include "dialect/Context.h"
#include "dialect/ParsedSource.h"
#include "lowering/AssemblyErrors.h"
#include "lowering/GpuLowering.h"
#include "passes/GpuPipeline.h"
#include "passes/Pipeline.h"
#include "targets/amd/AmdGpu.h"
#include "targets/amd/Codegen.h"
#include "targets/amd/Functions.h"
#include "targets/amd/GpuDescription.h"
#include "targets/amd/Link.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

namespace tl::backend::amd {

namespace {

/// What is loaded ahead waits in registers until it is stored to LDS, at the end of the iteration.
constexpr unsigned mostStages = 2;

/// The same for loops that say how many they want.
void limitStages(mlir::ModuleOp module) {
  module.walk([](mlir::Operation *op) {
    auto stages = op->getAttrOfType<mlir::IntegerAttr>("tt.num_stages");
    if (stages && stages.getInt() > int64_t(mostStages))
      op->setAttr("tt.num_stages", mlir::IntegerAttr::get(stages.getType(), mostStages));
  });
}

/// Launches give no LDS: the kernel says how much it has.
void fixSharedMemory(llvm::Module &module, uint64_t bytes) {
  llvm::GlobalVariable *arena = module.getNamedGlobal("shared_memory");
  if (!arena)
    return;
  auto *type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), bytes);
  auto *fixed = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::InternalLinkage,
                                         llvm::PoisonValue::get(type), "", nullptr,
                                         llvm::GlobalValue::NotThreadLocal, 3);
  fixed->setAlignment(arena->getAlign());
  arena->replaceAllUsesWith(fixed);
  fixed->takeName(arena);
  arena->eraseFromParent();
}

/// The error of a function that nobody has, at the user's first call of it that has a line.
Error unresolvedError(const std::string &symbol, tt::FuncOp kernel, const std::string &target) {
  const std::string message =
      "the " + target + " target does not have the function '" + symbol + "'";
  Error error(TL_UNSUPPORTED, message);
  kernel.walk([&](tt::ExternElementwiseOp call) {
    if (error.line == 0 && call.getSymbol() == symbol)
      error = tt::errorAt(call, message, TL_UNSUPPORTED);
  });
  return error;
}

} // namespace

GpuModule optimizedModule(KernelSource source, std::string_view entry, const CompileOptions &asked,
                          const Architecture &architecture, bool texts, bool lines) {
  GpuModule result;
  CompileOptions options = asked;
  result.lanes = architecture.lanes();
  const int mostWarps = int(Architecture::maxThreads / result.lanes);
  if (options.numWarps < 1 || options.numWarps > mostWarps ||
      (options.numWarps & (options.numWarps - 1)))
    throw Error(TL_INVALID_ARGUMENT, "num_warps must be a power of two from 1 to " +
                                         std::to_string(mostWarps) + ", found " +
                                         std::to_string(options.numWarps));
  const std::unique_ptr<tt::ParsedSource> parsed = tt::takeModule(std::move(source));
  mlir::ModuleOp module = *parsed->module;
  result.milliseconds.push_back({"parse", parsed->milliseconds});
  Timer watch(result.milliseconds);
  tt::FuncOp written = tt::findEntry(module, entry);
  result.name = written.getSymName().str();

  const AmdGpu gpu(architecture);
  result.numWarps = warpsFor(written, unsigned(options.numWarps), result.lanes);
  options.numWarps = int(result.numWarps);
  // TTIR passes; descriptors become pointers, and loops carry scalars instead of tensors of
  // pointers.
  inlineEverything(module);
  tt::TtirOptions ttirOptions;
  ttirOptions.keepHints = true;
  ttirOptions.scalarizeInduction = true;
  ttirOptions.debug = options.debug;
  ttirOptions.deterministic = options.deterministic;
  ttirOptions.fuseMultiplyAdd = options.fpFusion;
  tt::runTtirPipeline(module, ttirOptions);
  tt::FuncOp kernel = tt::findEntry(module, result.name);
  result.parameters = parametersOf(kernel, architecture.name);
  checkElementTypes(kernel, architecture.name);
  if (texts)
    result.ttir = tt::print(module, true);
  watch.lap("passes");

  checkConstants(module, architecture.name);
  // Every tensor gets a layout: from here on it is TTGIR. What a loop loads for its products is
  // loaded one iteration ahead.
  describeGpu(module, architecture, unsigned(options.numWarps));
  limitStages(module);
  ttg::runTtgirPipeline(module, std::min(unsigned(options.numStages), mostStages),
                        /*producers=*/false);
  if (texts)
    result.ttgir = tt::print(module);
  watch.lap("layouts");

  GpuKernelCode code = lowerToLLVM(kernel, gpu.target, options, lines);
  result.symbol = code.symbol;
  result.sharedBytes = code.sharedBytes;
  result.hidden = std::move(code.hidden);
  fixSharedMemory(*code.module, code.sharedBytes);
  watch.lap("lowering");

  if (auto symbol = defineFunctions(*code.module, gpu.target.arithmetic))
    throw unresolvedError(*symbol, kernel, architecture.name);
#ifdef TL_CHECK_IR
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(*code.module, &stream))
    throw Error(TL_INTERNAL_ERROR,
                "the " + architecture.name + " target made invalid code: " + problem)
        .inKernel(result.name);
#endif
  optimize(*code.module);
  if (texts) {
    llvm::raw_string_ostream text(result.llir);
    code.module->print(text, nullptr);
  }
  watch.lap("optimization");
  result.context = std::move(code.context);
  result.module = std::move(code.module);
  result.inlineAsm = std::move(code.inlineAsm);
  return result;
}

CompiledCode runPipeline(KernelSource source, std::string_view entry, const CompileOptions &options,
                         const Architecture &architecture, bool texts) {
  CompiledCode result{
      optimizedModule(std::move(source), entry, options, architecture, texts), {}, {}};
  Timer watch(result.milliseconds);
  try {
    if (texts) {
      result.amdgcn = compileToAssembly(*result.module, architecture);
    } else {
      const std::string object = compileToObject(*result.module, architecture);
      watch.lap("codegen");
      result.hsaco = linkCodeObject(object);
      watch.lap("linking");
    }
  } catch (const AssemblyError &error) {
    throw assemblyErrorAt(result.inlineAsm.at(error.number), error.message);
  } catch (const Error &error) {
    if (auto users = userTemplateError(error, result.inlineAsm))
      throw *users;
    throw;
  }
  result.module.reset();
  result.context.reset();
  return result;
}

} // namespace tl::backend::amd
