// SPDX-License-Identifier: MIT
#include "interpreter/Target.h"

#include "interpreter/Decode.h"

namespace tl::backend::interpreter {

std::unique_ptr<CompiledKernel> InterpreterTarget::compile(KernelSource source,
                                                           std::string_view entry,
                                                           const CompileOptions &options) const {
  DecodedKernel decoded;
  try {
    decoded = decode(std::move(source), entry, options);
  } catch (Error &error) {
    error.device = "interpreter";
    throw;
  }
  auto kernel = std::make_unique<InterpretedKernel>();
  kernel->name = decoded.program.name;
  kernel->parameters = std::move(decoded.parameters);
  kernel->milliseconds = {{"parse", decoded.parseMilliseconds},
                          {"decode", decoded.decodeMilliseconds}};
  kernel->text = std::move(decoded.text);
  kernel->program = std::move(decoded.program);
  kernel->debug = options.debug;
  return kernel;
}

} // namespace tl::backend::interpreter
