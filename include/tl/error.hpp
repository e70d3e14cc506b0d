// SPDX-License-Identifier: MIT
#pragma once
// What is thrown when something is wrong? tl::error and its children, one per kind of error. Each
// carries the facts (where, which kernel, which device, how much of what) and renders them,
// together with the user's own source line, in what(). The backend reports over the C API with a
// status and a diagnostic; impl::check turns those into exceptions. Wrong C++ is reported earlier,
// by static_assert. The drawing of the source line is in impl/source_line.hpp.

#include "tl/c/tl.h"
#include "tl/impl/compiler.hpp"
#include "tl/impl/source_line.hpp"
#include "tl/impl/unoptimized.hpp"

#include <cstdint>
#include <exception>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>

namespace tl {

/// Which of the children of tl::error an exception is.
enum class error_kind {
  invalid_argument,
  compile_error,
  runtime_error,
  out_of_resources,
  unsupported,
  internal_error
};

/// The facts about one error. What is unknown is empty or zero.
struct diagnostic {
  std::string message;        ///< one sentence, lower case, no full stop
  std::string help;           ///< how to fix it
  std::string file;           ///< the user's source file
  std::uint32_t line = 0;     ///< counted from 1
  std::uint32_t column = 0;   ///< counted from 1
  std::string kernel;         ///< name of the kernel concerned
  std::string device;         ///< name of the device or target concerned
  std::uint64_t required = 0; ///< how much was needed, for out_of_resources
  std::uint64_t limit = 0;    ///< how much there is, for out_of_resources

  /// The facts of an error in the user's line `where`.
  static diagnostic at(const std::source_location &where, std::string message,
                       std::string help = {}) {
    diagnostic d;
    d.message = std::move(message);
    d.help = std::move(help);
    d.set_location(where);
    return d;
  }

  /// Puts the error at the user's line `where`.
  void set_location(const std::source_location &where) {
    file = where.file_name();
    line = where.line();
    column = where.column();
  }
};

/// Base of all exceptions of tl. what() is the whole report:
///
///     matmul.cpp:31:14: error: inner dimensions of tl::dot differ: lhs is 64x32, rhs is 16x64
///        31 |   auto c = tl::dot(a, b);
///           |            ^
///     help: load rhs as 32x64, or pass tl::trans(rhs) if it is stored transposed
///
/// The source line is left out where the file cannot be read.
///
///     try { matmul<config>[grid](a, b, c, M, N, K); }
///     catch (const tl::out_of_resources &e) { use_smaller_tiles(e.required(), e.limit()); }
///     catch (const tl::error &e) { std::puts(e.what()); }
class error : public std::exception {
public:
  /// Draws the report at once: what() cannot fail.
  error(error_kind kind, diagnostic details) : kind_(kind), details_(std::move(details)) {
    rendered_ = render();
  }

  /// The whole report, several lines, without a final newline.
  const char *what() const noexcept override { return rendered_.c_str(); }

  /// Which child of tl::error this is, for a switch.
  error_kind kind() const noexcept { return kind_; }
  /// The sentence alone: lower case, no full stop.
  const std::string &message() const noexcept { return details_.message; }
  /// How to fix it, or empty.
  const std::string &help() const noexcept { return details_.help; }
  /// The user's source file, or empty.
  const std::string &file() const noexcept { return details_.file; }
  /// The line in it, from 1, or 0.
  std::uint32_t line() const noexcept { return details_.line; }
  /// The column in it, from 1, or 0.
  std::uint32_t column() const noexcept { return details_.column; }
  /// The kernel concerned, or empty.
  const std::string &kernel() const noexcept { return details_.kernel; }
  /// The device or target concerned, or empty.
  const std::string &device() const noexcept { return details_.device; }
  /// How much was needed, for tl::out_of_resources; in which unit, the message says.
  std::uint64_t required() const noexcept { return details_.required; }
  /// How much there is, for tl::out_of_resources.
  std::uint64_t limit() const noexcept { return details_.limit; }
  /// All facts together.
  const diagnostic &details() const noexcept { return details_; }

private:
  std::string render() const;

  error_kind kind_;
  diagnostic details_;
  std::string rendered_;
};

/// A function of tl was called with a value that it does not take; nothing was done.
///
///     try { tl::device dev("cuda:7"); }
///     catch (const tl::invalid_argument &e) { std::puts(e.message().c_str()); }
class invalid_argument : public error {
public:
  /// With all facts, or a sentence with its help and the user's line.
  explicit invalid_argument(diagnostic d) : error(error_kind::invalid_argument, std::move(d)) {}
  explicit invalid_argument(std::string message, std::string help = {},
                            const std::source_location &where = {})
      : invalid_argument(diagnostic::at(where, std::move(message), std::move(help))) {}
};

/// A kernel is wrong: found while tracing, verifying or lowering it. file() and line() are the
/// user's.
///
///     try { add<1024>.compile(dev, x, y, out, n); }
///     catch (const tl::compile_error &e) { std::printf("line %u\n", (unsigned)e.line()); }
class compile_error : public error {
public:
  /// With all facts, or a sentence with the user's line and help.
  explicit compile_error(diagnostic d) : error(error_kind::compile_error, std::move(d)) {}
  compile_error(std::string message, const std::source_location &where, std::string help = {})
      : compile_error(diagnostic::at(where, std::move(message), std::move(help))) {}
};

/// A run failed: launch, memory, driver, or an access that was checked and found wrong. On a GPU it
/// is thrown by what waits for the work.
///
///     try { s.synchronize(); }
///     catch (const tl::runtime_error &e) { std::puts(e.kernel().c_str()); }
class runtime_error : public error {
public:
  /// With all facts.
  explicit runtime_error(diagnostic d) : error(error_kind::runtime_error, std::move(d)) {}

protected:
  runtime_error(error_kind kind, diagnostic d) : error(kind, std::move(d)) {}
};

/// More is required() than the limit() of the device. Both count what the message names: bytes of
/// memory, of shared memory or of parameters, registers of a thread, threads of a program, programs
/// that have to run at once. 0 stands for what is not known.
///
///     try { matmul<large>[grid](a, b, c, M, N, K); }
///     catch (const tl::out_of_resources &e) {
///       std::printf("%s: %llu of %llu\n", e.kernel().c_str(), (unsigned long long)e.required(),
///                   (unsigned long long)e.limit());
///     }
class out_of_resources : public runtime_error {
public:
  /// With all facts, required and limit among them.
  explicit out_of_resources(diagnostic d)
      : runtime_error(error_kind::out_of_resources, std::move(d)) {}
};

/// Legal, but not offered by this device or target.
///
///     try { tl::stream::wrap(tl::device("cpu"), nullptr); }
///     catch (const tl::unsupported &e) { std::puts(e.device().c_str()); }
class unsupported : public error {
public:
  /// With all facts.
  explicit unsupported(diagnostic d) : error(error_kind::unsupported, std::move(d)) {}
};

/// A broken invariant of tl itself. Please report it.
class internal_error : public error {
public:
  /// With all facts.
  explicit internal_error(diagnostic d) : error(error_kind::internal_error, std::move(d)) {}
};

namespace impl {

TL_IMPL_UNOPTIMIZED_BEGIN

/// Throws the child of tl::error that belongs to the status.
[[noreturn]] inline void throw_error(tl_status status, diagnostic d) {
  switch (status) {
  case TL_INVALID_ARGUMENT:
    throw invalid_argument(std::move(d));
  case TL_COMPILE_ERROR:
    throw compile_error(std::move(d));
  case TL_RUNTIME_ERROR:
    throw runtime_error(std::move(d));
  case TL_OUT_OF_RESOURCES:
    throw out_of_resources(std::move(d));
  case TL_UNSUPPORTED:
    throw unsupported(std::move(d));
  case TL_INTERNAL_ERROR:
  case TL_OK:
    break;
  }
  throw internal_error(std::move(d));
}

/// This thread's last diagnostic of libtl.
inline diagnostic last_diagnostic() {
  diagnostic d;
  const tl_diagnostic *last = tl_last_diagnostic();
  if (!last) {
    d.message = "libtl failed without saying why";
    return d;
  }
  const auto text = [](const char *s) { return std::string(s ? s : ""); };
  d.message = text(last->message);
  d.help = text(last->help);
  d.file = text(last->file);
  d.line = last->line;
  d.column = last->column;
  d.kernel = text(last->kernel);
  d.device = text(last->device);
  d.required = last->required;
  d.limit = last->limit;
  return d;
}

TL_IMPL_UNOPTIMIZED_END

/// Throws what libtl reported, unless the call succeeded. An error that has no line of its own is
/// put at `where`, the user's call.
inline void check(tl_status status, const std::source_location &where = {}) {
  if (status == TL_OK) [[likely]]
    return;
  diagnostic d = last_diagnostic();
  if (d.file.empty())
    d.set_location(where);
  throw_error(status, std::move(d));
}

} // namespace impl

TL_IMPL_UNOPTIMIZED inline std::string error::render() const {
  const diagnostic &d = details_;
  std::string text;
  if (!d.file.empty()) {
    text += d.file;
    if (d.line != 0) {
      text += ':' + std::to_string(d.line);
      if (d.column != 0)
        text += ':' + std::to_string(d.column);
    }
    text += ": ";
  }
  text += kind_ == error_kind::internal_error ? "internal error: " : "error: ";
  text += d.message;
  text += impl::source_line(d.file, d.line, d.column);

  // As a word of its own: of a kernel "kern" nothing is said by "the kernel".
  const auto says = [&](const std::string &word) {
    const auto ends = [&](std::size_t at) {
      constexpr std::string_view parts = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                                         "0123456789";
      return at >= d.message.size() || parts.find(d.message[at]) == std::string_view::npos;
    };
    for (std::size_t at = d.message.find(word); at != std::string::npos;
         at = d.message.find(word, at + 1))
      if ((at == 0 || ends(at - 1)) && ends(at + word.size()))
        return true;
    return false;
  };
  std::string where;
  if (!d.kernel.empty() && !says(d.kernel))
    where += " in kernel " + d.kernel;
  if (!d.device.empty() && !says(d.device))
    where += " on device " + d.device;
  if (!where.empty())
    text += "\nnote:" + where;
  if (kind_ == error_kind::out_of_resources && d.required != 0) {
    const std::string required = std::to_string(d.required), limit = std::to_string(d.limit);
    if (!says(required) || !says(limit))
      text += "\nnote: " + required + " required, " + limit + " available";
  }
  if (!d.help.empty())
    text += "\nhelp: " + d.help;
  return text;
}

} // namespace tl
