// SPDX-License-Identifier: MIT
#include "costs.hpp"

#include <chrono>
#include <dlfcn.h>
#include <stdexcept>
#include <string>

namespace bench::gpu {
namespace {

inline constexpr auto five_arguments =
    tl::kernel{"five_arguments",
               [](tl::ptr<float> out, tl::ptr<const float> x, tl::ptr<const float> y, tl::i32 n,
                  tl::f32 scale) { tl::store(out, tl::load(x) + tl::load(y) * scale, n > 0); }};

/// The functions of the driver that launch a kernel, without tl.
class driver {
public:
  driver() {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
      return;
    load_ = reinterpret_cast<decltype(load_)>(dlsym(library, "cuModuleLoadData"));
    find_ = reinterpret_cast<decltype(find_)>(dlsym(library, "cuModuleGetFunction"));
    launch_ = reinterpret_cast<decltype(launch_)>(dlsym(library, "cuLaunchKernel"));
    synchronize_ = reinterpret_cast<decltype(synchronize_)>(dlsym(library, "cuCtxSynchronize"));
  }
  explicit operator bool() const { return load_ && find_ && launch_ && synchronize_; }

  void *function(const std::string &machine_code, const std::string &name) const {
    void *module = nullptr, *function = nullptr;
    check(load_(&module, machine_code.data()), "cuModuleLoadData");
    check(find_(&function, module, name.c_str()), "cuModuleGetFunction");
    return function;
  }
  void launch(void *function, unsigned threads, unsigned shared, void *stream,
              void **arguments) const {
    check(launch_(function, 1, 1, 1, threads, 1, 1, shared, stream, arguments, nullptr),
          "cuLaunchKernel");
  }
  void synchronize() const { check(synchronize_(), "cuCtxSynchronize"); }

private:
  static void check(int result, const char *what) {
    if (result != 0)
      throw std::runtime_error(std::string(what) + " failed with " + std::to_string(result));
  }

  int (*load_)(void **, const void *) = nullptr;
  int (*find_)(void **, void *, const char *) = nullptr;
  int (*launch_)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                 void *, void **, void **) = nullptr;
  int (*synchronize_)() = nullptr;
};

/// The name of the function in the machine code: what follows ".entry" in the PTX.
std::string entry_name(tl::compiled_kernel kernel) {
  const std::string text(kernel.text(tl::stage::ptx));
  const auto at = text.find(".entry ");
  if (at == std::string::npos)
    return std::string(kernel.name());
  const auto begin = at + 7;
  return text.substr(begin, text.find_first_of("( \n", begin) - begin);
}

template <class Launch, class Wait>
double microseconds(int launches, const Launch &launch, const Wait &wait) {
  for (int i = 0; i < 100; ++i)
    launch();
  wait();
  // In bursts, so that the host never waits for room in the driver's queue.
  constexpr int burst = 400;
  std::chrono::steady_clock::duration spent{};
  int done = 0;
  for (; done < launches; done += burst) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < burst; ++i)
      launch();
    spent += std::chrono::steady_clock::now() - start;
    wait();
  }
  return std::chrono::duration<double, std::micro>(spent).count() / done;
}

} // namespace

launch_cost measure_launches(tl::device device, tl_stream *stream, int launches) {
  tl::buffer<float> x(device, 64), y(device, 64), out(device, 64);
  tl::launch_options options;
  options.grid = 1;
  options.num_warps = 1;
  options.stream.handle = stream;
  const int n = 64;
  const float scale = 2;
  const tl::compiled_kernel kernel = five_arguments[options](out, x, y, n, scale);
  void *addresses[] = {out.data(), x.data(), y.data()};
  void *arguments[] = {&addresses[0], &addresses[1], &addresses[2], const_cast<int *>(&n),
                       const_cast<float *>(&scale)};
  const auto wait = [&] { tl::impl::check(tl_stream_synchronize(stream)); };
  const auto spelled = [&] { five_arguments[options](out, x, y, n, scale); };
  const auto door = [&] {
    tl::impl::check(tl_launch(kernel.handle(), stream, 1, 1, 1, arguments, 5));
  };
  launch_cost cost;
  cost.spelled = microseconds(launches, spelled, wait);
  cost.door = microseconds(launches, door, wait);
  if (const driver cuda; cuda && device.name().starts_with("cuda")) {
    void *function = cuda.function(std::string(kernel.text(tl::stage::cubin)), entry_name(kernel));
    const auto threads = static_cast<unsigned>(kernel.threads());
    const auto shared = static_cast<unsigned>(kernel.shared_bytes());
    // On the driver's default stream, which the caller's or the device's stream may be.
    const auto raw = [&] { cuda.launch(function, threads, shared, nullptr, arguments); };
    cost.driver = microseconds(launches, raw, [&] { cuda.synchronize(); });
  }
  return cost;
}

} // namespace bench::gpu
