// SPDX-License-Identifier: MIT
//
// TTIR as earlier releases of upstream's Triton write and read it. A text says the same in all of
// them; what differs is how some types and operations are spelled, and what is younger than a
// release. Read the table of operations in EarlierSpelling.cpp first.
#pragma once

#include <string>
#include <string_view>

namespace tlc {

/// Throws a Failure if the release is none of "3.6", "3.7", "3.8" and "3.9".
void checkRelease(const std::string &release);

/// The text as the release, one of those, reads it; "3.9" is what libtl prints. Throws a Failure
/// for operations that the release does not have.
std::string spelledFor(const std::string &release, std::string_view ttir);

} // namespace tlc
