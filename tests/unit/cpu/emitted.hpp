// SPDX-License-Identifier: MIT
//
// Compiles the pieces of the CPU target under test into functions that a plain C++ test can call.
// The only file of this folder that touches LLVM is emitted.cpp.
#pragma once

#include "arithmetic/FloatConversions.h"
#include "arithmetic/Math.h"
#include "targets/cpu/Dot.h"
#include "targets/cpu/Driver.h"
#include "targets/cpu/HostFeatures.h"
#include "targets/cpu/Jit.h"

#include <cstdint>
#include <memory>
#include <string>

namespace emitted {

using namespace tl::backend;
using namespace tl::backend::cpu;

/// A kernel from LLVM IR text, ready for CpuDevice::load.
struct TextKernel final : CpuKernel {
  std::vector<std::string> stageNames() const override { return {}; }
  std::string stage(std::string_view) const override { return {}; }
};
TextKernel textKernel(const std::string &ir, const std::string &entry,
                      const HostFeatures &features = HostFeatures::host());

/// A loop over arrays of vectors with one emitted operation in it. The number of elements must be
/// a multiple of the lanes.
struct ArrayFunction {
  std::unique_ptr<LoadedCode> code;
  std::string assembly;
  void operator()(void *out, uint64_t count, const void *a, const void *b = nullptr,
                  const void *c = nullptr) const {
    reinterpret_cast<void (*)(void *, uint64_t, const void *, const void *, const void *)>(
        code->entry)(out, count, a, b, c);
  }
};

ArrayFunction math(MathFunction function, unsigned bits, unsigned lanes,
                   const HostFeatures &features, bool keepAssembly = false);
ArrayFunction conversion(FloatFormat from, FloatFormat to, Rounding rounding, unsigned lanes,
                         const HostFeatures &features, bool keepAssembly = false);
ArrayFunction floatToInteger(unsigned floatBits, unsigned integerBits, bool isSigned,
                             unsigned lanes, const HostFeatures &features);
ArrayFunction integerToFloat(unsigned integerBits, bool isSigned, FloatFormat to, unsigned lanes,
                             const HostFeatures &features);

/// C += A * B with strides that are known when compiling. Calls `repeat` times.
struct DotFunction {
  std::unique_ptr<LoadedCode> code;
  std::string assembly;
  uint64_t workspaceBytes = 0;
  void operator()(const void *a, const void *b, void *c, void *workspace,
                  uint64_t repeat = 1) const {
    reinterpret_cast<void (*)(const void *, const void *, void *, void *, uint64_t)>(code->entry)(
        a, b, c, workspace, repeat);
  }
};
struct DotLayout {
  int64_t aRow, aColumn, bRow, bColumn, cRow;
  int64_t aBatch = 0, bBatch = 0, cBatch = 0;
};
DotFunction dot(const DotSpec &spec, const DotLayout &layout, const HostFeatures &features,
                bool keepAssembly = false);

} // namespace emitted
