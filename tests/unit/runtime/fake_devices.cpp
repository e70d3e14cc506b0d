// SPDX-License-Identifier: MIT
#include "fake_devices.hpp"

#include "support/Error.h"

#include <chrono>
#include <cstring>
#include <new>
#include <sstream>
#include <thread>

using namespace tl::backend;

namespace fake {

Counters counters;
LastLaunch lastLaunch;

void Counters::reset() {
  for (std::atomic<int> *counter :
       {&compilations, &canonicalisations, &loads, &launches, &devicesOpened, &streamsDestroyed,
        &synchronisations, &atOnce, &parses})
    *counter = 0;
}

namespace {

bool has(std::string_view text, std::string_view directive) {
  return text.find(directive) != text.npos;
}

struct FakeKernel : CompiledKernel {
  std::string text;
  std::vector<std::string> stageNames() const override { return {"ttir", "obj"}; }
  std::string stage(std::string_view name) const override {
    return name == "ttir" ? text : std::string("\x00obj", 4);
  }
};

class FakeTarget final : public Target {
public:
  explicit FakeTarget(std::string name) : itsName(std::move(name)) {}
  std::string_view name() const override { return itsName; }
  bool keepsLocations(const CompileOptions &) const override { return itsName == "interpreter"; }

  std::unique_ptr<CompiledKernel> compile(KernelSource source, std::string_view entry,
                                          const CompileOptions &) const override {
    const std::string_view ttir = source.text;
    ++counters.compilations;
    counters.parses += !source.parsed;
    if (has(ttir, "slow"))
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
    if (has(ttir, "waits for 8")) {
      ++counters.atOnce;
      const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
      while (counters.atOnce < 8 && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (has(ttir, "wrong kernel")) {
      Error error;
      error.status = TL_COMPILE_ERROR;
      error.message = "the kernel is wrong";
      error.file = "corpus.py";
      error.line = 20;
      error.column = 3;
      throw error;
    }
    if (has(ttir, "broken compiler"))
      throw std::runtime_error("a pass broke");
    if (has(ttir, "alien exception"))
      throw 42;
    if (has(ttir, "no memory"))
      throw std::bad_alloc();
    auto kernel = std::make_unique<FakeKernel>();
    std::istringstream words{std::string(ttir.substr(0, ttir.find('\n')))};
    std::string word;
    words >> word >> kernel->name;
    if (!entry.empty() && entry != kernel->name)
      raise(TL_COMPILE_ERROR, "there is no kernel " + std::string(entry));
    while (words >> word)
      kernel->parameters.push_back({word, 8, word.starts_with("!tt.ptr")});
    kernel->milliseconds = {{"parse", 0.25}, {"codegen", 1.5}};
    kernel->registers = 32;
    kernel->sharedBytes = 1024;
    kernel->text = ttir;
    return kernel;
  }
  CompileOptionSet followedOptions() const override {
    return {CompileOption::numWarps, CompileOption::numStages, CompileOption::maxRegisters,
            CompileOption::fpFusion, CompileOption::debug,     CompileOption::deterministic};
  }

private:
  std::string itsName;
};

struct FakeStream : Stream {
  ~FakeStream() override { ++counters.streamsDestroyed; }
};

struct FakeLoaded : LoadedKernel {
  std::string text;
};

class FakeDevice final : public Device {
public:
  explicit FakeDevice(std::string name) : itsName(std::move(name)), itsTarget(itsName) {
    ++counters.devicesOpened;
  }
  std::string_view name() const override { return itsName; }
  std::string_view description() const override { return "a fake"; }
  const Target &target() const override { return itsTarget; }

  void *allocate(uint64_t bytes) override {
    if (bytes > (uint64_t(1) << 40))
      throw std::bad_alloc();
    return ::operator new(bytes, std::align_val_t(64));
  }
  void release(void *pointer) override { ::operator delete(pointer, std::align_val_t(64)); }
  void copyToDevice(Stream &, void *dst, const void *src, uint64_t bytes) override {
    std::memmove(dst, src, bytes);
  }
  void copyFromDevice(Stream &, void *dst, const void *src, uint64_t bytes) override {
    std::memmove(dst, src, bytes);
  }
  void copyOnDevice(Stream &, void *dst, const void *src, uint64_t bytes) override {
    std::memmove(dst, src, bytes);
  }
  void fill(Stream &, void *dst, uint8_t value, uint64_t bytes) override {
    std::memset(dst, value, bytes);
  }
  std::unique_ptr<Stream> createStream() override { return std::make_unique<FakeStream>(); }
  std::unique_ptr<Stream> wrapStream(void *) override {
    raise(TL_UNSUPPORTED, "the device " + itsName + " has no native streams");
  }
  void synchronize(Stream &) override { ++counters.synchronisations; }
  std::unique_ptr<Event> createEvent() override { return std::make_unique<Event>(); }
  void record(Event &, Stream &) override {}
  void synchronize(Event &) override {}
  void wait(Stream &, Event &) override {}
  double elapsedMilliseconds(Event &, Event &) override { return 2.5; }

  std::unique_ptr<LoadedKernel> load(const CompiledKernel &kernel) override {
    ++counters.loads;
    auto loaded = std::make_unique<FakeLoaded>();
    loaded->text = kernel.stage("ttir");
    if (has(loaded->text, "unloadable"))
      raise(TL_RUNTIME_ERROR, "the code does not load");
    return loaded;
  }
  void launch(LoadedKernel &loaded, Stream &, Grid grid, void *const *arguments) override {
    ++counters.launches;
    if (has(static_cast<FakeLoaded &>(loaded).text, "fails when run"))
      raise(TL_RUNTIME_ERROR, "the assertion 'x > 0' failed");
    if (has(static_cast<FakeLoaded &>(loaded).text, "records")) {
      lastLaunch.grid = grid;
      std::memcpy(&lastLaunch.firstInteger, arguments[1], sizeof(int));
    }
  }

private:
  std::string itsName;
  FakeTarget itsTarget;
};

/// Text without its locations; text that is not a kernel is an error.
std::string canonicalText(KernelSource &source) {
  const std::string_view ttir = source.text;
  ++counters.canonicalisations;
  if (has(ttir, "broken parser"))
    throw std::runtime_error("the parser broke");
  if (!ttir.starts_with("kernel "))
    raise(TL_COMPILE_ERROR, "expected a kernel");
  std::string result, line;
  std::istringstream lines{std::string(ttir)};
  while (std::getline(lines, line))
    if (!line.starts_with('#'))
      result += line + '\n';
  source.parsed = std::make_unique<ParsedModule>();
  return result;
}

} // namespace
} // namespace fake

tl::backend::DeviceList tl::backend::deviceList() {
  DeviceList list;
  for (const char *name : {"cpu", "interpreter"}) {
    list.devices.push_back({name, [name] { return std::make_unique<fake::FakeDevice>(name); }});
    list.targets.push_back({name, [name](std::string_view wanted) -> std::unique_ptr<Target> {
                              return wanted == name ? std::make_unique<fake::FakeTarget>(name)
                                                    : nullptr;
                            }});
  }
  list.missing = {"cuda: libcuda.so.1 was not found"};
  list.canonicalText = fake::canonicalText;
  return list;
}
