// SPDX-License-Identifier: MIT
#include "targets/nvidia/Assembler.h"

#include "support/Fork.h"
#include "targets/Target.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <optional>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace tl::backend::nvidia {
namespace {

[[noreturn]] void fail(tl_status status, std::string message, std::string_view architecture) {
  throw Error(status, std::move(message)).onDevice(std::string(architecture));
}

/// What the assembler said of our PTX is our mistake, but for what the user limits.
[[noreturn]] void refuse(const std::string &how, const std::string &log,
                         const AssemblerOptions &options, std::string_view architecture) {
  if (options.maxRegisters && log.find("Insufficient registers") != log.npos)
    fail(TL_OUT_OF_RESOURCES,
         "an instruction of the kernel needs more than the " +
             std::to_string(options.maxRegisters) + " registers that max_registers allows",
         architecture);
  fail(TL_INTERNAL_ERROR, "the PTX does not assemble (" + how + "): " + log, architecture);
}

// ---- nvJitLink ---------------------------------------------------------------------------------

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

/// CUDA toolkits in the order in which they are looked at.
std::vector<std::string> toolkits() {
  std::vector<std::string> folders;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *folder = std::getenv(variable); folder && *folder)
      folders.push_back(folder);
  folders.push_back("/usr/local/cuda");
  return folders;
}

bool isProgram(const std::string &path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

/// A file in the temporary folder that vanishes with this object.
class TemporaryFile {
public:
  TemporaryFile() {
    const char *folder = std::getenv("TMPDIR");
    name = std::string(folder && *folder ? folder : "/tmp") + "/tl-XXXXXX";
    descriptor = mkostemp(name.data(), O_CLOEXEC);
    if (descriptor < 0)
      fail(TL_RUNTIME_ERROR,
           "no temporary file can be made at " + name + ": " + std::strerror(errno), "");
  }
  ~TemporaryFile() {
    close(descriptor);
    unlink(name.c_str());
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  void write(std::string_view text) {
    while (!text.empty()) {
      ssize_t count = ::write(descriptor, text.data(), text.size());
      if (count < 0 && errno == EINTR)
        continue;
      if (count < 0)
        fail(TL_RUNTIME_ERROR, "cannot write " + name + ": " + std::strerror(errno), "");
      text.remove_prefix(size_t(count));
    }
  }
  std::string read() const {
    std::string bytes;
    char buffer[65536];
    off_t at = 0;
    for (ssize_t count; (count = pread(descriptor, buffer, sizeof buffer, at)) > 0; at += count)
      bytes.append(buffer, size_t(count));
    return bytes;
  }

  std::string name;
  int descriptor = -1;
};

struct ProgramRun {
  std::string failure; // to start it or to end; empty if it ended by itself
  int code = 0;
  std::string log;

  bool succeeded() const { return failure.empty() && code == 0; }
  /// What it did, after the name of the program.
  std::string described() const {
    if (!failure.empty())
      return failure;
    std::string text = "ended with code " + std::to_string(code);
    std::string printed = log.substr(0, log.find('\n'));
    return log.empty() ? text + " and printed nothing"
                       : text + " and printed '" + printed.substr(0, 80) + "'";
  }
};

/// Runs a program to its end, at most for so many seconds (0: however long it takes). It reads
/// nothing.
ProgramRun runProgram(std::vector<std::string> words, int seconds) {
  TemporaryFile log;
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, log.descriptor, 1);
  posix_spawn_file_actions_adddup2(&actions, log.descriptor, 2);
  pid_t child = 0;
  ProgramRun run;
  int failure = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure) {
    run.failure = std::string("cannot be run: ") + std::strerror(failure);
    return run;
  }
  int status = 0;
  std::optional<ForkPause> pause;
  if (forkThread().points)
    pause.emplace();
  for (int waits = 0;; ++waits) {
    pid_t ended = waitpid(child, &status, seconds ? WNOHANG : 0);
    if (ended == child || (ended < 0 && errno != EINTR))
      break;
    if (ended == 0 && waits == seconds * 100) {
      kill(child, SIGKILL);
      while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
      run.failure = "does not end within " + std::to_string(seconds) + " seconds";
      return run;
    }
    if (ended == 0)
      usleep(10000);
  }
  if (WIFSIGNALED(status))
    run.failure = std::string("was ended by a signal: ") + strsignal(WTERMSIG(status));
  else
    run.code = WEXITSTATUS(status);
  run.log = log.read();
  return run;
}

[[noreturn]] void refuseNamed(const std::string &program, const std::string &why) {
  fail(TL_INVALID_ARGUMENT, "environment variable TL_PTXAS names '" + program + "', which " + why,
       "");
}

/// The program that TL_PTXAS names says that it is ptxas, or wraps it.
void checkNamed(const std::string &program) {
  if (!isProgram(program))
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
    for (const std::string &folder : toolkits())
      libraries.push_back(folder + "/lib64/" + name);
  }
  for (const std::string &name : libraries)
    if (void *library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      if (linker().find(library))
        return {AssemblerKind::nvJitLink, name};
      dlclose(library);
    }
  for (const std::string &folder : toolkits())
    if (isProgram(folder + "/bin/ptxas"))
      return {AssemblerKind::ptxas, folder + "/bin/ptxas"};
  if (const char *path = std::getenv("PATH")) {
    std::string_view rest = path;
    while (!rest.empty()) {
      size_t end = rest.find(':');
      std::string program = std::string(rest.substr(0, end)) + "/ptxas";
      if (isProgram(program))
        return {AssemblerKind::ptxas, program};
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
  }
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

// ---- ptxas -------------------------------------------------------------------------------------

std::string assembleByProgram(const std::string &program, std::string_view ptx,
                              std::string_view architecture, const AssemblerOptions &options) {
  TemporaryFile source, cubin;
  source.write(ptx);
  std::vector<std::string> words = {program, "-arch=" + std::string(architecture)};
  words.insert(words.end(), {isLarge(ptx) ? "-O1" : "-O3", source.name, "-o", cubin.name});
  if (options.lineInfo)
    words.push_back("-lineinfo");
  if (options.maxRegisters)
    words.push_back("--maxrregcount=" + std::to_string(options.maxRegisters));
  ProgramRun run = runProgram(std::move(words), 0);
  if (!run.failure.empty())
    fail(TL_RUNTIME_ERROR, program + " " + run.failure, architecture);
  if (run.code != 0 && run.log.find("ptxas") == run.log.npos)
    fail(TL_RUNTIME_ERROR, program + " " + run.described(), architecture);
  if (run.code != 0)
    refuse(program, run.log, options, architecture);
  // ptxas replaces the file, so it is read by name.
  std::string bytes;
  if (FILE *file = std::fopen(cubin.name.c_str(), "rb")) {
    char buffer[65536];
    for (size_t count; (count = std::fread(buffer, 1, sizeof buffer, file)) > 0;)
      bytes.append(buffer, count);
    std::fclose(file);
  }
  if (bytes.compare(0, 4, "\177ELF") != 0)
    fail(TL_RUNTIME_ERROR, program + " wrote no machine code", architecture);
  return bytes;
}

} // namespace

const AssemblerChoice &assemblerChoice() {
  static const AssemblerChoice choice = choose();
  return choice;
}

std::string assemble(std::string_view ptx, std::string_view architecture,
                     const AssemblerOptions &options) {
  const AssemblerChoice &choice = assemblerChoice();
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
