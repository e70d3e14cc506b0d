// SPDX-License-Identifier: MIT
#include "targets/nvidia/Target.h"

#include "targets/nvidia/Assembler.h"
#include "targets/nvidia/Cubin.h"
#include "targets/nvidia/CudaApi.h"
#include "targets/nvidia/Driver.h"
#include "targets/nvidia/InlineAssembly.h"
#include "targets/nvidia/Occupancy.h"
#include "targets/nvidia/Pipeline.h"

#include <chrono>

namespace tl::backend::nvidia {

namespace {

/// Texts before PTX are human-readable and made when asked for, from the TTIR that was compiled.
struct CompiledNvidiaKernel final : NvidiaKernel {
  std::string ttir, entryName;
  CompileOptions options;
  Architecture architecture;
  int64_t memoryWaits = 0;

  std::vector<std::string> stageNames() const override {
    std::vector<std::string> names = {"ttir", "ttgir", "llir", "ptx"};
    if (!cubin.empty()) {
      names.push_back("cubin");
      names.push_back("report");
      if (!disassemblerPath().empty())
        names.push_back("sass");
    }
    return names;
  }

  std::string stage(std::string_view stage) const override {
    if (stage == "ptx")
      return ptx;
    if (stage == "cubin")
      return cubin;
    if (stage == "report")
      return reportOf(architecture,
                      {unsigned(threads / 32), registers, spills, sharedBytes, memoryWaits});
    if (stage == "sass")
      return disassemble(cubin);
    PtxKernel again = runPipeline({ttir}, entryName, options, architecture, true);
    return stage == "ttir"    ? again.ttir
           : stage == "ttgir" ? again.ttgir
           : stage == "llir"  ? again.llir
                              : "";
  }
};

class NvidiaTarget final : public Target {
public:
  explicit NvidiaTarget(Architecture architecture) : architecture(std::move(architecture)) {}

  std::string_view name() const override { return architecture.name; }

  std::unique_ptr<CompiledKernel> compile(KernelSource source, std::string_view entry,
                                          const CompileOptions &options) const override {
    const std::string_view ttir = source.text;
    auto kernel = std::make_unique<CompiledNvidiaKernel>();
    try {
      PtxKernel made = runPipeline(std::move(source), entry, options, architecture, false);
      kernel->name = std::move(made.name);
      kernel->symbol = std::move(made.symbol);
      kernel->parameters = std::move(made.parameters);
      kernel->milliseconds = std::move(made.milliseconds);
      kernel->ptx = std::move(made.ptx);
      kernel->sharedBytes = int64_t(made.sharedBytes);
      kernel->numWarps = made.numWarps;
      kernel->producerWarps = made.producerWarps;
      kernel->numCtas = made.numCtas;
      kernel->waitsForLaunch = made.waitsForLaunch;
      kernel->hidden = std::move(made.hidden);
      if (assemblerChoice().kind != AssemblerKind::none) {
        auto start = std::chrono::steady_clock::now();
        AssemblerOptions assembling;
        // Beside producers the text says how many registers threads have.
        assembling.maxRegisters = kernel->producerWarps ? 0 : options.maxRegisters;
        assembling.wholeProgram = kernel->producerWarps != 0;
        try {
          kernel->cubin = assembleWell(*kernel, assembling);
        } catch (Error &error) {
          error.kernel = kernel->name;
          if (auto users = userAssemblyError(error, kernel->ptx, made.inlineAsm)) {
            users->kernel = kernel->name;
            throw *users;
          }
          throw;
        }
        kernel->milliseconds.push_back({"assembly", std::chrono::duration<double, std::milli>(
                                                        std::chrono::steady_clock::now() - start)
                                                        .count()});
        CubinResources resources = resourcesOf(kernel->cubin, kernel->symbol);
        kernel->registers = resources.registers;
        kernel->spills = resources.localBytes;
        kernel->memoryWaits = resources.memoryWaits;
      }
    } catch (Error &error) {
      if (error.device.empty())
        error.device = architecture.name;
      throw;
    }
    kernel->threads = int64_t(kernel->blockWarps()) * 32;
    kernel->ttir = std::string(ttir);
    kernel->entryName = kernel->name;
    kernel->options = options;
    kernel->architecture = architecture;
    return kernel;
  }
  CompileOptionSet followedOptions() const override { return nvidia::followedOptions; }

private:
  /// Programs on a multiprocessor whose threads have this number of registers.
  int64_t programs(const CompiledNvidiaKernel &kernel, int64_t registers) const {
    return occupancyOf(architecture, {kernel.numWarps, registers, 0, kernel.sharedBytes}).programs;
  }

  /// Once more as a whole program if registers are what keeps more of them from a multiprocessor,
  /// or are spilled, and once more with a few registers less if these are. Where as many
  /// programs fit, the one is taken whose loads wait less often.
  std::string assembleWell(CompiledNvidiaKernel &kernel, AssemblerOptions how) const {
    std::string cubin = assembleForPrograms(kernel, how);
    constexpr size_t mostText = 64 * 1024;
    if (how.maxRegisters == 0 && !how.wholeProgram && kernel.ptx.size() <= mostText)
      if (std::string denser = assembleForOneMore(kernel, how, cubin); !denser.empty())
        return denser;
    return cubin;
  }

  /// Of a kernel that lives on memory, not on products: where a few registers less let a
  /// multiprocessor have a good part more of its warps at a time. Nothing if they would not, or at
  /// the price of more than a register or two that are spilled, or of loads that wait for each
  /// other: so an assembler saves registers, too.
  std::string assembleForOneMore(CompiledNvidiaKernel &kernel, AssemblerOptions how,
                                 const std::string &cubin) const {
    constexpr int64_t mostPrograms = 4, mostSpilled = 8; // bytes
    constexpr int64_t leastShare = 85;                   // percent of the registers
    constexpr int64_t mostWaits = 150;                   // percent of those for memory
    const CubinResources now = resourcesOf(cubin, kernel.symbol);
    const int64_t resident = programs(kernel, now.registers);
    int64_t limit = now.registers;
    while (100 * limit > leastShare * now.registers && programs(kernel, limit) == resident)
      --limit;
    const size_t place = kernel.ptx.find(".reqntid");
    if (now.localBytes || resident == 0 || resident > mostPrograms ||
        programs(kernel, limit) == resident || place == std::string::npos ||
        kernel.ptx.find("mma.sync") != std::string::npos ||
        kernel.ptx.find("wgmma.") != std::string::npos ||
        kernel.ptx.find(".maxnreg") != std::string::npos)
      return {};
    std::string text = kernel.ptx, denser;
    text.insert(place, ".maxnreg " + std::to_string(limit) + "\n");
    how.wholeProgram = canAssembleWholeProgram();
    try {
      denser = assemble(text, architecture.name, how);
    } catch (const Error &) { // an instruction that needs more registers, for instance
      return {};
    }
    const CubinResources then = resourcesOf(denser, kernel.symbol);
    if (then.localBytes > mostSpilled || programs(kernel, then.registers) <= resident ||
        100 * then.memoryWaits > mostWaits * now.memoryWaits)
      return {};
    kernel.ptx = std::move(text);
    return denser;
  }

  std::string assembleForPrograms(const CompiledNvidiaKernel &kernel, AssemblerOptions how) const {
    std::string cubin = assemble(kernel.ptx, architecture.name, how);
    constexpr size_t mostText = 256 * 1024; // of kernels that are worth a second time
    if (how.wholeProgram || kernel.ptx.size() > mostText || !canAssembleWholeProgram())
      return cubin;
    constexpr int64_t few = 16; // registers that limit no kernel
    CubinResources first = resourcesOf(cubin, kernel.symbol);
    if (first.localBytes == 0 && programs(kernel, first.registers) == programs(kernel, few))
      return cubin;
    how.wholeProgram = true;
    std::string again = assemble(kernel.ptx, architecture.name, how);
    CubinResources second = resourcesOf(again, kernel.symbol);
    const int64_t before = programs(kernel, first.registers);
    const int64_t after = programs(kernel, second.registers);
    bool isBetter = second.localBytes != first.localBytes ? second.localBytes < first.localBytes
                    : after != before                     ? after > before
                                                          : second.memoryWaits < first.memoryWaits;
    return isBetter ? again : cubin;
  }

  Architecture architecture;
};

} // namespace

std::unique_ptr<Target> openTarget(std::string_view name) {
  auto architecture = Architecture::parse(name);
  return architecture ? std::make_unique<NvidiaTarget>(*architecture) : nullptr;
}

std::string missingDriver() {
  std::string why;
  if (!CudaApi::find(&why))
    return "cuda: " + why;
  return CudaDevice::count() == 0 ? "cuda: the NVIDIA driver finds no GPU" : "";
}

std::string missingAssembler() {
  return assemblerChoice().kind == AssemblerKind::none
             ? "ptx assembler: neither libnvJitLink nor ptxas was found; the driver assembles"
             : "";
}

} // namespace tl::backend::nvidia
