// SPDX-License-Identifier: MIT
//
// Loops that add the results of products to described blocks of memory, where other programs add
// theirs, as the gradients of attention do: out += X K^T K for the keys of each program. The second
// product takes the first one's result transposed. Exact: see products.hpp.

#include "products.hpp"

using namespace numeric;

namespace {

using half = tl::float16;

template <int BM, int BN, int D>
constexpr auto add_to_rows = tl::kernel{
    "add_to_rows", [](tl::descriptor<half, 1, BM, D> x, tl::descriptor<half, 1, BN, D> k,
                      tl::descriptor<float, 1, BM, D> out, tl::i32 rows) {
      tl::tensor keys = tl::reshape<BN, D>(k.load({0, tl::program_id(0) * BN, 0}));
      for (auto row : tl::range(0, rows, BM)) {
        tl::tensor tile = tl::reshape<BM, D>(x.load({0, row, 0}));
        tl::tensor weights = tl::cast<half>(tl::dot(keys, tl::trans(tile)));
        out.atomic_add({0, row, 0}, tl::reshape<1, BM, D>(tl::dot(tl::trans(weights), keys)));
      }
    }};

template <int BM, int BN, int D> void check_sums(int rows, int keys) {
  const std::vector<int> x = small_numbers(std::size_t(rows * D)),
                         k = small_numbers(std::size_t(keys * D));
  std::vector<float> want(x.size());
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < keys; ++j) {
      int weight = 0;
      for (int d = 0; d < D; ++d)
        weight += x[std::size_t(i * D + d)] * k[std::size_t(j * D + d)];
      for (int d = 0; d < D; ++d)
        want[std::size_t(i * D + d)] += float(weight * k[std::size_t(j * D + d)]);
    }
  const auto as_half = [](const std::vector<int> &numbers) {
    std::vector<half> values;
    for (const int number : numbers)
      values.push_back(half(float(number)));
    return values;
  };
  for (tl::device dev : tl::testing::devices())
    for (int stages : {1, 2, 3}) {
      CAPTURE(dev.name());
      CAPTURE(stages);
      tl::buffer<half> x_memory(dev, as_half(x)), k_memory(dev, as_half(k));
      tl::buffer<float> out(dev, std::vector<float>(want.size()));
      const tl::tensor_descriptor<half, 1, BM, D> x_view(x_memory, {1, rows, D});
      const tl::tensor_descriptor<half, 1, BN, D> k_view(k_memory, {1, keys, D});
      const tl::tensor_descriptor<float, 1, BM, D> out_view(out, {1, rows, D});
      tl::launch_options options = grid(tl::cdiv(keys, BN));
      options.num_stages = stages;
      seen(add_to_rows<BM, BN, D>[options](x_view, k_view, out_view, rows));
      CHECK(tl::testing::allclose(out, want, {.rtol = 0, .atol = 0}));
    }
}

} // namespace

TEST_CASE("what loops of several programs add to described blocks is all there") {
  check_sums<64, 64, 64>(256, 128);
  check_sums<64, 128, 128>(200, 256);
  check_sums<128, 64, 32>(300, 100);
}
