// SPDX-License-Identifier: MIT
//
// What a kernel does wrong with memory, and the sentence that says so: the user's line, the kernel,
// the program, the element and the buffer.
#include "c_api.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>

using c_api::Array;
using c_api::Bytes;
using c_api::Outcome;
using c_api::run;

namespace {

using I32 = std::vector<int32_t>;
using F32 = std::vector<float>;

/// A kernel of blocks of 4: out[i] = x[i] for i = 4 * pid …, where i < n, and the shift is added to
/// the addresses of the load.
const char *copy = R"(module {
  tt.func public @copy(%x: !tt.ptr<f32> loc("x"("copy.cpp":1:1)), %out: !tt.ptr<f32> loc("out"("copy.cpp":1:1)), %n: i32, %shift: i32) {
    %c4 = arith.constant 4 : i32
    %pid = tt.get_program_id x : i32
    %base = arith.muli %pid, %c4 : i32
    %r = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
    %bs = tt.splat %base : i32 -> tensor<4xi32>
    %i = arith.addi %bs, %r : tensor<4xi32>
    %ns = tt.splat %n : i32 -> tensor<4xi32>
    %m = arith.cmpi slt, %i, %ns : tensor<4xi32>
    %ss = tt.splat %shift : i32 -> tensor<4xi32>
    %j = arith.addi %i, %ss : tensor<4xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %j : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
    %v = tt.load %xp, %m : tensor<4x!tt.ptr<f32>> loc("copy.cpp":7:12)
    %os = tt.splat %out : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
    %op = tt.addptr %os, %i : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
    tt.store %op, %v, %m : tensor<4x!tt.ptr<f32>> loc("copy.cpp":8:3)
    tt.return
  }
})";

void expectOk(const Outcome &outcome) {
  INFO(outcome.message);
  REQUIRE(outcome.status == TL_OK);
}

/// A kernel of one i32 pointer: each program carries out the body.
Outcome programs(uint32_t count, const std::string &body,
                 const std::vector<c_api::Argument> &arguments) {
  return run("module { tt.func public @race(%x: !tt.ptr<i32> loc(\"x\"(\"race.cpp\":1:1)), %y: "
             "!tt.ptr<i32>) {\n"
             "%pid = tt.get_program_id x : i32\n%c0 = arith.constant 0 : i32\n%c1 = arith.constant "
             "1 : i32\n" +
                 body + "\ntt.return } }",
             arguments, {count});
}

} // namespace

TEST_CASE("a load beyond the end of its buffer") {
  const Array<float> x(F32(10, 1)), out(16);
  expectOk(run(copy, {x, out, 10, 0}, {3}));
  const Outcome outcome = run(copy, {x, out, 12, 0}, {3});
  CHECK(outcome.status == TL_RUNTIME_ERROR);
  CHECK(
      outcome.message ==
      "tl::load reads element 10 of the buffer passed as \"x\", which has 10 elements of float, at "
      "lane (2) in program (2, 0, 0)");
  CHECK(outcome.help == "mask off the lanes that lie beyond the buffer");
  CHECK(outcome.file == "copy.cpp");
  CHECK(outcome.line == 7);
  CHECK(outcome.kernel == "copy");
  CHECK(outcome.device == "interpreter");
}

TEST_CASE("a load before the start of its buffer") {
  const Array<float> x(F32(10, 1)), out(16);
  const Outcome outcome = run(copy, {x, out, 4, -2});
  CHECK(
      outcome.message ==
      "tl::load reads element -2 of the buffer passed as \"x\", which has 10 elements of float, at "
      "lane (0) in program (0, 0, 0)");
}

TEST_CASE("a store beyond the end writes nothing there") {
  const Array<float> x(F32(8, 1)), out(F32(6, 0));
  const Outcome outcome = run(copy, {x, out, 8, 0}, {2});
  CHECK(
      outcome.message ==
      "tl::store writes element 6 of the buffer passed as \"out\", which has 6 elements of float, "
      "at lane (2) in program (1, 0, 0)");
  CHECK(outcome.line == 8);
}

TEST_CASE("landing in another buffer does not make an access right") {
  // Whatever lies where, the distance leads from x exactly to out.
  const Array<float> x(F32(8, 1)), out(F32(8, 2));
  const int64_t distance = (static_cast<char *>(out.data) - static_cast<char *>(x.data)) / 4;
  REQUIRE(distance == static_cast<int32_t>(distance));
  const Outcome outcome = run(copy, {x, out, 4, static_cast<int32_t>(distance)});
  CHECK(outcome.says("tl::load reads element " + std::to_string(distance) +
                     " of the buffer passed as \"x\""));
}

TEST_CASE("an argument may point into a buffer; elements are counted from its start") {
  const Array<float> x(F32(8, 1)), out(8);
  expectOk(run(copy, {static_cast<float *>(x.data) + 4, out, 4, 0}));
  const Outcome outcome = run(copy, {static_cast<float *>(x.data) + 6, out, 4, 0});
  CHECK(outcome.says("tl::load reads element 8 of the buffer passed as \"x\""));
}

TEST_CASE("an element that sticks out, and one that lies between elements") {
  const Bytes x(7);
  tl_fill(c_api::stream(), x.data, 0, 7);
  const Array<float> out(8);
  CHECK(run(copy, {x.data, out, 2, 0})
            .says("element 1 of the buffer passed as \"x\", which has 1 elements"));
  const Outcome outcome = run(copy, {static_cast<char *>(x.data) + 1, out, 2, 0});
  CHECK(outcome.says("element 1 (byte 5) of the buffer"));
}

TEST_CASE("reading what was never written") {
  const Array<float> x(8), out(8);
  const Outcome outcome = run(copy, {x, out, 4, 0});
  CHECK(outcome.status == TL_RUNTIME_ERROR);
  CHECK(outcome.message == "tl::load reads element 0 of the buffer passed as \"x\", which was "
                           "never written, at lane (0) "
                           "in program (0, 0, 0)");
  CHECK(outcome.line == 7);
  // A copy of the first half makes that half readable, and no more.
  const F32 half = {1, 2, 3, 4};
  tl_copy_to_device(c_api::stream(), x.data, half.data(), 16);
  expectOk(run(copy, {x, out, 4, 0}));
  CHECK(run(copy, {x, out, 8, 0}, {2})
            .says("reads element 4 of the buffer passed as \"x\", which was never written"));
  // What a kernel wrote is written, what it did not write is not.
  const Array<float> third(8);
  expectOk(run(copy, {out, third, 4, 0}));
  CHECK(run(copy, {out, third, 5, 0}, {2}).says("reads element 4"));
  tl_fill(c_api::stream(), x.data, 0, 32);
  expectOk(run(copy, {x, out, 8, 0}, {2}));
}

TEST_CASE("a copy on the device takes along what was never written") {
  const Array<float> x(8), y(8), out(8);
  const F32 half = {1, 2, 3, 4};
  tl_copy_to_device(c_api::stream(), x.data, half.data(), 16);
  tl_copy_on_device(c_api::stream(), y.data, x.data, 32);
  expectOk(run(copy, {y, out, 4, 0}));
  CHECK(run(copy, {y, out, 5, 0}, {2})
            .says("reads element 4 of the buffer passed as \"x\", which was never written"));
}

TEST_CASE("atomics read too") {
  const Array<int32_t> x(1);
  const Outcome outcome = programs(
      1, "%o = tt.atomic_rmw add, relaxed, gpu, %x, %c1 : (!tt.ptr<i32>, i32) -> i32", {x, x});
  CHECK(outcome.says(
      "tl::atomic_add reads element 0 of the buffer passed as \"x\", which was never written"));
}

TEST_CASE("two programs that store to one element") {
  const Array<int32_t> x(4);
  const std::string body = "tt.store %x, %pid : !tt.ptr<i32> loc(\"race.cpp\":9:2)";
  expectOk(programs(1, body, {x, x}));
  const Outcome outcome = programs(4, body, {x, x});
  CHECK(outcome.status == TL_RUNTIME_ERROR);
  CHECK(outcome.message == "tl::store writes element 0 of the buffer passed as \"x\", which "
                           "program (0, 0, 0) of the same "
                           "launch writes too, in program (1, 0, 0)");
  CHECK(outcome.file == "race.cpp");
  CHECK(outcome.line == 9);
  // Each launch is judged alone.
  expectOk(programs(1, body, {x, x}));
  expectOk(programs(1, body, {x, x}));
  // One element each is no race.
  expectOk(programs(
      4, "%p = tt.addptr %x, %pid : !tt.ptr<i32>, i32\ntt.store %p, %pid : !tt.ptr<i32>", {x, x}));
}

TEST_CASE("neighbours of different widths are no race, and shared bytes are") {
  const Bytes x(16);
  const std::string bytes =
      "module { tt.func public @k(%x: !tt.ptr<i8>, %y: !tt.ptr<i32>) {\n%pid = tt.get_program_id x "
      ": i32\n"
      "%v = arith.trunci %pid : i32 to i8\n%p = tt.addptr %x, %pid : !tt.ptr<i8>, i32\n"
      "tt.store %p, %v : !tt.ptr<i8>\nREST\ntt.return } }";
  auto with = [&](const std::string &rest) {
    std::string text = bytes;
    return text.replace(text.find("REST"), 4, rest);
  };
  expectOk(run(with(""), {x.data, x.data}, {16}));
  // Program 0 writes a word first, then the others bytes of it.
  const Outcome outcome = run(with("%c0 = arith.constant 0 : i32\n%z = arith.cmpi eq, %pid, %c0 : "
                                   "i32\nscf.if %z {\ntt.store %y, %pid : !tt.ptr<i32>\n}"),
                              {x.data, x.data}, {16});
  CHECK(outcome.message == "tl::store writes element 1 of the buffer passed as argument 0, which "
                           "program (0, 0, 0) of the "
                           "same launch writes too, in program (1, 0, 0)");
}

TEST_CASE("reading what another program stores is a race as well") {
  const Array<int32_t> x(I32(8, 1)), y(8);
  // Each program reads its neighbour's element and writes its own.
  const Outcome outcome =
      programs(4,
               "%n = arith.addi %pid, %c1 : i32\n%q = tt.addptr %x, %n : !tt.ptr<i32>, i32\n"
               "%v = tt.load %q : !tt.ptr<i32>\n%p = tt.addptr %x, %pid : !tt.ptr<i32>, i32\n"
               "tt.store %p, %v : !tt.ptr<i32>",
               {x, y});
  CHECK(outcome.says("tl::store writes element 1 of the buffer passed as \"x\", which program (0, "
                     "0, 0) of the same launch "
                     "reads too, in program (1, 0, 0)"));
  const Outcome backwards =
      programs(4,
               "%n = arith.subi %pid, %c1 : i32\n%m = arith.maxsi %n, %c0 : i32\n"
               "%q = tt.addptr %x, %m : !tt.ptr<i32>, i32\n%v = tt.load %q : !tt.ptr<i32>\n"
               "%p = tt.addptr %x, %pid : !tt.ptr<i32>, i32\ntt.store %p, %v : !tt.ptr<i32>",
               {x, y});
  CHECK(backwards.says("tl::load reads element 0 of the buffer passed as \"x\", which program (0, "
                       "0, 0) of the same launch "
                       "writes too, in program (1, 0, 0)"));
  // Many readers are no race.
  expectOk(programs(4,
                    "%v = tt.load %x : !tt.ptr<i32>\n%p = tt.addptr %y, %pid : !tt.ptr<i32>, i32\n"
                    "tt.store %p, %v : !tt.ptr<i32>",
                    {x, y}));
}

TEST_CASE("atomics on one element are no race, a store beside them is") {
  const Array<int32_t> x(I32(4, 0)), y(4);
  expectOk(programs(8, "%o = tt.atomic_rmw add, relaxed, gpu, %x, %c1 : (!tt.ptr<i32>, i32) -> i32",
                    {x, y}));
  CHECK(x[0] == 8);
  const Outcome outcome =
      programs(2,
               "%last = arith.cmpi eq, %pid, %c1 : i32\nscf.if %last {\ntt.store %x, %c0 : "
               "!tt.ptr<i32>\n} else {\n"
               "%o = tt.atomic_rmw add, relaxed, gpu, %x, %c1 : (!tt.ptr<i32>, i32) -> i32\n}",
               {x, y});
  CHECK(outcome.says("which program (0, 0, 0) of the same launch changes atomically too"));
}

TEST_CASE("a lock or a counter orders programs, a relaxed one does not") {
  for (const char *order : {"acq_rel", "relaxed"}) {
    const Array<int32_t> lock(I32{0}), x(I32{5});
    const std::string sem = order;
    const Outcome outcome = programs(
        32,
        "scf.while : () -> () {\n%old = tt.atomic_cas " + sem +
            ", gpu, %x, %c0, %c1 : (!tt.ptr<i32>, i32, i32) -> i32\n"
            "%taken = arith.cmpi eq, %old, %c1 : i32\nscf.condition(%taken)\n} do {\nscf.yield\n}\n"
            "%v = tt.load %y : !tt.ptr<i32>\n%w = arith.addi %v, %c1 : i32\ntt.store %y, %w : "
            "!tt.ptr<i32>\n"
            "%o = tt.atomic_rmw exch, " +
            sem + ", gpu, %x, %c0 : (!tt.ptr<i32>, i32) -> i32",
        {lock, x});
    if (sem == "acq_rel") {
      expectOk(outcome);
      CHECK(x[0] == 37);
    } else {
      CHECK(outcome.says("tl::load reads element 0"));
    }
  }
  // The last to arrive sums what the others left; a thousand of them.
  const Array<int32_t> counter(I32{0}), parts(1024);
  const Outcome outcome = run(R"(module { tt.func public @k(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
    %pid = tt.get_program_id x : i32
    %c1 = arith.constant 1 : i32
    %c1023 = arith.constant 1023 : i32
    %p = tt.addptr %y, %pid : !tt.ptr<i32>, i32
    tt.store %p, %pid : !tt.ptr<i32>
    %o = tt.atomic_rmw add, acq_rel, gpu, %x, %c1 : (!tt.ptr<i32>, i32) -> i32
    %last = arith.cmpi eq, %o, %c1023 : i32
    scf.if %last {
      %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
      %s = tt.splat %y : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
      %q = tt.addptr %s, %r : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
      %v = tt.load %q : tensor<1024x!tt.ptr<i32>>
      %sum = "tt.reduce"(%v) <{axis = 0 : i32}> ({
      ^bb0(%a: i32, %b: i32):
        %c = arith.addi %a, %b : i32
        tt.reduce.return %c : i32
      }) : (tensor<1024xi32>) -> i32
      tt.store %x, %sum : !tt.ptr<i32>
    }
    tt.return } })",
                              {counter, parts}, {1024});
  expectOk(outcome);
  CHECK(counter[0] == 1023 * 512);
}

TEST_CASE("null, wild and freed pointers are errors, not crashes") {
  const Array<float> x(F32(8, 1)), out(8);
  const Outcome null = run(copy, {static_cast<void *>(nullptr), out, 4, 0});
  CHECK(null.message == "tl::load reads through a null pointer at lane (0) in program (0, 0, 0)");
  CHECK(null.line == 7);
  CHECK(run(copy, {static_cast<void *>(nullptr), out, 4, 1000000}).says("through a null pointer"));
  expectOk(run(copy, {static_cast<void *>(nullptr), out, 0, 0})); // every lane masked off
  CHECK(run(copy, {reinterpret_cast<void *>(uintptr_t(16)), out, 4, 0})
            .says("address 0x10, which is no readable memory"));
  CHECK(run(copy, {reinterpret_cast<void *>(uintptr_t(1) << 60), out, 4, 0})
            .says("which is no readable memory"));
  void *freed = nullptr;
  {
    const Array<float> gone(F32(8, 1));
    freed = gone.data;
  }
  CHECK(run(copy, {freed, out, 4, 0}).says("tl::load reads a buffer that was freed"));
  const size_t page = 4096;
  void *constant = mmap(nullptr, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(constant != MAP_FAILED);
  expectOk(run(copy, {constant, out, 4, 0}));
  CHECK(run(copy, {x, constant, 4, 0}).says("which is no writable memory"));
  munmap(constant, page);
  CHECK(run(copy, {constant, out, 4, 0}).says("which is no readable memory"));
}

TEST_CASE("a pointer made from a number is judged by where it points") {
  const Array<int32_t> x(I32(8, 1));
  const char *module = R"(module { tt.func public @k(%x: !tt.ptr<i32>, %offset: i64) {
    %i = tt.ptr_to_int %x : !tt.ptr<i32> -> i64
    %j = arith.addi %i, %offset : i64
    %p = tt.int_to_ptr %j : i64 -> !tt.ptr<i32>
    %v = tt.load %p : !tt.ptr<i32>
    tt.store %p, %v : !tt.ptr<i32>
    tt.return } })";
  expectOk(run(module, {x, int64_t(28)}));
  CHECK(run(module, {x, int64_t(32)}).says("reads element 8 of the buffer passed as argument 0"));
}

TEST_CASE("a descriptor that describes more than its buffer") {
  const Array<float> x(F32(8 * 8, 1));
  const Outcome outcome =
      run(R"(module { tt.func public @k(%x: !tt.ptr<f32> loc("x"("d.cpp":1:1))) {
    %one = arith.constant 1 : i64
    %c8 = arith.constant 8 : i64
    %c16 = arith.constant 16 : i32
    %c0 = arith.constant 0 : i32
    %d = tt.make_tensor_descriptor %x, [%c16, %c16], [%c8, %one] : !tt.ptr<f32>, !tt.tensordesc<16x8xf32>
    %v = tt.descriptor_load %d[%c0, %c0] : !tt.tensordesc<16x8xf32> -> tensor<16x8xf32> loc("d.cpp":5:1)
    tt.return } })",
          {x});
  CHECK(outcome.says("load of a tensor descriptor reads element 64 of the buffer passed as \"x\""));
  CHECK(outcome.says("at lane (8, 0)"));
  CHECK(outcome.line == 5);
}

TEST_CASE("an error inside a helper names the caller too") {
  const Array<float> x(F32(4, 1));
  const Outcome outcome = run(R"(module { tt.func public @k(%x: !tt.ptr<f32>) {
    %c9 = arith.constant 9 : i32
    %p = tt.addptr %x, %c9 : !tt.ptr<f32>, i32
    %v = tt.load %p : !tt.ptr<f32> loc(callsite("helper.hpp":3:4 at callsite("middle.hpp":5:1 at "main.cpp":20:2)))
    tt.store %p, %v : !tt.ptr<f32>
    tt.return } })",
                              {x});
  CHECK(outcome.file == "helper.hpp");
  CHECK(outcome.line == 3);
  CHECK(outcome.says(", called from middle.hpp:5:1, called from main.cpp:20:2"));
}

TEST_CASE("after an error the device goes on") {
  const Array<float> x(F32(8, 1)), out(8);
  CHECK(run(copy, {x, out, 100, 0}, {30}).status == TL_RUNTIME_ERROR);
  expectOk(run(copy, {x, out, 8, 0}, {2}));
  CHECK(out.values() == F32(8, 1));
}

TEST_CASE("copies from the host find freed buffers too") {
  void *freed = nullptr;
  float host = 0;
  {
    const Array<float> gone(F32(8, 1));
    freed = gone.data;
  }
  const Outcome outcome = c_api::outcomeOf(tl_copy_from_device(c_api::stream(), &host, freed, 4));
  CHECK(outcome.status == TL_INVALID_ARGUMENT);
  CHECK(outcome.says("tl_copy_from_device got a buffer that was freed"));
}

TEST_CASE("copies and fills that begin beside a buffer are refused") {
  const Array<float> x(F32{1, 2, 3, 4}), y(F32(4, 0));
  float host[8] = {};
  auto at = [&](int64_t offset) { return static_cast<char *>(x.data) + offset; };
  auto refuses = [](tl_status status, const std::string &message) {
    const Outcome outcome = c_api::outcomeOf(status);
    CHECK(outcome.status == TL_INVALID_ARGUMENT);
    CHECK(outcome.message == message);
  };
  refuses(tl_copy_to_device(c_api::stream(), at(-4), host, 16),
          "tl_copy_to_device of 16 bytes at offset -4 of a buffer of 16 bytes");
  refuses(tl_copy_to_device(c_api::stream(), at(-64), host, 32),
          "tl_copy_to_device of 32 bytes at offset -64 of a buffer of 16 bytes");
  refuses(tl_copy_from_device(c_api::stream(), host, at(16), 4),
          "tl_copy_from_device of 4 bytes at offset 16 of a buffer of 16 bytes");
  refuses(tl_copy_on_device(c_api::stream(), y.data, at(-8), 12),
          "tl_copy_on_device of 12 bytes at offset -8 of a buffer of 16 bytes");
  refuses(tl_copy_on_device(c_api::stream(), at(64), y.data, 16),
          "tl_copy_on_device of 16 bytes at offset 64 of a buffer of 16 bytes");
  refuses(tl_fill(c_api::stream(), at(-1), 0, 1),
          "tl_fill of 1 bytes at offset -1 of a buffer of 16 bytes");
  // From memory of somebody else, whoever that is, into ours.
  CHECK(c_api::outcomeOf(tl_fill(c_api::stream(), at(-4096), 0, 8192)).status ==
        TL_INVALID_ARGUMENT);
  expectOk(c_api::outcomeOf(tl_copy_to_device(c_api::stream(), at(8), host, 8)));
  expectOk(c_api::outcomeOf(tl_copy_from_device(c_api::stream(), host, at(16), 0)));
  CHECK(x.values() == F32{1, 2, 0, 0});
}

TEST_CASE("more memory than there is") {
  void *huge = nullptr;
  const Outcome outcome = c_api::outcomeOf(tl_allocate(c_api::device(), uint64_t(1) << 60, &huge));
  CHECK(outcome.status == TL_OUT_OF_RESOURCES);
}

namespace {

/// Each program writes 4 elements through %y and reads them backwards through %x.
std::string exchange(const std::string &attributes, const std::string &between = "") {
  return "module { tt.func public @k(%x: !tt.ptr<i32> " + attributes +
         " loc(\"x\"(\"alias.cpp\":1:1)), %y: !tt.ptr<i32> " + attributes +
         " loc(\"y\"(\"alias.cpp\":1:9))) {\n"
         "%three = arith.constant dense<3> : tensor<4xi32>\n"
         "%r = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>\n"
         "%b = arith.subi %three, %r : tensor<4xi32>\n"
         "%ys = tt.splat %y : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>\n"
         "%yp = tt.addptr %ys, %r : tensor<4x!tt.ptr<i32>>, tensor<4xi32>\n"
         "tt.store %yp, %r : tensor<4x!tt.ptr<i32>>\n" +
         between +
         "%xs = tt.splat %x : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>\n"
         "%xp = tt.addptr %xs, %b : tensor<4x!tt.ptr<i32>>, tensor<4xi32>\n"
         "%v = tt.load %xp : tensor<4x!tt.ptr<i32>> loc(\"alias.cpp\":7:3)\n"
         "tt.store %xp, %v : tensor<4x!tt.ptr<i32>>\n tt.return } }";
}

} // namespace

TEST_CASE("reading through one parameter what was written through another needs their mark") {
  Array<int32_t> x(I32(8)), other(I32(8));
  expectOk(run(exchange(""), {x, other}));
  expectOk(run(exchange(""), {static_cast<int32_t *>(x.data) + 4, x}));
  expectOk(run(exchange("{tt.may_alias}"), {x, x}));
  expectOk(run(exchange("", "ttg.barrier all\n"), {x, x}));
  const Outcome outcome = run(exchange(""), {x, x});
  CHECK(outcome.status == TL_RUNTIME_ERROR);
  CHECK(
      outcome.message ==
      "tl::load reads through parameter 0 (\"x\") what the same program wrote through parameter 1 "
      "(\"y\"), and nothing says that the two may lead to the same memory, at lane (0) "
      "in program (0, 0, 0)");
  CHECK(outcome.line == 7);
  CHECK(run(exchange(""), {static_cast<int32_t *>(x.data) + 1, x}).status == TL_RUNTIME_ERROR);
}
