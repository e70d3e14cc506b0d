// SPDX-License-Identifier: MIT
//
// Casts between floats, and between floats and integers: one rounding, saturation, NaN.
#include "c_api.hpp"

#include "tl/dtype.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>

using c_api::lanes;

namespace {

constexpr float nan32 = std::numeric_limits<float>::quiet_NaN();
constexpr float inf32 = std::numeric_limits<float>::infinity();

using F32 = std::vector<float>;
using F64 = std::vector<double>;
using U8 = std::vector<uint8_t>;
using U16 = std::vector<uint16_t>;

template <class R, class T>
std::vector<R> cast(const std::string &op, const std::string &from, std::vector<T> a,
                    const std::string &to) {
  return lanes<R>("%r = " + op + " %a : tensor<SHAPEx" + from + "> to tensor<SHAPEx" + to + ">", to,
                  {{from, a}});
}

template <class R, class T>
std::vector<R> convert(const std::string &from, std::vector<T> a, const std::string &to,
                       const std::string &rounding = "rtne") {
  return lanes<R>("%r = tt.fp_to_fp %a, rounding = " + rounding + " : tensor<SHAPEx" + from +
                      "> -> tensor<SHAPEx" + to + ">",
                  to, {{from, a}});
}

template <class T> auto bits(double value) { return T(value).bits; }

} // namespace

TEST_CASE("floats become integers by truncation that saturates") {
  CHECK(cast<int8_t>("arith.fptosi", "f32", F32{inf32, 510, -200, nan32, -inf32, -1.9f, 1.9f},
                     "i8") == std::vector<int8_t>{127, 127, -128, 0, -128, -1, 1});
  CHECK(cast<int32_t>("arith.fptosi", "f32", F32{3e9f, -1, nan32, 2147483520.0f}, "i32") ==
        std::vector<int32_t>{2147483647, -1, 0, 2147483520});
  CHECK(cast<uint8_t>("arith.fptoui", "f32", F32{3e9f, -1, nan32, 255.9f, -0.5f}, "i8") ==
        U8{255, 0, 0, 255, 0});
  CHECK(cast<int64_t>("arith.fptosi", "f64", F64{1e300, -1e300, 9e18}, "i64") ==
        std::vector<int64_t>{std::numeric_limits<int64_t>::max(),
                             std::numeric_limits<int64_t>::min(), 9000000000000000000});
  CHECK(cast<uint64_t>("arith.fptoui", "f64", F64{1e300, 1.8e19}, "i64") ==
        std::vector<uint64_t>{~0ull, 18000000000000000000ull});
  CHECK(cast<int8_t>("arith.fptosi", "f16",
                     U16{0x7C00, bits<tl::float16>(510), bits<tl::float16>(-200), 0x7E00},
                     "i8") == std::vector<int8_t>{127, 127, -128, 0});
}

TEST_CASE("integers become floats with one rounding") {
  CHECK(cast<float>("arith.sitofp", "i32", std::vector<int32_t>{16777217, -1}, "f32") ==
        F32{16777216, -1});
  CHECK(cast<float>("arith.uitofp", "i32", std::vector<int32_t>{-1}, "f32") == F32{4294967296.0f});
  CHECK(cast<float>("arith.sitofp", "i1", U8{1}, "f32") == F32{-1});
  CHECK(cast<float>("arith.uitofp", "i1", U8{1}, "f32") == F32{1});
  // 2^54 + 2^46 + 1 is just above a tie of bf16; through double it would become the tie.
  const int64_t x = (int64_t(1) << 62) + (int64_t(1) << 54) + 1;
  CHECK(cast<uint16_t>("arith.sitofp", "i64", std::vector<int64_t>{x}, "bf16") ==
        U16{bits<tl::bfloat16>(std::ldexp(1 + 0x1p-7, 62))});
  CHECK(cast<uint16_t>("arith.uitofp", "i32", std::vector<uint32_t>{65520, 65519}, "f16") ==
        U16{0x7C00, 0x7BFF});
}

TEST_CASE("8-bit floats round once, ties to even, from the source type") {
  const U8 e5m2 = {bits<tl::float8e5>(1.0), bits<tl::float8e5>(1.5), bits<tl::float8e5>(1.5),
                   bits<tl::float8e5>(1.25)};
  for (const char *type : {"f16", "bf16"}) {
    U16 values;
    for (double v : {1.125, 1.375, 1.625, 1.1875})
      values.push_back(type[0] == 'f' ? bits<tl::float16>(v) : bits<tl::bfloat16>(v));
    CHECK(convert<uint8_t>(type, values, "f8E5M2") == e5m2);
  }
  CHECK(convert<uint8_t>("f32", F32{1.0625f, 1.0625001f, 0x1p-10f, 1.5f * 0x1p-10f}, "f8E4M3FN") ==
        U8{bits<tl::float8e4nv>(1), bits<tl::float8e4nv>(1.125), 0, bits<tl::float8e4nv>(0x1p-9)});
  CHECK(convert<uint8_t>("f64", F64{1.0625 + 1e-12}, "f8E4M3FN") ==
        U8{bits<tl::float8e4nv>(1.125)});
}

TEST_CASE("8-bit floats saturate, infinities too, and keep NaN") {
  CHECK(convert<uint8_t>(
            "f16",
            U16{0x7C00, 0xFC00, bits<tl::float16>(65504), bits<tl::float16>(57344), 0x7B7F, 0x7E00},
            "f8E5M2") == U8{0x7B, 0xFB, 0x7B, 0x7B, 0x7B, 0x7F});
  CHECK(convert<uint8_t>("f32", F32{500, -500, inf32, 448, nan32}, "f8E4M3FN") ==
        U8{0x7E, 0xFE, 0x7E, 0x7E, 0x7F});
  CHECK(convert<uint8_t>("f32", F32{1e9f, nan32, -0.0f}, "f8E4M3FNUZ") == U8{0x7F, 0x80, 0x00});
  CHECK(convert<uint8_t>("f32", F32{1e9f, nan32, -0.0f}, "f8E5M2FNUZ") == U8{0x7F, 0x80, 0x00});
  CHECK(cast<uint8_t>("arith.truncf", "f32", F32{500, 1.0625f}, "f8E4M3FN") ==
        U8{0x7E, bits<tl::float8e4nv>(1)});
}

TEST_CASE("every encoding of the small floats widens exactly and comes back") {
  U8 all8(256);
  for (int i = 0; i < 256; ++i)
    all8[static_cast<size_t>(i)] = static_cast<uint8_t>(i);
  auto check8 = [&]<class T>(const char *type, T) {
    CAPTURE(type);
    const F32 wide = lanes<float>(std::string("%r = tt.fp_to_fp %a : tensor<SHAPEx") + type +
                                      "> -> tensor<SHAPExf32>",
                                  "f32", {{type, all8}});
    for (int i = 0; i < 256; ++i) {
      const float expected = T::from_bits(static_cast<uint8_t>(i));
      const bool same =
          std::isnan(expected) ? std::isnan(wide[size_t(i)]) : wide[size_t(i)] == expected;
      CHECK_MESSAGE(same, i);
    }
    const U8 back = convert<uint8_t>("f32", wide, type);
    for (int i = 0; i < 256; ++i)
      if (!std::isnan(wide[size_t(i)]) && !std::isinf(wide[size_t(i)]))
        CHECK_MESSAGE(back[size_t(i)] == i, i);
  };
  check8("f8E4M3FN", tl::float8e4nv());
  check8("f8E5M2", tl::float8e5());
  check8("f8E4M3FNUZ", tl::float8e4b8());
  check8("f8E5M2FNUZ", tl::float8e5b16());
  U16 all16(65536);
  for (uint32_t i = 0; i < 65536; ++i)
    all16[i] = static_cast<uint16_t>(i);
  for (const char *type : {"f16", "bf16"}) {
    const F32 wide = cast<float>("arith.extf", type, all16, "f32");
    const U16 back = cast<uint16_t>("arith.truncf", "f32", wide, type);
    size_t differing = 0;
    for (uint32_t i = 0; i < 65536; ++i)
      differing += !std::isnan(wide[i]) && back[i] != i;
    CHECK(differing == 0);
  }
}

TEST_CASE("rounding toward zero steps back from what went too far") {
  CHECK(convert<uint16_t>("f32", F32{65535, 1.0009f, -1.0009f, 1e-30f, inf32}, "f16", "rtz") ==
        U16{0x7BFF, bits<tl::float16>(1), bits<tl::float16>(-1), 0, 0x7C00});
  CHECK(convert<uint16_t>("f32", F32{1.999f, nan32}, "bf16", "rtz") ==
        U16{bits<tl::bfloat16>(1.9921875), 0x7FC0});
  CHECK(convert<uint8_t>("f32", F32{1.99f, -0x1p-18f}, "f8E5M2", "rtz") ==
        U8{bits<tl::float8e5>(1.75), 0x80});
  CHECK(convert<uint8_t>("f32", F32{0.9f * 0x1p-10f, -0.9f * 0x1p-10f}, "f8E4M3FNUZ", "rtz") ==
        U8{0, 0});
  CHECK(convert<float>("f64", F64{1 + 0x1.8p-23}, "f32", "rtz") == F32{1 + 0x1p-23f});
}

TEST_CASE("bit casts keep the bits") {
  CHECK(lanes<uint32_t>("%r = tt.bitcast %a : tensor<SHAPExf32> -> tensor<SHAPExi32>", "i32",
                        {{"f32", F32{1.0f, -0.0f}}}) ==
        std::vector<uint32_t>{0x3F800000, 0x80000000});
  CHECK(lanes<uint16_t>("%r = arith.bitcast %a : tensor<SHAPExi16> to tensor<SHAPExbf16>", "bf16",
                        {{"i16", U16{0x7FC1}}}) == U16{0x7FC1});
  CHECK(lanes<uint8_t>("%r = tt.bitcast %a : tensor<SHAPExi8> -> tensor<SHAPExf8E5M2>", "f8E5M2",
                       {{"i8", U8{0x7D}}}) == U8{0x7D});
}
