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
    std::string command = "tlc compile " + path + " --target " + std::string(target);
    if (!entry.empty())
      command += " --entry " + std::string(entry);
    const CompileOptions defaults;
    auto option = [&](const char *name, int value, int usual) {
      if (value != usual)
        command += std::string(" ") + name + " " + std::to_string(value);
    };
    option("--num-warps", options.numWarps, defaults.numWarps);
    option("--num-stages", options.numStages, defaults.numStages);
    option("--num-ctas", options.numCtas, defaults.numCtas);
    option("--max-registers", options.maxRegisters, defaults.maxRegisters);
    command += options.fpFusion ? "" : " --no-fp-fusion";
    command += options.debug ? " --debug" : "";
    error.help = "this is a bug of libtl; please report it with " + path + ", which '" + command +
                 "' repeats";
  } catch (...) {
  }
}

} // namespace tl::backend
