// SPDX-License-Identifier: MIT
// Texts of numbers are the same whatever locale the program has chosen.
#include "comma_locale.hpp"
#include "corpus.hpp"
#include "trace.hpp"

#include <tl/testing.hpp>

#include <vector>

TEST_CASE("TTIR and messages have points in a program whose locale has commas") {
  constexpr auto fraction = tl::kernel{
      [](tl::ptr<std::int32_t> x) { tl::store(x, tl::load(x, tl::program_id(0) < 3, 0.5f)); }};
  std::vector<std::string> before;
  for (const corpus::entry &e : corpus::all())
    before.push_back(e.trace());
  const comma_locale comma;
  if (!comma.is_set())
    return tl::testing::skip("localedef makes no locale with commas");
  std::size_t i = 0;
  for (const corpus::entry &e : corpus::all()) {
    CAPTURE(e.name);
    CHECK(e.trace() == before[i++]);
  }
  CHECK(traces::fails(fraction).message == "the number 0.5 cannot become i32");
  CHECK(tl::testing::allclose(std::vector<float>{1.5f}, std::vector<float>{1.25f}).text() ==
        "1 of 1 elements differ (rtol 0, atol 0)\n"
        "  first at [0]: 1.5, expected 1.25, off by 0.25\n"
        "  worst at [0]: 1.5, expected 1.25, off by 0.25");
}

TEST_CASE("numbers look as printf shows them in C's own locale") {
  using tl::impl::number_text;
  const double values[] = {0,      -0.0,      1,         1.5,   -2.25e-7,
                           1e300,  0x1p-1074, 123456789, 1e-05, 0.0001,
                           100000, 1000000.0, 1.0 / 3,   6e22,  __builtin_inf()};
  for (double value : values)
    for (int precision : {0, 2, 6, 9, 17}) {
      char text[512];
      std::snprintf(text, sizeof text, "%.*g", precision, value);
      CHECK(number_text(value, precision) == text);
      std::snprintf(text, sizeof text, "%.*e", precision, value);
      CHECK(number_text(value, precision, std::chars_format::scientific) == text);
      std::snprintf(text, sizeof text, "%.*f", precision, value);
      CHECK(number_text(value, precision, std::chars_format::fixed) == text);
    }
  CHECK(number_text(0x1.fffffffffffffp1023, 17, std::chars_format::fixed).size() == 309 + 1 + 17);
}
