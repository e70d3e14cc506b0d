// SPDX-License-Identifier: MIT
#include "targets/nvidia/Pipeline.h"

#include "codegen/Kernels.h"
#include "lowering/GpuLowering.h"
#include "targets/nvidia/Codegen.h"
#include "targets/nvidia/GpuDescription.h"
#include "targets/nvidia/GridDependencies.h"
#include "targets/nvidia/InlineAssembly.h"
#include "targets/nvidia/Libdevice.h"
#include "targets/nvidia/NvidiaGpu.h"

#include "dialect/Context.h"
#include "dialect/Hints.h"
#include "dialect/ParsedSource.h"
#include "passes/GpuPipeline.h"
#include "passes/Pipeline.h"
#include "support/Environment.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

namespace tl::backend::nvidia {

namespace {

/// Unasked only on the GPUs of sm_90: for those after them drivers up to 595 make maps that fault
/// now and then, of tensors that are small and not dense.
tt::TmaUse tmaUseFor(const Architecture &architecture) {
  std::optional<bool> asked = environment().tensorCopies;
  if (!architecture.hasTensorMaps() || asked == false)
    return tt::TmaUse::none;
  if (asked)
    return tt::TmaUse::possible;
  return architecture.number < 100 ? tt::TmaUse::worthwhile : tt::TmaUse::none;
}

/// The error of a function that nobody has, at the user's first call of it that has a line.
Error errorOf(const UnresolvedFunction &unresolved, tt::FuncOp kernel) {
  Error error(TL_UNSUPPORTED, unresolved.message);
  kernel.walk([&](tt::ExternElementwiseOp call) {
    if (error.line == 0 && call.getSymbol() == unresolved.symbol)
      error = tt::errorAt(call, unresolved.message, TL_UNSUPPORTED);
  });
  return error;
}

GpuModule compile(KernelSource source, std::string_view entry, CompileOptions options,
                  const Architecture &architecture, tt::TmaUse copies, PipelineRequest request) {
  GpuModule result;
  const std::unique_ptr<tt::ParsedSource> parsed = tt::takeModule(std::move(source));
  mlir::ModuleOp module = *parsed->module;
  result.milliseconds.push_back({"parse", parsed->milliseconds});
  Timer watch(result.milliseconds);
  tt::FuncOp written = tt::findEntry(module, entry);
  result.name = written.getSymName().str();

  const NvidiaGpu gpu(architecture);
  result.lanes = gpu.target.program.lanes();
  result.numWarps = warpsFor(written, unsigned(options.numWarps), result.lanes);
  options.numWarps = int(result.numWarps);
  // TTIR passes; descriptors become pointers, but for those that TMA serves, and loops
  // carry scalars instead of tensors of pointers.
  inlineEverything(module);
  tt::TtirOptions ttirOptions;
  ttirOptions.keepHints = true;
  ttirOptions.scalarizeInduction = true;
  ttirOptions.tmaUse = copies;
  if (architecture.hasWarpGroupProducts())
    ttirOptions.blocks = unsigned(options.numCtas);
  if (architecture.hasWarpGroupProducts() && options.numStages > 1)
    ttirOptions.productWarps = unsigned(options.numWarps);
  ttirOptions.debug = options.debug;
  ttirOptions.deterministic = options.deterministic;
  ttirOptions.fuseMultiplyAdd = options.fpFusion;
  tt::runTtirPipeline(module, ttirOptions);
  tt::FuncOp kernel = tt::findEntry(module, result.name);
  result.parameters = parametersOf(kernel, architecture.name);
  checkElementTypes(kernel, architecture.name);
  if (request.texts)
    result.ttir = tt::print(module, true);
  watch.lap("passes");

  checkConstants(module, architecture.name);
  // Every tensor gets a layout: from here on it is TTGIR.
  describeGpu(module, architecture, unsigned(options.numWarps));
  ttg::runTtgirPipeline(module, unsigned(options.numStages), options.maxRegisters == 0);
  if (request.texts)
    result.ttgir = tt::print(module);
  watch.lap("layouts");

  result.waitsForLaunch = spellGridDependencies(kernel, architecture);
  GpuKernelCode code = lowerToLLVM(kernel, gpu.target, options, request.lines);
  result.symbol = code.symbol;
  result.sharedBytes = code.sharedBytes;
  result.producerWarps = code.producerWarps;
  result.numCtas = tt::blocksOf(kernel, tt::blocksName);
  if (result.numCtas > 1)
    code.module->getFunction(code.symbol)
        ->addFnAttr("nvvm.cluster_dim", std::to_string(result.numCtas) + ",1,1");
  result.hidden = std::move(code.hidden);
#ifdef TL_CHECK_IR
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(*code.module, &stream)) {
    throw Error(TL_INTERNAL_ERROR,
                "the " + architecture.name + " target made invalid code: " + problem)
        .inKernel(result.name);
  }
#endif
  watch.lap("lowering");

  // Functions that are called come from our library, or from libdevice.
  try {
    linkLibdevice(*code.module, architecture, gpu.target.arithmetic);
  } catch (const UnresolvedFunction &unresolved) {
    throw errorOf(unresolved, kernel);
  }
  optimize(*code.module);
  if (request.texts) {
    llvm::raw_string_ostream stream(result.llir);
    code.module->print(stream, nullptr);
  }
  watch.lap("optimization");
  result.context = std::move(code.context);
  result.module = std::move(code.module);
  result.inlineAsm = std::move(code.inlineAsm);
  return result;
}

} // namespace

GpuModule optimizedModule(KernelSource source, std::string_view entry,
                          const CompileOptions &options, const Architecture &architecture,
                          PipelineRequest request) {
  if (options.numWarps < 1 || options.numWarps > 32 || (options.numWarps & (options.numWarps - 1)))
    throw Error(TL_INVALID_ARGUMENT, "num_warps must be a power of two from 1 to 32, found " +
                                         std::to_string(options.numWarps));
  tt::TmaUse copies = tmaUseFor(architecture);
  const std::string_view ttir = source.text;
  try {
    return compile(std::move(source), entry, options, architecture, copies, request);
  } catch (const Error &error) {
    // Boxes take shared memory, and maps are parameters: by pointers the kernel may fit.
    if (error.status != TL_OUT_OF_RESOURCES || copies == tt::TmaUse::none)
      throw;
  }
  return compile({ttir}, entry, options, architecture, tt::TmaUse::none, request);
}

PtxKernel runPipeline(KernelSource source, std::string_view entry, const CompileOptions &options,
                      const Architecture &architecture, bool texts) {
  PtxKernel result{optimizedModule(std::move(source), entry, options, architecture, {texts}), {}};
  Timer watch(result.milliseconds);
  try {
    result.ptx = compileToPtx(*result.module, architecture);
  } catch (const AssemblyError &error) {
    throw assemblyErrorAt(result.inlineAsm.at(error.number), error.message);
  } catch (const Error &error) {
    if (auto users = userTemplateError(error, result.inlineAsm))
      throw *users;
    throw;
  }
  result.module.reset();
  result.context.reset();
  watch.lap("codegen");
  return result;
}

} // namespace tl::backend::nvidia
