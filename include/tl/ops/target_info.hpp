// SPDX-License-Identifier: MIT
#pragma once
// For which device is the kernel being compiled? The answers are C++ values that are known while it
// is traced, so that a plain `if` chooses code by device; launches for another device trace again.

#include "tl/impl/tracer.hpp"

#include <charconv>
#include <string_view>

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl::target_info {

/// The name of the target: "cpu", "interpreter", "sm_90a". Throws tl::compile_error, as all of
/// these functions do, in a kernel that is traced for no target: by tl::kernel::trace and not by a
/// launch, compile or trace_for. Upstream: tl.target_info.current_target.
///
///     tl::static_print("compiled for", tl::target_info::current_target());
inline std::string_view current_target(impl::location where = std::source_location::current()) {
  const std::string_view name = impl::active(where, "tl::target_info").environment.target;
  if (name.empty())
    impl::fail(where, "tl::target_info has no answer in a kernel that is traced for no target",
               "launch or compile the kernel, or call trace_for(target) instead of trace()");
  return name;
}

/// Is the target an NVIDIA GPU? Upstream: tl.target_info.is_cuda.
///
///     if (tl::target_info::is_cuda())
///       acc = tl::dot(a, b, acc, {.input_precision = tl::tf32});
inline bool is_cuda(impl::location where = std::source_location::current()) {
  return current_target(where).starts_with("sm_");
}

/// Is it one of this compute capability or a later one? Upstream:
/// tl.target_info.cuda_capability_geq.
///
///     const int stages = tl::target_info::cuda_capability_geq(9, 0) ? 4 : 2;
inline bool cuda_capability_geq(int major, int minor = 0,
                                impl::location where = std::source_location::current()) {
  std::string_view name = current_target(where);
  if (!name.starts_with("sm_"))
    return false;
  name.remove_prefix(3);
  int capability = 0;
  std::from_chars(name.data(), name.data() + name.size(), capability);
  return capability >= major * 10 + minor;
}

/// Is the target an AMD GPU? Upstream: tl.target_info.is_hip.
///
///     const int lanes = tl::target_info::is_hip() ? 64 : 32;
///
///     const int width = tl::target_info::is_hip() ? 64 : 32;
inline bool is_hip(impl::location where = std::source_location::current()) {
  return current_target(where).starts_with("gfx");
}

/// Is the target the processor of this machine?
///
///     const bool one_thread = tl::target_info::is_cpu() || tl::target_info::is_interpreter();
///
///     const int steps = tl::target_info::is_cpu() ? 1 : 4;
inline bool is_cpu(impl::location where = std::source_location::current()) {
  return current_target(where) == "cpu";
}

/// Is the target the interpreter?
///
///     if (tl::target_info::is_interpreter())
///       tl::device_print("x", x);
///
///     if (tl::target_info::is_interpreter())
///       tl::device_print("x", x);
inline bool is_interpreter(impl::location where = std::source_location::current()) {
  return current_target(where) == "interpreter";
}

} // namespace tl::target_info

TL_IMPL_UNOPTIMIZED_END
