// SPDX-License-Identifier: MIT
//
// What a launch costs when the kernel is in the cache: a grid of one small program, by the C++
// spelling and by the C API alone, in microseconds.

#include "../benchmarks.hpp"
#include "kernels/vector_add.hpp"

void bench::launch(report &r) {
  r.table("launch of one program", "us", "", better::lower);
  const int n = 1000;
  tl::buffer<float> x(r.device, random_values(n)), y(r.device, random_values(n));
  tl::buffer<float> out(r.device, n);
  double seconds = median_seconds([&] { kernels::add<1024>[tl::grid(1)](x, y, out, n); });
  r.add({"kernel[grid](...)", seconds * 1e6});
  wait(r.device);

  tl_kernel *kernel = kernels::add<1024>.compile(r.device, x, y, out, n).handle();
  tl_stream *stream = tl::stream::default_of(r.device).handle();
  const void *pointers[] = {x.data(), y.data(), out.data()};
  std::int32_t count = n;
  void *arguments[] = {&pointers[0], &pointers[1], &pointers[2], &count};
  seconds = median_seconds([&] { tl_launch(kernel, stream, 1, 1, 1, arguments, 4); });
  r.add({"tl_launch", seconds * 1e6});
  wait(r.device);
}
