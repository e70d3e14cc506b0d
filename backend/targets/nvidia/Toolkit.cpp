// SPDX-License-Identifier: MIT
#include "targets/nvidia/Toolkit.h"

#include "support/Error.h"
#include "support/Fork.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <thread>

namespace tl::backend::nvidia {

std::vector<std::string> toolkitFolders() {
  std::vector<std::string> folders;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *folder = std::getenv(variable); folder && *folder)
      folders.push_back(folder);
  folders.push_back("/usr/local/cuda");
  return folders;
}

std::string findToolkitFile(llvm::StringRef path) {
  for (const std::string &folder : toolkitFolders())
    if (std::string file = folder + "/" + path.str(); llvm::MemoryBuffer::getFileSlice(file, 1, 0))
      return file;
  return "";
}

std::string findToolkitProgram(llvm::StringRef name) {
  for (const std::string &folder : toolkitFolders())
    if (std::string program = folder + "/bin/" + name.str(); llvm::sys::fs::can_execute(program))
      return program;
  auto found = llvm::sys::findProgramByName(name);
  return found ? *found : std::string();
}

// ---- Programs

TemporaryFile::TemporaryFile() {
  llvm::SmallString<128> made;
  if (std::error_code problem = llvm::sys::fs::createTemporaryFile("tl", "", made)) {
    llvm::SmallString<128> folder;
    llvm::sys::path::system_temp_directory(true, folder);
    raise(TL_RUNTIME_ERROR,
          "no temporary file can be made in " + folder.str().str() + ": " + problem.message());
  }
  path = made.str().str();
}

TemporaryFile::~TemporaryFile() { llvm::sys::fs::remove(path); }

void TemporaryFile::write(llvm::StringRef bytes) const {
  std::error_code problem;
  llvm::raw_fd_ostream stream(path, problem);
  if (!problem) {
    stream << bytes;
    stream.close();
    problem = stream.error();
    stream.clear_error();
  }
  if (problem)
    raise(TL_RUNTIME_ERROR, "cannot write " + path + ": " + problem.message());
}

std::string TemporaryFile::read() const {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

std::string ProgramRun::described() const {
  if (!failure.empty())
    return failure;
  std::string text = "ended with code " + std::to_string(code);
  std::string printed = log.substr(0, log.find('\n'));
  return log.empty() ? text + " and printed nothing"
                     : text + " and printed '" + printed.substr(0, 80) + "'";
}

ProgramRun runProgram(llvm::ArrayRef<std::string> words, unsigned seconds,
                      const TemporaryFile *output) {
  TemporaryFile log;
  llvm::SmallVector<llvm::StringRef> arguments(words.begin(), words.end());
  std::optional<llvm::StringRef> streams[] = {"", output ? output->name() : log.name(), log.name()};
  ProgramRun run;
  std::string problem;
  bool failed = false;
  llvm::sys::ProcessInfo child =
      llvm::sys::ExecuteNoWait(words[0], arguments, std::nullopt, streams, 0, &problem, &failed);
  if (failed) {
    llvm::StringRef why = problem;
    why.consume_front("posix_spawn failed: ");
    run.failure = "cannot be run: " + why.str();
    return run;
  }
  std::optional<ForkPause> pause;
  if (forkThread().points)
    pause.emplace();
  // sys::Wait for some seconds would set the process's alarm, which is the user's.
  llvm::sys::ProcessInfo ended;
  for (unsigned waits = 0;; ++waits) {
    ended = llvm::sys::Wait(child, seconds ? std::optional<unsigned>(0) : std::nullopt, &problem,
                            nullptr, /*Polling=*/true);
    if (ended.Pid != 0)
      break;
    if (waits == seconds * 100) {
      kill(child.Pid, SIGKILL);
      llvm::sys::Wait(child, std::nullopt);
      run.failure = "does not end within " + std::to_string(seconds) + " seconds";
      return run;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  // Where the user lets the system reap children, nobody knows how it ended.
  if (ended.Pid != child.Pid)
    ended.ReturnCode = 0;
  if (ended.ReturnCode == -2)
    run.failure = "was ended by a signal: " + problem;
  else if (ended.ReturnCode < 0)
    run.failure = "cannot be run: " + problem;
  else
    run.code = ended.ReturnCode;
  run.log = log.read();
  return run;
}

} // namespace tl::backend::nvidia
