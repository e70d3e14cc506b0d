// SPDX-License-Identifier: MIT
//
// Tensor maps that a launch makes from the arguments of a kernel.
#include "../gpu/gpus.hpp"

#include <cstring>
#include <thread>

using namespace gpus;
using namespace tl::backend::nvidia;
using tl_test::fake;

namespace {

/// "mapped": a pointer, an i32, and the map of a float matrix of n rows and 24 columns.
Code mapped() {
  Code made = code("mapped");
  TensorMapRecipe recipe;
  recipe.base = 0;
  recipe.extents = {LaunchNumber::ofConstant(24), LaunchNumber::ofParameter(1, 32)};
  recipe.strides = {LaunchNumber::ofConstant(32)};
  recipe.box = {16, 8};
  recipe.element = TensorElement::f32;
  recipe.elementBytes = 4;
  made.hidden.tensorMaps = {recipe};
  return made;
}

} // namespace

TEST_SUITE("tensor maps") {

  TEST_CASE("a launch makes them from its arguments, with one call each") {
    Fresh fresh;
    Bench bench;
    const Code made = mapped();
    auto kernel = bench.device->load(made);
    bench.launch(*kernel, *bench.stream, bench.memory);
    fake().reset();
    for (int n : {21, 1, 0, -5}) {
      void *pointer = bench.memory;
      void *arguments[] = {&pointer, &n};
      bench.device->launch(*kernel, *bench.stream, {1, 1, 1}, arguments);
      const FakeTensorMap map = fake().lastTensorMap();
      CHECK(map.base == bench.memory);
      CHECK(map.element == 7);
      CHECK(map.rank == 2);
      CHECK(map.extents[0] == 24);
      CHECK(map.extents[1] == (n < 1 ? 1 : n)); // of no elements: its boxes are moved away
      CHECK(map.strides[0] == 128);
      CHECK(map.box[0] == 16);
      CHECK(map.box[1] == 8);
      CHECK(map.fill == 0);
    }
    CHECK(fake().calls("cuTensorMapEncodeTiled") == 4);
    CHECK(fake().calls("cuLaunchKernel") == 4);
    CHECK(fake().calls(nullptr) == 12); // each asks whose context is current, too
  }

  TEST_CASE("products wrap around where the kernel's do") {
    Fresh fresh;
    Bench bench;
    const auto launch = [&](LaunchNumber extent, int n) {
      Code made = mapped();
      made.hidden.tensorMaps[0].extents[1] = extent;
      auto kernel = bench.device->load(made);
      void *pointer = bench.memory;
      void *arguments[] = {&pointer, &n};
      bench.device->launch(*kernel, *bench.stream, {1, 1, 1}, arguments);
      return fake().lastTensorMap().extents[1];
    };
    CHECK(launch({3, 2, {1, 1}, 32, false}, 5) == 75);
    CHECK(launch({-3, 1, {1}, 32, false}, -5) == 15);
    CHECK(launch({1, 2, {1, 1}, 32, false}, 65537) == 131073);
    CHECK(launch({1, 2, {1, 1}, 64, false}, 60000) == 3600000000);
    CHECK(launch({1, 2, {1, 1}, 32, false}, 50000) == 1); // negative
    CHECK(launch({1, 2, {1, 1}, 32, true}, 50000) == 2500000000);
    CHECK(launch({1, 1, {1}, 64, true}, -2) == 4294967294);
    CHECK(launch({1, 4, {1, 1, 1, 1}, 16, false}, 17) == 17985);
    CHECK(launch({1, 1, {1}, 8, false}, 0x17f) == 0x7f);
  }

  TEST_CASE("they are made in the GPU's context, whatever context the thread has") {
    Fresh fresh;
    Bench bench;
    const Code made = mapped();
    auto kernel = bench.device->load(made);
    std::thread([&] { bench.launch(*kernel, *bench.stream, bench.memory); }).join();
    CHECK(fake().lastTensorMap().base == bench.memory);
    void *foreign = fake().switchContext(1, true);
    bench.launch(*kernel, *bench.stream, bench.memory);
    CHECK(fake().currentContext() == foreign);
    CHECK(fake().calls("cuTensorMapEncodeTiled") == 2);
  }

  TEST_CASE("elements have the driver's numbers") {
    Fresh fresh;
    Bench bench;
    const std::pair<TensorElement, unsigned> numbers[] = {
        {TensorElement::u8, 0},  {TensorElement::u16, 1}, {TensorElement::u32, 2},
        {TensorElement::s32, 3}, {TensorElement::u64, 4}, {TensorElement::s64, 5},
        {TensorElement::f16, 6}, {TensorElement::f32, 7}, {TensorElement::f64, 8},
        {TensorElement::bf16, 9}};
    for (auto [element, number] : numbers) {
      Code made = mapped();
      made.hidden.tensorMaps[0].element = element;
      made.hidden.tensorMaps[0].padWithNan = element == TensorElement::bf16;
      auto kernel = bench.device->load(made);
      bench.launch(*kernel, *bench.stream, bench.memory);
      CHECK(fake().lastTensorMap().element == number);
      CHECK(fake().lastTensorMap().fill == unsigned(element == TensorElement::bf16));
    }
  }

  TEST_CASE("they come after all other parameters") {
    Fresh fresh;
    Bench bench;
    Code made = mapped();
    made.hidden.gridBarrier = true;
    made.hidden.globalBytes = 128;
    made.sharedBytes = 96 * 1024; // counts only once the driver has been asked for it
    auto kernel = bench.device->load(made);
    bench.launch(*kernel, *bench.stream, bench.memory);
    const FakeLaunch last = fake().lastLaunch();
    CHECK(last.cooperative);
    CHECK(fake().calls("cuMemAllocAsync") == 1);
    CHECK(fake().calls("cuMemFreeAsync") == 1);
    CHECK(fake().lastTensorMap().base == bench.memory);
  }

  TEST_CASE("more programs than there are bytes to work in are refused") {
    Fresh fresh;
    Bench bench;
    Code made = mapped();
    made.hidden.globalBytes = uint64_t(1) << 40;
    auto kernel = bench.device->load(made);
    const Error error =
        errorOf([&] { bench.launch(*kernel, *bench.stream, bench.memory, {0x7fffffff, 1, 1}); });
    CHECK(error.status == TL_OUT_OF_RESOURCES);
    CHECK(fake().calls("cuMemAllocAsync") == 0);
  }

  TEST_CASE("a stride that TMA does not take is named") {
    Fresh fresh;
    Bench bench;
    for (int64_t stride : {int64_t(-32), int64_t(1) << 38, int64_t(1)}) {
      Code made = mapped();
      made.hidden.tensorMaps[0].strides = {LaunchNumber::ofConstant(stride)};
      auto kernel = bench.device->load(made);
      const Error error = errorOf([&] { bench.launch(*kernel, *bench.stream, bench.memory); });
      CHECK(error.status == TL_INVALID_ARGUMENT);
      CHECK(error.message == "the stride of axis 0 of a tensor descriptor is " +
                                 std::to_string(4 * stride) +
                                 " bytes, cuda:0 takes multiples of 16 from 0 to 1099511627760");
      CHECK(error.help == "address the tensor by pointers, or set TL_TMA=0");
      CHECK(error.kernel == "mapped");
    }
  }

  TEST_CASE("arguments with which pointers lead elsewhere are for other code") {
    Fresh fresh;
    Bench bench;
    Code made = mapped();
    made.hidden.tensorMaps[0].isOfPointers = true;
    made.hidden.tensorMaps[0].counts = {1};
    const auto isUnfit = [&](const Code &code, char *pointer, int n) {
      auto kernel = bench.device->load(code);
      void *arguments[] = {&pointer, &n};
      try {
        bench.device->launch(*kernel, *bench.stream, {1, 1, 1}, arguments);
        return false;
      } catch (const UnfitArguments &) {
        return true;
      }
    };
    char *const memory = static_cast<char *>(bench.memory);
    const int most = 1 << 30;
    CHECK_FALSE(isUnfit(made, memory, 1));
    CHECK_FALSE(isUnfit(made, memory, most));
    CHECK_FALSE(isUnfit(made, nullptr, 1));
    fake().reset();
    CHECK(isUnfit(made, memory, most + 1)); // more than things are counted by
    CHECK(isUnfit(made, memory, 0));        // nothing is there
    CHECK(isUnfit(made, memory, -5));
    CHECK(isUnfit(made, memory + 8, 1));
    for (int64_t stride : {int64_t(-32), int64_t(1) << 38, int64_t(1)}) {
      Code strided = made;
      strided.hidden.tensorMaps[0].strides = {LaunchNumber::ofConstant(stride)};
      CHECK(isUnfit(strided, memory, 1));
    }
    Code counted = made;
    counted.hidden.tensorMaps[0].extents[1] = LaunchNumber::ofConstant(8);
    CHECK_FALSE(isUnfit(counted, memory, 0));
    CHECK(isUnfit(counted, memory, -1));
    CHECK(fake().calls("cuLaunchKernel") == 1);
  }

  TEST_CASE("a launch that is refused has taken no memory") {
    Fresh fresh;
    Bench bench;
    Code made = mapped();
    made.hidden.globalBytes = 128;
    made.hidden.tensorMaps[0].strides = {LaunchNumber::ofConstant(1)};
    auto kernel = bench.device->load(made);
    CHECK(errorOf([&] { bench.launch(*kernel, *bench.stream, bench.memory); }).status ==
          TL_INVALID_ARGUMENT);
    CHECK(fake().calls("cuMemAllocAsync") == 0);
  }

  TEST_CASE("how far elements are apart does not matter where there is one") {
    Fresh fresh;
    Bench bench;
    for (int64_t stride : {int64_t(-32), int64_t(1) << 38, int64_t(1), int64_t(64)}) {
      Code made = mapped();
      made.hidden.tensorMaps[0].strides = {LaunchNumber::ofConstant(stride)};
      made.hidden.tensorMaps[0].extents[1] = LaunchNumber::ofConstant(1);
      auto kernel = bench.device->load(made);
      CHECK_NOTHROW(bench.launch(*kernel, *bench.stream, bench.memory));
      CHECK(fake().lastTensorMap().strides[0] == (stride == 64 ? 256 : 16));
    }
  }

  TEST_CASE("a base that TMA does not take is named, but for an empty tensor") {
    Fresh fresh;
    Bench bench;
    const Code made = mapped();
    auto kernel = bench.device->load(made);
    const auto launch = [&](void *pointer, int n) {
      void *arguments[] = {&pointer, &n};
      bench.device->launch(*kernel, *bench.stream, {1, 1, 1}, arguments);
    };
    Error error = errorOf([&] { launch(static_cast<char *>(bench.memory) + 4, 1); });
    CHECK(error.status == TL_INVALID_ARGUMENT);
    CHECK(error.message == "argument 0, the base of a tensor descriptor, is not a multiple of 16 "
                           "bytes, as the kernel promises");
    error = errorOf([&] { launch(nullptr, 1); });
    CHECK(error.status == TL_INVALID_ARGUMENT);
    CHECK(error.message == "argument 0, the base of a tensor descriptor, is a null pointer");
    CHECK(error.kernel == "mapped");
    CHECK_NOTHROW(launch(nullptr, 0));
    // Pointers of which nothing is loaded.
    Code pointers = mapped();
    pointers.hidden.tensorMaps[0].isOfPointers = true;
    auto loading = bench.device->load(pointers);
    void *pointer = nullptr;
    int n = 1;
    void *arguments[] = {&pointer, &n};
    CHECK_NOTHROW(bench.device->launch(*loading, *bench.stream, {1, 1, 1}, arguments));
    CHECK(fake().lastTensorMap().base != nullptr);
  }

  TEST_CASE("what else the driver refuses is reported as it says it") {
    Fresh fresh;
    Bench bench;
    const Code made = mapped();
    auto kernel = bench.device->load(made);
    fake().fail("cuTensorMapEncodeTiled", 1, 218);
    const Error error = errorOf([&] { bench.launch(*kernel, *bench.stream, bench.memory); });
    CHECK(error.status == TL_RUNTIME_ERROR);
    CHECK(error.message == "cannot describe a tensor to TMA: a fake failure "
                           "(CUDA_ERROR_INVALID_PTX)");
    CHECK_NOTHROW(bench.launch(*kernel, *bench.stream, bench.memory));
  }

  TEST_CASE("a driver without them is too old for such a kernel, and for no other") {
    Fresh fresh;
    Bench bench;
    auto &cuda = const_cast<CudaApi &>(*CudaApi::find());
    auto *encode = std::exchange(cuda.encodeTensorMap, nullptr);
    const Code made = mapped();
    const Error error = errorOf([&] { bench.device->load(made); });
    cuda.encodeTensorMap = encode;
    CHECK(error.status == TL_UNSUPPORTED);
    CHECK(error.message == "kernel mapped needs cuTensorMapEncodeTiled, which the NVIDIA driver "
                           "has from CUDA 12.0 on");
    CHECK(error.help == "install a newer driver, or set TL_TMA=0");
    CHECK_NOTHROW(bench.launch());
  }

} // TEST_SUITE
