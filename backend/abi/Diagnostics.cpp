// SPDX-License-Identifier: MIT
#include "abi/Diagnostics.h"

#include <new>

namespace tl::backend {
namespace {

/// The last diagnostic of a thread: the strings, and the C struct that points to them.
struct ThreadDiagnostic {
  Error error;
  tl_diagnostic view{};
  bool any = false;

  void publish() {
    view.status = error.status;
    view.message = error.message.c_str();
    view.help = error.help.c_str();
    view.file = error.file.c_str();
    view.line = error.line;
    view.column = error.column;
    view.kernel = error.kernel.c_str();
    view.device = error.device.c_str();
    view.required = error.required;
    view.limit = error.limit;
    any = true;
  }

  /// Where there is no memory for strings, they are constants.
  void publishOutOfMemory() {
    view = {TL_OUT_OF_RESOURCES, "the host ran out of memory", "", "", 0, 0, "", "", 0, 0};
    any = true;
  }
};

ThreadDiagnostic &threadDiagnostic() {
  static thread_local ThreadDiagnostic diagnostic;
  return diagnostic;
}

const char *nameOf(HandleKind kind) {
  switch (kind) {
  case HandleKind::Device:
    return "device";
  case HandleKind::Stream:
    return "stream";
  case HandleKind::Event:
    return "event";
  case HandleKind::Kernel:
    return "kernel";
  }
  return "handle";
}

} // namespace

tl_status keepDiagnostic() noexcept {
  ThreadDiagnostic &last = threadDiagnostic();
  try {
    try {
      throw;
    } catch (Error &error) {
      last.error = std::move(error);
    } catch (const std::bad_alloc &) {
      last.publishOutOfMemory();
      return TL_OUT_OF_RESOURCES;
    } catch (const std::exception &unexpected) {
      last.error = Error();
      last.error.message = unexpected.what();
    } catch (...) {
      last.error = Error();
      last.error.message = "an unknown exception reached the C API";
    }
    if (last.error.status == TL_OK) // an Error is never a success
      last.error.status = TL_INTERNAL_ERROR;
    if (last.error.status == TL_INTERNAL_ERROR && last.error.help.empty())
      last.error.help = "this is a bug of libtl; please report it";
    last.publish();
    return last.error.status;
  } catch (...) {
    last.publishOutOfMemory();
    return TL_OUT_OF_RESOURCES;
  }
}

void rejectHandle(const char *function, HandleKind expected, uintptr_t handle) {
  std::string message = std::string(function) + " got ";
  if (handle == 0) {
    raise(TL_INVALID_ARGUMENT, message + "null for the " + nameOf(expected));
  }
  for (HandleKind kind :
       {HandleKind::Device, HandleKind::Stream, HandleKind::Event, HandleKind::Kernel})
    if (kind != expected && HandleTable::instance().find(kind, handle))
      raise(TL_INVALID_ARGUMENT, message + "a handle of another kind (" + nameOf(kind) +
                                     ") for the " + nameOf(expected));
  raise(TL_INVALID_ARGUMENT, message + "a stale or foreign handle for the " + nameOf(expected));
}

} // namespace tl::backend

using namespace tl::backend;

const tl_diagnostic *tl_last_diagnostic(void) {
  const ThreadDiagnostic &last = threadDiagnostic();
  return last.any ? &last.view : nullptr;
}
