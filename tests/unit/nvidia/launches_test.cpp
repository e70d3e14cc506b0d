// SPDX-License-Identifier: MIT
//
// What CUDA adds to the launches of all GPUs: clusters, launches that overlap, shared memory that
// must be asked for; and GPUs that are too old.
#include "../gpu/gpus.hpp"

using namespace gpus;
using namespace tl::backend::nvidia;
using tl_test::fake;

TEST_CASE("a kernel that waits for the launch ahead of it may begin before that has ended") {
  Fresh fresh;
  Bench bench;
  bench.launch();
  CHECK(!fake().lastLaunch().overlaps);
  Code waiting = code("waiting");
  waiting.waitsForLaunch = true;
  auto kernel = bench.device->load(waiting);
  bench.launch(*kernel, *bench.stream, bench.memory);
  CHECK(fake().lastLaunch().overlaps);
  CHECK(!fake().lastLaunch().cooperative);
  Code both = meetingCode();
  both.waitsForLaunch = true;
  auto meeting = bench.device->load(both);
  bench.launch(*meeting, *bench.stream, bench.memory);
  CHECK(fake().lastLaunch().cooperative);
  CHECK(!fake().lastLaunch().overlaps);
}

TEST_CASE("a kernel of clusters counts their blocks") {
  Fresh fresh;
  Bench bench;
  Code clusters = code("clusters");
  clusters.numCtas = 4;
  auto kernel = bench.device->load(clusters);
  bench.launch(*kernel, *bench.stream, bench.memory, {10, 2, 1});
  CHECK(fake().lastLaunch().grid[0] == 40);
  CHECK(fake().lastLaunch().cluster == 4);
  CHECK(!fake().lastLaunch().cooperative);
  CHECK(errorOf([&] {
          bench.launch(*kernel, *bench.stream, bench.memory, {0x7fffffff, 1, 1});
        }).message == "the grid's extent along x is 8589934588, cuda:0 takes at most 2147483647");
}

TEST_CASE("kernels with more than 48 KB of shared memory run") {
  Fresh fresh;
  Bench bench;
  Code big = code("big");
  big.sharedBytes = 200000;
  auto kernel = bench.device->load(big);
  bench.launch(*kernel, *bench.stream, bench.memory);
  CHECK(fake().lastLaunch().sharedBytes == 200000);
  // What needs no more than every kernel has does not ask.
  fake().reset();
  big.sharedBytes = 48 * 1024;
  kernel = bench.device->load(big);
  bench.launch(*kernel, *bench.stream, bench.memory);
  CHECK(fake().calls("cuFuncSetAttribute") == 0);
}

TEST_CASE("a GPU of an architecture that is not known is refused") {
  Fresh fresh;
  fake().setAttribute(cuda::computeMajor, 7);
  fake().setAttribute(cuda::computeMinor, 5);
  const Error error = errorOf([] { CudaDevice(0, nullptr); });
  CHECK(error.status == TL_UNSUPPORTED);
  CHECK(error.message == "cuda:0 is a Fake H100 of architecture sm_75, libtl knows those "
                         "from sm_80 on");
}
