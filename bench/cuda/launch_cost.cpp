// SPDX-License-Identifier: MIT
#include "costs.hpp"
#include "driver_library.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

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
    void *library = driver_library();
    load_ = driver_function<load>(library, "cuModuleLoadData");
    find_ = driver_function<find>(library, "cuModuleGetFunction");
    launch_ = driver_function<launch_kernel>(library, "cuLaunchKernel");
  }
  explicit operator bool() const { return load_ && find_ && launch_; }

  void *function(const std::string &machine_code, const std::string &name) const {
    void *module = nullptr, *function = nullptr;
    check(load_(&module, machine_code.data()), "cuModuleLoadData");
    check(find_(&function, module, name.c_str()), "cuModuleGetFunction");
    return function;
  }
  void run(void *function, unsigned threads, unsigned shared, void *stream,
           void **arguments) const {
    check(launch_(function, 1, 1, 1, threads, 1, 1, shared, stream, arguments, nullptr),
          "cuLaunchKernel");
  }

private:
  static void check(int result, const char *what) {
    if (result != 0)
      throw std::runtime_error(std::string(what) + " failed with " + std::to_string(result));
  }

  using load = int(void **, const void *);
  using find = int(void **, void *, const char *);
  using launch_kernel = int(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                            unsigned, void *, void **, void **);
  load *load_ = nullptr;
  find *find_ = nullptr;
  launch_kernel *launch_ = nullptr;
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

/// Microseconds of one of many launches, which the host queues without waiting: few enough that
/// the driver's queue has room for all.
double microseconds_of_a_burst(const std::function<void()> &launch) {
  constexpr int burst = 100;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < burst; ++i)
    launch();
  const auto spent = std::chrono::steady_clock::now() - start;
  return std::chrono::duration<double, std::micro>(spent).count() / burst;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

} // namespace

launch_cost measure_launches(tl::device device, int launches) {
  // The driver's own default stream on both sides.
  const bool on_gpu = device.name().starts_with("cuda");
  const tl::stream both =
      on_gpu ? tl::stream::wrap(device, nullptr) : tl::stream::default_of(device);
  tl_stream *stream = both.handle();
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
  const auto spelled = [&] { five_arguments[options](out, x, y, n, scale); };
  const auto c_api = [&] {
    tl::impl::check(tl_launch(kernel.handle(), stream, 1, 1, 1, arguments, 5));
  };
  std::function<void()> ways[] = {spelled, c_api, {}};
  const driver cuda;
  if (cuda && on_gpu) {
    void *function = cuda.function(std::string(kernel.text(tl::stage::cubin)), entry_name(kernel));
    const auto threads = static_cast<unsigned>(kernel.threads());
    const auto shared = static_cast<unsigned>(kernel.shared_bytes());
    ways[2] = [&cuda, function, threads, shared, &arguments] {
      cuda.run(function, threads, shared, nullptr, arguments);
    };
  }
  // In turns, so that whatever else the machine does falls on all.
  std::vector<double> times[3];
  for (int done = -500; done < launches; done += 100)
    for (int way = 0; way < 3; ++way)
      if (ways[way]) {
        const double time = microseconds_of_a_burst(ways[way]);
        tl::impl::check(tl_stream_synchronize(stream));
        if (done >= 0)
          times[way].push_back(time);
      }
  launch_cost cost;
  cost.spelled = median(times[0]);
  cost.c_api = median(times[1]);
  cost.driver = times[2].empty() ? 0 : median(times[2]);
  return cost;
}

} // namespace bench::gpu
