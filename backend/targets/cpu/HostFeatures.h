// SPDX-License-Identifier: MIT
//
// Which processor the code is for. Everything that chooses instructions (vector width, fused
// multiply-add, packed 16-bit and 8-bit products) asks a HostFeatures value, so that one build of
// the library runs on every processor and tests can emit code for a poorer machine than they run
// on. No LLVM header is needed here. Next: arithmetic/Features.h for the part that all targets
// share, and Jit.h, which hands it to the code generator.
#pragma once

#include "arithmetic/Features.h"

#include <string>
#include <string_view>
#include <vector>

namespace tl::backend::cpu {

/// The processor as the code generator and the emitters see it.
///
///   const HostFeatures &host = HostFeatures::host();
///   unsigned lanes = host.lanes(4);                  // 16 with AVX-512, 8 with AVX2, else 4
///   HostFeatures v3 = HostFeatures::named("x86-64-v3");
struct HostFeatures : ArithmeticFeatures {
  std::string triple;   ///< of this process, "x86_64-pc-linux-gnu"
  std::string cpu;      ///< LLVM's name: "znver5", "x86-64-v3"
  std::string features; ///< LLVM's list for the code generator: "+avx2,-avx512f,…"

  unsigned vectorRegisters = 16;
  bool x86 = false;
  bool avx2 = false;       ///< 32-byte vectors and gathers
  bool avx512Vnni = false; ///< sums of four u8 x s8 products
  bool avxVnni = false;    ///< the same on 32-byte vectors without AVX-512
  bool avx512Bf16 = false; ///< sums of two bf16 products, f32 -> bf16
  bool amxTile = false, amxBf16 = false, amxInt8 = false; ///< tile registers; enabled by the system

  /// The processor that runs this process, with the changes that TL_CPU_FEATURES asks for. Throws
  /// Error when that names a feature LLVM does not know or asks for one the machine lacks.
  static const HostFeatures &host();

  /// A processor by name: "native" or one of the portable levels "x86-64", "x86-64-v2",
  /// "x86-64-v3", "x86-64-v4" (on aarch64: "generic"). Throws Error for other names.
  static HostFeatures named(std::string_view name);

  /// The names that `named` takes on this architecture and this machine can run, poorest first.
  static std::vector<std::string> runnable();

  /// This processor with "+feature,-feature" laid over it, as TL_CPU_FEATURES has it.
  HostFeatures with(std::string_view changes) const;

  /// For people: "AMD EPYC …, AVX-512, BF16, VNNI".
  std::string description() const;
};

} // namespace tl::backend::cpu
