// SPDX-License-Identifier: MIT
//
// What accesses of shared memory cost in its banks, against what the documents of the hardware say.
// TL_BANK_CONFLICTS is set.
#include "edited.hpp"

#include "targets/simt/BankConflicts.h"

#include <doctest/doctest.h>

#include <vector>

using namespace tl::backend;
using namespace tl::backend::simt;

REGISTER_EXCEPTION_TRANSLATOR(const Error &error) { return error.message.c_str(); }

namespace {

const BankRules plain, cdna3{32, {0b010100, 0b001000, 0b100000}}, cdna4{64, {0b011100, 0b100000}};

/// Of `lanes` lanes, of which number l is at the address `addressOf(l)`.
template <class AddressOf>
BankCounts countsOf(const BankRules &rules, unsigned lanes, uint32_t bytes, AccessKind kind,
                    AddressOf &&addressOf) {
  std::array<uint32_t, 64> addresses{};
  for (unsigned lane = 0; lane < lanes; ++lane)
    addresses[lane] = uint32_t(addressOf(lane));
  return bankCounts(rules, addresses, ~uint64_t(0) >> (64 - lanes), bytes, kind);
}

/// `step` bytes from lane to lane.
BankCounts stridedBy(unsigned step, const BankRules &rules, unsigned lanes, uint32_t bytes,
                     AccessKind kind = AccessKind::read) {
  return countsOf(rules, lanes, bytes, kind, [&](unsigned lane) { return lane * step; });
}

void checkCounts(const BankCounts &counts, uint64_t cycles, uint64_t conflicts) {
  CHECK(counts.accesses == 1);
  CHECK(counts.cycles == cycles);
  CHECK(counts.conflicts == conflicts);
}

} // namespace

TEST_CASE("neighbouring words have a cycle for each line of all banks, whatever the width") {
  for (uint32_t bytes : {4u, 8u, 16u}) {
    CAPTURE(bytes);
    checkCounts(stridedBy(bytes, plain, 32, bytes), bytes / 4, 0);
    checkCounts(stridedBy(bytes, cdna3, 64, bytes), bytes / 2, 0);
    checkCounts(stridedBy(bytes, cdna4, 64, bytes), bytes / 4, 0);
    checkCounts(stridedBy(bytes, cdna3, 64, bytes, AccessKind::write), bytes / 2, 0);
  }
}

TEST_CASE("words of one bank come one after the other, and equal ones at once") {
  checkCounts(stridedBy(128, plain, 32, 4), 32, 31);
  checkCounts(stridedBy(8, plain, 32, 4), 2, 1);
  checkCounts(stridedBy(128, cdna4, 64, 4), 32, 31); // every other lane has the same bank
  checkCounts(stridedBy(0, plain, 32, 4), 1, 0);
  checkCounts(stridedBy(2, plain, 32, 2), 1, 0);     // two lanes a word
  checkCounts(stridedBy(132, plain, 32, 4), 1, 0);   // rows with a word of padding
  checkCounts(stridedBy(128, cdna3, 64, 8), 64, 60); // a phase has 16 lanes
}

TEST_CASE("words beyond 16 bytes are further accesses") {
  checkCounts(stridedBy(32, plain, 32, 32), 16, 8); // two of them, whose lanes leave out words
}

TEST_CASE("reads of 16 bytes go by the lanes that the hardware puts together") {
  // Lanes 0 and 20 have words of the same banks, all others lie one after the other.
  auto addressOf = [](unsigned lane) { return lane == 20 ? 1024u : 16 * lane; };
  checkCounts(countsOf(cdna3, 64, 16, AccessKind::read, addressOf), 9, 1);
  checkCounts(countsOf(cdna3, 64, 16, AccessKind::write, addressOf), 9, 1);
  // Lanes 4 and 20 lie in one phase in neither.
  auto apart = [](unsigned lane) { return lane == 20 ? 1024u + 64 : 16 * lane; };
  checkCounts(countsOf(cdna3, 64, 16, AccessKind::read, apart), 8, 0);
  // Rows of 128 bytes whose pieces are exchanged by the row: eight neighbours are free, and so are
  // the lanes of the hardware's phases; with 64 banks two rows of a phase meet.
  auto swizzled = [](unsigned lane) { return lane * 128 + lane % 8 * 16; };
  checkCounts(countsOf(plain, 32, 16, AccessKind::read, swizzled), 4, 0);
  checkCounts(countsOf(cdna3, 64, 16, AccessKind::read, swizzled), 8, 0);
  checkCounts(countsOf(cdna4, 64, 16, AccessKind::read, swizzled), 8, 4);
  auto byPairs = [](unsigned lane) { return lane * 128 + lane / 2 % 8 * 16; };
  checkCounts(countsOf(cdna4, 64, 16, AccessKind::read, byPairs), 4, 0);
}

TEST_CASE("lanes that do not take part cost nothing") {
  std::array<uint32_t, 64> addresses{};
  for (unsigned lane = 0; lane < 64; ++lane)
    addresses[lane] = lane * 128;
  checkCounts(bankCounts(plain, addresses, 0b1001, 4, AccessKind::read), 2, 1);
  checkCounts(bankCounts(plain, addresses, 0b1, 4, AccessKind::read), 1, 0);
}

namespace {

/// Of 32 threads of an emulated GPU; `%t` is the thread, `%p` a buffer.
BankCounts countsOfKernel(const std::string &body) {
  edited::TextKernel like = edited::oneWarp(8192);
  like.target = "sm_90a";
  const edited::TextKernel kernel = edited::withText(like, R"(
@shared_memory = external addrspace(3) global [0 x i8], align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.bar.warp.sync(i32)
declare void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3), ptr addrspace(1))
define ptx_kernel void @by_hand(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
)" + body + "\n}\n",
                                                     "by_hand");
  SimtDevice device("simt:sm_90a");
  std::unique_ptr<Stream> stream = device.createStream();
  void *buffer = device.allocate(256), *arguments[] = {&buffer};
  auto loaded = device.load(kernel);
  device.launch(*loaded, *stream, {2, 1, 1}, arguments);
  device.release(buffer);
  return device.bankCounts();
}

} // namespace

TEST_CASE("lanes of one access are counted together, once each time, in all programs") {
  const BankCounts counts = countsOfKernel(R"(
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %n, %loop ]
  %row = shl i32 %t, 7
  %at = add i32 %row, %i
  %q = getelementptr i8, ptr addrspace(3) @shared_memory, i32 %at
  store i32 %t, ptr addrspace(3) %q
  %n = add i32 %i, 4
  %more = icmp ult i32 %n, 20
  br i1 %more, label %loop, label %end
end:
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %column = shl i32 %t, 2
  %r = getelementptr i8, ptr addrspace(3) @shared_memory, i32 %column
  %v = load i32, ptr addrspace(3) %r
  ret void)");
  CHECK(counts.accesses == 2 * (5 + 1));
  CHECK(counts.cycles == 2 * (5 * 32 + 1));
  CHECK(counts.conflicts == 2 * 5 * 31);
}

TEST_CASE("atomics and asynchronous copies of threads are counted") {
  BankCounts counts = countsOfKernel(R"(
  %row = shl i32 %t, 7
  %q = getelementptr i8, ptr addrspace(3) @shared_memory, i32 %row
  %old = atomicrmw add ptr addrspace(3) %q, i32 1 monotonic
  ret void)");
  CHECK(counts.accesses == 2);
  CHECK(counts.cycles == 2 * 32);
  CHECK(counts.conflicts == 2 * 31);
  counts = countsOfKernel(R"(
  %row = shl i32 %t, 7
  %q = getelementptr i8, ptr addrspace(3) @shared_memory, i32 %row
  %g = addrspacecast ptr %p to ptr addrspace(1)
  call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) %q, ptr addrspace(1) %g)
  ret void)");
  CHECK(counts.accesses == 2);
  CHECK(counts.cycles == 2 * 32);
  CHECK(counts.conflicts == 2 * 31);
}

namespace {

BankCounts countsOfProduct(SimtDevice &device, const CompiledKernel &compiled) {
  std::unique_ptr<Stream> stream = device.createStream();
  const auto loaded = device.load(compiled);
  const uint64_t bytes[] = {128 * 128 * 2, 128 * 128 * 2, 128 * 128 * 4};
  void *pointers[3], *arguments[3];
  for (unsigned i = 0; i < 3; ++i) {
    pointers[i] = device.allocate(bytes[i]);
    device.fill(*stream, pointers[i], 0, bytes[i]);
    arguments[i] = &pointers[i];
  }
  device.launch(*loaded, *stream, {1, 1, 1}, arguments);
  for (void *pointer : pointers)
    device.release(pointer);
  return device.bankCounts();
}

/// The same on a GPU with other banks.
BankCounts countsOfProduct(const BankRules &rules) {
  const edited::Compiled compiled = edited::compile(edited::describedProduct(128), "sm_90a");
  edited::TextKernel kernel = edited::withText(compiled.kernel, compiled.text, "described");
  kernel.banks = rules;
  SimtDevice device("simt:sm_90a");
  return countsOfProduct(device, kernel);
}

// 128 bytes each: both boxes, the first operand, and, for each 64 rows, the second one.
constexpr uint64_t iterations = 2, box = 128 * 64 * 2 / 128;
constexpr uint64_t accessesOfTma = iterations * 2 * box, accessesOfProducts = iterations * 3 * box;

} // namespace

TEST_CASE("what TMA and products of warp groups access is counted, and has no conflicts") {
  SimtDevice device("simt:sm_90a");
  const BankCounts counts =
      countsOfProduct(device, *device.target().compile({edited::describedProduct(128)}, "", {}));
  CHECK(counts.accesses == accessesOfTma + accessesOfProducts);
  CHECK(counts.cycles == counts.accesses);
  CHECK(counts.conflicts == 0);
}

TEST_CASE("what products of warp groups read would conflict in half as many banks") {
  // Eight pieces of a read at once; what TMA writes goes by four, which fill all banks.
  const BankCounts counts = countsOfProduct({16, {0}});
  CHECK(counts.accesses == accessesOfTma + accessesOfProducts);
  CHECK(counts.cycles == 2 * counts.accesses);
  CHECK(counts.conflicts == accessesOfProducts);
}

TEST_CASE("what TMA writes would conflict in banks that the swizzle does not fit") {
  // Each piece of a read is a phase of its own; of what TMA writes, six are one. In lines that
  // begin 2 3 0 1 6 7, 3 2 1 0 7 6, 4 5 6 7 0 1 or 5 4 7 6 1 0, four of eight, 0 meets 6 and 1
  // meets 7.
  const BankCounts counts = countsOfProduct({24, {1, 2, 4}});
  CHECK(counts.accesses == accessesOfTma + accessesOfProducts);
  CHECK(counts.conflicts == accessesOfTma / 2);
}

TEST_CASE("an access under a condition is one of the lanes for which it holds") {
  const BankCounts counts = countsOfKernel(R"(
  %few = icmp ult i32 %t, 4
  br i1 %few, label %some, label %end
some:
  %row = shl i32 %t, 7
  %q = getelementptr i8, ptr addrspace(3) @shared_memory, i32 %row
  store i32 %t, ptr addrspace(3) %q
  br label %end
end:
  ret void)");
  CHECK(counts.accesses == 2);
  CHECK(counts.cycles == 2 * 4);
  CHECK(counts.conflicts == 2 * 3);
}

TEST_CASE("a report names the kernel, the device and the lines, the worst first") {
  BankConflicts banks(plain);
  std::array<uint32_t, 64> rows{}, words{};
  for (unsigned lane = 0; lane < 32; ++lane) {
    rows[lane] = lane * 128;
    words[lane] = lane * 4;
  }
  banks.count(1, words, 0xffffffff, 4, AccessKind::write);
  banks.count(2, rows, 0xffffffff, 4, AccessKind::read);
  banks.count(2, rows, 0xffffffff, 4, AccessKind::read);
  banks.count(0, words, 0xffffffff, 4, AccessKind::atomic);
  CHECK(banks.report("product", "simt:gfx942", {{}, {"a.cpp", 7, 1}, {"a.cpp", 9, 1}}) ==
        "shared memory of product on simt:gfx942: 4 accesses, 66 cycles, 62 for conflicts\n"
        "  a.cpp:9: reads of 4 bytes: 2 accesses, 64 cycles, 62 for conflicts\n"
        "  atomics of 4 bytes: 1 accesses, 1 cycles, 0 for conflicts\n"
        "  a.cpp:7: writes of 4 bytes: 1 accesses, 1 cycles, 0 for conflicts\n");
}
