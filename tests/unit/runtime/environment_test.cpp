// SPDX-License-Identifier: MIT
#include "support/Environment.h"

#include "targets/Target.h"

#include <cstdlib>
#include <doctest/doctest.h>

using namespace tl::backend;

namespace {

/// Sets a variable for the length of a scope.
class Variable {
public:
  Variable(const char *name, const char *value) : name(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name); }

private:
  const char *name;
};

std::string complaint(const char *name, const char *value) {
  Variable set(name, value);
  try {
    readEnvironment();
  } catch (const Error &error) {
    CHECK(error.status == TL_INVALID_ARGUMENT);
    return error.message;
  }
  return "";
}

} // namespace

TEST_SUITE("Environment") {

  TEST_CASE("unset and empty variables give the defaults") {
    Variable threads("TL_NUM_THREADS", ""), print("TL_PRINT_IR", ""), time("TL_TIME_PASSES", "");
    Environment e = readEnvironment();
    CHECK(e.device.empty());
    CHECK(e.numThreads == 0);
    CHECK(e.printIR == PrintIR::Nothing);
    CHECK_FALSE(e.timePasses);
    CHECK_FALSE(e.remarks);
    CHECK_FALSE(e.check);
    CHECK_FALSE(e.bankConflicts);
    CHECK_FALSE(e.tensorCopies);
    CHECK(e.cpuFeatures.empty());
    CHECK(e.reproducerDir.empty());
  }

  TEST_CASE("valid values are understood") {
    Variable device("TL_DEVICE", "interpreter"), threads("TL_NUM_THREADS", "1024"),
        print("TL_PRINT_IR", "after-each"), time("TL_TIME_PASSES", "1"),
        features("TL_CPU_FEATURES", "-avx512f,+sse4.2"), copies("TL_TMA", "1"),
        folder("TL_REPRODUCER_DIR", "/x y"), remarks("TL_REMARKS", "1"), check("TL_CHECK", "1"),
        banks("TL_BANK_CONFLICTS", "1");
    Environment e = readEnvironment();
    CHECK(e.device == "interpreter");
    CHECK(e.numThreads == 1024);
    CHECK(e.printIR == PrintIR::AfterEach);
    CHECK(e.timePasses);
    CHECK(e.remarks);
    CHECK(e.check);
    CHECK(e.bankConflicts);
    CHECK(e.cpuFeatures == "-avx512f,+sse4.2");
    CHECK(e.tensorCopies == true);
    CHECK(e.reproducerDir == "/x y");
    for (auto [text, expected] : {std::pair("none", PrintIR::Nothing),
                                  {"before", PrintIR::Before},
                                  {"after", PrintIR::After},
                                  {"after-change", PrintIR::AfterChange}}) {
      Variable each("TL_PRINT_IR", text);
      CHECK(readEnvironment().printIR == expected);
    }
  }

  TEST_CASE("garbage is named with what was expected") {
    const std::string number = "', expected a whole number from 1 to 1024";
    for (const char *bad :
         {"0", "-1", "1025", "four", "4x", " 4", "4 ", "1e3", "0x10", "99999999999999999999"})
      CHECK(complaint("TL_NUM_THREADS", bad) ==
            std::string("environment variable TL_NUM_THREADS is '") + bad + number);
    CHECK(complaint("TL_PRINT_IR", "1") ==
          "environment variable TL_PRINT_IR is '1', expected none, "
          "before, after, after-each or after-change");
    for (const char *bad : {"yes", "2", "true", "01"})
      CHECK(complaint("TL_TIME_PASSES", bad) ==
            std::string("environment variable TL_TIME_PASSES is '") + bad + "', expected 0 or 1");
    CHECK(complaint("TL_REMARKS", "all") ==
          "environment variable TL_REMARKS is 'all', expected 0 or 1");
    CHECK(complaint("TL_BANK_CONFLICTS", "9") ==
          "environment variable TL_BANK_CONFLICTS is '9', expected 0 or 1");
    CHECK(complaint("TL_TMA", "on") == "environment variable TL_TMA is 'on', expected 0 or 1");
    for (const char *bad : {"avx2", "+", "+avx2,", ",+avx2", "+AVX2", "+avx2;-fma", "+a b"})
      CHECK(complaint("TL_CPU_FEATURES", bad) ==
            std::string("environment variable TL_CPU_FEATURES is '") + bad +
                "', expected a list such as +avx2,-avx512f");
  }

  TEST_CASE("long and unprintable garbage is shown short and printable") {
    CHECK(complaint("TL_TIME_PASSES", "a\n\x1b[31m") ==
          "environment variable TL_TIME_PASSES is 'a??[31m', expected 0 or 1");
    std::string shown = complaint("TL_NUM_THREADS", std::string(100000, 'x').c_str());
    CHECK(shown.size() < 160);
    CHECK(shown.find("xxx...'") != std::string::npos);
  }

} // TEST_SUITE
