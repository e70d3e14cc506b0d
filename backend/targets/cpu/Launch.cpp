// SPDX-License-Identifier: MIT
#include "targets/cpu/Launch.h"

#include "targets/cpu/Faults.h"
#include "targets/cpu/Overruns.h"
#include "targets/cpu/Printing.h"
#include "targets/cpu/ThreadPool.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <thread>

namespace tl::backend::cpu {
namespace {

/// Scratch memory of a thread, kept between launches as long as it is small.
class Scratch {
public:
  ~Scratch() { std::free(memory); }

  void *get(uint64_t bytes, const std::string &kernel) {
    if (bytes <= size)
      return memory;
    std::free(memory);
    memory = nullptr;
    size = 0;
    void *block = nullptr;
    if (bytes > SIZE_MAX / 2 || posix_memalign(&block, 4096, bytes) != 0)
      throw Error(TL_OUT_OF_RESOURCES, "out of memory for the scratch space of a thread")
          .inKernel(kernel)
          .onDevice("cpu")
          .exceeding(bytes, 0);
    memory = block;
    size = bytes;
    return memory;
  }

  void trim() {
    if (size <= largestKept)
      return;
    std::free(memory);
    memory = nullptr;
    size = 0;
  }

private:
  static constexpr uint64_t largestKept = uint64_t(64) << 20;

  void *memory = nullptr;
  uint64_t size = 0;
};

thread_local Scratch scratch;

/// So many programs run at the same time at most. Each is a thread, which costs some memory even
/// while it waits.
constexpr uint64_t mostTogether = 1024;

/// Below this much work a launch stays in its thread: waking another takes about as long.
constexpr double inlineNanoseconds = 10'000;
/// How long a range of programs should run: long beside the cost of taking it, short enough that
/// the threads finish together.
constexpr double rangeNanoseconds = 30'000;

double now() {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// The cost falls to a smaller measurement at once and rises slowly, since what disturbs a
/// measurement only ever makes it longer.
void learn(CpuLoadedKernel &kernel, double nanoseconds) {
  float old = kernel.nanosecondsPerProgram.load(std::memory_order_relaxed);
  float next = float(std::max(nanoseconds, 0.1));
  if (old > 0 && next > old)
    next = old + (next - old) / 8;
  kernel.nanosecondsPerProgram.store(next, std::memory_order_relaxed);
}

std::string hexadecimal(uintptr_t value) {
  char text[2 + 2 * sizeof value + 1];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

} // namespace

CpuLoadedKernel::CpuLoadedKernel(const CpuKernel &kernel)
    : name(kernel.name), parameters(kernel.parameters), sites(kernel.sites),
      scratchBytes(kernel.scratchBytes), gridBarrier(kernel.gridBarrier),
      code(loadCode(kernel.object, kernel.entry)),
      entry(reinterpret_cast<KernelEntry>(code->entry)) {}

thread_local Launch *Launch::current = nullptr;

Launch::Launch(const CpuLoadedKernel &kernel, Grid grid, void *const *arguments)
    : kernel(kernel), extents{grid.x, grid.y, grid.z}, arguments(arguments) {
  bool anyNull = false;
  for (size_t i = 0; i < kernel.parameters.size(); ++i)
    anyNull |= kernel.parameters[i].isPointer && !*static_cast<void *const *>(arguments[i]);
  if (anyNull)
    FaultGuard::install(); // likely to be needed
}

void Launch::run(uint64_t begin, uint64_t end) {
  if (failed.load(std::memory_order_relaxed))
    return;
  void *memory = kernel.scratchBytes ? scratch.get(kernel.scratchBytes, kernel.name) : nullptr;
  current = this;
  FaultGuard guard;
  bool finished = guard.run([&] { kernel.entry(arguments, extents, begin, end, memory); });
  current = nullptr;
  scratch.trim();
  if (finished)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  if (failed.exchange(true))
    return;
  failure = Failure::fault;
  faultAddress = guard.address();
}

// ---- Programs that wait for each other

bool GridBarrier::arrive() {
  std::unique_lock<std::mutex> lock(mutex);
  if (gone > 0)
    return false;
  if (++waiting == programs) {
    waiting = 0;
    ++meetings;
    changed.notify_all();
    return true;
  }
  const uint64_t mine = meetings;
  changed.wait(lock, [&] { return meetings != mine || gone > 0; });
  return meetings != mine;
}

void GridBarrier::leave() {
  std::lock_guard<std::mutex> lock(mutex);
  ++gone;
  changed.notify_all();
}

bool Launch::waitAtBarrier(uint32_t site, uint64_t program) {
  if (!barrier || barrier->arrive())
    return true;
  report(site, program, ~uint64_t(0));
  return false;
}

void Launch::runConcurrently(uint64_t programs) {
  auto tooMany = [&](uint64_t limit, const std::string &why) {
    throw Error(TL_OUT_OF_RESOURCES, "a kernel with a grid-wide barrier needs all " +
                                         std::to_string(programs) + " programs on cpu at once, " +
                                         why)
        .withHelp("launch fewer programs, each of which does more in a loop")
        .inKernel(kernel.name)
        .onDevice("cpu")
        .exceeding(programs, limit);
  };
  if (programs > mostTogether)
    tooMany(mostTogether, std::to_string(mostTogether) + " fit");
  GridBarrier here(programs);
  barrier = &here;
  // Nobody begins before it is known that all can.
  enum { hold, go, drop } gate = hold;
  std::mutex gateMutex;
  std::condition_variable opened;
  auto open = [&](bool all) {
    std::lock_guard<std::mutex> lock(gateMutex);
    gate = all ? go : drop;
    opened.notify_all();
  };
  auto runOne = [&](uint64_t program) {
    try {
      run(program, program + 1);
    } catch (...) {
      std::lock_guard<std::mutex> lock(mutex);
      if (!failed.exchange(true)) {
        failure = Failure::exception;
        exception = std::current_exception();
      }
    }
    here.leave();
  };
  std::vector<std::thread> threads;
  threads.reserve(size_t(programs));
  bool all = true;
  try {
    for (uint64_t program = 1; program < programs; ++program)
      threads.emplace_back([&, program] {
        {
          std::unique_lock<std::mutex> lock(gateMutex);
          opened.wait(lock, [&] { return gate != hold; });
          if (gate == drop)
            return;
        }
        runOne(program);
      });
  } catch (const std::system_error &) {
    all = false;
  }
  open(all);
  if (all)
    runOne(0);
  const uint64_t started = threads.size() + 1;
  for (std::thread &thread : threads)
    thread.join();
  barrier = nullptr;
  if (!all)
    tooMany(started, "the system gives this process " + std::to_string(started) + " threads");
}

void Launch::report(uint32_t site, uint64_t program, uint64_t element) {
  std::lock_guard<std::mutex> lock(mutex);
  if (failed.exchange(true))
    return;
  failure = Failure::check;
  failedSite = site;
  failedProgram = program;
  failedElement = element;
}

std::array<uint32_t, 3> Launch::coordinates(uint64_t program) const {
  uint64_t row = program / extents[0];
  return {uint32_t(program % extents[0]), uint32_t(row % extents[1]), uint32_t(row / extents[1])};
}

void Launch::check(Buffers &buffers) const {
  if (failure == Failure::none)
    return;
  if (failure == Failure::exception)
    std::rethrow_exception(exception);
  auto ours = [&](Error error) { return std::move(error).inKernel(kernel.name).onDevice("cpu"); };
  if (failure == Failure::fault) {
    std::string message = "the kernel accessed memory at " + hexadecimal(faultAddress) +
                          ", which is not mapped or may not be written";
    if (auto place = buffers.near(faultAddress))
      message += ", " + locationText(place->offset, place->bytes) + " the buffer" +
                 bufferText(place->buffer, place->bytes, kernel.parameters, arguments);
    std::string help = "run it on the device \"interpreter\", which finds the line of the access";
    for (size_t i = 0; i < kernel.parameters.size(); ++i)
      if (kernel.parameters[i].isPointer && !*static_cast<void *const *>(arguments[i])) {
        help = "argument " + std::to_string(i) + " is a null pointer";
        break;
      }
    throw ours({TL_RUNTIME_ERROR, message, help});
  }
  if (failedSite >= kernel.sites.size())
    throw ours({TL_INTERNAL_ERROR, "the kernel reported an unknown failure"});
  const Site &site = kernel.sites[failedSite];
  std::string message = site.message;
  if (failedElement != ~uint64_t(0))
    message += ", at lane " + positionText(failedElement, site.shape);
  message += " in program " + programText(coordinates(failedProgram));
  throw ours(Error(site.status, message, site.help).at(site.location));
}

void Launch::print(uint32_t site, uint64_t program, const void *const *operands) const {
  if (site < kernel.sites.size())
    printSite(kernel.sites[site], coordinates(program), operands);
}

std::unique_ptr<LoadedKernel> CpuDevice::load(const CompiledKernel &kernel) {
  auto &compiled = ownKernel<CpuKernel>(kernel);
  FaultGuard::install();
  return std::make_unique<CpuLoadedKernel>(compiled);
}

void CpuDevice::launch(LoadedKernel &loaded, Stream &, Grid grid, void *const *arguments) {
  if (!buffers->guarded())
    return launchPrograms(loaded, grid, arguments);
  auto &kernel = static_cast<CpuLoadedKernel &>(loaded);
  FaultGuard::install(); // likely to be needed
  overruns->begin(kernel.name);
  std::exception_ptr failure;
  try {
    launchPrograms(loaded, grid, arguments);
  } catch (...) {
    failure = std::current_exception();
  }
  // What was overwritten says more than the fault that it may have ended in.
  overruns->end(kernel.name, kernel.parameters, arguments);
  if (failure)
    std::rethrow_exception(failure);
}

void CpuDevice::launchPrograms(LoadedKernel &loaded, Grid grid, void *const *arguments) {
  // A kernel is launched where it was loaded (runtime/Kernel.h).
  auto &kernel = static_cast<CpuLoadedKernel &>(loaded);
  __extension__ using Wide = unsigned __int128;
  Wide product = Wide(uint64_t(grid.x) * grid.y) * grid.z;
  if (product > ~uint64_t(0)) {
    throw Error(TL_INVALID_ARGUMENT, "a grid of " + std::to_string(grid.x) + " x " +
                                         std::to_string(grid.y) + " x " + std::to_string(grid.z) +
                                         " has more programs than 64 bits can count")
        .inKernel(kernel.name)
        .onDevice("cpu");
  }
  const uint64_t count = uint64_t(product);
  Launch launch(kernel, grid, arguments);
  if (kernel.gridBarrier && count > 1) {
    launch.runConcurrently(count);
    return launch.check(*buffers);
  }
  if (count <= 1) {
    launch.run(0, count);
    return launch.check(*buffers);
  }

  uint64_t done = 0;
  double start = now();
  double cost = kernel.nanosecondsPerProgram.load(std::memory_order_relaxed);
  if (cost == 0) { // never measured: one program tells whether others should help
    launch.run(0, 1);
    done = 1;
    double end = now();
    cost = end - start;
    start = end;
  }
  uint64_t rest = count - done;
  ThreadPool &pool = ThreadPool::shared();
  if (pool.threads() == 1 || rest == 1 || cost * double(rest) < inlineNanoseconds) {
    launch.run(done, count);
    learn(kernel, (now() - start) / double(rest));
    return launch.check(*buffers);
  }
  uint64_t share = (rest - 1) / (uint64_t(pool.threads()) * 4) + 1;
  uint64_t grain = std::clamp<uint64_t>(uint64_t(rangeNanoseconds / cost), 1, share);
  pool.run(rest, grain,
           [&](uint64_t begin, uint64_t end, unsigned) { launch.run(done + begin, done + end); });
  // The threads shared the time: what one program would have cost alone is at most this.
  learn(kernel, (now() - start) * pool.threads() / double(rest));
  launch.check(*buffers);
}

void tl_cpu_report(uint32_t site, uint64_t program, uint64_t element) {
  FaultGuard::Pause pause;
  if (Launch *launch = Launch::current)
    launch->report(site, program, element);
}

void tl_cpu_grid_barrier(uint32_t site, uint64_t program) {
  bool continues = true;
  {
    FaultGuard::Pause pause;
    if (Launch *launch = Launch::current)
      continues = launch->waitAtBarrier(site, program);
  }
  if (!continues)
    FaultGuard::leave();
}

void tl_cpu_print(uint32_t site, uint64_t program, const uint32_t *, const void *const *operands) {
  FaultGuard::Pause pause;
  if (Launch *launch = Launch::current)
    launch->print(site, program, operands);
}

} // namespace tl::backend::cpu
