// SPDX-License-Identifier: MIT
//
// tlc run: a kernel from a TTIR file, arrays from .npy files in, arrays out.
#include "Arguments.h"
#include "Commands.h"
#include "Failure.h"

#include "tl/impl/number_text.hpp"

#include <chrono>
#include <cstdio>
#include <limits>
#include <memory>

namespace tlc {
namespace {

struct Grid {
  uint32_t extent[3] = {1, 1, 1};
};

Grid parseGrid(const CommandLine &line) {
  std::optional<std::string> text = line.value("--grid");
  if (!text)
    failUsage("tlc run needs --grid X[,Y[,Z]]", "'--grid 1' runs one program");
  Grid grid;
  std::string_view rest = *text;
  for (size_t axis = 0;; ++axis) {
    size_t comma = rest.find(',');
    std::optional<uint64_t> extent = parseUnsigned(rest.substr(0, comma));
    if (axis == 3 || !extent || *extent > std::numeric_limits<int32_t>::max())
      failUsage("option --grid is " + quoted(*text) +
                ", expected one to three whole numbers from 0 to 2147483647, with commas between");
    grid.extent[axis] = static_cast<uint32_t>(*extent);
    if (comma == rest.npos)
      return grid;
    rest.remove_prefix(comma + 1);
  }
}

struct Save {
  size_t argument;
  std::string file;
};

std::vector<Save> parseSaves(const CommandLine &line, const std::vector<Argument> &arguments) {
  std::vector<Save> saves;
  for (const std::string &text : line.all("--save")) {
    size_t equals = text.find('=');
    std::optional<uint64_t> index = parseUnsigned(text.substr(0, equals));
    if (equals == std::string::npos || equals + 1 == text.size() || !index)
      failUsage("option --save is " + quoted(text) + ", expected I=FILE.npy");
    if (*index >= arguments.size())
      failUsage("option --save names argument " + std::to_string(*index) + ", but there are " +
                std::to_string(arguments.size()) + " arguments, counted from 0");
    if (!arguments[*index].array)
      failUsage("option --save names argument " + std::to_string(*index) + ", which is " +
                quoted(arguments[*index].spelling) + " and not an array");
    saves.push_back({*index, text.substr(equals + 1)});
  }
  return saves;
}

/// The arguments as tl_launch takes them: device copies of the arrays, freed at the end.
class DeviceArguments {
public:
  DeviceArguments(tl_device *device, tl_stream *stream, const std::vector<Argument> &arguments)
      : values(arguments.size()), addresses(arguments.size()) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      addresses[i] = &values[i];
      if (arguments[i].array) {
        const std::vector<char> &bytes = arguments[i].array->bytes;
        void *pointer = nullptr;
        check(tl_allocate(device, bytes.size(), &pointer));
        allocations.emplace_back(pointer, Free{device});
        check(tl_copy_to_device(stream, pointer, bytes.data(), bytes.size()));
        values[i] = reinterpret_cast<uintptr_t>(pointer);
      } else {
        values[i] = arguments[i].value;
      }
    }
  }

  void *const *data() const { return addresses.data(); }
  size_t size() const { return addresses.size(); }
  void *pointer(size_t index) const { return reinterpret_cast<void *>(values[index]); }

private:
  struct Free {
    tl_device *device;
    void operator()(void *pointer) const { tl_free(device, pointer); }
  };
  std::vector<uint64_t> values; // little-endian hosts: the low bytes come first
  std::vector<void *> addresses;
  std::vector<std::unique_ptr<void, Free>> allocations;
};

void checkArguments(const tl_kernel *kernel, const std::vector<Argument> &arguments) {
  size_t count = tl_kernel_parameter_count(kernel);
  if (count != arguments.size()) {
    std::string types;
    for (size_t i = 0; i < count; ++i)
      types += (i ? ", " : "") + std::string(tl_kernel_parameter_type(kernel, i));
    failUsage("kernel " + std::string(tl_kernel_name(kernel)) + " takes " + std::to_string(count) +
                  (count == 1 ? " argument" : " arguments") + " (" + types + "), but " +
                  std::to_string(arguments.size()) + (arguments.size() == 1 ? " was" : " were") +
                  " given",
              "give one --arg for each parameter, in order");
  }
  for (size_t i = 0; i < count; ++i)
    checkArgument(i, arguments[i], tl_kernel_parameter_type(kernel, i));
}

} // namespace

void run(const CommandLine &line) {
  const std::string &file = line.file();
  const Grid grid = parseGrid(line);
  const tl_compile_options options = parseCompileOptions(line);
  const std::optional<std::string> entry = line.value("--entry");
  std::vector<Argument> arguments;
  for (const std::string &text : line.all("--arg"))
    arguments.push_back(parseArgument(text));
  const std::vector<Save> saves = parseSaves(line, arguments);
  const std::vector<char> text = readFile(file);

  tl_device *device = nullptr;
  tl_stream *stream = nullptr;
  if (std::optional<std::string> name = line.value("--device"))
    check(tl_device_open(name->c_str(), &device));
  else
    check(tl_device_best(&device));
  check(tl_stream_default(device, &stream));

  const auto start = std::chrono::steady_clock::now();
  tl_kernel *kernel = nullptr;
  check(tl_compile(device, text.data(), text.size(), entry ? entry->c_str() : nullptr, &options,
                   &kernel),
        file);
  const auto compiled = std::chrono::steady_clock::now();

  checkArguments(kernel, arguments);
  DeviceArguments values(device, stream, arguments);
  const auto copied = std::chrono::steady_clock::now();
  check(tl_launch(kernel, stream, grid.extent[0], grid.extent[1], grid.extent[2], values.data(),
                  values.size()),
        file);
  check(tl_stream_synchronize(stream), file);
  const auto ended = std::chrono::steady_clock::now();

  for (const Save &save : saves) {
    NpyArray &array = *arguments[save.argument].array;
    check(tl_copy_from_device(stream, array.bytes.data(), values.pointer(save.argument),
                              array.bytes.size()));
    writeNpy(save.file, array);
  }
  if (line.has("--time")) {
    using Milliseconds = std::chrono::duration<double, std::milli>;
    const auto text = [](Milliseconds time) {
      return tl::impl::number_text(time.count(), 3, std::chars_format::fixed);
    };
    std::fprintf(stderr, "compile %s ms, run %s ms\n", text(compiled - start).c_str(),
                 text(ended - copied).c_str());
  }
}

} // namespace tlc
