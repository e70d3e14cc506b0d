// SPDX-License-Identifier: MIT
#pragma once
// The arrays of a case: .npy files in, elements as numbers, and the comparison. NumPy has no
// bfloat16 and no 8-bit floats: those arrays hold integers of the same size, and the argument's
// type ("*bf16") says what they mean.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace interchange {

struct array {
  std::string dtype; // as NumPy writes it: "<f4", "|u1"
  std::vector<std::uint8_t> bytes;

  std::size_t size() const;
};

std::string read_text(const std::filesystem::path &path);
array read_array(const std::filesystem::path &path);

struct tolerance {
  double relative = 0, absolute = 0;
};

/// Empty if `got` agrees with `want`, else a sentence. Floats may differ by
/// absolute + relative * |want|, and NaN equals NaN; integers must be equal.
std::string difference(const array &got, const array &want, std::string_view type,
                       tolerance allowed);

} // namespace interchange
