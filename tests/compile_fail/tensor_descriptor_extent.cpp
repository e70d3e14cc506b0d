// SPDX-License-Identifier: MIT
// A described tensor of the host whose blocks have an extent of zero.
// expect: every extent of a tl::tensor_descriptor's block is at least 1
#include <tl/tl.hpp>

int main() {
#ifdef WRONG
  using described = tl::tensor_descriptor<float, 0, 8>;
#else
  using described = tl::tensor_descriptor<float, 1, 8>;
#endif
  return described::rank;
}
