// SPDX-License-Identifier: MIT
#pragma once
// What came out of the compiler? A tl::compiled_kernel shows the stages of a kernel's compilation
// as text, the machine code, what it uses of the device, and how long each step took. compile() and
// every launch return one (launch.hpp).

#include "tl/c/tl.h"
#include "tl/error.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tl {

/// The stages of a compilation. Which of them there are depends on the target.
enum class stage { ttir, ttgir, llir, assembly, object, ptx, cubin, sass, amdgcn, hsaco };

namespace impl {

constexpr const char *stage_name(stage s) {
  constexpr const char *names[] = {"ttir", "ttgir", "llir", "asm",    "obj",
                                   "ptx",  "cubin", "sass", "amdgcn", "hsaco"};
  return names[static_cast<int>(s)];
}

} // namespace impl

/// A kernel, specialised and compiled for a device. A light handle: the code lives in the module
/// cache as long as the process, and so do the texts.
///
///     auto k = add<1024>.compile(dev, x, y, out, n);
///     std::printf("%s\n", k.text(tl::stage::llir).data());
///     std::printf("%lld bytes spilled\n", (long long)k.spills());
class compiled_kernel {
public:
  /// Wraps a handle of the C API.
  explicit compiled_kernel(tl_kernel *handle) : handle_(handle) {}

  /// The kernel's name, as in its TTIR.
  std::string_view name() const { return tl_kernel_name(handle_); }

  /// The names of the stages, in the order in which they were made.
  std::vector<std::string> stages() const {
    std::vector<std::string> names;
    while (const char *name = tl_kernel_stage_name(handle_, names.size()))
      names.emplace_back(name);
    return names;
  }

  /// The text of a stage; it ends in a zero byte. Throws tl::invalid_argument if the target has no
  /// such stage.
  std::string_view text(stage s) const { return text(impl::stage_name(s)); }
  std::string_view text(std::string_view stage) const {
    const char *data = nullptr;
    std::size_t size = 0;
    impl::check(tl_kernel_stage(handle_, std::string(stage).c_str(), &data, &size));
    return {data, size};
  }

  /// The machine code: the stage obj, cubin or hsaco, whichever there is. Throws
  /// tl::invalid_argument where there is none, as on the interpreter.
  std::span<const std::byte> binary() const {
    std::string known;
    for (const std::string &name : stages()) {
      if (name == "obj" || name == "cubin" || name == "hsaco") {
        const std::string_view bytes = text(name);
        return {reinterpret_cast<const std::byte *>(bytes.data()), bytes.size()};
      }
      known += (known.empty() ? "" : ", ") + name;
    }
    diagnostic d;
    d.message = "kernel " + std::string(name()) + " has no machine code, its stages are " + known;
    throw invalid_argument(std::move(d));
  }

  /// Registers of a thread; 0 where the device does not say.
  std::int64_t registers() const { return tl_kernel_get(handle_, TL_KERNEL_REGISTERS); }
  /// Bytes of registers that did not fit and live in memory.
  std::int64_t spills() const { return tl_kernel_get(handle_, TL_KERNEL_SPILLS); }
  /// Bytes of shared memory of a program; on the CPU, scratch memory of a thread.
  std::int64_t shared_bytes() const { return tl_kernel_get(handle_, TL_KERNEL_SHARED_BYTES); }
  /// Threads of a program.
  std::int64_t threads() const { return tl_kernel_get(handle_, TL_KERNEL_THREADS); }

  /// A step of the compilation and its time.
  struct step {
    std::string name;    ///< such as "parse", "passes" or "codegen"
    double milliseconds; ///< of the host
  };
  /// Times of the compilation, step by step. A kernel that came from the cache has those of the
  /// compilation that filled it.
  std::vector<step> compile_times() const {
    std::vector<step> steps;
    double milliseconds = 0;
    while (const char *name = tl_kernel_time(handle_, steps.size(), &milliseconds))
      steps.push_back({name, milliseconds});
    return steps;
  }

  /// The handle of the C API.
  tl_kernel *handle() const { return handle_; }

  /// Is this the same compilation?
  friend bool operator==(compiled_kernel, compiled_kernel) = default;

private:
  tl_kernel *handle_;
};

} // namespace tl
