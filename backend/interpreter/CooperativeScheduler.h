// SPDX-License-Identifier: MIT
//
// Programs that wait for each other. The interpreter runs one program at a time; one that comes to
// tl::grid_barrier must stop in the middle, so each program of such a kernel gets a thread and a
// machine of its own. Still only one of them runs at any time, in the order of their ids, from one
// barrier to the next, so results and reports are the same in every run:
//
//     phase 1   program 0 to its barrier, program 1 to its barrier, ...
//     phase 2   program 0 from there to its next barrier or its end, ...
//
// What is done in one phase is ordered before all of the next: for the search for races each phase
// is a launch. A program that ends while another waits is an error, reported at the barrier.
#pragma once

#include "interpreter/Interpreter.h"
#include "support/Fork.h"

#include <exception>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

namespace tl::backend::interpreter {

/// One program among those that run cooperatively.
class CooperativeProgram {
public:
  explicit CooperativeProgram(Machine &first) : machine(first, *this) {}

  /// Called by the program: lets the others run, and returns when resumed.
  void yield();

private:
  friend class CooperativeScheduler;
  /// Thrown by yield() in a program whose launch has failed elsewhere.
  struct Abandoned {};
  enum State { New, Waiting, Ended };

  /// Called by the scheduler: lets the program run until it yields or ends.
  void resume();
  void body(void *const *arguments, ForkThread launching);

  Machine machine;
  State state = New;
  bool alone = false;     // others have ended: the barrier will never be passed
  bool abandoned = false; // another program has failed
  std::exception_ptr failure;
  std::binary_semaphore begins{0}, ends{0};
  std::thread thread;
};

/// All programs of a launch.
class CooperativeScheduler {
public:
  /// Throws Error where there are too many programs.
  CooperativeScheduler(Machine &first, uint64_t programs);
  ~CooperativeScheduler();
  void run(void *const *arguments);

private:
  static constexpr uint64_t most = 1024;

  void resume(CooperativeProgram &program);

  Machine &first;
  std::vector<std::unique_ptr<CooperativeProgram>> launched;
};

} // namespace tl::backend::interpreter
