// SPDX-License-Identifier: MIT
#include "targets/cpu/Faults.h"

#include <csignal>

namespace tl::backend::cpu {

thread_local FaultGuard *FaultGuard::current = nullptr;

struct FaultHandler {
  static struct sigaction before[2]; // of SIGSEGV and SIGBUS

  static void handle(int signal, siginfo_t *info, void *context) {
    // A kernel's own access has a positive code; a signal that somebody sent is not ours.
    if (FaultGuard *guard = FaultGuard::current; guard && info->si_code > 0) {
      FaultGuard::current = nullptr;
      guard->where = reinterpret_cast<uintptr_t>(info->si_addr);
      siglongjmp(guard->state, 1);
    }
    struct sigaction &previous = before[signal == SIGBUS];
    if (previous.sa_flags & SA_SIGINFO) {
      previous.sa_sigaction(signal, info, context);
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
      previous.sa_handler(signal);
    } else {
      // Back to the default; the access is repeated on return and ends the process as it should.
      sigaction(signal, &previous, nullptr);
      if (info->si_code <= 0)
        raise(signal);
    }
  }

  static bool install() {
    struct sigaction action = {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &before[0]);
    sigaction(SIGBUS, &action, &before[1]);
    return true;
  }
};

struct sigaction FaultHandler::before[2];

FaultGuard::FaultGuard() {
  static const bool installed = FaultHandler::install();
  (void)installed;
}

} // namespace tl::backend::cpu
