// SPDX-License-Identifier: MIT
#include "runtime/Reproducer.h"

#include "support/Environment.h"

#include <cstdio>
#include <cstdlib>
#include <functional>

namespace tl::backend {
namespace {

std::string folder() {
  if (const std::string &chosen = environment().reproducerDir; !chosen.empty())
    return chosen;
  const char *temporary = std::getenv("TMPDIR");
  return temporary && *temporary ? temporary : "/tmp";
}

bool writeFile(const std::string &path, std::string_view text) {
  std::FILE *file = std::fopen(path.c_str(), "wb");
  if (!file)
    return false;
  bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return (std::fclose(file) == 0) && written;
}

} // namespace

void attachReproducer(Error &error, std::string_view ttir, std::string_view entry,
                      std::string_view target, const CompileOptions &options) noexcept {
  try {
    // Named by content: a bug that is met a thousand times leaves one file.
    char name[64];
    std::snprintf(name, sizeof name, "/tl-reproducer-%016zx.ttir",
                  std::hash<std::string_view>()(ttir));
    std::string path = folder() + name;
    if (!writeFile(path, ttir)) {
      error.help = "this is a bug of libtl; no reproducer could be written to " + path;
      return;
    }
    std::string command;
    if (const auto &copies = environment().tensorCopies) // changes the code, too
      command = *copies ? "TL_TMA=1 " : "TL_TMA=0 ";
    command += "tlc compile " + path + " --target " + std::string(target);
    if (!entry.empty())
      command += " --entry " + std::string(entry);
#define NUMBER(name, member, usual, ...)                                                           \
  if (options.member != usual)                                                                     \
    command += " " + impl::flag_of(#name) + " " + std::to_string(options.member);
#define SWITCH(name, member, usual, ...)                                                           \
  if (options.member != usual)                                                                     \
    command += " " + impl::flag_of(#name, usual);
    TL_IMPL_COMPILE_OPTIONS(NUMBER, SWITCH)
#undef NUMBER
#undef SWITCH
    error.help = "this is a bug of libtl; please report it with " + path + ", which '" + command +
                 "' repeats";
  } catch (...) {
  }
}

} // namespace tl::backend
