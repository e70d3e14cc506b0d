// SPDX-License-Identifier: MIT
//
// The part of the sweeps that knows bytes only: running a kernel through the C API between guard
// words and poison, and comparing in units in the last place.

#include "sweep.hpp"

#include "gpus.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <set>
#include <string_view>

namespace numeric {

namespace {

/// `tiles`: bytes of shared memory without which a device may refuse the kernel.
void run_on_devices(const test_case &c, int num_ctas, std::size_t tiles);

using bytes = std::vector<unsigned char>;

constexpr std::size_t guard_bytes = 1024;
constexpr unsigned char guard_byte = 0xA5, poison_byte = 0xFE;

/// Device memory for the time of one run.
class device_memory {
public:
  device_memory(tl::device device, const bytes &content) : device_(device) {
    tl::impl::check(tl_allocate(device.handle(), content.size(), &pointer_));
    tl_stream *stream = tl::stream::default_of(device).handle();
    tl::impl::check(tl_copy_to_device(stream, pointer_, content.data(), content.size()));
  }
  device_memory(const device_memory &) = delete;
  ~device_memory() { tl_free(device_.handle(), pointer_); }

  void *data() const { return pointer_; }

  bytes read(std::size_t size) const {
    bytes content(size);
    tl_stream *stream = tl::stream::default_of(device_).handle();
    tl::impl::check(tl_copy_from_device(stream, content.data(), pointer_, size));
    return content;
  }

private:
  tl::device device_;
  void *pointer_ = nullptr;
};

/// Runs the case on one device; the results, or nothing after a message.
bytes run_on(const test_case &c, tl::device device, int num_ctas) {
  tl_compile_options options{};
  options.size = sizeof options;
  options.num_warps = num_warps();
  options.num_ctas = num_ctas;
  tl_kernel *kernel = nullptr;
  tl::impl::check(
      tl_compile(device.handle(), c.ttir.data(), c.ttir.size(), nullptr, &options, &kernel));

  std::vector<std::unique_ptr<device_memory>> inputs;
  std::vector<void *> values;
  for (const bytes &input : c.inputs) {
    inputs.push_back(std::make_unique<device_memory>(device, input));
    values.push_back(inputs.back()->data());
  }
  const std::size_t size = c.results * std::size_t(c.result->bytes);
  bytes content(size + 2 * guard_bytes, guard_byte);
  std::memset(content.data() + guard_bytes, poison_byte, size);
  device_memory output(device, content);
  values.push_back(static_cast<unsigned char *>(output.data()) + guard_bytes);

  std::vector<void *> arguments;
  for (void *&value : values)
    arguments.push_back(&value);
  std::vector<int> extents = c.extents;
  for (int &extent : extents)
    arguments.push_back(&extent);
  tl_stream *stream = tl::stream::default_of(device).handle();
  tl::impl::check(tl_launch(kernel, stream, std::uint32_t(c.programs), 1, 1, arguments.data(),
                            arguments.size()));
  tl::impl::check(tl_stream_synchronize(stream));

  content = output.read(content.size());
  for (std::size_t i = 0; i < guard_bytes; ++i)
    if (content[i] != guard_byte || content[guard_bytes + size + i] != guard_byte) {
      FAIL_CHECK(c.name << ": wrote outside its result on device " << device.name());
      break;
    }
  return bytes(content.begin() + guard_bytes, content.end() - guard_bytes);
}

/// The distance of neighbouring numbers of the type at this value.
double unit_in_last_place(const element_info &type, double value) {
  int exponent = type.smallest_exponent;
  if (value != 0 && std::isfinite(value))
    exponent = std::max(exponent, std::ilogb(value));
  return std::ldexp(1.0, exponent - (type.mantissa_bits - 1));
}

double largest_finite(const element_info &type) {
  if (type.bytes == 8)
    return std::numeric_limits<double>::max();
  if (type.bytes == 4)
    return std::numeric_limits<float>::max();
  return type.mantissa_bits == 11 ? 65504.0 : 0x1.FEp127; // float16, bfloat16
}

bool agrees(const element_info &type, double got, double want, const tolerance &allowed) {
  if (std::isnan(got) || std::isnan(want))
    return std::isnan(got) && std::isnan(want);
  if (got == want)
    return true;
  const double error = allowed.ulps * unit_in_last_place(type, want);
  // What rounds past the largest number is infinite, and so may be what is off by whole units of
  // its last place.
  if (std::isinf(got))
    return std::abs(want) + (allowed.ulps >= 1 ? error : 0) > largest_finite(type) &&
           std::signbit(got) == std::signbit(want);
  return std::abs(got - want) <= error + allowed.absolute;
}

bool same_bits(const element_info &type, const unsigned char *got, const unsigned char *want) {
  if (std::memcmp(got, want, std::size_t(type.bytes)) == 0)
    return true;
  return type.is_float && std::isnan(type.as_double(got)) && std::isnan(type.as_double(want));
}

/// One CHECK for all elements: how many are off, and the first of them.
template <class Judge, class Wanted>
void compare(const test_case &c, const std::string &what, const bytes &got, Judge judge,
             Wanted wanted) {
  const std::size_t size = std::size_t(c.result->bytes);
  std::size_t off = 0, first = 0;
  for (std::size_t i = 0; i < c.results; ++i)
    if (!judge(i) && off++ == 0)
      first = i;
  if (off == 0)
    return;
  std::string inputs;
  if (c.operand)
    for (const bytes &input : c.inputs)
      inputs += (inputs.empty() ? " for " : ", ") +
                c.operand->as_text(input.data() + first * std::size_t(c.operand->bytes));
  FAIL_CHECK(c.name << ": " << what << ": " << off << " of " << c.results << " differ, first ["
                    << first << "] is " << c.result->as_text(got.data() + first * size)
                    << ", expected " << wanted(first) << inputs);
}

/// What a GPU may be off by where it promises less than the other devices.
const tolerance *gpu_tolerance(const test_case &c, const std::string &device) {
  return c.on_gpus && is_gpu(device) ? &*c.on_gpus : nullptr;
}

void compare_with_host(const test_case &c, const std::string &device, const bytes &got) {
  const std::size_t size = std::size_t(c.result->bytes);
  const std::string what = device + " beside the host";
  const tolerance *gpu = gpu_tolerance(c, device);
  if (!c.exact.empty())
    compare(
        c, what, got,
        [&](std::size_t i) {
          return agrees(*c.result, c.result->as_double(got.data() + i * size), c.exact[i],
                        gpu ? *gpu : c.allowed);
        },
        [&](std::size_t i) { return float_text(c.exact[i]); });
  else if (!c.wanted.empty())
    compare(
        c, what, got,
        [&](std::size_t i) {
          const unsigned char *a = got.data() + i * size, *b = c.wanted.data() + i * size;
          return same_bits(*c.result, a, b) ||
                 (gpu && agrees(*c.result, c.result->as_double(a), c.result->as_double(b), *gpu));
        },
        [&](std::size_t i) { return c.result->as_text(c.wanted.data() + i * size); });
}

void compare_devices(const test_case &c, const std::string &device, const bytes &got,
                     const bytes &reference) {
  const std::size_t size = std::size_t(c.result->bytes);
  tolerance allowed = c.between_devices;
  if (const tolerance *gpu = gpu_tolerance(c, device))
    allowed = {.ulps = gpu->ulps + c.allowed.ulps, .absolute = gpu->absolute + c.allowed.absolute};
  compare(
      c, device + " beside the interpreter", got,
      [&](std::size_t i) {
        const unsigned char *a = got.data() + i * size, *b = reference.data() + i * size;
        if (same_bits(*c.result, a, b))
          return true;
        return c.result->is_float && (allowed.ulps > 0 || allowed.absolute > 0) &&
               agrees(*c.result, c.result->as_double(a), c.result->as_double(b), allowed);
      },
      [&](std::size_t i) { return c.result->as_text(reference.data() + i * size); });
}

/// Whether only the names of operations are wanted.
bool only_names() {
  static const bool set = std::getenv("TL_NUMERIC_OPS") != nullptr;
  return set;
}

/// The folder that is to hold each kernel's TTIR, where only that is wanted.
const char *kernel_folder() {
  static const char *folder = std::getenv("TL_NUMERIC_KERNELS");
  return folder;
}

/// Without the source locations: kernels that differ in their lines alone are one.
std::string without_locations(std::string_view ttir) {
  std::string text(ttir.substr(0, ttir.find("\n#loc")));
  for (std::size_t at = 0; (at = text.find(" loc(", at)) != text.npos;) {
    std::size_t end = at + 5;
    for (int depth = 1; depth > 0 && end < text.size(); ++end)
      depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
    text.erase(at, end - at);
  }
  return text;
}

void write_kernel(std::string_view ttir) {
  static std::set<std::string> written;
  if (!written.insert(without_locations(ttir)).second)
    return;
  const std::string path =
      std::string(kernel_folder()) + '/' + std::to_string(written.size()) + ".ttir";
  if (!(std::ofstream(path) << ttir))
    FAIL_CHECK("cannot write " << path);
}

/// Prints `op NAME` for each operation of TTIR text.
void print_names(std::string_view ttir) {
  static std::set<std::string> printed;
  for (std::size_t at = 0; (at = ttir.find("tt.", at)) != ttir.npos;) {
    std::size_t end = at + 3;
    while (end < ttir.size() && (std::isalnum(static_cast<unsigned char>(ttir[end])) ||
                                 ttir[end] == '_' || ttir[end] == '.'))
      ++end;
    if (std::string name(ttir.substr(at, end - at)); printed.insert(name).second)
      std::printf("op %s\n", name.c_str());
    at = end;
  }
}

} // namespace

void seen(const tl::compiled_kernel &kernel) {
  if (kernel_folder())
    write_kernel(kernel.text(tl::stage::ttir));
  if (only_names())
    print_names(kernel.text(tl::stage::ttir));
}

int num_warps() {
  static const int warps = [] {
    const char *text = std::getenv("TL_TEST_NUM_WARPS");
    const int number = text && *text ? std::atoi(text) : 4;
    return number == 0 ? -1 : number; // which a launch refuses, with a sentence
  }();
  return warps;
}

std::string float_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string shape_text(const int *extents, int rank) {
  std::string text = "<";
  for (int axis = 0; axis < rank; ++axis)
    text += (axis ? "x" : "") + std::to_string(extents[axis]);
  return text + ">";
}

test_case with_constants(test_case c, std::size_t count) {
  static constexpr std::string_view load = "= tt.load ", pointer = "!tt.ptr<";
  c.name += " of constants";
  c.programs = 1;
  c.results = count;
  if (!c.extents.empty())
    c.extents[0] = int(count);
  if (!c.wanted.empty())
    c.wanted.resize(count * std::size_t(c.result->bytes));
  if (!c.exact.empty())
    c.exact.resize(count);
  std::size_t at = 0;
  for (bytes &input : c.inputs) {
    input.resize(count * std::size_t(c.operand->bytes));
    at = c.ttir.find(load, at);
    if (at == std::string::npos)
      break;
    std::string constant = "= arith.constant dense<\"0x";
    for (unsigned char byte : input)
      for (int digit : {byte >> 4, byte & 15})
        constant += "0123456789ABCDEF"[digit];
    const std::size_t end = c.ttir.find(" loc(", at), colon = c.ttir.find(" : ", at);
    std::string type = c.ttir.substr(colon, end - colon); // " : tensor<256x!tt.ptr<f32>>"
    type.erase(type.find(pointer), pointer.size());
    type.pop_back();
    c.ttir.replace(at, end - at, constant + "\">" + type);
  }
  return c;
}

void run(const test_case &c) { run_on_devices(c, 1, 0); }
void run_in_blocks(const test_case &c, int num_ctas) { run_on_devices(c, num_ctas, 0); }
void run_where_it_fits(const test_case &c, std::size_t tiles) { run_on_devices(c, 1, tiles); }

namespace {

void run_on_devices(const test_case &c, int num_ctas, std::size_t tiles) {
  if (only_names())
    return print_names(c.ttir);
  if (kernel_folder())
    return write_kernel(c.ttir);
  bytes reference;
  // The interpreter first: the others are compared with it.
  std::vector<tl::device> devices = tl::testing::devices();
  for (tl::device &device : devices)
    if (device.name() == "interpreter")
      std::swap(devices.front(), device);
  for (tl::device device : devices) {
    const std::string name(device.name());
    try {
      const bytes got = run_on(c, device, num_ctas);
      compare_with_host(c, name, got);
      if (name == "interpreter")
        reference = got;
      else if (!reference.empty())
        compare_devices(c, name, got, reference);
    } catch (const tl::out_of_resources &error) {
      if (error.limit() >= tiles || error.required() <= error.limit())
        FAIL_CHECK(c.name << " on device " << name << ": " << std::string(error.what()));
      else
        std::printf("[SKIP] %s on %s: %s\n", c.name.c_str(), name.c_str(), error.what());
    } catch (const std::exception &error) {
      FAIL_CHECK(c.name << " on device " << name << ": " << std::string(error.what()));
    }
  }
}

} // namespace

} // namespace numeric
