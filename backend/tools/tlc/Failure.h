// SPDX-License-Identifier: MIT
//
// How tlc fails: what it throws, which exit code that becomes, and how a refusal of libtl is turned
// into a tl::error that points into the TTIR file. Next: tlc.cpp catches all of it.
#pragma once

#include "tl/error.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace tlc {

/// Exit codes, as `tlc help` documents them.
enum ExitCode {
  Success = 0,
  KernelFailed = 1,  // the kernel is wrong, or its run failed
  WrongUsage = 2,    // wrong command line or wrong arguments for the kernel
  BadFile = 3,       // a file cannot be read or written, or is not what it should be
  InternalError = 4, // a bug of libtl or tlc
};

/// An error that is not the compiler's: one sentence, and how to fix it or "".
struct Failure {
  ExitCode code;
  std::string message;
  std::string help;
};

[[noreturn]] inline void failUsage(std::string message, std::string help = {}) {
  throw Failure{WrongUsage, std::move(message), std::move(help)};
}

[[noreturn]] inline void failFile(std::string message, std::string help = {}) {
  throw Failure{BadFile, std::move(message), std::move(help)};
}

/// Throws the tl::error that belongs to a failed call. A location in the TTIR text itself, which
/// libtl calls <ttir>, is put into `ttirFile`, and so are those from which it says it was called.
inline void check(tl_status status, const std::string &ttirFile = {}) {
  if (status == TL_OK)
    return;
  tl::diagnostic details = tl::impl::last_diagnostic();
  if (details.file == "<ttir>" || (details.file.empty() && details.line != 0))
    details.file = ttirFile;
  constexpr std::string_view call = ", called from ", text = "<ttir>";
  for (size_t at = 0; (at = details.message.find(call, at)) != std::string::npos;) {
    at += call.size();
    if (!ttirFile.empty() && std::string_view(details.message).substr(at).starts_with(text))
      details.message.replace(at, text.size(), ttirFile);
  }
  tl::impl::throw_error(status, std::move(details));
}

/// Text of a user in a message: in quotes, printable, and not longer than a line.
inline std::string quoted(const std::string &text) {
  std::string shown = "'";
  for (unsigned char c : text.substr(0, 60))
    shown += c >= ' ' && c != 0x7f ? static_cast<char>(c) : '?';
  return shown + (text.size() > 60 ? "...'" : "'");
}

} // namespace tlc
