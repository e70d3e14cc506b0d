// SPDX-License-Identifier: MIT
#include "edited.hpp"

#include "targets/cpu/Jit.h"
#ifdef TL_HAVE_AMD
#include "targets/amd/Pipeline.h"
#endif
#include "targets/nvidia/Pipeline.h"
#include "targets/simt/Translation.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace edited {

using namespace tl::backend;

namespace {

GpuModule moduleOf(const std::string &ttir, const std::string &target, unsigned blocks) {
  CompileOptions options;
  options.numCtas = int(blocks);
#ifdef TL_HAVE_AMD
  if (auto architecture = amd::Architecture::parse(target))
    return amd::optimizedModule({ttir}, "", options, *architecture, {false, true});
#endif
  return nvidia::optimizedModule({ttir, nullptr, /*isGeneral=*/true}, "", options,
                                 *nvidia::Architecture::parse(target), {false, true});
}

} // namespace

bool hasAmd() {
#ifdef TL_HAVE_AMD
  return true;
#else
  return false;
#endif
}

Compiled compile(const std::string &ttir, const std::string &target, unsigned blocks) {
  GpuModule made = moduleOf(ttir, target, blocks);
  Compiled result;
  TextKernel &kernel = result.kernel;
  kernel.name = made.name;
  kernel.target = target;
  kernel.parameters = made.parameters;
  kernel.hidden = made.hidden;
  kernel.lanes = made.lanes;
  kernel.clusterBlocks = made.numCtas;
  kernel.blockThreads = (made.numWarps + made.producerWarps) * made.lanes;
  kernel.sharedBytes = int64_t(made.sharedBytes);
  llvm::raw_string_ostream stream(result.text);
  made.module->print(stream, nullptr);
  return result;
}

TextKernel withText(const TextKernel &like, const std::string &text, const std::string &symbol) {
  TextKernel kernel = like;
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(text, problem, context);
  if (!module)
    throw Error(TL_COMPILE_ERROR, problem.getMessage().str());
  simt::CallTranslator translator = &simt::translateNvidia;
#ifdef TL_HAVE_AMD
  if (like.target.starts_with("gfx"))
    translator = &simt::translateAmd;
#endif
  simt::Translation translation(*module, translator);
  translation.run(symbol, "edited");
  kernel.entry = "edited";
  kernel.object = cpu::compileToObject(*module, simt::hostFeatures());
  kernel.sites = translation.sites;
  kernel.formats = translation.formats;
  return kernel;
}

} // namespace edited
