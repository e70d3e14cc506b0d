// SPDX-License-Identifier: MIT
#pragma once
// Writes the TTIR of kernels into a folder, one file a kernel, for a script that compares them with
// upstream's.

#include <cstdio>
#include <string>
#include <utility>

class kernel_texts {
public:
  explicit kernel_texts(std::string folder) : folder_(std::move(folder)) {}

  template <class Kernel> void operator()(const char *name, const Kernel &kernel) {
    all_written_ &= write(folder_ + "/" + name + ".ttir", kernel.trace());
  }

  bool all_written() const { return all_written_; }

private:
  static bool write(const std::string &path, const std::string &text) {
    std::FILE *file = std::fopen(path.c_str(), "wb");
    if (!file)
      return false;
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    return std::fclose(file) == 0 && written;
  }

  std::string folder_;
  bool all_written_ = true;
};
