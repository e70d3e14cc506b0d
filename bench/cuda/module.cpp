// SPDX-License-Identifier: MIT
#include "module.hpp"
#include "costs.hpp"
#include "kernel_list.hpp"

#include <cstring>
#include <deque>
#include <optional>
#include <stdexcept>

namespace {

using namespace bench::gpu;

struct prepared {
  std::vector<std::int64_t> values;
  launch_arguments arguments;
  const configuration *chosen;
  tl::compiled_kernel kernel;
};

// One for the process: what Python holds are numbers.
struct state {
  std::optional<tl::device> device;
  std::optional<tl::stream> stream;
  int multiprocessors = 1;
  std::deque<prepared> list; // stays where it is
  std::string error, text;
};

state &the() {
  static state s;
  return s;
}

/// Runs the work; keeps the text of what it throws.
template <class Work> int guarded(const Work &work) {
  try {
    return work();
  } catch (const std::exception &e) {
    the().error = e.what();
    return -1;
  }
}

const measured_kernel &kernel_named(const char *name) {
  if (const measured_kernel *kernel = find_kernel(name))
    return *kernel;
  throw std::runtime_error("no kernel is named '" + std::string(name) + "'");
}

launch_arguments arguments_of(const measured_kernel &kernel, const std::int64_t *values,
                              int count) {
  int expected = 1;
  for (const char *c = kernel.parameters; *c; ++c)
    expected += *c == ' ';
  if (count != expected)
    throw std::runtime_error(std::string(kernel.name) + " takes " + kernel.parameters + ", got " +
                             std::to_string(count) + " arguments");
  if (!the().stream)
    throw std::runtime_error("tlb_open was not called");
  launch_arguments arguments;
  arguments.values = values;
  arguments.stream = the().stream->handle();
  arguments.multiprocessors = the().multiprocessors;
  arguments.programs_may_wait = the().device->name().starts_with("cuda");
  return arguments;
}

const prepared &prepared_number(int number) {
  if (number < 0 || number >= static_cast<int>(the().list.size()))
    throw std::runtime_error("nothing was prepared under the number " + std::to_string(number));
  return the().list[static_cast<std::size_t>(number)];
}

} // namespace

int tlb_open(const char *device, void *native_stream, int multiprocessors) {
  return guarded([&] {
    state &s = the();
    s.device = tl::device(device);
    if (s.device->name().starts_with("cuda"))
      s.stream.emplace(tl::stream::wrap(*s.device, native_stream));
    else
      s.stream.emplace(tl::stream::default_of(*s.device));
    s.multiprocessors = multiprocessors;
    return 0;
  });
}

const char *tlb_error() { return the().error.c_str(); }

const char *tlb_device_description() {
  the().text = the().device ? the().device->description() : "";
  return the().text.c_str();
}

const char *tlb_configurations(const char *kernel, const std::int64_t *values, int count) {
  the().text.clear();
  guarded([&] {
    const measured_kernel &found = kernel_named(kernel);
    const launch_arguments arguments = arguments_of(found, values, count);
    for (const configuration &c : found.configurations)
      if (c.fits(arguments))
        the().text += c.name + "\n";
    return 0;
  });
  return the().text.c_str();
}

int tlb_prepare(const char *kernel, const char *name, const std::int64_t *values, int count) {
  return guarded([&] {
    const measured_kernel &found = kernel_named(kernel);
    launch_arguments arguments = arguments_of(found, values, count);
    const configuration &chosen = find_configuration(found, name, arguments);
    const tl::compiled_kernel compiled = chosen.run(arguments);
    auto &list = the().list;
    list.push_back({{values, values + count}, arguments, &chosen, compiled});
    list.back().arguments.values = list.back().values.data();
    return static_cast<int>(list.size()) - 1;
  });
}

int tlb_run(int number) {
  return guarded([&] {
    const prepared &p = prepared_number(number);
    p.chosen->run(p.arguments);
    return 0;
  });
}

const char *tlb_prepared_name(int number) {
  const char *name = "";
  guarded([&] {
    name = prepared_number(number).chosen->name.c_str();
    return 0;
  });
  return name;
}

std::int64_t tlb_prepared_property(int number, int property) {
  std::int64_t value = -1;
  guarded([&] {
    value = tl_kernel_get(prepared_number(number).kernel.handle(),
                          static_cast<tl_kernel_property>(property));
    return 0;
  });
  return value;
}

const char *tlb_prepared_text(int number, const char *stage) {
  the().text.clear();
  guarded([&] {
    the().text = prepared_number(number).kernel.text(stage);
    return 0;
  });
  return the().text.c_str();
}

void tlb_forget() { the().list.clear(); }

int tlb_launch_cost(int launches, double *microseconds) {
  return guarded([&] {
    if (!the().stream)
      throw std::runtime_error("tlb_open was not called");
    const launch_cost cost = measure_launches(*the().device, launches);
    microseconds[0] = cost.driver;
    microseconds[1] = cost.c_api;
    microseconds[2] = cost.spelled;
    return 0;
  });
}

int tlb_compile_cost(const char *kernel, double *milliseconds) {
  return guarded([&] {
    if (!the().stream)
      throw std::runtime_error("tlb_open was not called");
    *milliseconds = measure_compilation(*the().device, the().stream->handle(), kernel);
    return 0;
  });
}
