// SPDX-License-Identifier: MIT
//
// What a launch may ask of the compiler, as all layers pass it on. The list of the options is
// tl/impl/compile_options.hpp.
#pragma once

#include "tl/impl/compile_options.hpp"

#include <initializer_list>

namespace tl::backend {

struct CompileOptions {
#define NUMBER(name, member, usual, ...) int member = usual;
#define SWITCH(name, member, usual, ...) bool member = usual;
  TL_IMPL_COMPILE_OPTIONS(NUMBER, SWITCH)
#undef NUMBER
#undef SWITCH
};

enum class CompileOption {
#define OPTION(name, member, ...) member,
  TL_IMPL_COMPILE_OPTIONS(OPTION, OPTION)
#undef OPTION
};

/// Some of the options.
class CompileOptionSet {
public:
  constexpr CompileOptionSet() = default;
  constexpr CompileOptionSet(std::initializer_list<CompileOption> members) {
    for (CompileOption option : members)
      bits |= bitOf(option);
  }
  static constexpr CompileOptionSet all() {
    CompileOptionSet set;
#define OPTION(name, member, ...) set.bits |= bitOf(CompileOption::member);
    TL_IMPL_COMPILE_OPTIONS(OPTION, OPTION)
#undef OPTION
    return set;
  }

  constexpr bool has(CompileOption option) const { return bits & bitOf(option); }
  friend constexpr CompileOptionSet operator|(CompileOptionSet a, CompileOptionSet b) {
    a.bits |= b.bits;
    return a;
  }
  friend constexpr bool operator==(CompileOptionSet a, CompileOptionSet b) {
    return a.bits == b.bits;
  }

private:
  static constexpr unsigned bitOf(CompileOption option) {
    return 1u << static_cast<unsigned>(option);
  }
  unsigned bits = 0;
};

} // namespace tl::backend
