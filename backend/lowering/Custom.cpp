// SPDX-License-Identifier: MIT
//
// Code that users write for each element: assembly text, and regions of scalars.
#include "dialect/Context.h"
#include "layout/NamedLayouts.h"
#include "lowering/AssemblyComment.h"
#include "lowering/ControlFlow.h"
#include "lowering/Conversions.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Support/Error.h"

namespace tl::backend {

using llvm::Value;

/// One instance of the text takes `packed_element` elements of each operand. Elements narrower than
/// 32 bits fill registers of 32 bits together if there are enough of them.
static void emitInlineAsm(KernelLowering &kernel, tt::ElementwiseInlineAsmOp op) {
  auto &b = kernel.builder;
  unsigned packed = unsigned(op.getPackedElement());
  unsigned results = op.getNumResults();
  unsigned count = 1;
  for (mlir::Type type : op.getResultTypes())
    count = std::max(count, registersOf(type));
  for (mlir::Value operand : op.getArgs())
    count = std::max(count, registersOf(operand.getType()));
  auto perWord = [&](mlir::Type type) {
    unsigned bits = memoryBytes(elementType(type)) * 8;
    return bits < 32 ? std::min(packed, 32 / bits) : 1u;
  };
  llvm::SmallVector<llvm::Type *> outputs;
  for (mlir::Type type : op.getResultTypes()) {
    unsigned together = perWord(type);
    unsigned bits = memoryBytes(elementType(type)) * 8 * together;
    llvm::Type *word = together > 1 ? b.getIntNTy(bits) : kernel.registerTypeOf(type);
    outputs.append(std::max(1u, packed / together), word);
  }
  llvm::Type *output = outputs.empty()       ? b.getVoidTy()
                       : outputs.size() == 1 ? outputs[0]
                                             : llvm::StructType::get(kernel.context, outputs);
  // Errors come back with the number, as a comment or as "srcloc", which counts from 1.
  std::string marked =
      assemblyComment + std::to_string(kernel.inlineAsm.size()) + "\n\t" + op.getAsmString().str();
  kernel.inlineAsm.push_back(tt::sourceLocationOf(op.getLoc()));
  llvm::SmallVector<Values> all(results);
  for (unsigned first = 0; first < count; first += packed) {
    llvm::SmallVector<Value *> words;
    llvm::SmallVector<llvm::Type *> types;
    for (mlir::Value operand : op.getArgs()) {
      const Values &registers = kernel.get(operand);
      unsigned together = perWord(operand.getType());
      for (unsigned i = 0; i < packed; i += together) {
        llvm::SmallVector<Value *> parts;
        for (unsigned j = 0; j < together; ++j) {
          unsigned reg = std::min<unsigned>(first + i + j, unsigned(registers.size()) - 1);
          parts.push_back(registers[reg]);
        }
        Value *word = parts[0];
        if (together > 1) {
          mlir::Type element = elementType(operand.getType());
          unsigned bits = memoryBytes(element) * 8;
          word = llvm::ConstantInt::get(b.getIntNTy(bits * together), 0);
          for (unsigned j = 0; j < together; ++j)
            word = b.CreateOr(
                word, b.CreateShl(b.CreateZExt(kernel.toMemory(parts[j], element), word->getType()),
                                  uint64_t(j) * bits));
        }
        words.push_back(word);
        types.push_back(word->getType());
      }
    }
    auto *type = llvm::FunctionType::get(output, types, false);
    if (llvm::Error problem = llvm::InlineAsm::verify(type, op.getConstraints()))
      throw tt::errorAt(op, "the constraints '" + op.getConstraints().str() +
                                "' of tl::inline_asm_elementwise do not fit its operands: " +
                                llvm::toString(std::move(problem)));
    auto *text = llvm::InlineAsm::get(type, marked, op.getConstraints(), !op.getPure());
    llvm::CallInst *returned = b.CreateCall(text, words);
    returned->setMetadata(
        "srcloc", llvm::MDNode::get(kernel.context, llvm::ConstantAsMetadata::get(
                                                        b.getInt64(kernel.inlineAsm.size()))));
    unsigned at = 0;
    for (unsigned r = 0; r < results; ++r) {
      mlir::Type type = op.getResult()[r].getType(), element = elementType(type);
      unsigned together = perWord(type), bits = memoryBytes(element) * 8;
      for (unsigned i = 0; i < packed; i += together) {
        Value *word = outputs.size() == 1 ? static_cast<Value *>(returned)
                                          : b.CreateExtractValue(returned, at);
        ++at;
        for (unsigned j = 0; j < together; ++j) {
          if (all[r].size() >= registersOf(type))
            continue; // more elements than the thread has
          all[r].push_back(together == 1 ? word
                                         : kernel.fromMemory(
                                               b.CreateTrunc(b.CreateLShr(word, uint64_t(j) * bits),
                                                             b.getIntNTy(bits)),
                                               element));
        }
      }
    }
  }
  for (unsigned r = 0; r < results; ++r)
    kernel.set(op.getResult()[r], std::move(all[r]));
}

namespace {

/// Whether `run` registers, which follow each other, are neighbours in row-major order.
bool holdsRuns(const LinearLayout &layout, unsigned run) {
  for (const auto &in : layout.ins())
    if (in.name == "register")
      for (unsigned bit = 0; 1u << bit < run; ++bit)
        if (bit >= in.images.size() || in.images[bit] != uint64_t(1) << bit)
          return false;
  return layout.inBits("register") > 0;
}

/// A layout that does.
LinearLayout runsOf(unsigned run, mlir::ArrayRef<int64_t> shape, unsigned lanes, unsigned warps) {
  int64_t count = 1;
  std::vector<LinearLayout::OutDim> outs;
  for (unsigned axis = unsigned(shape.size()); axis-- > 0;) {
    outs.push_back({dimName(axis), unsigned(llvm::Log2_64(uint64_t(shape[axis])))});
    count *= shape[axis];
  }
  return distributedLayout({count}, {0}, {run}, lanes, warps).reshapeOuts(std::move(outs));
}

} // namespace

static void emitMap(KernelLowering &kernel, tt::MapElementwiseOp op) {
  auto &b = kernel.builder;
  unsigned pack = unsigned(op.getPack()), results = op.getNumResults();
  auto type = mlir::cast<mlir::RankedTensorType>(op.getResult()[0].getType());
  const LinearLayout layout = ttg::layoutOf(type);
  // Elements of a call are neighbours in row-major order, and so must registers be.
  LinearLayout work = layout;
  if (pack > 1 && !holdsRuns(layout, pack))
    work = runsOf(pack, type.getShape(), kernel.target.program.lanes(), kernel.warps);
  unsigned count = 1u << work.inBits("register");
  llvm::SmallVector<Values> sources, all(results);
  for (mlir::Value source : op.getSrcs())
    sources.push_back(convert(kernel, source, work));
  mlir::Region &region = op.getScalarOp();
  kernel.enterScalars(region);
  for (unsigned first = 0; first < count; first += pack) {
    unsigned argument = 0;
    for (const Values &source : sources)
      for (unsigned i = 0; i < pack; ++i)
        kernel.set(region.front().getArgument(argument++), {source[first + i]});
    auto *done = kernel.newBlock("mapped");
    llvm::SmallVector<std::pair<llvm::BasicBlock *, Values>> exits;
    {
      SharedMemory::Divergence each(kernel.shared); // each element takes its own way
      emitRegionBlocks(kernel, region, [&](mlir::Operation *end) {
        exits.push_back({b.GetInsertBlock(), flatten(kernel, end->getOperands())});
        b.CreateBr(done);
      });
    }
    b.SetInsertPoint(done);
    for (unsigned r = 0; r < results; ++r)
      for (unsigned i = 0; i < pack; ++i) {
        auto *phi = b.CreatePHI(exits[0].second[r * pack + i]->getType(), unsigned(exits.size()));
        for (auto &[block, returned] : exits)
          phi->addIncoming(returned[r * pack + i], block);
        all[r].push_back(phi);
      }
  }
  for (unsigned r = 0; r < results; ++r) {
    mlir::Value result = op.getResult()[r];
    kernel.set(result, convert(kernel, all[r], work, ttg::layoutOf(result.getType()),
                               elementType(result.getType())));
  }
}

void registerCustomCode(OperationTable &table) {
  table.add<emitInlineAsm>();
  table.add<emitMap>();
}

} // namespace tl::backend
