// SPDX-License-Identifier: MIT
#include "c_api.hpp"

#include <bit>
#include <doctest/doctest.h>

namespace c_api {

Outcome outcomeOf(tl_status status) {
  Outcome outcome;
  outcome.status = status;
  if (status == TL_OK)
    return outcome;
  const tl_diagnostic *diagnostic = tl_last_diagnostic();
  REQUIRE(diagnostic);
  outcome.message = diagnostic->message;
  outcome.help = diagnostic->help;
  outcome.file = diagnostic->file;
  outcome.line = diagnostic->line;
  outcome.kernel = diagnostic->kernel;
  outcome.device = diagnostic->device;
  return outcome;
}

tl_device *device() {
  static tl_device *opened = [] {
    tl_device *found = nullptr;
    REQUIRE(tl_device_open("interpreter", &found) == TL_OK);
    return found;
  }();
  return opened;
}

tl_stream *stream() {
  static tl_stream *initial = [] {
    tl_stream *found = nullptr;
    REQUIRE(tl_stream_default(device(), &found) == TL_OK);
    return found;
  }();
  return initial;
}

Bytes::Bytes(uint64_t bytes) { REQUIRE(tl_allocate(device(), bytes, &data) == TL_OK); }
Bytes::~Bytes() {
  if (data)
    tl_free(device(), data);
}

Outcome run(const std::string &module, std::vector<Argument> arguments, Grid grid, bool debug) {
  tl_compile_options options = {};
  options.size = sizeof options;
  options.debug = debug;
  tl_kernel *kernel = nullptr;
  if (tl_status status =
          tl_compile(device(), module.data(), module.size(), nullptr, &options, &kernel))
    return outcomeOf(status);
  std::vector<void *> pointers;
  for (Argument &argument : arguments)
    pointers.push_back(argument.bytes);
  return outcomeOf(
      tl_launch(kernel, stream(), grid.x, grid.y, grid.z, pointers.data(), pointers.size()));
}

static std::string replaceAll(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

static size_t elementsOf(const std::string &shape) {
  size_t count = 1, number = 0;
  for (char c : shape + "x")
    if (c == 'x')
      count *= number, number = 0;
    else
      number = number * 10 + static_cast<size_t>(c - '0');
  return count;
}

/// Lines that make the tensor of pointers %<name>_p of the shape from the parameter %<name>_base.
static std::string pointersTo(const std::string &name, const std::string &type,
                              const std::string &shape, size_t count) {
  const std::string flat = std::to_string(count), p = "%" + name;
  std::string text;
  text += p + "_r = tt.make_range {start = 0 : i32, end = " + flat + " : i32} : tensor<" + flat +
          "xi32>\n";
  text +=
      p + "_o = tt.reshape " + p + "_r : tensor<" + flat + "xi32> -> tensor<" + shape + "xi32>\n";
  text += p + "_s = tt.splat " + p + "_base : !tt.ptr<" + type + "> -> tensor<" + shape +
          "x!tt.ptr<" + type + ">>\n";
  text += p + "_p = tt.addptr " + p + "_s, " + p + "_o : tensor<" + shape + "x!tt.ptr<" + type +
          ">>, tensor<" + shape + "xi32>\n";
  return text;
}

std::vector<unsigned char> lanesOf(const std::string &body, const std::string &resultType,
                                   size_t resultBytes, const std::vector<Operand> &operands,
                                   const std::string &shape, const std::string &resultShape) {
  const size_t padded = std::bit_ceil(operands[0].count);
  const std::string in = shape.empty() ? std::to_string(padded) : shape;
  const std::string out = resultShape.empty() ? in : resultShape;
  std::string parameters, text;
  std::vector<Array<unsigned char>> arrays;
  std::vector<Argument> arguments;
  const char *names = "abcdefgh";
  for (size_t i = 0; i < operands.size(); ++i) {
    const Operand &operand = operands[i];
    const std::string name(1, names[i]);
    // Pad with the last element, which the test gave.
    std::vector<unsigned char> bytes = operand.bytes;
    const size_t count = shape.empty() ? padded : elementsOf(shape);
    while (bytes.size() < count * operand.elementBytes)
      bytes.push_back(bytes[bytes.size() - operand.elementBytes]);
    arrays.emplace_back(bytes);
    parameters += "%" + name + "_base: !tt.ptr<" + operand.type + ">, ";
    text += pointersTo(name, operand.type, in, count);
    text += "%" + name + " = tt.load %" + name + "_p : tensor<" + in + "x!tt.ptr<" + operand.type +
            ">>\n";
  }
  const size_t resultCount = elementsOf(out);
  Array<unsigned char> result(resultCount * resultBytes);
  for (const auto &array : arrays)
    arguments.emplace_back(array);
  arguments.emplace_back(result);
  text += replaceAll(body, "SHAPE", in) + "\n" + pointersTo("r_out", resultType, out, resultCount);
  text += "tt.store %r_out_p, %r : tensor<" + out + "x!tt.ptr<" + resultType + ">>\n";
  const std::string module = "module {\ntt.func public @kernel(" + parameters +
                             "%r_out_base: !tt.ptr<" + resultType + ">) {\n" + text +
                             "tt.return\n}\n}\n";
  const Outcome outcome = run(module, arguments);
  INFO(module);
  INFO(outcome.message);
  REQUIRE(outcome.status == TL_OK);
  return result.values();
}

} // namespace c_api
