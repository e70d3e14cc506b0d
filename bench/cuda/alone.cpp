// SPDX-License-Identifier: MIT
//
// The kernels of the list on a GPU without Python: each beside a device copy of as many bytes, by
// the device's clock, the second-level cache emptied before each run. Results are checked where
// peers are there to compare with (compare.py) and by the tests.

#include "../benchmarks.hpp"
#include "costs.hpp"
#include "driver_library.hpp"
#include "kernel_list.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>

namespace bench {
namespace {

using gpu::launch_arguments;

/// An argument of a measured kernel: a number, or memory that holds random values.
struct argument {
  enum class kind { number, f32, f16, i32, zeros } what;
  std::int64_t value; // the number, or how many elements
  int below = 256;    // for i32
};

argument number(std::int64_t value) { return {argument::kind::number, value}; }
argument f32(std::int64_t count) { return {argument::kind::f32, count}; }
argument f16(std::int64_t count) { return {argument::kind::f16, count}; }
argument i32(std::int64_t count, int below) { return {argument::kind::i32, count, below}; }
argument zeros(std::int64_t count) { return {argument::kind::zeros, count}; }

/// Device memory of any type with random values, a short pattern of them repeated.
class memory {
public:
  memory(tl::device device, const argument &a)
      : device_(device), bytes_(std::uint64_t(a.value) * (a.what == argument::kind::f16 ? 2 : 4)) {
    tl::impl::check(tl_allocate(device.handle(), bytes_, &address_));
    tl_stream *stream = tl::stream::default_of(device).handle();
    if (a.what == argument::kind::zeros) {
      tl::impl::check(tl_fill(stream, address_, 0, bytes_));
      return;
    }
    const std::vector<float> values = random_values(1 << 20, 0, 1);
    std::vector<char> pattern(values.size() * 4);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto whole = static_cast<std::int32_t>(values[i] * float(a.below));
      const tl::float16 half(values[i]);
      if (a.what == argument::kind::f32)
        std::memcpy(&pattern[4 * i], &values[i], 4);
      else if (a.what == argument::kind::i32)
        std::memcpy(&pattern[4 * i], &whole, 4);
      else
        std::memcpy(&pattern[2 * i], &half, 2);
    }
    if (a.what == argument::kind::f16)
      pattern.resize(pattern.size() / 2);
    for (std::uint64_t at = 0; at < bytes_; at += pattern.size())
      tl::impl::check(tl_copy_to_device(stream, static_cast<char *>(address_) + at, pattern.data(),
                                        std::min<std::uint64_t>(pattern.size(), bytes_ - at)));
  }
  memory(const memory &) = delete;
  memory &operator=(const memory &) = delete;
  ~memory() { tl_free(device_.handle(), address_); }

  void *address() const { return address_; }
  std::uint64_t bytes() const { return bytes_; }

private:
  tl::device device_;
  std::uint64_t bytes_;
  void *address_ = nullptr;
};

class clock {
public:
  explicit clock(tl::device device)
      : stream_(tl::stream::default_of(device)), start_(device), end_(device),
        cache_(device, {argument::kind::zeros, 64 << 20}) {}

  /// Median seconds of each, in turns.
  medians in_turns(const std::function<void()> &ours, const std::function<void()> &peer) {
    std::vector<double> times[2];
    for (int turn = 0; turn < 50; ++turn) {
      times[0].push_back(once(ours));
      times[1].push_back(once(peer));
    }
    for (auto &t : times)
      std::sort(t.begin(), t.end());
    return {times[0][times[0].size() / 2], times[1][times[1].size() / 2]};
  }

private:
  double once(const std::function<void()> &work) {
    tl::impl::check(tl_fill(stream_.handle(), cache_.address(), 0, cache_.bytes()));
    start_.record(stream_);
    work();
    end_.record(stream_);
    double milliseconds = 0;
    tl::impl::check(tl_event_elapsed(start_.handle(), end_.handle(), &milliseconds));
    return milliseconds * 1e-3;
  }

  tl::stream stream_;
  tl::event start_, end_;
  memory cache_;
};

int multiprocessors(tl::device device) {
  const std::string name(device.name());
  int count = 1, number = 0;
  if (!name.starts_with("cuda:"))
    return count;
  void *library = gpu::driver_library();
  auto *get = gpu::driver_function<int(int *, int)>(library, "cuDeviceGet");
  auto *ask = gpu::driver_function<int(int *, int, int)>(library, "cuDeviceGetAttribute");
  constexpr int multiprocessor_count = 16;
  if (get && ask && get(&number, std::atoi(name.c_str() + 5)) == 0)
    ask(&count, multiprocessor_count, number);
  return count;
}

void measure(report &r, clock &c, const char *kernel, const std::string &name, std::int64_t bytes,
             const std::vector<argument> &arguments) {
  std::vector<std::unique_ptr<memory>> held;
  std::vector<std::int64_t> values;
  for (const argument &a : arguments) {
    if (a.what != argument::kind::number)
      held.push_back(std::make_unique<memory>(r.device, a));
    values.push_back(
        a.what == argument::kind::number
            ? a.value
            : static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(held.back()->address())));
  }
  launch_arguments launch;
  launch.values = values.data();
  launch.stream = tl::stream::default_of(r.device).handle();
  launch.multiprocessors = multiprocessors(r.device);
  launch.programs_may_wait = r.device.name().starts_with("cuda");
  const gpu::measured_kernel &found = *gpu::find_kernel(kernel);
  const gpu::configuration &chosen = gpu::find_configuration(found, "", launch);
  chosen.run(launch);
  const argument half = {argument::kind::zeros, bytes / 8};
  const memory source(r.device, half), target(r.device, half);
  auto [ours, copy] =
      c.in_turns([&] { chosen.run(launch); },
                 [&] {
                   tl::impl::check(tl_copy_on_device(launch.stream, target.address(),
                                                     source.address(), source.bytes()));
                 });
  r.add({name, double(bytes) * 1e-9 / ours, double(bytes) * 1e-9 / copy});
}

std::string by(std::int64_t rows, std::int64_t cols) {
  return std::to_string(rows) + " x " + std::to_string(cols);
}

} // namespace

void gpu_kernels(report &r) {
  clock c(r.device);
  auto table = [&](const char *kernel, const char *title) {
    const bool wanted = r.wants(kernel);
    if (wanted)
      r.table(title, "GB/s", "copy", better::higher);
    return wanted;
  };
  if (table("vector_add", "vector add f32"))
    for (std::int64_t n = 1 << 12; n <= 1 << 27; n *= 2)
      measure(r, c, "vector_add", std::to_string(n), 12 * n, {f32(n), f32(n), f32(n), number(n)});
  if (table("softmax", "softmax f32"))
    for (std::int64_t n = 256; n <= 131072; n *= 2) {
      const std::int64_t rows = n < 65536 ? 4096 : 2048;
      measure(r, c, "softmax", by(rows, n), 8 * rows * n,
              {f32(rows * n), f32(rows * n), number(rows), number(n), zeros(3 * rows * 64)});
    }
  const std::int64_t rows = 4096;
  for (const char *kernel : {"layer_norm", "layer_norm_backward"}) {
    const bool forward = std::strcmp(kernel, "layer_norm") == 0;
    if (!table(kernel, forward ? "layer norm f16" : "layer norm backward f16"))
      continue;
    for (std::int64_t n = 1024; n <= 16384; n *= 2) {
      if (forward)
        measure(r, c, kernel, by(rows, n), 4 * rows * n,
                {f16(rows * n), f16(rows * n), f16(n), f16(n), f32(rows), f32(rows), number(rows),
                 number(n)});
      else
        measure(r, c, kernel, by(rows, n), 6 * rows * n,
                {f16(rows * n), f16(n), f16(n), f16(rows * n), f16(rows * n), f16(n), f32(rows),
                 f32(rows), number(rows), number(n), f32(2 * 1056 * n)});
    }
  }
  const std::int64_t side = 8192, all = side * side;
  const std::string square = by(side, side);
  if (table("rms_norm", "RMS norm f32"))
    measure(r, c, "rms_norm", square, 8 * all,
            {f32(all), f32(all), f32(side), number(side), number(side)});
  if (table("transpose", "transposition f32"))
    measure(r, c, "transpose", square, 8 * all, {f32(all), f32(all), number(side), number(side)});
  if (table("row_sum", "sums of rows f32"))
    measure(r, c, "row_sum", square, 4 * all, {f32(side), f32(all), number(side), number(side)});
  if (table("large_sum", "sum of a vector f32"))
    measure(r, c, "large_sum", std::to_string(all), 4 * all,
            {f32(1), f32(all), number(all), zeros(4096)});
  if (table("cumsum", "running sums of rows f32"))
    measure(r, c, "cumsum", square, 8 * all, {f32(all), f32(all), number(side), number(side)});
  if (table("dropout", "dropout f32"))
    measure(r, c, "dropout", std::to_string(all), 8 * all,
            {f32(all), f32(all), number(all), number(1234)});
  if (table("histogram", "histogram of 256 bins"))
    measure(r, c, "histogram", std::to_string(all), 4 * all,
            {zeros(256), i32(all, 256), number(all)});
  if (table("gather", "gather in rows f32"))
    measure(r, c, "gather", by(all / 1024, 1024), 12 * all,
            {f32(all), f32(all), i32(all, 1024), number(all / 1024), number(1024)});
  if (r.wants("launch")) {
    r.table("launch of five arguments", "us", "cuLaunchKernel", better::lower);
    const gpu::launch_cost cost = gpu::measure_launches(r.device, 20000);
    r.add({"kernel[grid](...)", cost.spelled, cost.driver});
    r.add({"tl_launch", cost.c_api, cost.driver});
  }
}

} // namespace bench
