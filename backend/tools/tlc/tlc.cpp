// SPDX-License-Identifier: MIT
//
// tlc, the command line of libtl: lists devices, compiles TTIR files and runs their kernels. It
// goes through the C API like any other program. Next: Commands.h.
#include "Arguments.h"
#include "Commands.h"
#include "Failure.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>

namespace tlc {
namespace {

void devices() {
  std::string text;
  for (size_t i = 0; i < tl_device_count(); ++i) {
    tl_device *device = nullptr;
    check(tl_device_at(i, &device));
    text += std::string(tl_device_name(device)) + ": " + tl_device_description(device) + "\n";
  }
  for (size_t i = 0; const char *line = tl_missing(i); ++i)
    text += std::string("missing ") + line + "\n";
  writeFile("-", text);
}

std::string listed(std::span<const Option> options) {
  std::string text;
  for (const Option &option : options) {
    std::string left = "  " + std::string(option.name);
    if (!option.placeholder.empty())
      left += " " + std::string(option.placeholder);
    left.resize(std::max(left.size() + 1, size_t(24)), ' ');
    text += left + std::string(option.help) + "\n";
  }
  return text;
}

std::string helpText() {
  return "usage: tlc COMMAND ...\n"
         "\n"
         "  tlc devices                     the devices of this machine, and what is missing\n"
         "  tlc compile FILE.ttir [...]     compile a kernel and write a stage of it\n"
         "  tlc run FILE.ttir [...]         run a kernel on arrays from .npy files\n"
         "  tlc layout LAYOUT [...]         draw which thread holds which element\n"
         "  tlc help [COMMAND]              this text, or that of a command\n"
         "  tlc help environment            the environment variables of libtl\n"
         "  tlc --version                   the version of libtl\n"
         "\n"
         "Exit code: 0 success, 1 the kernel is wrong or its run failed, 2 wrong command line or\n"
         "arguments, 3 a file cannot be read, written or understood, 4 a bug of libtl.\n";
}

std::string helpText(const std::string &command) {
  if (command == "devices")
    return "usage: tlc devices\n"
           "\n"
           "Prints one line for each device, 'NAME: DESCRIPTION', and one line for each thing "
           "that\n"
           "is missing, 'missing WHAT: REASON'.\n";
  if (command == "compile")
    return "usage: tlc compile FILE.ttir [--target TARGET] [--emit STAGE] [-o FILE] ...\n"
           "\n"
           "Compiles a kernel; no device is needed. FILE may be '-', the standard input.\n"
           "\n" +
           listed(compileOptions());
  if (command == "run")
    return "usage: tlc run FILE.ttir --grid X[,Y[,Z]] [--device DEVICE] [--arg A]... [--save "
           "I=F.npy]...\n"
           "\n"
           "Compiles a kernel for a device and runs it once. One --arg for each parameter, in\n"
           "order: '@x.npy' passes a pointer to a copy of the array, 'null' a null pointer, and\n"
           "'i32:1000' or 'fp32:0.5' a scalar. bf16 arrays travel as int16 or uint16, fp8 arrays\n"
           "as uint8. Types of scalars:\n"
           "  " +
           std::string(scalarTypeNames()) + "\n\n" + listed(runOptions());
  if (command == "layout")
    return "usage: tlc layout LAYOUT [--svg FILE | --text] [--bits N]\n"
           "\n"
           "Draws a layout of GPU code: which register of which lane and warp holds which "
           "element,\n"
           "or which offset and bank of shared memory. LAYOUT is written as in the stage ttgir:\n"
           "\n"
           "  '#ttg.layout<mma [16, 8], warps = [1, 1]>'\n"
           "  '#ttg.shared<swizzled [8, 32], vector = 4, per_phase = 1, max_phase = 8, order = [1, "
           "0]>'\n"
           "  'tensor<16x8xf32, #ttg.layout<...>>', '!ttg.memdesc<8x32xf16, #ttg.shared<...>>'\n"
           "\n" +
           listed(layoutOptions());
  if (command == "help")
    return helpText();
  if (command == "environment")
    return "Environment variables that libtl obeys. A value that means nothing is an error.\n"
           "\n"
           "  TL_DEVICE             device to use where the program names none\n"
           "  TL_NUM_THREADS        threads that run programs on the CPU, 1 to 1024\n"
           "  TL_PRINT_IR           before, after, after-each or after-change: print the\n"
           "                        module around the passes to the standard error\n"
           "  TL_TIME_PASSES        1: print the time of each step of a compilation\n"
           "  TL_REMARKS            1: print what passes remark; 0: nothing, of tlc compile, too\n"
           "  TL_TMA                blocks of tensor descriptors on sm_90a and later: 0: by\n"
           "                        pointers; 1: by TMA wherever its rules hold, if need be\n"
           "                        by a look at them in the kernel; not set: by TMA on\n"
           "                        sm_90a, where loops have products for it, which may be\n"
           "                        loaded by strided pointers, or there is no loop\n"
           "  TL_CPU_FEATURES       laid over those of the host, such as -avx512f,+fma\n"
           "  TL_CHECK              1: look around the buffers of the CPU for what kernels write\n"
           "                        beside them, after each launch, copy and free; and on\n"
           "                        emulated GPUs for races\n"
           "  TL_BANK_CONFLICTS     1: print what accesses of shared memory cost on emulated\n"
           "                        GPUs, and how much of it by conflicts in its banks\n"
           "  TL_INTERPRETER_STEPS  instructions after which the interpreter takes a\n"
           "                        program to run for ever, 1 to 10^18\n"
           "  TL_REPRODUCER_DIR     folder where a bug of the compiler leaves the TTIR\n"
           "  TL_PTXAS              the program that assembles PTX, instead of what is found\n"
           "  TL_LIBCUDA            the library of the CUDA driver, instead of libcuda.so.1\n"
           "  TL_LIBHIP             the library of HIP, instead of libamdhip64.so\n"
           "\n"
           "And those that the C++ headers read:\n"
           "\n"
           "  TL_PRINT_AUTOTUNING   1: print the trials of tl::autotune\n"
           "  TL_TEST_DEVICES       devices that tl::testing::devices() gives, such as cpu,cuda:0\n"
           "  TL_TEST_SEED          seed of tl::testing::random_values, to repeat a run\n";
  failUsage("there is no command " + quoted(command), "'tlc help' lists the commands");
}

void dispatch(const std::vector<std::string> &words) {
  if (words.empty())
    failUsage("tlc needs a command", "'tlc help' lists the commands");
  const std::string &command = words[0];
  std::span<const std::string> rest = std::span(words).subspan(1);
  for (const std::string &word : rest)
    if (word == "--help")
      return writeFile("-", helpText(command));

  if (command == "--version") {
    writeFile("-", std::string("tlc ") + tl_version() + "\n");
  } else if (command == "--help" || command == "-h" || command == "help") {
    if (rest.size() > 1)
      failUsage("tlc help takes one command");
    writeFile("-", rest.empty() ? helpText() : helpText(rest[0]));
  } else if (command == "devices") {
    if (!rest.empty())
      failUsage("tlc devices takes no arguments");
    devices();
  } else if (command == "compile") {
    compile(CommandLine(command, compileOptions(), rest));
  } else if (command == "layout") {
    const CommandLine line(command, layoutOptions(), rest);
    if (line.has("--svg") && line.has("--text"))
      failUsage("tlc layout takes --svg or --text, not both");
    layout(line);
  } else if (command == "run") {
    run(CommandLine(command, runOptions(), rest));
  } else {
    failUsage("there is no command " + quoted(command), "'tlc help' lists the commands");
  }
}

ExitCode codeOf(tl::error_kind kind) {
  switch (kind) {
  case tl::error_kind::invalid_argument:
    return WrongUsage;
  case tl::error_kind::internal_error:
    return InternalError;
  default:
    return KernelFailed;
  }
}

} // namespace
} // namespace tlc

int main(int argc, char **argv) {
  using namespace tlc;
  try {
    dispatch(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
    finishOutput();
    return Success;
  } catch (const Failure &failure) {
    std::fprintf(stderr, "tlc: error: %s\n", failure.message.c_str());
    if (!failure.help.empty())
      std::fprintf(stderr, "help: %s\n", failure.help.c_str());
    return failure.code;
  } catch (const tl::error &error) {
    std::fprintf(stderr, "%s%s\n", error.file().empty() ? "tlc: " : "", error.what());
    return codeOf(error.kind());
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr, "tlc: error: out of memory\n");
    return KernelFailed;
  } catch (const std::exception &unexpected) {
    std::fprintf(stderr, "tlc: internal error: %s\n", unexpected.what());
    return InternalError;
  }
}
