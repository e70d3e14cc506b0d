// SPDX-License-Identifier: MIT
// Prints the TTIR of the corpus: all names without an argument, one kernel with its name, and with
// a folder and no other argument all of them as files.
#include "corpus.hpp"

#include <cstdio>
#include <fstream>
#include <string_view>

int main(int argc, char **argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  try {
    for (const corpus::entry &e : corpus::all()) {
      if (what.empty())
        std::puts(e.name);
      else if (what == e.name)
        std::fputs(e.trace().c_str(), stdout);
      else if (what.find('/') != what.npos)
        std::ofstream(std::string(what) + "/" + e.name + ".ttir") << e.trace();
    }
  } catch (const tl::error &e) {
    std::fputs(e.what(), stderr);
    return 1;
  }
}
