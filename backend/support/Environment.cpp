// SPDX-License-Identifier: MIT
#include "support/Environment.h"

#include "support/Error.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace tl::backend {
namespace {

std::string_view valueOf(const char *name) {
  const char *value = std::getenv(name);
  return value ? std::string_view(value) : std::string_view();
}

[[noreturn]] void reject(std::string_view name, std::string_view value, std::string expected) {
  // A value of megabytes or with control characters must not flood the user's terminal.
  std::string shown;
  for (char c : value.substr(0, 60))
    shown += std::isprint(static_cast<unsigned char>(c)) ? c : '?';
  if (value.size() > 60)
    shown += "...";
  throw Error(TL_INVALID_ARGUMENT, "environment variable " + std::string(name) + " is '" + shown +
                                       "', expected " + std::move(expected));
}

unsigned readNumThreads() {
  std::string_view value = valueOf("TL_NUM_THREADS");
  if (value.empty())
    return 0;
  unsigned count = 0;
  auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), count);
  if (failure != std::errc() || end != value.data() + value.size() || count < 1 || count > 1024)
    reject("TL_NUM_THREADS", value, "a whole number from 1 to 1024");
  return count;
}

uint64_t readInterpreterSteps() {
  std::string_view value = valueOf("TL_INTERPRETER_STEPS");
  if (value.empty())
    return Environment().interpreterSteps;
  uint64_t count = 0;
  auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), count);
  if (failure != std::errc() || end != value.data() + value.size() || count < 1 ||
      count > 1000000000000000000)
    reject("TL_INTERPRETER_STEPS", value, "a whole number from 1 to 1000000000000000000");
  return count;
}

PrintIR readPrintIR() {
  std::string_view value = valueOf("TL_PRINT_IR");
  if (value.empty() || value == "none")
    return PrintIR::Nothing;
  if (value == "before")
    return PrintIR::Before;
  if (value == "after")
    return PrintIR::After;
  if (value == "after-each")
    return PrintIR::AfterEach;
  if (value == "after-change")
    return PrintIR::AfterChange;
  reject("TL_PRINT_IR", value, "none, before, after, after-each or after-change");
}

/// Nothing where the variable is not set.
std::optional<bool> readSwitch(const char *name) {
  std::string_view value = valueOf(name);
  if (value.empty())
    return {};
  if (value == "0")
    return false;
  if (value == "1")
    return true;
  reject(name, value, "0 or 1");
}

std::string readCpuFeatures() {
  std::string_view value = valueOf("TL_CPU_FEATURES");
  constexpr const char *expected = "a list such as +avx2,-avx512f";
  for (size_t begin = 0; begin < value.size();) {
    size_t comma = value.find(',', begin);
    std::string_view item = value.substr(begin, comma == value.npos ? value.npos : comma - begin);
    if (item.size() < 2 || (item[0] != '+' && item[0] != '-'))
      reject("TL_CPU_FEATURES", value, expected);
    for (char c : item.substr(1))
      if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '.' && c != '-' && c != '_')
        reject("TL_CPU_FEATURES", value, expected);
    if (comma == value.npos)
      break;
    begin = comma + 1;
    if (begin == value.size())
      reject("TL_CPU_FEATURES", value, expected);
  }
  return std::string(value);
}

} // namespace

Environment readEnvironment() {
  Environment result;
  result.device = std::string(valueOf("TL_DEVICE"));
  result.numThreads = readNumThreads();
  result.printIR = readPrintIR();
  result.timePasses = readSwitch("TL_TIME_PASSES").value_or(false);
  result.remarks = readSwitch("TL_REMARKS").value_or(false);
  result.tensorCopies = readSwitch("TL_TMA");
  result.cpuFeatures = readCpuFeatures();
  result.check = readSwitch("TL_CHECK").value_or(false);
  result.bankConflicts = readSwitch("TL_BANK_CONFLICTS").value_or(false);
  result.interpreterSteps = readInterpreterSteps();
  result.reproducerDir = std::string(valueOf("TL_REPRODUCER_DIR"));
  return result;
}

const Environment &environment() {
  // A throw leaves the variable uninitialised, so that the next call reports the error again.
  static const Environment &parsed = *new Environment(readEnvironment());
  return parsed;
}

} // namespace tl::backend
