// SPDX-License-Identifier: MIT
//
// From the backend's exceptions to the statuses of tl.h: each function of the C API runs its body
// in guarded(), which lets nothing escape and keeps the diagnostic for this thread. The body runs
// in the library's floating-point mode. Handles are looked up here too, since a bad one is the most
// common diagnostic.
#pragma once

#include "runtime/Kernel.h"
#include "support/Error.h"
#include "support/FloatingMode.h"
#include "support/Fork.h"

namespace tl::backend {

/// Keeps what is being thrown as this thread's diagnostic and returns its status. To be called
/// from a catch block.
tl_status keepDiagnostic() noexcept;

/// For what takes no lock that a forked child needs, and may take long.
template <class Body> tl_status guardedThroughForks(Body &&body) noexcept {
  FloatingMode mode;
  try {
    body();
    return TL_OK;
  } catch (...) {
    return keepDiagnostic();
  }
}

template <class Body> tl_status guarded(Body &&body) noexcept {
  return guardedThroughForks([&] {
    ForkGuard inside;
    body();
  });
}

/// For functions that return a value and only look: `otherwise` stands for the failure.
template <class Value, class Body> Value guardedOr(Value otherwise, Body &&body) noexcept {
  FloatingMode mode;
  try {
    return body();
  } catch (...) {
    keepDiagnostic();
    return otherwise;
  }
}

[[noreturn]] void rejectHandle(const char *function, HandleKind expected, uintptr_t handle);

template <class Object> Object &resolve(const char *function, HandleKind kind, const void *handle) {
  uintptr_t value = reinterpret_cast<uintptr_t>(handle);
  if (void *object = HandleTable::instance().find(kind, value))
    return *static_cast<Object *>(object);
  rejectHandle(function, kind, value);
}

inline OpenDevice &resolve(const char *function, const tl_device *handle) {
  return resolve<OpenDevice>(function, HandleKind::Device, handle);
}
inline OpenStream &resolve(const char *function, const tl_stream *handle) {
  return resolve<OpenStream>(function, HandleKind::Stream, handle);
}
inline OpenEvent &resolve(const char *function, const tl_event *handle) {
  return resolve<OpenEvent>(function, HandleKind::Event, handle);
}
inline Kernel &resolve(const char *function, const tl_kernel *handle) {
  return resolve<Kernel>(function, HandleKind::Kernel, handle);
}

/// Throws if a pointer that the function needs is null.
inline void require(const char *function, const char *parameter, const void *pointer) {
  if (!pointer)
    raise(TL_INVALID_ARGUMENT, std::string(function) + " got null for '" + parameter + "'");
}

} // namespace tl::backend
