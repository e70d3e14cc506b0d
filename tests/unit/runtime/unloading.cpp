// SPDX-License-Identifier: MIT
//
// A program that loads libtl by hand, closes it, and loads it again. Its threads and its handler of
// faults stay, so the library must. Arguments: the library, the device.
#include "tl/c/tl.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <initializer_list>
#include <string>

namespace {

const std::string kernel = R"(tt.func public @fill(%p: !tt.ptr<i32>) {
  %id = tt.get_program_id x : i32
  %q = tt.addptr %p, %id : !tt.ptr<i32>, i32
  tt.store %q, %id : !tt.ptr<i32>
  tt.return
}
)";

int failed(const char *what) {
  std::fprintf(stderr, "%s\n", what);
  return 1;
}

int use(void *library, const char *device_name) {
#define TL_FIND(name) auto *name = reinterpret_cast<decltype(&::name)>(dlsym(library, #name))
  TL_FIND(tl_device_open);
  TL_FIND(tl_stream_default);
  TL_FIND(tl_allocate);
  TL_FIND(tl_free);
  TL_FIND(tl_compile);
  TL_FIND(tl_launch);
  TL_FIND(tl_copy_from_device);
#undef TL_FIND
  constexpr int programs = 5000;
  static int values[programs];
  std::memset(values, 0, sizeof values);
  tl_device *device = nullptr;
  tl_stream *stream = nullptr;
  tl_kernel *compiled = nullptr;
  void *memory = nullptr;
  if (tl_device_open(device_name, &device) || tl_stream_default(device, &stream) ||
      tl_allocate(device, sizeof values, &memory) ||
      tl_compile(device, kernel.data(), kernel.size(), nullptr, nullptr, &compiled))
    return failed("cannot compile");
  void *arguments[] = {&memory};
  if (tl_launch(compiled, stream, programs, 1, 1, arguments, 1) ||
      tl_copy_from_device(stream, values, memory, sizeof values) || tl_free(device, memory))
    return failed("cannot launch");
  for (int i = 0; i < programs; ++i)
    if (values[i] != i)
      return failed("wrong values");
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return failed("usage: unloading LIBRARY DEVICE");
  for (int load = 0; load < 3; ++load) {
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return failed(dlerror());
    if (int code = use(library, argv[2]))
      return code;
    if (dlclose(library) != 0)
      return failed("cannot close");
  }
  std::printf("loaded, used and closed 3 times on %s\n", argv[2]);
  return 0;
}
