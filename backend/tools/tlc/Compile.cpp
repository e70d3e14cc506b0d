// SPDX-License-Identifier: MIT
//
// tlc compile: TTIR in, one stage of the compilation out. Needs no device.
#include "Commands.h"
#include "EarlierSpelling.h"
#include "Failure.h"
#include "NpyFile.h"

#include "tl/impl/compile_options.hpp"
#include "tl/impl/number_text.hpp"

#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <unistd.h>

namespace tlc {
namespace {

struct KernelDestroyer {
  void operator()(tl_kernel *kernel) const { tl_kernel_destroy(kernel); }
};

/// "64", "%3" or "64*%3*%4".
std::string numberText(const tl_launch_number &number) {
  std::string text;
  if (number.constant != 1 || number.factors == 0)
    text = std::to_string(number.constant);
  for (uint32_t i = 0; i < number.factors; ++i)
    text += (text.empty() ? "%" : "*%") + std::to_string(number.parameters[i]);
  return text;
}

std::string mapText(const tl_tensor_map &map) {
  static constexpr const char *types[] = {"u8",  "u16", "u32", "s32", "u64",
                                          "s64", "f16", "f32", "f64", "bf16"};
  std::string text = "tensor map, 128 bytes at a multiple of 64, of the ";
  text += map.data_type < std::size(types) ? types[map.data_type] : "elements";
  text += " at %" + std::to_string(map.base) + ", extents";
  for (uint32_t axis = 0; axis < map.rank; ++axis)
    text += " " + numberText(map.extents[axis]);
  if (map.rank > 1)
    text += ", strides";
  for (uint32_t axis = 0; axis + 1 < map.rank; ++axis)
    text += " " + numberText(map.strides[axis]);
  text += ", box";
  for (uint32_t axis = 0; axis < map.rank; ++axis)
    text += " " + std::to_string(map.box[axis]);
  if (map.swizzle)
    text += ", swizzled by " + std::to_string(16u << map.swizzle) + " bytes";
  return text + (map.nan_filled ? ", filled with NaN" : "");
}

/// The parameters that a launch by hand has to add; see tl/c/tl.h.
std::string hiddenText(const tl_hidden_parameter &hidden) {
  const std::string bytes = std::to_string(hidden.bytes) + " bytes";
  switch (hidden.kind) {
  case TL_HIDDEN_GRID_BARRIER:
    return "grid barrier, pointer to " + bytes + ", zero before the first launch";
  case TL_HIDDEN_FAILURE_RECORD:
    return "failure record, pointer to " + bytes + ", zero before each launch";
  case TL_HIDDEN_WORKSPACE:
    return "workspace, pointer to " + bytes + " for each program";
  case TL_HIDDEN_TENSOR_MAP:
    return mapText(hidden.map);
  }
  return std::to_string(hidden.size) + " bytes of an unknown kind";
}

/// How the code is launched, where it can be loaded by itself.
std::string launchText(const tl_kernel *kernel) {
  const std::string symbol = tl_kernel_symbol(kernel);
  if (symbol.empty())
    return "";
  std::string text = "\nsymbol " + symbol + "\nthreads " +
                     std::to_string(tl_kernel_get(kernel, TL_KERNEL_THREADS)) + "\nshared bytes " +
                     std::to_string(tl_kernel_get(kernel, TL_KERNEL_SHARED_BYTES));
  // Known where an assembler is installed.
  if (const int64_t registers = tl_kernel_get(kernel, TL_KERNEL_REGISTERS); registers > 0)
    text += "\nregisters " + std::to_string(registers) + "\nspilled bytes " +
            std::to_string(tl_kernel_get(kernel, TL_KERNEL_SPILLS));
  for (size_t i = 0; i < tl_kernel_hidden_count(kernel); ++i) {
    tl_hidden_parameter hidden{};
    hidden.struct_size = sizeof hidden;
    tl::impl::check(tl_kernel_hidden(kernel, i, &hidden));
    text += "\nhidden parameter %" + std::to_string(tl_kernel_parameter_count(kernel) + i) + ": " +
            hiddenText(hidden);
  }
  return text;
}

/// What there is to know about a kernel, for a compilation without --emit.
std::string summary(const tl_kernel *kernel) {
  std::string text = std::string("kernel ") + tl_kernel_name(kernel) + "\nparameters";
  for (size_t i = 0; i < tl_kernel_parameter_count(kernel); ++i)
    text += (i ? ", " : " ") + std::string(tl_kernel_parameter_type(kernel, i));
  text += launchText(kernel) + "\nstages";
  for (size_t i = 0; const char *name = tl_kernel_stage_name(kernel, i); ++i)
    text += std::string(" ") + name;
  text += "\nmilliseconds";
  double milliseconds = 0;
  for (size_t i = 0; const char *step = tl_kernel_time(kernel, i, &milliseconds); ++i)
    text += std::string(i ? ", " : " ") + step + " " +
            tl::impl::number_text(milliseconds, 2, std::chars_format::fixed);
  return text + "\n";
}

/// Registers that did not suffice: nothing is wrong, but most often it is slow.
void remarkSpills(const tl_kernel *kernel, const std::string &file) {
  const int64_t bytes = tl_kernel_get(kernel, TL_KERNEL_SPILLS);
  if (tl_kernel_get(kernel, TL_KERNEL_REGISTERS) > 0 && bytes > 0)
    std::fprintf(stderr,
                 "%s: remark: each thread of %s keeps %lld bytes in memory that did not fit "
                 "into %lld registers\n",
                 file.c_str(), tl_kernel_name(kernel), static_cast<long long>(bytes),
                 static_cast<long long>(tl_kernel_get(kernel, TL_KERNEL_REGISTERS)));
}

bool isBinary(const std::string &stage) {
  return stage == "obj" || stage == "cubin" || stage == "hsaco";
}

/// The options of a command and those of compiling, which compile and run share.
std::vector<Option> withCompiling(std::vector<Option> options) {
  options.push_back(
      {"--entry", "NAME", "the kernel; needed where the file has several public functions"});
#define NUMBER(name, member, usual, least, most, isPowerOfTwo)                                     \
  options.push_back({tl::impl::flag_of(#name), "N",                                                \
                     tl::impl::legal_values(least, most, isPowerOfTwo) + "; " +                    \
                         (usual ? #usual : "the compiler's choice") + " by default"});
#define SWITCH(name, member, usual, field, help)                                                   \
  options.push_back({tl::impl::flag_of(#name, usual), "", help});
  TL_IMPL_COMPILE_OPTIONS(NUMBER, SWITCH)
#undef NUMBER
#undef SWITCH
  return options;
}

} // namespace

std::span<const Option> compileOptions() {
  static const std::vector<Option> options = withCompiling({
      {"--target", "TARGET", "what to compile for: cpu (the default), sm_90a, ..."},
      {"--emit", "STAGE",
       "the stage to write, such as llir, asm, ptx or report; without it a summary"},
      {"-o", "FILE", "where to write it; the standard output without it"},
      {"--ttir-version", "RELEASE",
       "the release of Triton that is to read --emit ttir, 3.6 to 3.9; 3.9 by default"},
  });
  return options;
}

std::span<const Option> runOptions() {
  static const std::vector<Option> options = withCompiling({
      {"--device", "DEVICE", "where to run: cpu, interpreter, cuda:0; else as TL_DEVICE says"},
      {"--grid", "X[,Y[,Z]]", "number of programs along each axis; needed"},
      {"--arg", "A", "the next argument: @FILE.npy, TYPE:VALUE or null", true},
      {"--save", "I=FILE.npy", "write the array of argument I, counted from 0, after the run",
       true},
      {"--time", "", "print the times of compiling and running to the standard error"},
  });
  return options;
}

tl_compile_options parseCompileOptions(const CommandLine &line) {
  tl_compile_options options{};
  options.size = sizeof options;
#define NUMBER(name, member, usual, least, most, ...)                                              \
  options.name =                                                                                   \
      static_cast<int32_t>(line.number(tl::impl::flag_of(#name), least, most).value_or(0));
#define SWITCH(name, member, usual, field, ...)                                                    \
  options.field = line.has(tl::impl::flag_of(#name, usual));
  TL_IMPL_COMPILE_OPTIONS(NUMBER, SWITCH)
#undef NUMBER
#undef SWITCH
  return options;
}

void compile(const CommandLine &line) {
  const std::string &file = line.file();
  const std::string target = line.value("--target").value_or("cpu");
  const std::string stage = line.value("--emit").value_or("");
  const std::string output = line.value("-o").value_or("-");
  const std::optional<std::string> entry = line.value("--entry");
  const std::optional<std::string> release = line.value("--ttir-version");
  if (release && stage != "ttir")
    failUsage("option --ttir-version is for --emit ttir");
  if (release)
    checkRelease(*release);
  const tl_compile_options options = parseCompileOptions(line);
  const std::vector<char> text = readFile(file);

  if (const char *remarks = std::getenv("TL_REMARKS"); !remarks || !*remarks)
    setenv("TL_REMARKS", "1", /*overwrite=*/1);
  tl_kernel *made = nullptr;
  check(tl_compile_for(target.c_str(), text.data(), text.size(), entry ? entry->c_str() : nullptr,
                       &options, &made),
        file);
  std::unique_ptr<tl_kernel, KernelDestroyer> kernel(made);
  remarkSpills(made, file);
  if (stage.empty()) {
    writeFile(output, summary(made));
    return;
  }
  const char *data = nullptr;
  size_t size = 0;
  check(tl_kernel_stage(made, stage.c_str(), &data, &size), file);
  if (isBinary(stage) && output == "-" && isatty(STDOUT_FILENO))
    failUsage("the stage " + stage + " is binary and not for a terminal", "name a file with -o");
  const std::string written(data, size);
  writeFile(output, release ? spelledFor(*release, written) : written);
}

} // namespace tlc
