// SPDX-License-Identifier: MIT
// Random programs of loops, branches and exits, on every device: they do what C++ does with the
// same program.
#include "devices.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

using on_devices::check;

constexpr int variables = 4, programs = 6;

enum class kind { assign, store, branch, chosen, loop, repeat, leave, skip, end };

/// A statement: what it needs of the numbers, and the statements in it.
struct statement {
  kind what;
  int a, b, c, modulus, remainder;
  std::vector<statement> first, second;
};

class generator {
public:
  explicit generator(int seed) : state_(static_cast<std::uint64_t>(seed) * 7919 + 1) {}

  std::vector<statement> body(int depth, bool in_loop) {
    std::vector<statement> statements;
    for (int count = 2 + below(4); count > 0; --count)
      statements.push_back(any(depth, in_loop));
    return statements;
  }

private:
  int below(int n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>((state_ >> 33) % static_cast<std::uint64_t>(n));
  }
  statement any(int depth, bool in_loop) {
    statement s{kind::assign,
                below(variables),
                below(variables),
                below(variables),
                2 + below(4),
                0,
                {},
                {}};
    s.remainder = below(s.modulus);
    const int choice = below(depth > 0 ? 14 : 7);
    if (choice == 0)
      s.what = kind::store;
    else if (choice < 3 && in_loop)
      s.what = choice == 1 ? kind::leave : kind::skip;
    else if (choice == 3 && below(3) == 0)
      s.what = kind::end;
    else if (choice >= 12)
      s.what = kind::loop;
    else if (choice == 11)
      s.what = kind::repeat;
    else if (choice >= 8)
      s.what = kind::branch;
    else if (choice == 7)
      s.what = kind::chosen;
    if (choice >= 7) {
      s.first = body(depth - 1, in_loop || choice >= 11);
      if (choice < 11 && below(2) == 0)
        s.second = body(depth - 1, in_loop);
    }
    return s;
  }

  std::uint64_t state_;
};

std::vector<statement> program(int seed) { return generator(seed).body(3, false); }

// ---- By C++

enum class flow { on, leave, skip, end };

struct machine {
  int v[variables];
  int *out;

  int next(const statement &s) const { return (v[s.b] * 5 + v[s.c] + s.modulus) & 1023; }
  bool holds(const statement &s) const { return v[s.a] % s.modulus == s.remainder; }

  flow run(const std::vector<statement> &statements) {
    for (const statement &s : statements)
      if (const flow f = run(s); f != flow::on)
        return f;
    return flow::on;
  }
  flow run(const statement &s) {
    switch (s.what) {
    case kind::assign:
      v[s.a] = next(s);
      return flow::on;
    case kind::store:
      out[s.a] = v[s.b];
      return flow::on;
    case kind::branch:
      return run(holds(s) ? s.first : s.second);
    case kind::chosen:
      v[s.b] = holds(s) ? next(s) : v[s.c];
      return flow::on;
    case kind::loop:
      for (int i = 0; i < s.modulus; ++i) {
        v[s.b] = (v[s.b] + i) & 1023;
        if (const flow f = run(s.first); f == flow::leave)
          break;
        else if (f == flow::end)
          return f;
      }
      return flow::on;
    case kind::repeat:
      for (int i = 0; v[s.c] = (v[s.c] + 1) & 1023, i < s.modulus && !holds(s);) {
        ++i;
        if (const flow f = run(s.first); f == flow::leave)
          break;
        else if (f == flow::end)
          return f;
      }
      return flow::on;
    case kind::leave:
      return holds(s) ? flow::leave : flow::on;
    case kind::skip:
      return holds(s) ? flow::skip : flow::on;
    case kind::end:
      return holds(s) ? flow::end : flow::on;
    }
    return flow::on;
  }
};

// ---- By tl

struct tracer {
  tl::i32 v[variables];
  tl::ptr<std::int32_t> out;

  tl::i32 next(const statement &s) const { return (v[s.b] * 5 + v[s.c] + s.modulus) & 1023; }
  tl::i1 holds(const statement &s) const { return v[s.a] % s.modulus == s.remainder; }

  void run(const std::vector<statement> &statements) {
    for (const statement &s : statements)
      run(s);
  }
  void run(const statement &s) {
    switch (s.what) {
    case kind::assign:
      v[s.a] = next(s);
      break;
    case kind::store:
      tl::store(out + s.a, v[s.b]);
      break;
    case kind::branch:
      if (s.second.empty())
        tl::if_(holds(s), [&] { run(s.first); });
      else
        tl::if_(holds(s), [&] { run(s.first); }, [&] { run(s.second); });
      break;
    case kind::chosen:
      v[s.b] = tl::if_(holds(s), [&] { return next(s); }, [&] { return v[s.c]; });
      break;
    case kind::loop:
      for (auto i : tl::range(0, s.modulus)) {
        v[s.b] = (v[s.b] + i) & 1023;
        run(s.first);
      }
      break;
    case kind::repeat: {
      tl::i32 i = 0;
      tl::while_(
          [&] {
            v[s.c] = (v[s.c] + 1) & 1023;
            return (i < s.modulus) & !holds(s);
          },
          [&] {
            i += 1;
            run(s.first);
          });
      break;
    }
    case kind::leave:
      tl::break_if(holds(s));
      break;
    case kind::skip:
      tl::continue_if(holds(s));
      break;
    case kind::end:
      tl::return_if(holds(s));
      break;
    }
  }
};

template <int Seed>
constexpr auto traced = tl::kernel{[](tl::ptr<std::int32_t> out) {
  tracer t;
  t.out = out + tl::program_id(0) * variables;
  for (int i = 0; i < variables; ++i)
    t.v[i] = tl::program_id(0) * 7 + i;
  t.run(program(Seed));
  for (int i = 0; i < variables; ++i)
    tl::store(t.out + i, t.v[i]);
}};

template <int Seed> void check_program() {
  CAPTURE(Seed);
  std::vector<int> expected(programs * variables, -77);
  const std::vector<statement> statements = program(Seed);
  for (int pid = 0; pid < programs; ++pid) {
    machine m{{}, expected.data() + pid * variables};
    for (int i = 0; i < variables; ++i)
      m.v[i] = pid * 7 + i;
    if (m.run(statements) != flow::end)
      std::copy(m.v, m.v + variables, m.out);
  }
  check<int>(expected, [](tl::device, auto &out) { traced<Seed>[programs](out); });
}

template <int... Seed> void check_programs(std::integer_sequence<int, Seed...>) {
  (check_program<Seed>(), ...);
}

TEST_CASE("random programs with exits do what C++ does") {
  check_programs(std::make_integer_sequence<int, 64>());
}

} // namespace
