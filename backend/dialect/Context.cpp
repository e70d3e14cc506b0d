// SPDX-License-Identifier: MIT
#include "dialect/Context.h"

#include "dialect/Legality.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "support/Environment.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>

using namespace mlir;
using tl::backend::Error;
using tl::backend::SourceLocation;

namespace tl::tt {

void registerDialects(DialectRegistry &registry) {
  registry
      .insert<TTDialect, ttg::TTGDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect,
              cf::ControlFlowDialect, ub::UBDialect, gpu::GPUDialect, LLVM::LLVMDialect>();
}

std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registerDialects(registry);
  auto context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->printOpOnDiagnostic(false);
  return context;
}

// ---- Locations

namespace {

/// The line of a location that is not a call, and the calls that enclose it, innermost first. A
/// loop over a list, not a recursion: locations nest as deeply as the text likes.
SourceLocation walk(Location loc, SmallVectorImpl<LocationAttr> &callers) {
  LocationAttr at = loc;
  for (int steps = 0; steps < 10000; ++steps) {
    if (auto file = dyn_cast<FileLineColRange>(at))
      return {file.getFilename().str(), file.getStartLine(), file.getStartColumn()};
    if (auto name = dyn_cast<NameLoc>(at)) {
      at = name.getChildLoc();
    } else if (auto call = dyn_cast<CallSiteLoc>(at)) {
      callers.push_back(call.getCaller());
      at = call.getCallee();
    } else if (auto fused = dyn_cast<FusedLoc>(at); fused && !fused.getLocations().empty()) {
      at = fused.getLocations().front();
    } else if (!callers.empty()) {
      at = callers.pop_back_val();
    } else {
      break;
    }
  }
  return {};
}

/// Most calls that a message names.
constexpr size_t maxCalls = 4;

} // namespace

SourceLocation sourceLocationOf(Location loc) {
  SmallVector<LocationAttr> callers;
  return walk(loc, callers);
}

std::string callsOf(Location loc) {
  std::string text;
  SmallVector<LocationAttr> pending;
  walk(loc, pending);
  for (size_t calls = 0; !pending.empty() && calls < maxCalls; ++calls) {
    // The call that is nearest was found last.
    SourceLocation where = walk(Location(pending.pop_back_val()), pending);
    if (where.line != 0)
      text += ", called from " + where.file + ":" + std::to_string(where.line) + ":" +
              std::to_string(where.column);
  }
  return text;
}

Error errorAt(Operation *op, const std::string &message, tl_status status) {
  auto function = isa<FuncOp>(op) ? cast<FuncOp>(op) : op->getParentOfType<FuncOp>();
  return Error(status, message + callsOf(op->getLoc()))
      .at(sourceLocationOf(op->getLoc()))
      .inKernel(function ? function.getName().str() : std::string());
}

/// The metadata of a diagnostic is its status.
InFlightDiagnostic emitUnsupported(Operation *op) {
  InFlightDiagnostic error = op->emitOpError();
  error.getUnderlyingDiagnostic()->getMetadata().emplace_back(unsigned(TL_UNSUPPORTED));
  return error;
}

DiagnosticCollector::DiagnosticCollector(MLIRContext &context, std::string fallbackFile)
    : handler(&context, [this](Diagnostic &diagnostic) { return collect(diagnostic); }) {
  first.file = std::move(fallbackFile);
}

/// A line of standard error, if it is wanted; not again where a stage's text is made by compiling
/// once more.
static void printRemark(const Diagnostic &diagnostic) {
  if (!backend::environment().remarks)
    return;
  const SourceLocation at = sourceLocationOf(diagnostic.getLocation());
  const std::string line = at.file + ":" + std::to_string(at.line) + ":" +
                           std::to_string(at.column) + ": remark: " + diagnostic.str() + "\n";
  thread_local std::string last;
  if (line != last)
    std::fputs(line.c_str(), stderr);
  last = line;
}

LogicalResult DiagnosticCollector::collect(Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
    printRemark(diagnostic);
  if (found || diagnostic.getSeverity() != DiagnosticSeverity::Error)
    return success();
  found = true;
  std::string message;
  llvm::raw_string_ostream stream(message);
  diagnostic.print(stream);
  // MLIR opens with "'tt.dot' op "; readers need the name of the operation alone.
  size_t end = message.find("' op ");
  if (message.rfind('\'', 0) == 0 && end != std::string::npos)
    message = message.substr(1, end - 1) + ": " + message.substr(end + 5);
  first.message = message + callsOf(diagnostic.getLocation());
  if (auto &status = diagnostic.getMetadata(); !status.empty())
    first.status = tl_status(status.front().getAsUnsigned());
  SourceLocation location = sourceLocationOf(diagnostic.getLocation());
  if (!location.file.empty() || location.line != 0) {
    first.file = location.file;
    first.line = location.line;
    first.column = location.column;
  }
  return success();
}

void DiagnosticCollector::raise(tl_status status, const std::string &fallback) const {
  Error error = first;
  if (error.status != TL_UNSUPPORTED)
    error.status = status;
  if (!found)
    error.message = fallback;
  throw error;
}

// ---- Text

/// Where the parser does not know a name and does not say which, the text does.
static void addName(Error &error, std::string_view text, std::string_view file) {
  if (error.line == 0 || error.column == 0 || error.file != file ||
      (error.message != "use of undeclared SSA value name" &&
       error.message != "reference to an undefined block" &&
       error.message != "reference to invalid result number"))
    return;
  for (uint32_t line = 1; line < error.line; ++line)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  text.remove_prefix(std::min<size_t>(error.column - 1, text.size()));
  const size_t end = text.find_first_not_of("%^#$.-_0123456789abcdefghijklmnopqrstuvwxyz"
                                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  constexpr size_t longest = 80;
  if (const std::string_view name = text.substr(0, std::min(end, longest)); !name.empty())
    error.message += " '" + std::string(name) + "'";
}

OwningOpRef<ModuleOp> parse(std::string_view ttir, MLIRContext &context, std::string_view file) {
  checkText(ttir, file);
  DiagnosticCollector diagnostics(context, std::string(file));
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  // The parser wants a buffer that ends in a zero byte.
  std::string text(ttir);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(llvm::StringRef(text), config, std::string(file));
  if (!module || diagnostics.hasError())
    try {
      diagnostics.raise(TL_COMPILE_ERROR, "the text is not a module of TTIR");
    } catch (Error &error) {
      addName(error, ttir, file);
      throw;
    }
  if (failed(verifyLegality(*module)) || failed(mlir::verify(*module)))
    diagnostics.raise(TL_COMPILE_ERROR, "the module is not valid TTIR");
  modernize(*module);
  return module;
}

FuncOp findEntry(ModuleOp module, std::string_view name) {
  std::string known;
  FuncOp only;
  unsigned kernels = 0;
  for (auto function : module.getOps<FuncOp>()) {
    if (!name.empty() && function.getName() == StringRef(name)) {
      if (function.isExternal())
        throw errorAt(function, "kernel '" + std::string(name) + "' is declared but has no body");
      if (function.getNumResults() != 0)
        throw errorAt(function,
                      "kernel '" + std::string(name) +
                          "' returns a value; only functions without results can be launched");
      return function;
    }
    if (function.isPublic()) {
      known += (known.empty() ? "" : ", ") + function.getName().str();
      only = function;
      ++kernels;
    }
  }
  if (kernels == 1 && only.getName().empty())
    throw errorAt(only, "a kernel must have a name");
  std::string message;
  if (!name.empty())
    message = "the module has no kernel '" + std::string(name) + "'";
  else if (kernels == 1)
    return findEntry(module, std::string_view(only.getName().data(), only.getName().size()));
  else
    message = kernels == 0 ? std::string("the module has no public function")
                           : "the module has " + std::to_string(kernels) +
                                 " public functions; name the kernel to use";
  throw Error(TL_COMPILE_ERROR, message, known.empty() ? "" : "it has: " + known)
      .at({sourceLocationOf(module.getLoc()).file});
}

std::string print(Operation *op, bool locations) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  if (locations)
    flags.enableDebugInfo(true, /*prettyForm=*/false).printNameLocAsPrefix();
  op->print(stream, flags);
  text += '\n';
  return text;
}

std::string canonicalText(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  flags.enableDebugInfo(false);
  flags.printGenericOpForm();
  module->print(stream, flags);
  return text;
}

} // namespace tl::tt
