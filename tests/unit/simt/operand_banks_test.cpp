// SPDX-License-Identifier: MIT
//
// Loops of products on AMD's GPUs: operands are written to LDS and read from it without conflicts
// in its banks, whichever of their axes runs along memory, with reads that transpose where there
// are some. TL_BANK_CONFLICTS is set.
#include "edited.hpp"
#include "targets/simt/Driver.h"

#include <cstring>
#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace tl::backend;

namespace {

constexpr int rows = 128, columns = 128, depth = 64, iterations = 3;

std::string replaced(std::string text, const std::string &part, const std::string &by) {
  for (size_t at = 0; (at = text.find(part, at)) != text.npos; at += by.size())
    text.replace(at, part.size(), by);
  return text;
}

/// The offsets of a matrix by rows and columns that lie `down` and `right` elements apart, as
/// %NAME_at, and its pointers, as %NAME.
std::string pointers(const std::string &name, int height, int width, int down, int right,
                     const std::string &element) {
  std::string text = R"(
  %NAME_r = tt.make_range {end = HEIGHT : i32, start = 0 : i32} : tensor<HEIGHTxi32>
  %NAME_c = tt.make_range {end = WIDTH : i32, start = 0 : i32} : tensor<WIDTHxi32>
  %NAME_rows = tt.expand_dims %NAME_r {axis = 1 : i32} : tensor<HEIGHTxi32> -> tensor<HEIGHTx1xi32>
  %NAME_columns = tt.expand_dims %NAME_c {axis = 0 : i32} : tensor<WIDTHxi32> -> tensor<1xWIDTHxi32>
  %NAME_down = arith.constant dense<DOWN> : tensor<HEIGHTx1xi32>
  %NAME_right = arith.constant dense<RIGHT> : tensor<1xWIDTHxi32>
  %NAME_y = arith.muli %NAME_rows, %NAME_down : tensor<HEIGHTx1xi32>
  %NAME_x = arith.muli %NAME_columns, %NAME_right : tensor<1xWIDTHxi32>
  %NAME_ys = tt.broadcast %NAME_y : tensor<HEIGHTx1xi32> -> tensor<HEIGHTxWIDTHxi32>
  %NAME_xs = tt.broadcast %NAME_x : tensor<1xWIDTHxi32> -> tensor<HEIGHTxWIDTHxi32>
  %NAME_at = arith.addi %NAME_ys, %NAME_xs : tensor<HEIGHTxWIDTHxi32>
  %NAME_base = tt.splat %NAME_0 : !tt.ptr<ELEMENT> -> tensor<HEIGHTxWIDTHx!tt.ptr<ELEMENT>>
  %NAME = tt.addptr %NAME_base, %NAME_at : tensor<HEIGHTxWIDTHx!tt.ptr<ELEMENT>>, tensor<HEIGHTxWIDTHxi32>)";
  text = replaced(replaced(text, "HEIGHT", std::to_string(height)), "WIDTH", std::to_string(width));
  text = replaced(replaced(text, "DOWN", std::to_string(down)), "RIGHT", std::to_string(right));
  return replaced(replaced(text, "NAME", name), "ELEMENT", element);
}

/// A product of 128 x 128, 64 a time along k. `alongA`, `alongB`: whether k runs along memory.
std::string product(const std::string &element, bool alongA, bool alongB) {
  const bool isInteger = element == "i8";
  const int extent = depth * iterations;
  std::string text = R"(
tt.func public @product(%a_0: !tt.ptr<ELEMENT> {tt.divisibility = 16 : i32}, %b_0: !tt.ptr<ELEMENT> {tt.divisibility = 16 : i32}, %c_0: !tt.ptr<SUM> {tt.divisibility = 16 : i32}) {
  %zero = arith.constant dense<ZERO> : tensor<128x128xSUM>
  %first = arith.constant 0 : i32
  %end = arith.constant EXTENT : i32
  %step = arith.constant 64 : i32
  %nextA = arith.constant dense<NEXTA> : tensor<128x64xi32>
  %nextB = arith.constant dense<NEXTB> : tensor<64x128xi32>)";
  text += pointers("a", rows, depth, alongA ? extent : 1, alongA ? 1 : rows, element);
  text += pointers("b", depth, columns, alongB ? 1 : columns, alongB ? extent : 1, element);
  text += pointers("c", rows, columns, columns, 1, "SUM");
  text += R"(
  %sum:3 = scf.for %k = %first to %end step %step iter_args(%s = %zero, %p = %a, %q = %b) -> (tensor<128x128xSUM>, tensor<128x64x!tt.ptr<ELEMENT>>, tensor<64x128x!tt.ptr<ELEMENT>>) : i32 {
    %l = tt.load %p : tensor<128x64x!tt.ptr<ELEMENT>>
    %r = tt.load %q : tensor<64x128x!tt.ptr<ELEMENT>>
    %d = tt.dot %l, %r, %s : tensor<128x64xELEMENT> * tensor<64x128xELEMENT> -> tensor<128x128xSUM>
    %pn = tt.addptr %p, %nextA : tensor<128x64x!tt.ptr<ELEMENT>>, tensor<128x64xi32>
    %qn = tt.addptr %q, %nextB : tensor<64x128x!tt.ptr<ELEMENT>>, tensor<64x128xi32>
    scf.yield %d, %pn, %qn : tensor<128x128xSUM>, tensor<128x64x!tt.ptr<ELEMENT>>, tensor<64x128x!tt.ptr<ELEMENT>>
  }
  tt.store %c, %sum#0 : tensor<128x128x!tt.ptr<SUM>>
  tt.return
})";
  text = replaced(text, "NEXTA", std::to_string(alongA ? depth : depth * rows));
  text = replaced(text, "NEXTB", std::to_string(alongB ? depth : depth * columns));
  text = replaced(replaced(text, "EXTENT", std::to_string(extent)), "ELEMENT", element);
  return replaced(replaced(text, "SUM", isInteger ? "i32" : "f32"), "ZERO",
                  isInteger ? "0" : "0.0");
}

struct Run {
  simt::BankCounts banks;
  std::vector<uint32_t> result;
};

/// On operands whose bytes are all `byte`.
Run run(const std::string &target, const std::string &ttir, unsigned bytes, uint8_t byte) {
  simt::SimtDevice device("simt:" + target);
  std::unique_ptr<Stream> stream = device.createStream();
  const auto compiled = device.target().compile({ttir}, "", {});
  const auto loaded = device.load(*compiled);
  const uint64_t operand = uint64_t(rows) * depth * iterations * bytes, result = rows * columns * 4;
  void *pointers[] = {device.allocate(operand), device.allocate(operand), device.allocate(result)};
  device.fill(*stream, pointers[0], byte, operand);
  device.fill(*stream, pointers[1], byte, operand);
  void *arguments[] = {&pointers[0], &pointers[1], &pointers[2]};
  device.launch(*loaded, *stream, {1, 1, 1}, arguments);
  Run made{device.bankCounts(), std::vector<uint32_t>(rows * columns)};
  std::memcpy(made.result.data(), pointers[2], result);
  for (void *pointer : pointers)
    device.release(pointer);
  return made;
}

struct Case {
  const char *target, *element;
  unsigned bytes;
};

constexpr Case cases[] = {
    {"gfx90a", "f16", 2},        {"gfx90a", "bf16", 2}, {"gfx90a", "i8", 1},
    {"gfx942", "f16", 2},        {"gfx942", "bf16", 2}, {"gfx942", "i8", 1},
    {"gfx942", "f8E4M3FNUZ", 1}, {"gfx950", "f16", 2},  {"gfx950", "i8", 1},
    {"gfx950", "f8E4M3FN", 1},   {"gfx1100", "f16", 2}, {"gfx1100", "bf16", 2},
    {"gfx1100", "i8", 1},        {"gfx1201", "f16", 2}, {"gfx1201", "f8E4M3FN", 1},
};

} // namespace

TEST_CASE("a read that transposes gives each of 16 lanes a column of what they read as rows") {
  // Each lane stores 8 bytes, reads those of lane `lane ^ 16`, transposed, and returns what it got.
  for (const unsigned bytes : {1u, 2u}) {
    edited::TextKernel like = edited::oneWarp(512);
    like.target = "gfx950";
    like.lanes = like.blockThreads = 64;
    const std::string type = bytes == 2 ? "<4 x i16>" : "<2 x i32>";
    const std::string read =
        bytes == 2 ? "@llvm.amdgcn.ds.read.tr16.b64.v4i16" : "@llvm.amdgcn.ds.read.tr8.b64.v2i32";
    const edited::TextKernel kernel = edited::withText(like,
                                                       replaced(replaced(R"(
@shared_memory = external addrspace(3) global [0 x i8], align 16
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.wave.barrier()
declare TYPE READ(ptr addrspace(3))
define amdgpu_kernel void @by_hand(ptr %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr [8 x i8], ptr addrspace(3) @shared_memory, i32 %t
  %from = getelementptr [8 x i8], ptr %p, i32 %t
  %v = load i64, ptr %from
  store i64 %v, ptr addrspace(3) %q
  call void @llvm.amdgcn.wave.barrier()
  %other = xor i32 %t, 16
  %r = getelementptr [8 x i8], ptr addrspace(3) @shared_memory, i32 %other
  %w = call TYPE READ(ptr addrspace(3) %r)
  store TYPE %w, ptr %from
  ret void
})",
                                                                         "TYPE", type),
                                                                "READ", read),
                                                       "by_hand");
    simt::SimtDevice device("simt:gfx950");
    std::unique_ptr<Stream> stream = device.createStream();
    void *buffer = device.allocate(512), *arguments[] = {&buffer};
    std::vector<uint8_t> elements(512);
    for (unsigned i = 0; i < 512; ++i) // of 16 bits: their numbers
      elements[i] = bytes == 1 ? uint8_t(i % 251) : uint8_t(i % 2 ? i / 2 >> 8 : i / 2);
    std::memcpy(buffer, elements.data(), 512);
    auto loaded = device.load(kernel);
    device.launch(*loaded, *stream, {1, 1, 1}, arguments);
    const auto *got = static_cast<const uint8_t *>(buffer);
    const unsigned rows = 8 / bytes;
    bool right = true;
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned row = 0; row < rows; ++row) {
        const unsigned element = (lane / 16 ^ 1) * 16 * rows + row * 16 + lane % 16;
        right &= std::memcmp(got + lane * 8 + row * bytes, &elements[element * bytes], bytes) == 0;
      }
    CAPTURE(bytes);
    CHECK(right);
    CHECK(device.bankCounts().conflicts == 0);
    device.release(buffer);
  }
}

TEST_CASE("operands of products have no conflicts in LDS, whichever axis runs along memory") {
  for (const Case &each : cases)
    for (bool alongA : {true, false})
      for (bool alongB : {true, false}) {
        CAPTURE(each.target);
        CAPTURE(each.element);
        CAPTURE(alongA);
        CAPTURE(alongB);
        const Run made = run(each.target, product(each.element, alongA, alongB), each.bytes, 0x01);
        // Every result is the same sum. That elements are the right ones is tests/numeric's to see.
        CHECK(made.result == std::vector<uint32_t>(rows * columns, made.result[0]));
        if (std::string(each.element) == "i8")
          CHECK(made.result[0] == depth * iterations);
        CHECK(made.banks.accesses > 0);
        CHECK(made.banks.conflicts == 0);
      }
}
