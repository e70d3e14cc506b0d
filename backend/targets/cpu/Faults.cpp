// SPDX-License-Identifier: MIT
#include "targets/cpu/Faults.h"

#include <csignal>
#include <mutex>
#include <ucontext.h>

namespace tl::backend::cpu {

thread_local FaultGuard *FaultGuard::current = nullptr;

struct FaultHandler {
  static struct sigaction before[2]; // of SIGSEGV and SIGBUS

  static void handle(int signal, siginfo_t *info, void *context) {
    // A kernel's own access has a positive code; a signal that somebody sent is not ours.
    if (FaultGuard *guard = FaultGuard::current; guard && info->si_code > 0) {
      FaultGuard::current = nullptr;
      guard->where = reinterpret_cast<uintptr_t>(info->si_addr);
#if defined(__x86_64__)
      if (auto *unit = static_cast<ucontext_t *>(context)->uc_mcontext.fpregs)
        guard->flags = unit->swd & FE_ALL_EXCEPT;
#endif
      siglongjmp(guard->state, 1);
    }
    struct sigaction &previous = before[signal == SIGBUS];
    bool again = passing; // a handler that we passed it to passed it back
    passing = true;
    if (!again && (previous.sa_flags & SA_SIGINFO)) {
      previous.sa_sigaction(signal, info, context);
    } else if (!again && previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
      previous.sa_handler(signal);
    } else {
      // Back to the default; the access is repeated on return and ends the process as it should.
      struct sigaction plain = {};
      plain.sa_handler = SIG_DFL;
      sigaction(signal, &plain, nullptr);
      if (info->si_code <= 0)
        raise(signal);
    }
    passing = false;
  }

  static void install(int signal) {
    struct sigaction now = {};
    sigaction(signal, nullptr, &now);
    if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handle)
      return;
    before[signal == SIGBUS] = now;
    struct sigaction action = {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }

  static thread_local bool passing;
};

struct sigaction FaultHandler::before[2];
thread_local bool FaultHandler::passing = false;

void FaultGuard::leave() {
  FaultGuard *guard = current;
  current = nullptr;
  siglongjmp(guard->state, 1);
}

namespace {
std::mutex installing;
}

void FaultGuard::freeLock() { new (&installing) std::mutex; }

void FaultGuard::install() {
  std::lock_guard<std::mutex> lock(installing);
  FaultHandler::install(SIGSEGV);
  FaultHandler::install(SIGBUS);
}

} // namespace tl::backend::cpu
