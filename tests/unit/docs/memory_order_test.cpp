// SPDX-License-Identifier: MIT
//
// What docs/explanation/memory_order.md says: the order of memory operations within a program and
// between programs.
#include <tl/testing.hpp>
#include <tl/tl.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace testing = tl::testing;

namespace {

constexpr auto rotate = tl::kernel{[](tl::ptr<float> x) {
  auto i = tl::arange<256>();
  // [program_order]
  tl::tensor a = tl::load(x + i);
  tl::store(x + i, a + 1.0f);
  tl::tensor b = tl::load(x + (255 - i)); // sees what the store above has written
  tl::store(x + i, b);
  // [program_order]
}};

// [lock]
constexpr auto add_under_lock =
    tl::kernel{[](tl::ptr<std::int32_t> lock, tl::ptr<float> total, tl::ptr<const float> x) {
      auto i = tl::arange<64>();
      tl::tensor v = tl::load(x + tl::program_id(0) * 64 + i);

      tl::i32 old = tl::atomic_cas(lock, 0, 1, {.sem = tl::sem::acquire});
      tl::while_([&] { return old != 0; },
                 [&] { old = tl::atomic_cas(lock, 0, 1, {.sem = tl::sem::acquire}); });

      tl::store(total + i, tl::load(total + i) + v);

      tl::atomic_xchg(lock, 0, {.sem = tl::sem::release}); // every thread's stores come first
    }};
// [lock]

// [last]
constexpr auto sum_all = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> partial,
                                       tl::ptr<std::int32_t> finished, tl::ptr<float> out) {
  auto programs = tl::num_programs(0);
  tl::tensor v = tl::load(x + tl::program_id(0) * 64 + tl::arange<64>());
  tl::store(partial + tl::program_id(0), tl::sum(v));

  auto before = tl::atomic_add(finished, 1); // acq_rel, the default
  tl::if_(before == programs - 1, [&] {      // the last one sees what all have stored
    auto i = tl::arange<16>();
    tl::store(out, tl::sum(tl::load(partial + i, i < programs, 0.0f)));
    tl::store(finished, 0); // for the next launch
  });
}};
// [last]

constexpr auto sum_without_order = tl::kernel{[](tl::ptr<const float> x, tl::ptr<float> out) {
  // [race]
  tl::store(out, tl::load(out) + tl::load(x + tl::program_id(0))); // wrong: programs do not wait
  // [race]
}};

constexpr auto read_after_a_count =
    tl::kernel{[](tl::ptr<std::int32_t> count, tl::ptr<float> x, tl::ptr<float> out) {
      tl::if_(tl::program_id(0) == 0, [&] { tl::store(x, 1.0f); });
      tl::atomic_add(count, 1); // acq_rel, but nobody looks what it has found
      tl::if_(tl::program_id(0) == 1, [&] { tl::store(out, tl::load(x)); });
    }};

std::string said_by(auto &&launch) {
  try {
    launch();
  } catch (const tl::runtime_error &e) {
    return e.what();
  }
  return "";
}

} // namespace

TEST_CASE("docs: a load sees what the same program has stored before") {
  std::vector<float> host(256), expected(256);
  for (int i = 0; i < 256; ++i)
    host[i] = float(i);
  for (int i = 0; i < 256; ++i)
    expected[i] = host[255 - i] + 1;
  for (tl::device dev : testing::devices()) {
    tl::buffer<float> x(dev, host);
    rotate[tl::grid(1)](x);
    CHECK(testing::allclose(x, expected));
  }
}

TEST_CASE("docs: a lock orders what programs do under it") {
  constexpr int programs = 40;
  const std::vector<float> host(programs * 64, 1.0f);
  for (tl::device dev : testing::devices()) {
    tl::buffer<std::int32_t> lock(dev, 1);
    tl::buffer<float> total(dev, 64), x(dev, host);
    lock.fill(0);
    total.fill(0);
    add_under_lock[tl::grid(programs)](lock, total, x);
    CHECK(testing::allclose(total, std::vector<float>(64, programs)));
    CHECK(lock.to_vector()[0] == 0);
  }
}

TEST_CASE("docs: the program that comes last sees what the others have stored") {
  constexpr int programs = 12;
  const std::vector<float> host(programs * 64, 0.5f);
  for (tl::device dev : testing::devices()) {
    tl::buffer<std::int32_t> finished(dev, 1);
    tl::buffer<float> x(dev, host), partial(dev, programs), out(dev, 1);
    finished.fill(0);
    for (int launch = 0; launch < 3; ++launch) {
      out.fill(0);
      sum_all[tl::grid(programs)](x, partial, finished, out);
      CHECK(out.to_vector()[0] == programs * 32);
    }
  }
}

TEST_CASE("docs: the interpreter reports two programs that write one element without an atomic") {
  const tl::device dev("interpreter");
  tl::buffer<float> x(dev, std::vector<float>(4, 1.0f)), out(dev, 1);
  out.fill(0);
  const std::string said = said_by([&] { sum_without_order[tl::grid(4)](x, out); });
  CAPTURE(said);
  CHECK(said.find("memory_order_test.cpp") != said.npos);
  CHECK(said.find("which program (0, 0, 0) of the same launch writes too") != said.npos);
}

TEST_CASE("docs: an atomic whose old value nobody uses acquires nothing") {
  const tl::device dev("interpreter");
  tl::buffer<std::int32_t> count(dev, 1);
  tl::buffer<float> x(dev, 1), out(dev, 1);
  count.fill(0);
  x.fill(0);
  const std::string said = said_by([&] { read_after_a_count[tl::grid(2)](count, x, out); });
  CAPTURE(said);
  CHECK(said.find("memory_order_test.cpp") != said.npos);
  CHECK(said.find("which program (0, 0, 0) of the same launch writes too") != said.npos);
}
