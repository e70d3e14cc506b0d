// SPDX-License-Identifier: MIT
//
// Kernels with planted faults: the code of a kernel as LLVM IR text, changed and run by the
// emulator. The only file of this folder that touches LLVM is edited.cpp.
#pragma once

#include "targets/simt/Driver.h"
#include "targets/simt/Kernel.h"

#include <memory>
#include <string>
#include <vector>

namespace edited {

/// A kernel whose code is a text.
struct TextKernel final : tl::backend::simt::SimtKernel {
  std::string target; // whose intrinsics the text has
  std::vector<std::string> stageNames() const override { return {}; }
  std::string stage(std::string_view) const override { return {}; }
};

/// The kernel of TTIR for "simt:" targets, and its code as text: for any arguments, so that threads
/// copy what it loads by pointers. `blocks`: of a program.
struct Compiled {
  TextKernel kernel; // all but the code
  std::string text;
};
Compiled compile(const std::string &ttir, const std::string &target, unsigned blocks = 1);

/// The kernel `described`: a product of 128 x 128 over `depth` of described blocks, 64 a time.
inline std::string describedProduct(int depth) {
  const std::string extent = "arith.constant " + std::to_string(depth);
  return R"(
tt.func public @described(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %n = )" +
         extent + R"( : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %pitch = )" +
         extent + R"( : i64
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %rowCount = arith.constant 128 : i32
  %x = tt.make_tensor_descriptor %a, [%rowCount, %n], [%pitch, %one] : <f16>, <128x64xf16>
  %y = tt.make_tensor_descriptor %b, [%rowCount, %n], [%pitch, %one] : <f16>, <128x64xf16>
  %sum = scf.for %k = %c0 to %n step %c64 iter_args(%c = %zero) -> (tensor<128x128xf32>) : i32 {
    %p = tt.descriptor_load %x[%c0, %k] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
    %q = tt.descriptor_load %y[%c0, %k] : !tt.tensordesc<128x64xf16> -> tensor<128x64xf16>
    %t = tt.trans %q {order = array<i32: 1, 0>} : tensor<128x64xf16> -> tensor<64x128xf16>
    %d = tt.dot %p, %t, %c : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %columns = tt.expand_dims %r {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %c128 = arith.constant dense<128> : tensor<128x1xi32>
  %begin = arith.muli %rows, %c128 : tensor<128x1xi32>
  %b1 = tt.broadcast %begin : tensor<128x1xi32> -> tensor<128x128xi32>
  %b2 = tt.broadcast %columns : tensor<1x128xi32> -> tensor<128x128xi32>
  %at = arith.addi %b1, %b2 : tensor<128x128xi32>
  %base = tt.splat %out : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>>
  %to = tt.addptr %base, %at : tensor<128x128x!tt.ptr<f32>>, tensor<128x128xi32>
  tt.store %to, %sum : tensor<128x128x!tt.ptr<f32>>
  tt.return
})";
}

/// Whether there is an AMD target.
bool hasAmd();

/// Of one warp, with a pointer as its parameter; `by_hand`, whose text is still to come.
inline TextKernel oneWarp(uint64_t sharedBytes) {
  TextKernel kernel;
  kernel.name = "by_hand";
  tl::backend::Parameter pointer;
  pointer.isPointer = true;
  pointer.bytes = 8;
  kernel.parameters = {pointer};
  kernel.blockThreads = kernel.lanes;
  kernel.sharedBytes = sharedBytes;
  return kernel;
}

/// With another text; the kernel's function is `symbol`.
TextKernel withText(const TextKernel &like, const std::string &text, const std::string &symbol);

} // namespace edited
