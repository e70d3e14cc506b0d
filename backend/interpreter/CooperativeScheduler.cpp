// SPDX-License-Identifier: MIT
#include "interpreter/CooperativeScheduler.h"

#include <system_error>

namespace tl::backend::interpreter {

// ---- A program

void CooperativeProgram::yield() {
  state = Waiting;
  ends.release();
  begins.acquire();
  if (abandoned)
    throw Abandoned();
  if (alone)
    machine.fail(TL_RUNTIME_ERROR,
                 "other programs ended before they came to the tl::grid_barrier" +
                     machine.programName(),
                 "each program must come to it equally often");
}

void CooperativeProgram::body(void *const *arguments, ForkThread launching) {
  adoptForkThread(launching);
  begins.acquire();
  if (!abandoned) {
    try {
      machine.enterProgram(arguments, true);
      machine.runProgram();
    } catch (const Abandoned &) {
    } catch (...) {
      failure = std::current_exception();
    }
  }
  state = Ended;
  ends.release();
}

void CooperativeProgram::resume() {
  begins.release();
  ends.acquire();
}

// ---- All programs

CooperativeScheduler::CooperativeScheduler(Machine &first, uint64_t programs) : first(first) {
  if (programs <= most)
    return;
  throw Error(TL_OUT_OF_RESOURCES,
              "a kernel with a grid-wide barrier needs all " + std::to_string(programs) +
                  " programs on interpreter at once, " + std::to_string(most) + " fit")
      .withHelp("launch fewer programs, each of which does more in a loop")
      .exceeding(programs, most);
}

CooperativeScheduler::~CooperativeScheduler() {
  for (std::unique_ptr<CooperativeProgram> &program : launched) {
    if (!program->thread.joinable())
      continue;
    program->abandoned = true;
    if (program->state != CooperativeProgram::Ended)
      program->resume();
    program->thread.join();
  }
}

void CooperativeScheduler::resume(CooperativeProgram &program) {
  program.resume();
  if (!program.machine.printed.empty())
    program.machine.flushPrinted();
  if (program.failure)
    std::rethrow_exception(program.failure);
}

void CooperativeScheduler::run(void *const *arguments) {
  const Grid grid = first.grid;
  for (uint32_t z = 0; z < grid.z; ++z)
    for (uint32_t y = 0; y < grid.y; ++y)
      for (uint32_t x = 0; x < grid.x; ++x) {
        launched.push_back(std::make_unique<CooperativeProgram>(first));
        CooperativeProgram &program = *launched.back();
        program.machine.programId[0] = x;
        program.machine.programId[1] = y;
        program.machine.programId[2] = z;
        try {
          program.thread = std::thread([&program, arguments, launching = forkThread()] {
            program.body(arguments, launching);
          });
        } catch (const std::system_error &) {
          throw Error(TL_OUT_OF_RESOURCES,
                      "a kernel with a grid-wide barrier needs a thread for each program, the "
                      "system gives this process " +
                          std::to_string(launched.size() - 1))
              .exceeding(uint64_t(grid.x) * grid.y * grid.z, launched.size() - 1);
        }
      }
  for (;;) {
    first.races.beginLaunch(first.memory, launched.size());
    CooperativeProgram *waiting = nullptr;
    bool ended = false;
    for (size_t i = 0; i < launched.size(); ++i) {
      CooperativeProgram &program = *launched[i];
      if (program.state != CooperativeProgram::Ended) {
        first.races.beginProgram(i);
        resume(program);
      }
      ended |= program.state == CooperativeProgram::Ended;
      if (program.state == CooperativeProgram::Waiting && !waiting)
        waiting = &program;
    }
    if (!waiting)
      return;
    if (ended) {
      waiting->alone = true;
      resume(*waiting);
    }
  }
}

} // namespace tl::backend::interpreter
