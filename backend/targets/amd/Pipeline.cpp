// SPDX-License-Identifier: MIT
#include "targets/amd/Pipeline.h"

#include "codegen/Kernels.h"
#include "dialect/Context.h"
#include "dialect/ParsedSource.h"
#include "lowering/AssemblyComment.h"
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

/// What the code generator said of the user's own assembly.
Error assemblyErrorAt(const SourceLocation &where, const std::string &message) {
  return Error(TL_COMPILE_ERROR,
               "the assembly of tl::inline_asm_elementwise is refused: " + message)
      .at(where);
}

/// The same of a text that could not even be put together, which its comment numbers.
std::optional<Error> templateError(const Error &fromCodegen,
                                   const std::vector<SourceLocation> &locations) {
  auto [before, after] = llvm::StringRef(fromCodegen.message).split(assemblyComment);
  unsigned number = 0;
  if (after.consumeInteger(10, number) || number >= locations.size())
    return std::nullopt;
  before.consume_front("the code generator gave up: ");
  return assemblyErrorAt(locations[number], before.str() + after.ltrim().str());
}

} // namespace

CompiledCode runPipeline(KernelSource source, std::string_view entry, const CompileOptions &asked,
                         const Architecture &architecture, bool texts) {
  CompiledCode result;
  CompileOptions options = asked;
  const std::unique_ptr<tt::ParsedSource> parsed = tt::takeModule(std::move(source));
  mlir::ModuleOp module = *parsed->module;
  result.milliseconds.push_back({"parse", parsed->milliseconds});
  Timer watch(result.milliseconds);
  tt::FuncOp written = tt::findEntry(module, entry);
  result.name = written.getSymName().str();

  const AmdGpu gpu(architecture);
  result.numWarps = warpsFor(written, unsigned(options.numWarps), gpu.target.program.lanes());
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
  // Every tensor gets a layout: from here on it is TTGIR. Loads wait for nothing but their use, so
  // there is no pipeline of copies.
  describeGpu(module, architecture, unsigned(options.numWarps));
  ttg::runTtgirPipeline(module, 1, /*producers=*/false);
  if (texts)
    result.ttgir = tt::print(module);
  watch.lap("layouts");

  GpuKernelCode code = lowerToLLVM(kernel, gpu.target, options);
  result.symbol = code.symbol;
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
  try {
    if (texts) {
      result.amdgcn = compileToAssembly(*code.module, architecture);
      return result;
    }
    std::string object = compileToObject(*code.module, architecture);
    watch.lap("codegen");
    result.hsaco = linkCodeObject(object);
    watch.lap("linking");
  } catch (const AssemblyError &error) {
    throw assemblyErrorAt(code.inlineAsm.at(error.number), error.message);
  } catch (const Error &error) {
    if (auto users = templateError(error, code.inlineAsm))
      throw *users;
    throw;
  }
  return result;
}

} // namespace tl::backend::amd
