// SPDX-License-Identifier: MIT
//
// Runs TTIR text on the device "interpreter" through the C API, from the tests of this folder:
// arrays of raw elements in device memory, one call that compiles and launches, and what came of
// it. `lanes` wraps a few lines of TTIR into a kernel that loads operands and stores the result.
#pragma once

#include "tl/c/tl.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace c_api {

/// What a call came to. A copy of the diagnostic, so that later calls do not change it.
struct Outcome {
  tl_status status = TL_OK;
  std::string message, help, file, kernel, device;
  uint32_t line = 0;

  bool says(const std::string &part) const { return message.find(part) != std::string::npos; }
};

Outcome outcomeOf(tl_status status);

tl_device *device();
tl_stream *stream();

/// Device memory of `count` elements; freed with the object.
class Bytes {
public:
  explicit Bytes(uint64_t bytes);
  Bytes(const Bytes &) = delete;
  Bytes(Bytes &&other) noexcept : data(other.data) { other.data = nullptr; }
  ~Bytes();
  void *data = nullptr;
};

template <class T> class Array : public Bytes {
public:
  /// Never written.
  explicit Array(size_t count) : Bytes(count * sizeof(T)), count(count) {}
  Array(const std::vector<T> &values) : Array(values.size()) {
    tl_copy_to_device(stream(), data, values.data(), count * sizeof(T));
  }
  std::vector<T> values() const {
    std::vector<T> result(count);
    tl_copy_from_device(stream(), result.data(), data, count * sizeof(T));
    return result;
  }
  T operator[](size_t i) const { return values()[i]; }
  const size_t count;
};

/// The value of a parameter.
struct Argument {
  template <class T> Argument(const Array<T> &array) { set(array.data); }
  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_pointer_v<T>)
  Argument(T value) {
    set(value);
  }
  unsigned char bytes[8] = {};

private:
  template <class T> void set(T value) { std::memcpy(bytes, &value, sizeof value); }
};

struct Grid {
  uint32_t x = 1, y = 1, z = 1;
};

/// Compiles the module and runs its kernel.
Outcome run(const std::string &module, std::vector<Argument> arguments, Grid grid = {},
            bool debug = false);

/// An operand of `lanes`: its TTIR element type and its elements.
struct Operand {
  template <class T>
  Operand(std::string type, const std::vector<T> &values)
      : type(std::move(type)), elementBytes(sizeof(T)), count(values.size()),
        bytes(count * sizeof(T)) {
    std::memcpy(bytes.data(), values.data(), bytes.size());
  }
  std::string type;
  size_t elementBytes;
  size_t count;
  std::vector<unsigned char> bytes;
};

/// Runs `body` on tensors %a, %b, %c … of a shape like "8" or "4x8"; it defines %r with elements of
/// `resultType` and the shape `resultShape`. SHAPE in the body stands for the operands' shape.
std::vector<unsigned char> lanesOf(const std::string &body, const std::string &resultType,
                                   size_t resultBytes, const std::vector<Operand> &operands,
                                   const std::string &shape, const std::string &resultShape);

/// The same on vectors: the operands' length, padded to a power of two by the interpreter's test,
/// gives the shape. R is the element in memory.
template <class R>
std::vector<R> lanes(const std::string &body, const std::string &resultType,
                     const std::vector<Operand> &operands, const std::string &shape = "",
                     const std::string &resultShape = "") {
  const std::vector<unsigned char> bytes =
      lanesOf(body, resultType, sizeof(R), operands, shape, resultShape);
  std::vector<R> result(bytes.size() / sizeof(R));
  std::memcpy(result.data(), bytes.data(), result.size() * sizeof(R));
  if (shape.empty() && resultShape.empty())
    result.resize(operands[0].count);
  return result;
}

inline uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }
inline uint64_t bitsOf(double value) { return std::bit_cast<uint64_t>(value); }

} // namespace c_api
