// SPDX-License-Identifier: MIT
//
// A mathematical function of float, 32 times an element, so that the function counts and not the
// memory: the sum of f(x + k / 64) for k below 32. Parameters: out x n function.

#include "kernel_list.hpp"

namespace bench::gpu {
namespace {

template <auto Function>
inline constexpr auto repeated =
    tl::kernel{"repeated", [](tl::ptr<float> out, tl::ptr<const float> x, tl::i32 n) {
                 auto i = tl::program_id(0) * 1024 + tl::arange<1024>();
                 auto mask = i < n;
                 tl::tensor v = tl::load(x + i, mask, 1.0f);
                 tl::tensor total = tl::zeros<float, 1024>();
                 for (auto k : tl::range(0, 32))
                   total += Function(v + tl::cast<float>(k) * 0.015625f);
                 tl::store(out + i, total, mask);
               }};

/// `number` is the place in the list of cases.py.
template <int Number, auto Function> configuration of(const char *name) {
  return {name, [](const launch_arguments &a) { return a.number(3) == Number; },
          [](const launch_arguments &a) {
            const int n = a.number(2);
            return repeated<Function>[a.on(tl::cdiv(n, 1024), 4)](a.pointer<float>(0),
                                                                  a.pointer<const float>(1), n);
          }};
}

constexpr const char *names[] = {"exp", "exp2", "log",  "log2", "sqrt",  "rsqrt", "sin",
                                 "cos", "erf",  "tanh", "pow",  "log1p", "atan",  "sigmoid"};

} // namespace

measured_kernel functions() {
  return {"functions",
          "out x n function",
          {
              of<0, [](auto x) { return tl::exp(x); }>(names[0]),
              of<1, [](auto x) { return tl::exp2(x); }>(names[1]),
              of<2, [](auto x) { return tl::log(x); }>(names[2]),
              of<3, [](auto x) { return tl::log2(x); }>(names[3]),
              of<4, [](auto x) { return tl::sqrt(x); }>(names[4]),
              of<5, [](auto x) { return tl::rsqrt(x); }>(names[5]),
              of<6, [](auto x) { return tl::sin(x); }>(names[6]),
              of<7, [](auto x) { return tl::cos(x); }>(names[7]),
              of<8, [](auto x) { return tl::erf(x); }>(names[8]),
              of<9, [](auto x) { return tl::libdevice::tanh(x); }>(names[9]),
              of<10, [](auto x) { return tl::libdevice::pow(x, x); }>(names[10]),
              of<11, [](auto x) { return tl::libdevice::log1p(x); }>(names[11]),
              of<12, [](auto x) { return tl::libdevice::atan(x); }>(names[12]),
              of<13, [](auto x) { return tl::sigmoid(x); }>(names[13]),
          },
          [](const launch_arguments &a) -> std::string { return names[a.number(3)]; }};
}

} // namespace bench::gpu
