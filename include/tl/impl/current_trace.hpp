// SPDX-License-Identifier: MIT
#pragma once
// Is a kernel traced in this thread, and what went wrong in it? Functions of the host ask before
// they do anything: in a kernel they would run when it is compiled, once for each specialisation,
// and not when it is launched. tracer.hpp builds the trace itself.

#include "tl/error.hpp"
#include "tl/impl/unoptimized.hpp"

#include <cstdint>
#include <source_location>
#include <string>
#include <utility>

namespace tl::impl {

using index = std::uint32_t;

/// Where the user wrote something. Line 0 means unknown. The compiler itself takes apart what
/// std::source_location::current() gives: it would be a constant in memory for each call, whose
/// address GCC follows in a time that grows faster than their number.
struct location {
  const char *file = "";
  index line = 0;
  index column = 0;

  constexpr location() = default;
  consteval location(std::source_location &&where)
      : file(where.file_name()), line(where.line()), column(where.column()) {}
  constexpr location(const std::source_location &where)
      : file(where.file_name()), line(where.line()), column(where.column()) {}
};

/// What every part of tl may know of a trace: the last line of the user's that it has seen, and its
/// first error. That is kept, so that no try block in the kernel hides it.
class trace_state {
public:
  location last; // of the last operation that had one

  /// The location, or the last known one where there is none.
  location seen(location where) {
    if (where.line != 0)
      last = where;
    return last;
  }

  void note(const diagnostic &error) {
    if (first_.message.empty())
      first_ = error;
  }
  void throw_noted() const {
    if (!first_.message.empty())
      throw compile_error(first_);
  }

private:
  diagnostic first_;
};

/// The trace that runs in this thread, if any. Visible across libraries, so that device functions
/// of another library trace into the same kernel.
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
inline thread_local trace_state *current_trace = nullptr;

TL_IMPL_UNOPTIMIZED_BEGIN

inline diagnostic diagnostic_at(location where, std::string message, std::string help = {}) {
  diagnostic d;
  d.message = std::move(message);
  d.help = std::move(help);
  d.file = where.file;
  d.line = where.line;
  d.column = where.column;
  return d;
}

/// Throws tl::compile_error at `where`. If a kernel is traced the error is also kept with the
/// trace, so that the kernel fails even where its code catches the exception.
[[noreturn]] inline void fail(location where, std::string message, std::string help = {}) {
  diagnostic d = diagnostic_at(where, std::move(message), std::move(help));
  if (current_trace)
    current_trace->note(d);
  throw compile_error(std::move(d));
}

/// Throws tl::compile_error: `function` `can` (" cannot be used") while a kernel is traced. Only
/// while one is traced.
[[noreturn, gnu::cold, gnu::noinline]] inline void
fail_in_kernel(const std::string &function, const char *can, location where, const char *help) {
  fail(current_trace->seen(where), function + can + " while a kernel is traced", help);
}

TL_IMPL_UNOPTIMIZED_END

/// Throws tl::compile_error if a kernel is traced in this thread; opens each function of the host.
/// Costs the read of one thread-local variable.
inline void only_on_host(const char *function, location where) {
  if (current_trace) [[unlikely]]
    fail_in_kernel(function, " cannot be used", where,
                   "call it outside of the kernel's lambda, which runs when the kernel is compiled "
                   "and not when it is launched");
}

} // namespace tl::impl
