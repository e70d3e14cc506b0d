// SPDX-License-Identifier: MIT
#include "targets/amd/Link.h"

#include "support/Error.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

// LLD can compile what it links, and then asks for all targets of LLVM and the passes of Polly.
// What is linked here is machine code: the targets that this library does without are empty
// functions.
#define ABSENT(target)                                                                             \
  void LLVMInitialize##target##TargetInfo() {}                                                     \
  void LLVMInitialize##target##Target() {}                                                         \
  void LLVMInitialize##target##TargetMC() {}                                                       \
  void LLVMInitialize##target##AsmPrinter() {}                                                     \
  void LLVMInitialize##target##AsmParser() {}
extern "C" {
TL_ABSENT_LLVM_TARGETS
}

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Polly", "", nullptr, nullptr};
}

namespace tl::backend::amd {

namespace {

[[noreturn]] void fail(const std::string &why) {
  throw Error(TL_COMPILE_ERROR, "linking for the GPU failed: " + why);
}

/// A temporary file, which is removed in the end.
class File {
public:
  explicit File(const char *suffix) {
    if (auto problem = llvm::sys::fs::createTemporaryFile("tl", suffix, descriptor, path))
      fail("no temporary file can be made: " + problem.message());
  }
  ~File() { llvm::sys::fs::remove(path); }
  File(const File &) = delete;

  int descriptor = -1;
  llvm::SmallString<64> path;
};

} // namespace

std::string linkCodeObject(llvm::StringRef object) {
  File input("o"), output("hsaco");
  {
    llvm::raw_fd_ostream(input.descriptor, true) << object;
    llvm::raw_fd_ostream closed(output.descriptor, true);
  }
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  // LLD keeps its state in global variables.
  static std::mutex &oneAtATime = *new std::mutex;
  {
    std::lock_guard lock(oneAtATime);
    lld::Result result = lld::lldMain({"ld.lld", "--threads=1", "-shared", "--no-undefined",
                                       input.path.c_str(), "-o", output.path.c_str()},
                                      llvm::nulls(), stream, {{lld::Gnu, &lld::elf::link}});
    if (result.retCode != 0)
      fail(problems);
  }
  auto code = llvm::MemoryBuffer::getFile(output.path, false, false);
  if (!code)
    fail("the code object cannot be read: " + code.getError().message());
  return (*code)->getBuffer().str();
}

} // namespace tl::backend::amd
