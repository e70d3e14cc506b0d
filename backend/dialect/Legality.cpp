// SPDX-License-Identifier: MIT
#include "dialect/Legality.h"

#include "dialect/Dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "support/Error.h"

using namespace mlir;

namespace tl::tt {

namespace {

/// Deepest nesting of brackets that is read. Real kernels stay below 30.
constexpr int maxNesting = 128;
/// Longest text that is read.
constexpr size_t maxBytes = size_t(256) << 20;

[[noreturn]] void refuse(std::string_view file, size_t line, size_t column,
                         const std::string &message) {
  throw backend::Error(TL_COMPILE_ERROR, message)
      .at({std::string(file), static_cast<uint32_t>(line), static_cast<uint32_t>(column)});
}

bool isLegalElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
    case 4:
    case 8:
    case 16:
    case 32:
    case 64:
      return integer.isSignless();
    default:
      return false;
    }
  }
  return isa<PointerType, Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type, Float8E5M2FNUZType,
             Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

LogicalResult verifyType(Operation *op, Type type) {
  auto emitError = [op] { return op->emitOpError(); };
  if (isa<TensorDescType, BlockPointerType, IndexType>(type))
    return success();
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    if (failed(verifyTensorSize(type, emitError)))
      return failure();
    if (tensor.getEncoding())
      return emitError() << "has a tensor with a layout, which TTIR does not have";
    if (isLegalElement(tensor.getElementType()) || tensor.getElementType().isIndex())
      return success();
    return emitError() << "has tensor elements that TTIR does not have: "
                       << tensor.getElementType();
  }
  if (isLegalElement(type))
    return success();
  return emitError() << "has a value of a type that TTIR does not have: " << type;
}

bool isLegalOperation(Operation *op) {
  if (isa<ModuleOp, ttg::BarrierOp, gpu::BarrierOp, LLVM::AssumeOp>(op))
    return true;
  Dialect *dialect = op->getDialect();
  if (isa_and_present<scf::SCFDialect>(dialect))
    return isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::ConditionOp, scf::YieldOp>(op);
  if (isa_and_present<cf::ControlFlowDialect>(dialect))
    return isa<cf::BranchOp, cf::CondBranchOp>(op);
  // Upstream writes these as other operations, and no device has them.
  if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp, arith::AddUIExtendedOp,
          arith::MulSIExtendedOp, arith::MulUIExtendedOp>(op))
    return false;
  return isa_and_present<TTDialect, arith::ArithDialect, math::MathDialect, ub::UBDialect>(dialect);
}

} // namespace

/// `array<index: 1>`: MLIR's parser asks for the width of the element type before it looks at it.
static bool isArrayOfNoNumbers(std::string_view ttir, size_t bracket) {
  size_t end = ttir.find_last_not_of(" \t\r\n", bracket == 0 ? 0 : bracket - 1);
  if (end == std::string_view::npos || end < 4 || ttir.substr(end - 4, 5) != "array")
    return false;
  size_t element = ttir.find_first_not_of(" \t\r\n", bracket + 1);
  if (element == std::string_view::npos || element + 1 >= ttir.size())
    return false;
  bool number = (ttir[element] == 'i' || ttir[element] == 'f') && ttir[element + 1] >= '0' &&
                ttir[element + 1] <= '9';
  return !number && ttir[element] != '>';
}

void checkText(std::string_view ttir, std::string_view file) {
  if (ttir.size() > maxBytes)
    refuse(file, 0, 0,
           "the text has " + std::to_string(ttir.size()) + " bytes, at most " +
               std::to_string(maxBytes) + " are read");
  size_t line = 1, start = 0;
  int depth = 0;
  bool text = false;
  for (size_t i = 0; i < ttir.size(); ++i) {
    char c = ttir[i];
    if (c == '\n') {
      ++line;
      start = i + 1;
      text = false; // a string ends with its line
      continue;
    }
    if (c == '\0')
      refuse(file, line, i - start + 1, "the text is binary, expected TTIR");
    if (text) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        text = false;
      continue;
    }
    switch (c) {
    case '"':
      text = true;
      break;
    case '/':
      if (i + 1 < ttir.size() && ttir[i + 1] == '/')
        while (i + 1 < ttir.size() && ttir[i + 1] != '\n')
          ++i;
      break;
    case '(':
    case '[':
    case '{':
    case '<':
      if (++depth > maxNesting)
        refuse(file, line, i - start + 1,
               "the text nests more than " + std::to_string(maxNesting) + " brackets");
      if (c == '<' && isArrayOfNoNumbers(ttir, i))
        refuse(file, line, i - start + 1, "an array attribute holds integers or floats");
      break;
    case '>':
      if (i > 0 && ttir[i - 1] == '-')
        break; // an arrow
      [[fallthrough]];
    case ')':
    case ']':
    case '}':
      depth -= depth > 0;
      break;
    default:
      break;
    }
  }
}

static LogicalResult verifyCounter(scf::ForOp loop) {
  // Signed or not, a counter of so few bits ends where nobody expects it: 0 < true is false.
  Type counter = loop.getInductionVar().getType();
  if (counter.isInteger() && counter.getIntOrFloatBitWidth() < 8)
    return loop->emitOpError() << "counts in " << counter << ", expected at least 8 bits";
  // MLIR's own passes take it for a negative number, and the loop for one without iterations.
  APInt step;
  if (loop.getUnsignedCmp() && matchPattern(loop.getStep(), m_ConstantInt(&step)) &&
      step.isNegative())
    return loop->emitOpError()
           << "counts in unsigned numbers by a step of which the highest bit is set";
  return success();
}

LogicalResult verifyLegality(ModuleOp module) {
  WalkResult walk = module->walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
    if (op != module && isa<ModuleOp>(op))
      return op->emitOpError() << "is nested in another module";
    if (!isLegalOperation(op))
      return op->emitOpError() << "is not an operation of TTIR";
    if (auto loop = dyn_cast<scf::ForOp>(op); loop && failed(verifyCounter(loop)))
      return WalkResult::interrupt();
    for (Type type : op->getResultTypes())
      if (failed(verifyType(op, type)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          if (failed(verifyType(op, type)))
            return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

void modernize(ModuleOp module) {
  SmallVector<Operation *> old;
  module.walk([&](Operation *op) {
    auto splat = dyn_cast<SplatOp>(op);
    if (isa<gpu::BarrierOp, CatOp>(op) ||
        (splat && isa<RankedTensorType>(splat.getSrc().getType())))
      old.push_back(op);
  });
  if (!old.empty())
    module.getContext()->getOrLoadDialect<ttg::TTGDialect>();
  for (Operation *op : old) {
    PatternRewriter rewriter(op->getContext());
    rewriter.setInsertionPoint(op);
    if (auto cat = dyn_cast<CatOp>(op)) {
      (void)CatOp::canonicalize(cat, rewriter);
    } else if (auto splat = dyn_cast<SplatOp>(op)) {
      splat.getSrcMutable().assign(UnsplatOp::create(rewriter, op->getLoc(), splat.getSrc()));
    } else {
      ttg::BarrierOp::create(rewriter, op->getLoc(), ttg::AddrSpace::All);
      rewriter.eraseOp(op);
    }
  }
}

} // namespace tl::tt
