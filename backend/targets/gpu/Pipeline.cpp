// SPDX-License-Identifier: MIT
#include "targets/gpu/Pipeline.h"

#include "codegen/CodeGenerators.h"
#include "dialect/Context.h"
#include "dialect/Hints.h"
#include "dialect/ParsedSource.h"
#include "lowering/AssemblyErrors.h"
#include "lowering/GpuLowering.h"
#include "support/Error.h"

#include "llvm/Support/raw_ostream.h"

namespace tl::backend::gpu {

namespace {

/// Of a program, on every GPU.
constexpr unsigned mostThreads = 1024;

void checkWarps(int warps, unsigned lanes) {
  const int most = int(mostThreads / lanes);
  if (warps < 1 || warps > most || (warps & (warps - 1)))
    throw Error(TL_INVALID_ARGUMENT, "num_warps must be a power of two from 1 to " +
                                         std::to_string(most) + ", found " + std::to_string(warps));
}

/// The error of a function that nobody has, at the user's first call of it that has a line.
Error errorOf(const UnresolvedFunction &unresolved, tt::FuncOp kernel, const std::string &target) {
  std::string message =
      "the " + target + " target does not have the function '" + unresolved.symbol + "'";
  if (!unresolved.reason.empty())
    message += ": " + unresolved.reason;
  Error error(TL_UNSUPPORTED, message);
  kernel.walk([&](tt::ExternElementwiseOp call) {
    if (error.line == 0 && call.getSymbol() == unresolved.symbol)
      error = tt::errorAt(call, message, TL_UNSUPPORTED);
  });
  return error;
}

} // namespace

GpuModule optimizedModule(KernelSource source, std::string_view entry, CompileOptions options,
                          const VendorSteps &vendor, GpuModuleRequest request) {
  const GpuTarget &gpu = vendor.target();
  const std::string target = gpu.program.name();
  GpuModule result;
  result.lanes = gpu.program.lanes();
  checkWarps(options.numWarps, result.lanes);
  const std::unique_ptr<tt::ParsedSource> parsed = tt::takeModule(std::move(source));
  mlir::ModuleOp module = *parsed->module;
  result.milliseconds.push_back({"parse", parsed->milliseconds});
  Timer watch(result.milliseconds);
  tt::FuncOp written = tt::findEntry(module, entry);
  result.name = written.getSymName().str();
  result.numWarps = warpsFor(written, unsigned(options.numWarps), result.lanes);
  options.numWarps = int(result.numWarps);

  // TTIR passes. Loops carry scalars instead of tensors of pointers, short ones are unrolled;
  // descriptors become pointers, but for those that the hardware serves.
  inlineEverything(module);
  tt::TtirOptions ttirOptions;
  ttirOptions.keepHints = true;
  ttirOptions.scalarizeInduction = true;
  ttirOptions.unrollShortLoops = true;
  ttirOptions.debug = options.debug;
  ttirOptions.deterministic = options.deterministic;
  ttirOptions.fuseMultiplyAdd = options.fpFusion;
  vendor.choosePasses(ttirOptions, options);
  tt::runTtirPipeline(module, ttirOptions);
  tt::FuncOp kernel = tt::findEntry(module, result.name);
  result.parameters = parametersOf(kernel, target);
  checkElementTypes(kernel, target);
  if (request.texts)
    result.ttir = tt::print(module, true);
  watch.lap("passes");

  // Every tensor gets a layout: from here on it is TTGIR.
  checkConstants(module, target);
  vendor.describeGpu(module, options);
  vendor.runTtgirPasses(module, options);
  if (request.texts)
    result.ttgir = tt::print(module);
  watch.lap("layouts");

  // LLVM IR of one thread.
  vendor.finishTtgir(kernel, result);
  static_cast<GpuKernelCode &>(result) = lowerToLLVM(kernel, gpu, options, request.lines);
  result.numCtas = tt::blocksOf(kernel, tt::blocksName);
  vendor.finishLowering(result);
  watch.lap("lowering");

  // Functions that are called become a part of the module.
  try {
    vendor.defineFunctions(*result.module);
  } catch (const UnresolvedFunction &unresolved) {
    throw errorOf(unresolved, kernel, target);
  }
  checkCode(*result.module, target, result.name);
  vendor.optimize(*result.module);
  if (request.texts) {
    llvm::raw_string_ostream text(result.llir);
    result.module->print(text, nullptr);
  }
  watch.lap("optimization");
  return result;
}

void generateCode(GpuModule &made, llvm::function_ref<void(llvm::Module &, Timer &)> generate) {
  Timer watch(made.milliseconds);
  try {
    generate(*made.module, watch);
  } catch (const AssemblyError &error) {
    throw assemblyErrorAt(made.inlineAsm.at(error.number), error.message);
  } catch (const Error &error) {
    if (auto users = userTemplateError(error, made.inlineAsm))
      throw *users;
    throw;
  }
  made.module.reset();
  made.context.reset();
}

} // namespace tl::backend::gpu
