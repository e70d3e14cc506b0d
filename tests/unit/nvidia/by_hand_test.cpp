// SPDX-License-Identifier: MIT
//
// A program that launches a kernel of libtl by the driver's functions alone, from what tl/c/tl.h
// tells about it. The fake driver keeps what it gets, PTX says what the kernel takes, and a
// launch by libtl what it should get.
#include "fake_cuda.hpp"

#include "tl/c/tl.h"

#include <cstring>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <regex>
#include <string>
#include <vector>

using tl_test::fake;

namespace {

/// A kernel with a hidden parameter of each kind: two descriptors, of which the launch can make one
/// map and each program makes the other; an assertion; a barrier of all programs.
const std::string everything = R"(module {
  tt.func public @everything(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                             %o: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                             %m: i32, %n: i32 {tt.divisibility = 16 : i32}) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %c64 = arith.constant 64 : i32
    %holds = arith.cmpi sgt, %m, %zero : i32
    tt.assert %holds, "m is positive" : i1 loc("user.cpp":12:3)
    %i = tt.get_program_id x : i32
    %p = tt.get_program_id y : i32
    %j = arith.muli %p, %c64 : i32
    %s = arith.extsi %n : i32 to i64
    %q = tt.addptr %o, %j : !tt.ptr<f32>, i32
    %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f32>, <32x64xf32>
    %e = tt.make_tensor_descriptor %q, [%m, %n], [%s, %one] : <f32>, <32x64xf32>
    %v = tt.descriptor_load %d[%i, %j] : !tt.tensordesc<32x64xf32> -> tensor<32x64xf32>
    tt.grid_barrier
    tt.descriptor_store %e[%i, %zero], %v : !tt.tensordesc<32x64xf32>, tensor<32x64xf32>
    tt.return
  }
}
)";

/// The driver's functions by name, as a program finds them that is linked to it.
class Driver {
public:
  template <class... A> void call(const char *name, A... arguments) const {
    auto function = reinterpret_cast<int (*)(A...)>(dlsym(library, name));
    INFO(name);
    const bool found = function != nullptr;
    REQUIRE(found);
    REQUIRE(function(arguments...) == 0);
  }

private:
  void *library = dlopen(std::getenv("TL_LIBCUDA"), RTLD_NOW);
};

void check(tl_status status) { REQUIRE(status == TL_OK); }

// [kept]
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};

/// What a launch by hand keeps until the kernel has ended.
struct Hidden {
  void *counter = nullptr, *workspace = nullptr;
  tl_failure_record *record = nullptr;
  std::vector<TensorMap> maps;
  bool cooperative = false;
};
// [kept]

// [number]
std::int64_t value_of(const tl_launch_number &number, const tl_kernel *kernel,
                      void *const *arguments) {
  // The lowest bits of a number, extended to 64.
  const auto extend = [&](std::uint64_t value, unsigned bits) {
    const unsigned rest = 64 - bits;
    return number.is_unsigned ? std::int64_t(value << rest >> rest)
                              : std::int64_t(value << rest) >> rest;
  };
  auto product = std::uint64_t(number.constant);
  for (unsigned i = 0; i < number.factors; ++i) {
    const std::uint32_t index = number.parameters[i];
    const std::string type = tl_kernel_parameter_type(kernel, index); // i8, i16, i32 or i64
    const auto bits = unsigned(std::stoul(type.substr(1)));
    std::uint64_t value = 0;
    std::memcpy(&value, arguments[index], bits / 8);
    product *= std::uint64_t(extend(value, bits));
  }
  return extend(product, number.bits);
}
// [number]

// [map]
void encode(TensorMap &map, const tl_tensor_map &recipe, const tl_kernel *kernel,
            void *const *arguments, const Driver &driver) {
  std::uint64_t extents[5] = {}, strides[4] = {};
  const std::uint32_t steps[5] = {1, 1, 1, 1, 1};
  for (unsigned axis = 0; axis < recipe.rank; ++axis) {
    const std::int64_t extent = value_of(recipe.extents[axis], kernel, arguments);
    extents[axis] = extent < 1 ? 1 : extent;
  }
  for (unsigned axis = 0; axis + 1 < recipe.rank; ++axis)
    strides[axis] = extents[axis + 1] == 1
                        ? 16
                        : value_of(recipe.strides[axis], kernel, arguments) * recipe.element_bytes;
  void *base = *static_cast<void *const *>(arguments[recipe.base]);
  if (!base && recipe.may_be_null)
    base = reinterpret_cast<void *>(128);
  driver.call("cuTensorMapEncodeTiled", static_cast<void *>(&map), recipe.data_type, recipe.rank,
              base, extents, strides, recipe.box, steps, 0, recipe.swizzle, 2, recipe.nan_filled);
}
// [map]

/// Appends what the kernel takes after the arguments that are there.
// [hidden]
void add_hidden(std::vector<void *> &arguments, Hidden &hidden, const tl_kernel *kernel,
                std::uint64_t programs, const Driver &driver) {
  const std::size_t count = tl_kernel_hidden_count(kernel);
  hidden.maps.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    tl_hidden_parameter parameter;
    parameter.struct_size = sizeof parameter;
    check(tl_kernel_hidden(kernel, i, &parameter));
    switch (parameter.kind) {
    case TL_HIDDEN_GRID_BARRIER:
      driver.call("cuMemAlloc_v2", &hidden.counter, std::size_t(parameter.bytes));
      driver.call("cuMemsetD8Async", hidden.counter, 0, std::size_t(parameter.bytes), nullptr);
      hidden.cooperative = true;
      arguments.push_back(&hidden.counter);
      break;
    case TL_HIDDEN_FAILURE_RECORD:
      driver.call("cuMemHostAlloc", reinterpret_cast<void **>(&hidden.record),
                  std::size_t(parameter.bytes), 2u); // mapped
      std::memset(hidden.record, 0, parameter.bytes);
      arguments.push_back(&hidden.record);
      break;
    case TL_HIDDEN_WORKSPACE:
      driver.call("cuMemAlloc_v2", &hidden.workspace, std::size_t(parameter.bytes * programs));
      arguments.push_back(&hidden.workspace);
      break;
    case TL_HIDDEN_TENSOR_MAP:
      encode(hidden.maps[i], parameter.map, kernel, arguments.data(), driver);
      arguments.push_back(&hidden.maps[i]);
      break;
    }
  }
}
// [hidden]

/// The sizes and alignments of the parameters of an entry, from its PTX.
struct PtxParameter {
  unsigned bytes, alignment;
};
std::vector<PtxParameter> parametersIn(const std::string &ptx, const std::string &symbol) {
  const std::size_t begin = ptx.find(".entry " + symbol + "(");
  REQUIRE(begin != ptx.npos);
  const std::string list = ptx.substr(begin, ptx.find(')', begin) - begin);
  std::vector<PtxParameter> parameters;
  const std::regex one(R"(\.param (\.align (\d+) )?\.([bfsu])(\d+)[^,\[\n]*(\[(\d+)\])?)");
  for (std::sregex_iterator it(list.begin(), list.end(), one), end; it != end; ++it) {
    const unsigned bytes = unsigned(std::stoul((*it)[4])) / 8;
    const unsigned count = (*it)[6].matched ? unsigned(std::stoul((*it)[6])) : 1;
    parameters.push_back(
        {bytes * count, (*it)[2].matched ? unsigned(std::stoul((*it)[2])) : bytes});
  }
  return parameters;
}

std::string stageOf(const tl_kernel *kernel, const char *name) {
  const char *data = nullptr;
  std::size_t size = 0;
  REQUIRE(tl_kernel_stage(kernel, name, &data, &size) == TL_OK);
  return {data, size};
}

std::string lastParameters() {
  std::size_t bytes = 0;
  const unsigned char *data = fake().lastParameters(&bytes);
  return {reinterpret_cast<const char *>(data), bytes};
}

tl_compile_options withAssertions() {
  tl_compile_options options{};
  options.size = sizeof options;
  options.debug = 1;
  return options;
}

struct Made {
  explicit Made(const char *target, const std::string &text) {
    const tl_compile_options options = withAssertions();
    const tl_status status =
        tl_compile_for(target, text.data(), text.size(), nullptr, &options, &kernel);
    REQUIRE_MESSAGE(status == TL_OK, std::string(tl_last_diagnostic()->message));
  }
  ~Made() { tl_kernel_destroy(kernel); }
  tl_kernel *kernel = nullptr;
};

} // namespace

TEST_CASE("code for a target is a stage of its kernel and needs no device") {
  const tl_compile_options options = withAssertions();
  const std::string &text = everything;
  tl_kernel *kernel = nullptr;
  const char *code = nullptr;
  std::size_t size = 0;
  // [compile]
  check(tl_compile_for("sm_90a", text.data(), text.size(), nullptr, &options, &kernel));
  check(tl_kernel_stage(kernel, "ptx", &code, &size)); // or "cubin", where there is an assembler
  // [compile]
  CHECK(std::string(code, size).find(tl_kernel_symbol(kernel)) != std::string::npos);
  tl_kernel_destroy(kernel);
}

TEST_CASE("the parameters of the text and the hidden ones are those of the PTX") {
  for (const char *target : {"sm_80", "sm_90a", "sm_100a"}) {
    const Made made(target, everything);
    const auto parameters =
        parametersIn(stageOf(made.kernel, "ptx"), tl_kernel_symbol(made.kernel));
    const std::size_t own = tl_kernel_parameter_count(made.kernel);
    REQUIRE(own == 4);
    REQUIRE_MESSAGE(parameters.size() == own + tl_kernel_hidden_count(made.kernel), target);
    CHECK(parameters.size() == (std::string(target) == "sm_80" ? 6 : 8));
    for (std::size_t i = own; i < parameters.size(); ++i) {
      tl_hidden_parameter hidden{};
      hidden.struct_size = sizeof hidden;
      REQUIRE(tl_kernel_hidden(made.kernel, i - own, &hidden) == TL_OK);
      CHECK(hidden.size == parameters[i].bytes);
      CHECK(hidden.alignment == parameters[i].alignment);
    }
  }
}

TEST_CASE("a kernel is launched by hand as libtl launches it") {
  const Driver driver;
  const Made made("sm_90a", everything);
  const tl_kernel *kernel = made.kernel;
  std::vector<unsigned> sizes;
  for (const PtxParameter &parameter :
       parametersIn(stageOf(kernel, "ptx"), tl_kernel_symbol(kernel)))
    sizes.push_back(parameter.bytes);
  REQUIRE(sizes == std::vector<unsigned>{8, 8, 4, 4, 8, 8, 8, 128});

  // By libtl.
  fake().reset();
  tl_device *device = nullptr;
  tl_stream *stream = nullptr;
  tl_kernel *ours = nullptr;
  void *x = nullptr, *o = nullptr;
  std::int32_t m = 70, n = 256;
  const tl_compile_options options = withAssertions();
  REQUIRE(tl_device_open("cuda:0", &device) == TL_OK);
  REQUIRE(tl_stream_default(device, &stream) == TL_OK);
  REQUIRE(tl_allocate(device, 4 * m * n, &x) == TL_OK);
  REQUIRE(tl_allocate(device, 4 * m * n, &o) == TL_OK);
  REQUIRE(tl_compile(device, everything.data(), everything.size(), nullptr, &options, &ours) ==
          TL_OK);
  void *given[] = {&x, &o, &m, &n};
  fake().expectParameters(sizes.data(), sizes.size());
  REQUIRE(tl_launch(ours, stream, 3, 4, 1, given, 4) == TL_OK);
  const std::string expected = lastParameters();
  const FakeLaunch ourLaunch = fake().lastLaunch();

  // By hand.
  void *context = fake().switchContext(0, true);
  REQUIRE(context);
  void *module = nullptr, *function = nullptr;
  const std::string ptx = stageOf(kernel, "ptx");
  driver.call("cuModuleLoadData", &module, ptx.c_str());
  driver.call("cuModuleGetFunction", &function, module, tl_kernel_symbol(kernel));
  Hidden hidden;
  std::vector<void *> arguments(given, given + 4);
  add_hidden(arguments, hidden, kernel, 3 * 4, driver);
  REQUIRE(arguments.size() == sizes.size());
  const auto threads = unsigned(tl_kernel_get(kernel, TL_KERNEL_THREADS));
  const auto shared = unsigned(tl_kernel_get(kernel, TL_KERNEL_SHARED_BYTES));
  driver.call("cuLaunchKernel", function, 3u, 4u, 1u, threads, 1u, 1u, shared, nullptr,
              arguments.data(), nullptr);
  const std::string got = lastParameters();
  const FakeLaunch byHand = fake().lastLaunch();

  CHECK(std::string(byHand.function) == ourLaunch.function);
  CHECK(std::memcmp(byHand.block, ourLaunch.block, sizeof byHand.block) == 0);
  CHECK(byHand.sharedBytes == ourLaunch.sharedBytes);
  CHECK(hidden.cooperative == ourLaunch.cooperative);
  REQUIRE(got.size() == expected.size());
  CHECK(got.substr(0, 24) == expected.substr(0, 24)); // the user's
  FakeTensorMap map{}, ours_map{};
  std::memcpy(&map, got.data() + 48, sizeof map);
  std::memcpy(&ours_map, expected.data() + 48, sizeof ours_map);
  CHECK(map.base == x);
  CHECK(map.base == ours_map.base);
  CHECK(int(map.element) == int(ours_map.element));
  CHECK(int(map.fill) == int(ours_map.fill));
  REQUIRE(map.rank == 2);
  for (int axis = 0; axis < 2; ++axis) {
    CHECK(map.extents[axis] == ours_map.extents[axis]);
    CHECK(map.box[axis] == ours_map.box[axis]);
  }
  CHECK(map.strides[0] == ours_map.strides[0]);
  CHECK(hidden.counter);
  CHECK(hidden.record);
  CHECK(hidden.workspace);

  // What a failed assertion leaves reads as after a launch by libtl.
  CHECK(tl_kernel_failure(kernel, hidden.record) == TL_OK);
  *hidden.record = {1, 0, {2, 1, 0}, 0xffffffff};
  void *ourRecord = nullptr;
  std::memcpy(&ourRecord, expected.data() + 32, sizeof ourRecord);
  std::memcpy(ourRecord, hidden.record, sizeof *hidden.record);
  CHECK(tl_stream_synchronize(stream) == TL_RUNTIME_ERROR);
  const std::string reported = tl_last_diagnostic()->message;
  CHECK(tl_kernel_failure(kernel, hidden.record) == TL_RUNTIME_ERROR);
  CHECK(reported == "tl::device_assert failed: m is positive in program (2, 1, 0)");
  CHECK(tl_last_diagnostic()->message == reported);
  CHECK(std::string(tl_last_diagnostic()->file) == "user.cpp");
  CHECK(tl_last_diagnostic()->line == 12);
  CHECK(std::string(tl_last_diagnostic()->kernel) == "everything");
  tl_free(device, x);
  tl_free(device, o);
}

TEST_CASE("extents and strides that are products are computed by hand as by libtl") {
  // m * 3 * n in 32 bits, which wraps around, and rows of 8 * k with k as a number without a sign.
  const std::string text = R"(module {
    tt.func public @products(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %m: i32, %n: i16,
                             %k: i32 {tt.divisibility = 16 : i32}) {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i64
      %c3 = arith.constant 3 : i32
      %c8 = arith.constant 8 : i64
      %nw = arith.extsi %n : i16 to i32
      %m3 = arith.muli %m, %c3 : i32
      %e = arith.muli %m3, %nw : i32
      %kw = arith.extui %k : i32 to i64
      %s = arith.muli %kw, %c8 : i64
      %d = tt.make_tensor_descriptor %x, [%e, %k], [%s, %one] : <f32>, <32x64xf32>
      %v = tt.descriptor_load %d[%zero, %zero] : !tt.tensordesc<32x64xf32> -> tensor<32x64xf32>
      tt.descriptor_store %d[%zero, %zero], %v : !tt.tensordesc<32x64xf32>, tensor<32x64xf32>
      tt.return
    }
  }
  )";
  fake().reset();
  tl_device *device = nullptr;
  tl_stream *stream = nullptr;
  tl_kernel *kernel = nullptr;
  void *x = nullptr;
  REQUIRE(tl_device_open("cuda:0", &device) == TL_OK);
  REQUIRE(tl_stream_default(device, &stream) == TL_OK);
  REQUIRE(tl_allocate(device, 1024, &x) == TL_OK);
  REQUIRE(tl_compile(device, text.data(), text.size(), nullptr, nullptr, &kernel) == TL_OK);
  REQUIRE(tl_kernel_hidden_count(kernel) == 1);
  tl_hidden_parameter parameter{};
  parameter.struct_size = sizeof parameter;
  REQUIRE(tl_kernel_hidden(kernel, 0, &parameter) == TL_OK);
  const Driver driver;
  const struct {
    std::int32_t m;
    std::int16_t n;
    std::int32_t k;
    std::uint64_t extent, stride;
  } cases[] = {{5, 7, 64, 105, 2048},
               {-5, -7, 64, 105, 2048},
               {-5, 7, 64, 1, 2048},
               {1500000000, 1, 64, 205032704, 2048},
               {5, 7, -2147483632, 105, 68719477248}};
  for (auto [m, n, k, extent, stride] : cases) {
    void *given[] = {&x, &m, &n, &k};
    constexpr unsigned sizes[] = {8, 4, 2, 4, sizeof(TensorMap)};
    fake().expectParameters(sizes, std::size(sizes));
    REQUIRE(tl_launch(kernel, stream, 1, 1, 1, given, 4) == TL_OK);
    FakeTensorMap by_libtl{}, by_hand{};
    const std::string parameters = lastParameters();
    REQUIRE(parameters.size() == 8 + 4 + 2 + 4 + sizeof(TensorMap));
    std::memcpy(&by_libtl, parameters.data() + 8 + 4 + 2 + 4, sizeof by_libtl);
    CHECK(by_libtl.extents[1] == extent);
    CHECK(by_libtl.strides[0] == stride);
    TensorMap made;
    encode(made, parameter.map, kernel, given, driver);
    std::memcpy(&by_hand, made.bytes, sizeof by_hand);
    CHECK(by_hand.extents[1] == extent);
    CHECK(by_hand.strides[0] == (extent == 1 ? 16 : stride)); // any will do
  }
  tl_kernel_destroy(kernel);
  tl_free(device, x);
}

TEST_CASE("kernels of the CPU and the interpreter have no hidden parameters") {
  for (const char *target : {"cpu", "interpreter"}) {
    const Made made(target, everything);
    CHECK(tl_kernel_hidden_count(made.kernel) == 0);
    CHECK(std::string(tl_kernel_symbol(made.kernel)).empty());
  }
}

TEST_CASE("what asks for hidden parameters wrongly is refused") {
  const Made made("sm_90a", everything);
  auto message = [](tl_status status) {
    CHECK(status == TL_INVALID_ARGUMENT);
    return std::string(tl_last_diagnostic()->message);
  };
  tl_hidden_parameter hidden{};
  CHECK(message(tl_kernel_hidden(made.kernel, 0, &hidden)) ==
        "the struct_size field of tl_hidden_parameter is 0");
  hidden.struct_size = sizeof hidden;
  CHECK(message(tl_kernel_hidden(made.kernel, 4, &hidden)) ==
        "kernel everything has no hidden parameter 4, it has 4");
  CHECK(message(tl_kernel_hidden(made.kernel, 0, nullptr)) ==
        "tl_kernel_hidden got null for 'parameter'");
  CHECK(message(tl_kernel_hidden(nullptr, 0, &hidden)) ==
        "tl_kernel_hidden got null for the kernel");
  tl_failure_record record{1, 9, {}, 0};
  CHECK(message(tl_kernel_failure(made.kernel, &record)) ==
        "tl_kernel_failure got a record of assertion 9, kernel everything has 2");
  CHECK(message(tl_kernel_failure(made.kernel, nullptr)) ==
        "tl_kernel_failure got null for 'record'");
  // An older program knows fewer fields.
  struct {
    tl_hidden_parameter known;
    char beyond[16];
  } room;
  std::memset(&room, 0x5a, sizeof room);
  room.known.struct_size = offsetof(tl_hidden_parameter, map);
  CHECK(tl_kernel_hidden(made.kernel, 3, &room.known) == TL_OK);
  CHECK(room.known.kind == TL_HIDDEN_TENSOR_MAP);
  CHECK(reinterpret_cast<char *>(&room.known.map)[0] == 0x5a);
}
