// SPDX-License-Identifier: MIT
//
// The code generation targets of AMD, and what differs between them. Two families: those of CDNA
// (gfx9) run waves of 64 lanes and have MFMA, those of RDNA (gfx11, gfx12) waves of 32 and WMMA.
// Next: GpuDescription.cpp for the matrix instructions of each.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tl::backend::amd {

enum class Generation { cdna2, cdna3, cdna4, rdna3, rdna4 };

/// A code generation target by name, "gfx942".
struct Architecture {
  std::string name;
  Generation generation = Generation::cdna3;
  /// The target of that name, as HIP's `gcnArchName` has it too, with features after a colon
  /// ("gfx942:sramecc+:xnack-"); nothing for other names.
  static std::optional<Architecture> parse(std::string_view name);

  bool isCdna() const { return generation <= Generation::cdna4; }
  /// Threads of a wave, which are the lanes of a warp.
  unsigned lanes() const { return isCdna() ? 64 : 32; }
  /// Bytes of LDS that a program may have.
  uint64_t maxSharedBytes() const {
    return generation == Generation::cdna4 ? 160 * 1024 : 64 * 1024;
  }
  /// Banks of LDS, of 4 bytes each.
  unsigned sharedBanks() const { return generation == Generation::cdna4 ? 64 : 32; }
  /// Whether there are conversions of floats of 8 bits, and which these are: the FNUZ ones, without
  /// infinity and negative zero, or OCP's.
  bool hasFp8Conversions() const {
    return generation == Generation::cdna3 || generation == Generation::cdna4 ||
           generation == Generation::rdna4;
  }
  bool hasFnuzFp8() const { return generation == Generation::cdna3; }
  /// Whether f32 is rounded to bf16, and floats of 16 bits to and from those of 8, by an
  /// instruction.
  bool hasBf16Conversions() const { return generation == Generation::cdna4; }
  /// Bytes that a lane can load to LDS by an instruction, the powers of two among them from 4 on.
  std::span<const int32_t> laneCopies() const {
    static constexpr int32_t sizes[] = {4, 16};
    const unsigned count = generation == Generation::cdna4 ? 2 : generation == Generation::cdna3;
    return std::span(sizes).first(count);
  }
  /// Whether there are reads of LDS that give columns of elements of 8 and 16 bits to lanes.
  bool hasTransposingReads() const { return generation == Generation::cdna4; }
  /// Whether a minimum with NaN is NaN.
  bool hasMinimumOfNaN() const {
    return generation == Generation::cdna4 || generation == Generation::rdna4;
  }
};

} // namespace tl::backend::amd
