// SPDX-License-Identifier: MIT
//
// Reads and writes NumPy's .npy files: one array, a Python dict for a header, the elements in C
// order. Versions 1.0, 2.0 and 3.0; little-endian booleans, integers and floats. Whatever else a
// file may hold is refused with a sentence. Next: Arguments.h checks arrays against parameters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tlc {

struct NpyArray {
  std::string dtype; // as NumPy writes it: "<f4", "|u1"
  std::vector<uint64_t> shape;
  std::vector<char> bytes;

  /// "float32", "uint8": the name that people use.
  std::string typeName() const;
};

/// Size in bytes of one element of the dtype, 0 if it is not one of ours.
unsigned elementBytes(const std::string &dtype);

/// Both throw Failure (BadFile).
NpyArray readNpy(const std::string &path);
void writeNpy(const std::string &path, const NpyArray &array);

/// Whole files, for TTIR and for stages; "-" is the standard input and output.
std::vector<char> readFile(const std::string &path);
void writeFile(const std::string &path, const std::string &content);

/// Fails if anything that went to the standard output did not arrive: what kernels print, too.
void finishOutput();

} // namespace tlc
