// SPDX-License-Identifier: MIT
//
// Faults that are planted into the code of right kernels, one at a time: the emulator finds each,
// where a GPU would often compute the right result by luck. TL_CHECK is set.
#include "edited.hpp"

#include <bit>
#include <cstring>
#include <doctest/doctest.h>

#include <vector>

using namespace tl::backend;

namespace {

/// Sums of 1024 numbers, twice: the second reduction uses the memory of the first again.
const char *sums = R"(
tt.func public @sums(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<1024xf32>) -> f32
  %t = tt.splat %s : f32 -> tensor<1024xf32>
  %w = arith.divf %v, %t : tensor<1024xf32>
  %m = "tt.reduce"(%w) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<1024xf32>) -> f32
  tt.store %y, %m : !tt.ptr<f32>
  tt.return
})";

/// Each element doubled.
const char *doubled = R"(
tt.func public @doubled(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %xp : tensor<512x!tt.ptr<f32>>
  %w = arith.addf %v, %v : tensor<512xf32>
  tt.store %yp, %w : tensor<512x!tt.ptr<f32>>
  tt.return
})";

/// A product of tiles in a loop that is pipelined.
const char *product = R"(
tt.func public @product(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c512 = arith.constant 512 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %column = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %pitch = arith.constant dense<512> : tensor<64x1xi32>
  %narrow = arith.constant dense<64> : tensor<64x1xi32>
  %nextA = arith.constant dense<64> : tensor<64x64xi32>
  %nextB = arith.constant dense<4096> : tensor<64x64xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %columns = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %ad = arith.muli %column, %pitch : tensor<64x1xi32>
  %aa = tt.broadcast %ad : tensor<64x1xi32> -> tensor<64x64xi32>
  %ao = arith.addi %aa, %columns : tensor<64x64xi32>
  %as = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %ap = tt.addptr %as, %ao : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %bd = arith.muli %column, %narrow : tensor<64x1xi32>
  %ba = tt.broadcast %bd : tensor<64x1xi32> -> tensor<64x64xi32>
  %bo = arith.addi %ba, %columns : tensor<64x64xi32>
  %bs = tt.splat %y : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %bp = tt.addptr %bs, %bo : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %sum:3 = scf.for %k = %c0 to %c512 step %c64 iter_args(%c = %zero, %p = %ap, %q = %bp) -> (tensor<64x64xf32>, tensor<64x64x!tt.ptr<f16>>, tensor<64x64x!tt.ptr<f16>>) : i32 {
    %l = tt.load %p : tensor<64x64x!tt.ptr<f16>>
    %r = tt.load %q : tensor<64x64x!tt.ptr<f16>>
    %d = tt.dot %l, %r, %c : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %pn = tt.addptr %p, %nextA : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %qn = tt.addptr %q, %nextB : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %pn, %qn : tensor<64x64xf32>, tensor<64x64x!tt.ptr<f16>>, tensor<64x64x!tt.ptr<f16>>
  }
  %cs = tt.splat %z : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %bo : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %cp, %sum#0 : tensor<64x64x!tt.ptr<f32>>
  tt.return
})";

/// Occurrence number `which` of a part of the text, replaced.
std::string replaced(std::string text, const std::string &part, const std::string &by,
                     unsigned which = 0) {
  size_t at = text.find(part);
  while (which-- && at != text.npos)
    at = text.find(part, at + 1);
  REQUIRE_MESSAGE(at != text.npos, "the code does not have: " << part << "\n" << text);
  return text.replace(at, part.size(), by);
}

class Runner {
public:
  explicit Runner(const std::string &target) : device("simt:" + target) {}

  static constexpr uint32_t ramp = 0; // 1, 2, 3 and so on
  static constexpr uint32_t unwritten = 1;
  /// Runs on buffers of these sizes, filled with words; returns the message of the failure, or
  /// nothing.
  std::string run(const edited::TextKernel &kernel, const std::vector<uint64_t> &sizes,
                  uint32_t word = 0x3f800000, unsigned programs = 1) {
    std::unique_ptr<Stream> stream = device.createStream();
    std::vector<void *> pointers, arguments;
    for (uint64_t bytes : sizes) {
      pointers.push_back(device.allocate(bytes));
      std::vector<uint32_t> words(bytes / 4, word);
      if (word == ramp)
        for (uint64_t i = 0; i < words.size(); ++i)
          words[i] = std::bit_cast<uint32_t>(float(i + 1));
      if (word != unwritten)
        device.copyToDevice(*stream, pointers.back(), words.data(), bytes);
    }
    for (void *&pointer : pointers)
      arguments.push_back(&pointer);
    std::string message;
    try {
      auto loaded = device.load(kernel);
      device.launch(*loaded, *stream, {programs, 1, 1}, arguments.data());
    } catch (const Error &error) {
      message = error.message;
    }
    result.resize(sizes.back() / 4);
    std::memcpy(result.data(), pointers.back(), result.size() * 4);
    for (void *pointer : pointers)
      device.release(pointer);
    return message;
  }

  std::vector<float> result; // the last buffer

private:
  simt::SimtDevice device;
};

/// Without the instruction, a line of the text, that has a part of this name.
std::string without(std::string text, const std::string &part, unsigned which = 0) {
  size_t at = text.find(part);
  while (which-- && at != text.npos)
    at = text.find(part, at + 1);
  REQUIRE_MESSAGE(at != text.npos, "the code does not have: " << part);
  const size_t begin = text.rfind('\n', at) + 1, end = text.find('\n', at);
  return text.replace(begin, end - begin, "");
}

bool has(const std::string &text, const std::string &part) { return text.find(part) != text.npos; }

/// One function of 32 threads, written by hand.
edited::TextKernel byHand(const std::string &body) {
  return edited::withText(edited::oneWarp(1024), R"(
target triple = "nvptx64-nvidia-cuda"
@shared_memory = external addrspace(3) global [0 x i8], align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
define ptx_kernel void @by_hand(ptr %p) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
)" + body + "\n}\n",
                          "by_hand");
}

const std::string barrier = "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)";

REGISTER_EXCEPTION_TRANSLATOR(const Error &error) { return error.message.c_str(); }

} // namespace

TEST_CASE("each barrier of two reductions is needed, and what it orders is found without it") {
  for (const char *target : {"sm_80", "sm_90a"}) {
    CAPTURE(target);
    Runner runner(target);
    edited::Compiled code = edited::compile(sums, target);
    CHECK(runner.run(edited::withText(code.kernel, code.text, "sums"), {4096, 4}) == "");
    unsigned barriers = 0;
    for (size_t at = 0; (at = code.text.find(barrier, at)) != std::string::npos; ++at)
      ++barriers;
    CHECK(barriers >= 2);
    for (unsigned which = 0; which < barriers; ++which) {
      const std::string text = replaced(code.text, barrier, "fence acq_rel", which);
      const std::string message =
          runner.run(edited::withText(code.kernel, text, "sums"), {4096, 4});
      CAPTURE(message);
      CHECK(
          (has(message, "a race in shared memory") || has(message, "that no thread has written")));
      CHECK(has(message, "by thread "));
    }
  }
}

TEST_CASE("barriers of code for AMD are needed, too") {
  if (!edited::hasAmd())
    return;
  const std::string waits = "call void @llvm.amdgcn.s.barrier()";
  for (const char *target : {"gfx942", "gfx1100"}) {
    CAPTURE(target);
    Runner runner(target);
    edited::Compiled code = edited::compile(sums, target);
    CHECK(runner.run(edited::withText(code.kernel, code.text, "sums"), {4096, 4}) == "");
    CHECK(runner.result[0] == 1.0f / 1024);
    for (unsigned which = 0; which < 2; ++which) {
      const std::string message = runner.run(
          edited::withText(code.kernel, replaced(code.text, waits, "fence acq_rel", which), "sums"),
          {4096, 4});
      CAPTURE(message);
      CHECK(
          (has(message, "a race in shared memory") || has(message, "that no thread has written")));
    }
    // Products of matrices, exactly.
    edited::Compiled matrices = edited::compile(product, target);
    CHECK(runner.run(edited::withText(matrices.kernel, matrices.text, "product"),
                     {64 * 512 * 2, 64 * 512 * 2, 64 * 64 * 4}, 0x3c003c00) == "");
    CHECK(runner.result == std::vector<float>(64 * 64, 512.0f));
  }
}

TEST_CASE("a lane that is swapped gives another result") {
  Runner runner("sm_90a");
  edited::Compiled code = edited::compile(sums, "sm_90a");
  constexpr float right = 1024.0f / (1024 * 1025 / 2); // of 1, 2, ...
  CHECK(runner.run(edited::withText(code.kernel, code.text, "sums"), {4096, 4}, Runner::ramp) ==
        "");
  CHECK(runner.result[0] == right);
  const std::string text = replaced(code.text, "i32 16, i32 31)", "i32 8, i32 31)");
  CHECK(runner.run(edited::withText(code.kernel, text, "sums"), {4096, 4}, Runner::ramp) == "");
  CHECK(runner.result[0] != right);
}

TEST_CASE("an offset that is one too large lies outside or gives another result") {
  Runner runner("sm_90a");
  edited::Compiled code = edited::compile(doubled, "sm_90a");
  const std::vector<uint64_t> sizes = {2048, 2048};
  CHECK(runner.run(edited::withText(code.kernel, code.text, "doubled"), sizes, Runner::ramp) == "");
  const std::vector<float> right = runner.result;
  const std::string offset = "add nuw nsw i32";
  for (unsigned which = 0; which < 2; ++which) {
    size_t at = code.text.find(offset);
    for (unsigned i = 0; i < which; ++i)
      at = code.text.find(offset, at + 1);
    REQUIRE(at != std::string::npos);
    at = code.text.find(", ", at) + 2;
    std::string text = code.text;
    const size_t end = text.find_first_not_of("0123456789", at);
    text.replace(at, end - at, std::to_string(std::stoi(text.substr(at, end - at)) + 1));
    const std::string message =
        runner.run(edited::withText(code.kernel, text, "doubled"), sizes, Runner::ramp);
    CAPTURE(message);
    CHECK((message != "" || runner.result != right));
  }
}

TEST_CASE("a wait for too few asynchronous copies is found") {
  Runner runner("sm_80");
  edited::Compiled code = edited::compile(product, "sm_80");
  const std::vector<uint64_t> sizes = {64 * 512 * 2, 64 * 512 * 2, 64 * 64 * 4};
  CHECK(runner.run(edited::withText(code.kernel, code.text, "product"), sizes, 0x3c003c00) == "");
  CHECK(runner.result == std::vector<float>(64 * 64, 512.0f));
  const std::string wait = "call void @llvm.nvvm.cp.async.wait.group(i32 ";
  const size_t at = code.text.find(wait);
  REQUIRE(at != std::string::npos);
  std::string text = code.text;
  text.replace(at + wait.size(), 1, std::to_string(text[at + wait.size()] - '0' + 1));
  const std::string message =
      runner.run(edited::withText(code.kernel, text, "product"), sizes, 0x3c003c00);
  CAPTURE(message);
  CHECK(has(message, "a race in shared memory"));
  CHECK(has(message, "what an asynchronous copy of thread"));
}

namespace {

/// With the second operand's k along memory.
std::string alongK(std::string text) {
  text = replaced(text, "%bs, %bo", "%bs, %bk");
  text = replaced(text, "dense<4096>", "dense<64>");
  return replaced(text, "%bs = tt.splat", R"(%across = arith.constant dense<512> : tensor<1x64xi32>
  %bt = arith.muli %row, %across : tensor<1x64xi32>
  %bu = tt.broadcast %bt : tensor<1x64xi32> -> tensor<64x64xi32>
  %bv = tt.broadcast %column : tensor<64x1xi32> -> tensor<64x64xi32>
  %bk = arith.addi %bu, %bv : tensor<64x64xi32>
  %bs = tt.splat)");
}

} // namespace

TEST_CASE("a wait that counts too many loads to LDS is found, and so is a missing one") {
  if (!edited::hasAmd())
    return;
  Runner runner("gfx950");
  edited::Compiled code = edited::compile(alongK(product), "gfx950");
  const std::vector<uint64_t> sizes = {64 * 512 * 2, 64 * 512 * 2, 64 * 64 * 4};
  auto messageOf = [&](const std::string &text) {
    return runner.run(edited::withText(code.kernel, text, "product"), sizes, 0x3c003c00);
  };
  CHECK(messageOf(code.text) == "");
  CHECK(runner.result == std::vector<float>(64 * 64, 512.0f));
  CHECK(has(code.text, "@llvm.amdgcn.global.load.lds("));
  // Four of a later iteration may go on (vmcnt is in the lowest bits), in the last ones none.
  const std::string wait = "call void @llvm.amdgcn.s.waitcnt(i32 ", four = wait + "3956)";
  CHECK(has(code.text, wait + "3952)"));
  for (const std::string &fault : {wait + "3957)", std::string("fence acq_rel")}) {
    const std::string message = messageOf(replaced(code.text, four, fault));
    CAPTURE(message);
    CHECK(has(message, "a race in shared memory"));
    CHECK(has(message, "what an asynchronous copy of thread"));
  }
  // The first one is after the loop, where nobody reads.
  const std::string message = messageOf(replaced(code.text, wait + "3952)", four, 1));
  CAPTURE(message);
  CHECK(has(message, "what an asynchronous copy of thread"));
}

TEST_CASE("barriers between loads to LDS and those who read them are needed") {
  if (!edited::hasAmd())
    return;
  Runner runner("gfx950");
  edited::Compiled code = edited::compile(alongK(product), "gfx950");
  const std::vector<uint64_t> sizes = {64 * 512 * 2, 64 * 512 * 2, 64 * 64 * 4};
  const std::string waits = "call void @llvm.amdgcn.s.barrier()";
  unsigned barriers = 0, found = 0;
  for (size_t at = 0; (at = code.text.find(waits, at)) != std::string::npos; ++at, ++barriers) {
    const std::string text = replaced(code.text, waits, "fence acq_rel", barriers);
    const std::string message =
        runner.run(edited::withText(code.kernel, text, "product"), sizes, 0x3c003c00);
    found += has(message, "a race in shared memory") ||
             (has(message, "shared memory") && has(message, "that no thread has written"));
  }
  CHECK(found == 1); // the other one is after the loop, before the memory is used again
}

TEST_CASE("barriers around the memory of asynchronous copies and TMA are needed") {
  for (const char *target : {"sm_80", "sm_90a"}) {
    CAPTURE(target);
    Runner runner(target);
    edited::Compiled code = edited::compile(product, target);
    const std::vector<uint64_t> sizes = {64 * 512 * 2, 64 * 512 * 2, 64 * 64 * 4};
    CHECK(runner.run(edited::withText(code.kernel, code.text, "product"), sizes, 0x3c003c00) == "");
    CHECK(runner.result == std::vector<float>(64 * 64, 512.0f));
    if (!has(code.text, barrier))
      continue;
    const std::string message = runner.run(
        edited::withText(code.kernel, replaced(code.text, barrier, "fence acq_rel"), "product"),
        sizes, 0x3c003c00);
    CAPTURE(message);
    CHECK(has(message, "by thread "));
  }
}

TEST_CASE("what shows memory to warp-group products, and how long it stays, is needed") {
  Runner runner("sm_90a");
  edited::Compiled code = edited::compile(product, "sm_90a");
  const std::vector<uint64_t> sizes = {64 * 512 * 2, 64 * 512 * 2, 64 * 64 * 4};
  auto run = [&](const std::string &text) {
    return runner.run(edited::withText(code.kernel, text, "product"), sizes, 0x3c003c00);
  };
  std::string message = run(without(code.text, "fence.proxy.async"));
  CAPTURE(message);
  CHECK(has(message, "asynchronous hardware reads shared memory that a thread has written"));
  CHECK(has(message, "without a fence between them"));
  message = run(
      replaced(code.text, "wgmma.wait_group.sync.aligned 1", "wgmma.wait_group.sync.aligned 7"));
  CHECK(has(message, "a race in shared memory"));
  CHECK(has(message, "what a matrix product of thread"));
}

TEST_CASE("a missing wait for copies of boxes is found, and bytes that do not come") {
  Runner runner("sm_90a");
  edited::Compiled code = edited::compile(edited::describedProduct(512), "sm_90a");
  const std::vector<uint64_t> sizes = {128 * 512 * 2, 128 * 512 * 2, 128 * 128 * 4};
  auto run = [&](const std::string &text) {
    return runner.run(edited::withText(code.kernel, text, "described"), sizes, 0x3c003c00);
  };
  CHECK(run(code.text) == "");
  CHECK(runner.result == std::vector<float>(128 * 128, 512.0f));
  const std::string wait = "mbarrier.try_wait";
  unsigned waits = 0;
  for (size_t at = 0; (at = code.text.find(wait, at)) != std::string::npos; ++at)
    ++waits;
  CHECK(waits >= 1);
  unsigned races = 0;
  for (unsigned which = 0; which < waits; ++which) {
    const std::string message = run(without(code.text, wait, which));
    races += has(message, "a race in shared memory") || has(message, "that no thread has written");
  }
  CHECK(races >= 1);
  const std::string expect = "@llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(";
  size_t at = code.text.find(expect);
  REQUIRE(at != std::string::npos);
  at = code.text.find("i32 ", at);
  std::string more = code.text;
  more.insert(at + 4, "1");
  CHECK(has(run(more), "wait for each other for ever"));
}

TEST_CASE("global memory that nobody has written is found") {
  Runner runner("sm_80");
  edited::Compiled code = edited::compile(doubled, "sm_80");
  const std::string message = runner.run(edited::withText(code.kernel, code.text, "doubled"),
                                         {2048, 2048}, Runner::unwritten);
  CHECK(has(message, "bytes at offset 0 of a buffer of 2048 bytes passed as argument 0 that nobody "
                     "has written, by thread 0 of program (0, 0, 0)"));
}

TEST_CASE("a barrier that some lanes do not come to is found") {
  Runner runner("sm_90a");
  const std::string message = runner.run(byHand(R"(
  %few = icmp ult i32 %t, 16
  br i1 %few, label %some, label %others
some:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %end
others:
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  br label %end
end:
  ret void)"),
                                         {4});
  CHECK(has(message, "lanes of a warp are at different instructions"));
}

TEST_CASE("a barrier of fewer threads than it counts is waited for for ever, which is found") {
  Runner runner("sm_90a");
  const std::string message = runner.run(byHand(R"(
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64)
  ret void
}
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
define void @unused() {
  ret void)"),
                                         {4});
  CHECK(has(message, "the threads of a program wait for each other for ever"));
}

TEST_CASE("a lane that reads one which has ended is found") {
  Runner runner("sm_90a");
  const std::string message = runner.run(byHand(R"(
  %few = icmp ult i32 %t, 16
  br i1 %few, label %some, label %end
some:
  %v = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %t, i32 16, i32 31)
  store i32 %v, ptr %p
  br label %end
end:
  ret void)"),
                                         {4});
  CHECK(has(message, "a lane reads the value of lane"));
}

TEST_CASE("a vector at an address that is no multiple of its size is found") {
  Runner runner("sm_90a");
  const std::string message = runner.run(byHand(R"(
  %q = getelementptr i8, ptr %p, i64 4
  %v = load <4 x float>, ptr %q, align 16
  store <4 x float> %v, ptr %p, align 16
  ret void)"),
                                         {256});
  CHECK(has(message, "which is no multiple of 16"));
}

TEST_CASE("shared memory that nobody has written is found") {
  Runner runner("sm_90a");
  const std::string message = runner.run(byHand(R"(
  %v = load i32, ptr addrspace(3) @shared_memory
  store i32 %v, ptr %p
  ret void)"),
                                         {4});
  CHECK(has(message, "reads shared memory at offset 0 that no thread has written"));
}

TEST_CASE("blocks of a cluster wait for what they bring each other") {
  Runner runner("sm_90a");
  edited::Compiled code = edited::compile(edited::describedProduct(512), "sm_90a", 2);
  REQUIRE(code.kernel.clusterBlocks == 2);
  const std::vector<uint64_t> sizes = {128 * 512 * 2, 128 * 512 * 2, 128 * 128 * 4};
  auto messageOf = [&](const std::string &text, unsigned programs = 1) {
    return runner.run(edited::withText(code.kernel, text, "described"), sizes, 0x3c003c00,
                      programs);
  };
  REQUIRE(has(code.text, ".multicast::cluster"));
  CHECK(messageOf(code.text) == "");
  CHECK(runner.result == std::vector<float>(128 * 128, 512.0f));
  // A cluster's barrier orders nothing of another one, whose results lie at the same place.
  CHECK(has(messageOf(code.text, 2), "a race in global memory"));

  // Nobody says that a buffer has been read.
  std::string message =
      messageOf(replaced(code.text, "mbarrier.arrive.shared::cluster.b64 _, [remote];", ""));
  CHECK(has(message, "the threads of a program wait for each other for ever"));
  // Nobody waits for that.
  message = messageOf(replaced(code.text,
                               "mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;"
                               "\\0A\\09@!done bra wait;",
                               ".reg .b32 none;", 1));
  CAPTURE(message);
  CHECK(has(message, "a race in shared memory: a bulk copy of thread"));
  CHECK(has(message, "a matrix product of thread"));
  CHECK(has(message, "of another program"));
  // Blocks bring something before the others are there.
  message = messageOf(replaced(code.text,
                               "barrier.cluster.arrive.release;\\0A\\09"
                               "barrier.cluster.wait.acquire;",
                               ""));
  CHECK(has(message, "an mbarrier is used that has not been made"));
  // One asks for a block that is not there.
  message = messageOf(replaced(code.text, "remote, $0, $1;", "remote, $0, 7;"));
  CHECK(has(message, "the kernel reaches for block 7 of a cluster that has 2"));
}
