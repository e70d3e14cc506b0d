// SPDX-License-Identifier: MIT
//
// NVIDIA's CUDA Toolkit: where its files and programs are, and how its programs are run. Nothing of
// it is needed for PTX; ptxas, nvJitLink, nvdisasm and libdevice are used where they are found.
// Toolkits are looked for in CUDA_HOME, CUDA_PATH and /usr/local/cuda, in this order.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace tl::backend::nvidia {

/// The folders of toolkits, whether or not they exist, in the order in which they are looked at.
std::vector<std::string> toolkitFolders();

/// The first readable file "FOLDER/path" of a toolkit; empty if there is none.
std::string findToolkitFile(llvm::StringRef path);

/// The program "bin/name" of a toolkit, else "name" in a folder of PATH; empty if there is none.
std::string findToolkitProgram(llvm::StringRef name);

/// An empty file in the temporary folder that is removed with this object.
class TemporaryFile {
public:
  /// Throws Error if no file can be made.
  TemporaryFile();
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  const std::string &name() const { return path; }
  void write(llvm::StringRef bytes) const;
  /// What is in the file of that name now, which a program may have replaced; empty if it cannot be
  /// read.
  std::string read() const;

private:
  std::string path;
};

/// How a program ended.
struct ProgramRun {
  std::string failure; // to start or to end by itself; empty if it ended with a code
  int code = 0;
  std::string log; // what it has printed, unless the caller took the output

  bool succeeded() const { return failure.empty() && code == 0; }
  /// What it did, to follow the name of the program: "ended with code 1 and printed 'text'".
  std::string described() const;
};

/// Runs a program, whose path is the first word, until it ends, at most for `seconds` (0:
/// however long it takes). It reads nothing. What it prints is `log`, or with `output` only its
/// errors are, and its output is in that file.
ProgramRun runProgram(llvm::ArrayRef<std::string> words, unsigned seconds,
                      const TemporaryFile *output = nullptr);

} // namespace tl::backend::nvidia
