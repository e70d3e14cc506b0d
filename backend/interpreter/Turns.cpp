// SPDX-License-Identifier: MIT
#include "interpreter/Turns.h"

#include <system_error>

namespace tl::backend::interpreter {

// ---- A program ---------------------------------------------------------------------------------

void Turn::pass() {
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

void Turn::body(void *const *arguments, ForkThread launching) {
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

void Turn::play() {
  begins.release();
  ends.acquire();
}

// ---- All programs ------------------------------------------------------------------------------

Turns::Turns(Machine &first, uint64_t programs) : first(first) {
  if (programs <= most)
    return;
  throw Error(TL_OUT_OF_RESOURCES,
              "a kernel with a grid-wide barrier needs all " + std::to_string(programs) +
                  " programs on interpreter at once, " + std::to_string(most) + " fit")
      .withHelp("launch fewer programs, each of which does more in a loop")
      .exceeding(programs, most);
}

Turns::~Turns() {
  for (std::unique_ptr<Turn> &turn : turns) {
    if (!turn->thread.joinable())
      continue;
    turn->abandoned = true;
    if (turn->state != Turn::Ended)
      turn->play();
    turn->thread.join();
  }
}

void Turns::play(Turn &turn) {
  turn.play();
  if (!turn.machine.printed.empty())
    turn.machine.flushPrinted();
  if (turn.failure)
    std::rethrow_exception(turn.failure);
}

void Turns::run(void *const *arguments) {
  const Grid grid = first.grid;
  for (uint32_t z = 0; z < grid.z; ++z)
    for (uint32_t y = 0; y < grid.y; ++y)
      for (uint32_t x = 0; x < grid.x; ++x) {
        turns.push_back(std::make_unique<Turn>(first));
        Turn &turn = *turns.back();
        turn.machine.programId[0] = x;
        turn.machine.programId[1] = y;
        turn.machine.programId[2] = z;
        try {
          turn.thread = std::thread(
              [&turn, arguments, launching = forkThread()] { turn.body(arguments, launching); });
        } catch (const std::system_error &) {
          throw Error(TL_OUT_OF_RESOURCES,
                      "a kernel with a grid-wide barrier needs a thread for each program, the "
                      "system gives this process " +
                          std::to_string(turns.size() - 1))
              .exceeding(uint64_t(grid.x) * grid.y * grid.z, turns.size() - 1);
        }
      }
  for (;;) {
    first.races.beginLaunch(first.memory, turns.size());
    Turn *waiting = nullptr;
    bool ended = false;
    for (size_t i = 0; i < turns.size(); ++i) {
      Turn &turn = *turns[i];
      if (turn.state != Turn::Ended) {
        first.races.beginProgram(i);
        play(turn);
      }
      ended |= turn.state == Turn::Ended;
      if (turn.state == Turn::Waiting && !waiting)
        waiting = &turn;
    }
    if (!waiting)
      return;
    if (ended) {
      waiting->alone = true;
      play(*waiting);
    }
  }
}

} // namespace tl::backend::interpreter
