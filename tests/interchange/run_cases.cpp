// SPDX-License-Identifier: MIT
//
// Runs TTIR that upstream Triton wrote on a device, and compares with what upstream computed on a
// GPU.
//
//     run_cases --device D [--num-warps N] FOLDER [CASE ...]     (all cases without a name)
//
// A case is a folder: each *.ttir is a text of upstream's that does the same; arg<i>.npy are the
// arrays before the run and want<i>.npy those after it; case.json has the grid, the options, the
// arguments in order, the arrays to check and the tolerance, or a part of the error that the run
// ends in.

#include "arrays.hpp"

#include <tl/tl.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace interchange {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The value of a scalar argument as tl_launch reads it: the low bytes first.
std::uint64_t scalar_bits(const std::string &type, const json &scalar) {
  std::uint64_t bits = 0;
  if (type == "fp32") {
    const float value = scalar.get<float>();
    std::memcpy(&bits, &value, sizeof value);
  } else if (type == "i32" || type == "i64") {
    bits = static_cast<std::uint64_t>(scalar.get<std::int64_t>());
  } else {
    throw std::runtime_error("scalars of type " + type + " are not known");
  }
  return bits;
}

/// An array of the case on the device, by its number in the file names.
struct device_array {
  array content;
  std::string type;
  tl::buffer<std::uint8_t> memory;
};

/// Throws unless the error that `run` ends in has the part.
void expect_error(const std::function<void()> &run, const std::string &part) {
  try {
    run();
  } catch (const tl::error &error) {
    if (std::string_view(error.what()).find(part) == std::string_view::npos)
      throw;
    return;
  }
  throw std::runtime_error("ran, expected the error '" + part + "'");
}

/// Throws if the text of a case does not pass.
void run_text(const fs::path &folder, const fs::path &text, tl::device device, int num_warps) {
  const json about = json::parse(read_text(folder / "case.json"));
  const std::string ttir = read_text(text);

  tl_compile_options options{};
  options.size = sizeof options;
  options.num_warps = num_warps ? num_warps : about.at("num_warps").get<int>();
  options.num_stages = about.at("num_stages").get<int>();
  options.debug = about.value("debug", false);
  tl_kernel *kernel = nullptr;
  tl::impl::check(
      tl_compile(device.handle(), ttir.data(), ttir.size(), nullptr, &options, &kernel));

  const json &arguments = about.at("args");
  std::map<int, device_array> arrays;
  std::vector<std::uint64_t> values(arguments.size());
  std::vector<void *> addresses;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const json &argument = arguments[i];
    const std::string type = argument.at("type");
    if (argument.contains("tensor")) {
      const int number = argument["tensor"];
      array content = read_array(folder / ("arg" + std::to_string(number) + ".npy"));
      tl::buffer<std::uint8_t> memory(device, content.bytes);
      values[i] = reinterpret_cast<std::uintptr_t>(memory.data());
      arrays.emplace(number, device_array{std::move(content), type, std::move(memory)});
    } else {
      values[i] = scalar_bits(type, argument.at("scalar"));
    }
    addresses.push_back(&values[i]);
  }

  std::uint32_t grid[3] = {1, 1, 1};
  for (std::size_t axis = 0; axis < about.at("grid").size(); ++axis)
    grid[axis] = about["grid"][axis];
  tl_stream *stream = tl::stream::default_of(device).handle();
  const auto run = [&] {
    tl::impl::check(
        tl_launch(kernel, stream, grid[0], grid[1], grid[2], addresses.data(), addresses.size()));
    tl::impl::check(tl_stream_synchronize(stream));
  };
  if (about.contains("error"))
    return expect_error(run, about["error"]);
  run();

  const tolerance allowed{about.at("rtol"), about.at("atol")};
  for (const int checked : about.at("check").get<std::vector<int>>()) {
    device_array &result = arrays.at(checked);
    result.content.bytes = result.memory.to_vector();
    const std::string why =
        difference(result.content, read_array(folder / ("want" + std::to_string(checked) + ".npy")),
                   result.type, allowed);
    if (!why.empty())
      throw std::runtime_error("array " + std::to_string(checked) + ": " + why);
  }
}

std::vector<fs::path> texts_of(const fs::path &folder) {
  std::vector<fs::path> texts;
  for (const auto &entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".ttir")
      texts.push_back(entry.path());
  std::sort(texts.begin(), texts.end());
  if (texts.empty())
    throw std::runtime_error(folder.string() + " has no text");
  return texts;
}

int usage() {
  std::fprintf(stderr, "usage: run_cases --device D [--num-warps N] FOLDER [CASE ...]\n");
  return 2;
}

int run_all(int argc, char **argv) {
  std::string device_name;
  int num_warps = 0;
  std::optional<fs::path> folder;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if ((word == "--device" || word == "--num-warps") && i + 1 < argc) {
      ++i;
      if (word == "--device")
        device_name = argv[i];
      else if ((num_warps = std::atoi(argv[i])) <= 0)
        return usage();
    } else if (word.starts_with("--")) {
      return usage();
    } else if (!folder) {
      folder = word;
    } else {
      names.emplace_back(word);
    }
  }
  if (device_name.empty() || !folder)
    return usage();
  if (names.empty())
    for (const auto &entry : fs::directory_iterator(*folder))
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());

  std::optional<tl::device> device;
  try {
    device.emplace(device_name);
  } catch (const tl::error &missing) {
    std::printf("[SKIP] %s\n0 passed, 0 failed, %zu skipped\n", missing.what(), names.size());
    return 77;
  }
  std::size_t passed = 0, failed = 0, skipped = 0;
  for (const std::string &name : names) {
    for (const fs::path &text : texts_of(*folder / name)) {
      const std::string which = name + "/" + text.filename().string();
      try {
        run_text(*folder / name, text, *device, num_warps);
        ++passed;
      } catch (const tl::out_of_resources &error) {
        // What upstream compiled must compile; with another number of warps it may be too large.
        ++(num_warps ? skipped : failed);
        std::printf("%s %s on %s: %s\n", num_warps ? "[SKIP]" : "FAIL", which.c_str(),
                    device_name.c_str(), error.what());
      } catch (const std::exception &error) {
        ++failed;
        std::printf("FAIL %s on %s: %s\n", which.c_str(), device_name.c_str(), error.what());
        std::fflush(stdout);
      }
    }
  }
  std::printf("%zu passed, %zu failed, %zu skipped\n", passed, failed, skipped);
  return failed != 0 || passed + skipped == 0;
}

} // namespace
} // namespace interchange

int main(int argc, char **argv) try {
  return interchange::run_all(argc, argv);
} catch (const std::exception &error) {
  std::fprintf(stderr, "run_cases: %s\n", error.what());
  return 2;
}
