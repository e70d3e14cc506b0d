// SPDX-License-Identifier: MIT
//
// Turns a memory fault inside a kernel (a null or wild pointer argument) into an error of the
// launch.
#pragma once

#include <cfenv>
#include <csetjmp>
#include <cstdint>

namespace tl::backend::cpu {

/// Runs code that may touch unmapped memory. While it runs on this thread, SIGSEGV and SIGBUS end
/// the call instead of the process; faults anywhere else go to whoever handled them before,
/// debuggers and core dumps included. The code must own nothing that a destructor would have to
/// free.
///
///   FaultGuard::install();
///   FaultGuard guard;
///   if (!guard.run([&] { entry(args, grid, begin, end, scratch); }))
///     … guard.address() …
class FaultGuard {
public:
  /// Makes sure that the signal handlers are ours. A first call installs them; later calls are
  /// needed only where a fault is likely and somebody else may have replaced them since.
  static void install();
  /// In a forked child: another thread of the parent may have been installing.
  static void freeLock();

  template <typename Code> bool run(Code &&code) {
    FaultGuard *outer = current;
    current = this;
    bool finished = sigsetjmp(state, 0) == 0; // the handler blocks no signal: no mask to save
    if (finished)
      code();
    else if (flags)
      std::fesetexceptflag(&flags, FE_ALL_EXCEPT);
    current = outer;
    return finished;
  }

  /// Ends the code that runs on this thread as a fault would. From a function that it called.
  [[noreturn]] static void leave();

  /// Where the access went that ended the code.
  uintptr_t address() const { return where; }

  /// Suspends the guard while the library's own code runs on behalf of a kernel.
  class Pause {
  public:
    Pause() : guard(current) { current = nullptr; }
    ~Pause() { current = guard; }

  private:
    FaultGuard *guard;
  };

private:
  friend struct FaultHandler;
  static thread_local FaultGuard *current;

  sigjmp_buf state;
  uintptr_t where = 0;
  std::fexcept_t flags{}; // of floating-point exceptions, which a signal handler begins without
};

} // namespace tl::backend::cpu
