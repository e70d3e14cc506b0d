// SPDX-License-Identifier: MIT
// Every kernel of the corpus traces, the same way each time.
#include "corpus.hpp"
#include "trace.hpp"

TEST_CASE("the whole language traces, and tracing is repeatable") {
  for (const corpus::entry &e : corpus::all()) {
    CAPTURE(e.name);
    const std::string text = e.trace();
    CHECK(text == e.trace());
    CHECK(traces::has(text, std::string("tt.func public @") + e.name + "("));
    CHECK(traces::has(text, "corpus.hpp\":"));
    CHECK(!traces::has(text, "loc(unknown)"));
  }
}
