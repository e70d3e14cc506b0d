// SPDX-License-Identifier: MIT
#include "targets/nvidia/Assembler.h"

#include "targets/Target.h"
#include "targets/nvidia/Toolkit.h"

#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <vector>

namespace tl::backend::nvidia {
namespace {

[[noreturn]] void fail(tl_status status, std::string message, std::string_view architecture) {
  throw Error(status, std::move(message)).onDevice(std::string(architecture));
}

/// What the assembler said of our PTX is our error, but for what the user limits.
[[noreturn]] void refuse(const std::string &how, const std::string &log,
                         const AssemblerOptions &options, std::string_view architecture) {
  if (options.maxRegisters && log.find("Insufficient registers") != log.npos)
    fail(TL_OUT_OF_RESOURCES,
         "an instruction of the kernel needs more than the " +
             std::to_string(options.maxRegisters) + " registers that max_registers allows",
         architecture);
  fail(TL_INTERNAL_ERROR, "the PTX does not assemble (" + how + "): " + log, architecture);
}

// ---- nvJitLink

struct NvJitLink {
  using Handle = struct nvJitLink *;
  int (*create)(Handle *, uint32_t, const char **) = nullptr;
  int (*destroy)(Handle *) = nullptr;
  int (*addData)(Handle, int, const void *, size_t, const char *) = nullptr;
  int (*complete)(Handle) = nullptr;
  int (*cubinSize)(Handle, size_t *) = nullptr;
  int (*cubin)(Handle, void *) = nullptr;
  int (*logSize)(Handle, size_t *) = nullptr;
  int (*log)(Handle, char *) = nullptr;
  static constexpr int inputPtx = 2;

  bool find(void *library) {
    auto get = [&](auto &member, const char *name) {
      member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(dlsym(library, name));
      return member != nullptr;
    };
    return get(create, "nvJitLinkCreate") && get(destroy, "nvJitLinkDestroy") &&
           get(addData, "nvJitLinkAddData") && get(complete, "nvJitLinkComplete") &&
           get(cubinSize, "nvJitLinkGetLinkedCubinSize") && get(cubin, "nvJitLinkGetLinkedCubin") &&
           get(logSize, "nvJitLinkGetErrorLogSize") && get(log, "nvJitLinkGetErrorLog");
  }
};

[[noreturn]] void refuseNamed(const std::string &program, const std::string &why) {
  fail(TL_INVALID_ARGUMENT, "environment variable TL_PTXAS names '" + program + "', which " + why,
       "");
}

/// The program that TL_PTXAS names says that it is ptxas, or wraps it.
void checkNamed(const std::string &program) {
  if (!llvm::sys::fs::can_execute(program))
    refuseNamed(program, "is not a program");
  ProgramRun run = runProgram({program, "--version"}, 10);
  if (!run.succeeded() || run.log.find("ptxas") == run.log.npos)
    refuseNamed(program, "is not ptxas: with --version it " + run.described());
}

NvJitLink &linker() {
  static NvJitLink functions;
  return functions;
}

AssemblerChoice choose() {
  if (const char *program = std::getenv("TL_PTXAS"); program && *program) {
    checkNamed(program);
    return {AssemblerKind::ptxas, program};
  }
  std::vector<std::string> libraries;
  for (const char *name : {"libnvJitLink.so.13", "libnvJitLink.so.12"}) {
    libraries.push_back(name);
    for (const std::string &folder : toolkitFolders())
      libraries.push_back(folder + "/lib64/" + name);
  }
  for (const std::string &name : libraries)
    if (void *library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      if (linker().find(library))
        return {AssemblerKind::nvJitLink, name};
      dlclose(library);
    }
  if (std::string program = findToolkitProgram("ptxas"); !program.empty())
    return {AssemblerKind::ptxas, program};
  return {};
}

/// The assembler's optimizer takes the third power of the size of a large kernel: 1 s for 16000
/// lines of PTX, 8 s for 32000, minutes for 64000; at the first level 12 s for those.
bool isLarge(std::string_view ptx) { return std::count(ptx.begin(), ptx.end(), '\n') > 20000; }

std::string assembleInProcess(std::string_view ptx, std::string_view architecture,
                              const AssemblerOptions &options) {
  const NvJitLink &nv = linker();
  std::string arch = "-arch=" + std::string(architecture);
  std::string registers = "-maxrregcount=" + std::to_string(options.maxRegisters);
  // The library itself knows -O0 and -O3 alone; what it passes on came later than it.
  std::vector<const char *> flags = {isLarge(ptx) ? "-Xptxas=-O1" : "-O3", arch.c_str()};
  if (options.lineInfo)
    flags.push_back("-lineinfo");
  if (options.maxRegisters)
    flags.push_back(registers.c_str());

  struct Session {
    const NvJitLink &nv;
    NvJitLink::Handle handle = nullptr;
    ~Session() {
      if (handle)
        nv.destroy(&handle);
    }
  } session{nv};
  auto check = [&](int result) {
    if (result == 0)
      return;
    std::string log;
    size_t size = 0;
    if (session.handle && nv.logSize(session.handle, &size) == 0 && size > 1) {
      log.resize(size);
      nv.log(session.handle, log.data());
      log.resize(std::strlen(log.c_str()));
    }
    refuse("nvJitLink error " + std::to_string(result), log, options, architecture);
  };
  int created = nv.create(&session.handle, uint32_t(flags.size()), flags.data());
  if (created != 0 && isLarge(ptx)) {
    if (session.handle)
      nv.destroy(&session.handle);
    session.handle = nullptr;
    flags[0] = "-O3";
    created = nv.create(&session.handle, uint32_t(flags.size()), flags.data());
  }
  check(created);
  check(nv.addData(session.handle, NvJitLink::inputPtx, ptx.data(), ptx.size(), "kernel"));
  check(nv.complete(session.handle));
  size_t size = 0;
  check(nv.cubinSize(session.handle, &size));
  std::string cubin(size, '\0');
  check(nv.cubin(session.handle, cubin.data()));
  return cubin;
}

// ---- ptxas

std::string assembleByProgram(const std::string &program, std::string_view ptx,
                              std::string_view architecture, const AssemblerOptions &options) {
  TemporaryFile source, cubin;
  source.write(llvm::StringRef(ptx));
  std::vector<std::string> words = {program, "-arch=" + std::string(architecture)};
  words.insert(words.end(), {isLarge(ptx) ? "-O1" : "-O3", source.name(), "-o", cubin.name()});
  if (options.lineInfo)
    words.push_back("-lineinfo");
  if (options.maxRegisters)
    words.push_back("--maxrregcount=" + std::to_string(options.maxRegisters));
  ProgramRun run = runProgram(words, 0);
  if (!run.failure.empty())
    fail(TL_RUNTIME_ERROR, program + " " + run.failure, architecture);
  if (run.code != 0 && run.log.find("ptxas") == run.log.npos)
    fail(TL_RUNTIME_ERROR, program + " " + run.described(), architecture);
  if (run.code != 0)
    refuse(program, run.log, options, architecture);
  std::string bytes = cubin.read();
  if (bytes.compare(0, 4, "\177ELF") != 0)
    fail(TL_RUNTIME_ERROR, program + " wrote no machine code", architecture);
  return bytes;
}

} // namespace

const AssemblerChoice &assemblerChoice() {
  static const AssemblerChoice choice = choose();
  return choice;
}

static const std::string &toolkitPtxas() {
  static const std::string program = findToolkitProgram("ptxas");
  return program;
}

bool canAssembleWholeProgram() {
  return assemblerChoice().kind == AssemblerKind::nvJitLink && !toolkitPtxas().empty();
}

std::string assemble(std::string_view ptx, std::string_view architecture,
                     const AssemblerOptions &options) {
  const AssemblerChoice &choice = assemblerChoice();
  if (options.wholeProgram && canAssembleWholeProgram())
    return assembleByProgram(toolkitPtxas(), ptx, architecture, options);
  switch (choice.kind) {
  case AssemblerKind::nvJitLink:
    return assembleInProcess(ptx, architecture, options);
  case AssemblerKind::ptxas:
    return assembleByProgram(choice.path, ptx, architecture, options);
  case AssemblerKind::none:
    break;
  }
  fail(TL_UNSUPPORTED, "no PTX assembler was found: neither libnvJitLink nor ptxas", architecture);
}

} // namespace tl::backend::nvidia
