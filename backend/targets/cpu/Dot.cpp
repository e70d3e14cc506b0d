// SPDX-License-Identifier: MIT
//
// The blocking and the micro-kernel of a dot.
//
// C is cut into columns of blocks, one micro-kernel wide, and each column into blocks of `rows`
// rows. A block of C stays in registers for the whole of k (in pieces of some hundred, so that the
// panel of B stays in the first-level cache):
//
//   for each column j of blocks                 B panel: k x (vectors * lanes), reused by all rows
//     for each block of rows i
//       c = C[i.., j..]                         rows x vectors registers
//       for k: c += splat(A[i.., k]) * B[k, j..]
//       C[i.., j..] = c
//
// With AVX-512 the block is 8 x 32 for f32: 16 accumulators hide the latency of two multiply-add
// units, and each iteration loads 2 vectors and 8 scalars for 16 multiply-adds.
#include "targets/cpu/Dot.h"

#include "targets/cpu/DotBuilder.h"
#include "targets/cpu/Jit.h"

#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

#include <algorithm>
#include <string>

namespace tl::backend::cpu {

using llvm::Type;
using llvm::Value;

namespace {

/// k is cut into pieces of this number of units: a panel of B is then at most half of a first-level
/// cache.
constexpr int64_t unitsAtOnce = 256;

bool isByte(DotElement element) { return element == DotElement::i8 || element == DotElement::u8; }

/// Formats that are bf16 with fewer bits.
bool fitsBf16(DotElement element) {
  return element <= DotElement::f8E5M2FNUZ || element == DotElement::bf16;
}

DotArithmetic choose(const DotSpec &spec, const HostFeatures &features) {
  const bool vectors = spec.n % 4 == 0; // the grouped instructions want at least four lanes
  if (spec.a == DotElement::f64)
    return DotArithmetic::f64;
  if (isByte(spec.a) && isByte(spec.b)) {
    if (vectors && features.avx512Vnni && spec.b == DotElement::i8)
      return DotArithmetic::i8Quad;
    return vectors && features.x86 ? DotArithmetic::i16Pair : DotArithmetic::i32;
  }
  if (vectors && features.avx512Bf16 && fitsBf16(spec.a) && fitsBf16(spec.b))
    return DotArithmetic::bf16Pair;
  return DotArithmetic::f32;
}

} // namespace

DotPlan::DotPlan(const DotSpec &spec, const HostFeatures &features)
    : spec(spec), features(features), arithmetic(choose(spec, features)) {
  group = arithmetic == DotArithmetic::i8Quad                                             ? 4
          : arithmetic == DotArithmetic::bf16Pair || arithmetic == DotArithmetic::i16Pair ? 2
                                                                                          : 1;
  units = (spec.k + group - 1) / group;
  unitBytes = arithmetic == DotArithmetic::f64 ? 8 : 4;
  lanes = features.lanes(unitBytes);
  rows = features.vectorRegisters >= 32 ? 8 : features.fma ? 6 : 4;
  shiftA = arithmetic == DotArithmetic::i8Quad && spec.a == DotElement::i8;
  narrowC = spec.c == DotElement::f16;
}

Type *DotBuilder::accumulatorType() {
  if (plan.arithmetic == DotArithmetic::f64)
    return b.getDoubleTy();
  return plan.isInteger() ? static_cast<Type *>(b.getInt32Ty()) : b.getFloatTy();
}

Value *DotBuilder::load(Type *type, Value *pointer, unsigned alignment) {
  return b.CreateAlignedLoad(type, pointer, llvm::Align(alignment));
}

void DotBuilder::store(Value *value, Value *pointer, unsigned alignment) {
  b.CreateAlignedStore(value, pointer, llvm::Align(alignment));
}

DotBuilder::Carried DotBuilder::loop(int64_t count, int64_t step, Carried initial,
                                     llvm::function_ref<Carried(Value *, const Carried &)> body) {
  if (count <= 0)
    return initial;
  if (count <= step)
    return body(i64(0), initial);
  llvm::BasicBlock *before = b.GetInsertBlock();
  auto *block = llvm::BasicBlock::Create(b.getContext(), "loop", before->getParent());
  auto *after = llvm::BasicBlock::Create(b.getContext(), "after", before->getParent());
  b.CreateBr(block);
  b.SetInsertPoint(block);
  llvm::PHINode *index = b.CreatePHI(b.getInt64Ty(), 2);
  index->addIncoming(i64(0), before);
  Carried values;
  for (Value *value : initial) {
    llvm::PHINode *phi = b.CreatePHI(value->getType(), 2);
    phi->addIncoming(value, before);
    values.push_back(phi);
  }
  Carried results = body(index, values);
  Value *next = b.CreateAdd(index, i64(step), "", /*HasNUW=*/true, /*HasNSW=*/true);
  index->addIncoming(next, b.GetInsertBlock());
  for (size_t i = 0; i < values.size(); ++i)
    llvm::cast<llvm::PHINode>(values[i])->addIncoming(results[i], b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpULT(next, i64(count)), block, after);
  b.SetInsertPoint(after);
  return results;
}

namespace {

/// The micro-kernel and the loops around it, on packed operands.
class Product {
public:
  Product(DotBuilder &build, DotMatrix a, DotMatrix b, DotMatrix c, Value *correction)
      : build(build), plan(build.plan), b(build.b), a(a), bMatrix(b), c(c), correction(correction) {
  }

  void emit() {
    int64_t done = 0;
    columns(done, plan.lanes, plan.vectors);
    // Narrower blocks for what is left: one vector, then ever shorter ones.
    for (unsigned lanes = plan.lanes; lanes >= 1; lanes /= 2)
      columns(done, lanes, 1);
  }

private:
  /// As many block columns of this width as fit into what is left.
  void columns(int64_t &done, unsigned lanes, unsigned vectors) {
    const int64_t width = int64_t(lanes) * vectors;
    const int64_t count = (plan.spec.n - done) / width * width;
    if (count == 0)
      return;
    const int64_t start = done;
    build.loop(count, width, [&](Value *j) {
      Value *column = build.add(j, build.i64(start));
      const int64_t whole = plan.units / unitsAtOnce * unitsAtOnce;
      build.loop(whole, unitsAtOnce,
                 [&](Value *k) { rows(column, k, unitsAtOnce, lanes, vectors); });
      if (plan.units > whole)
        rows(column, build.i64(whole), plan.units - whole, lanes, vectors);
    });
    done += count;
  }

  void rows(Value *column, Value *k, int64_t units, unsigned lanes, unsigned vectors) {
    // A narrow block needs more rows to keep both multiply-add units busy.
    const int64_t height =
        vectors == 1 && plan.features.vectorRegisters >= 32 ? 2 * plan.rows : plan.rows;
    const int64_t whole = plan.spec.m / height * height;
    build.loop(whole, height,
               [&](Value *row) { block(row, column, k, units, unsigned(height), lanes, vectors); });
    if (plan.spec.m > whole)
      block(build.i64(whole), column, k, units, unsigned(plan.spec.m - whole), lanes, vectors);
  }

  void block(Value *row, Value *column, Value *k, int64_t units, unsigned height, unsigned lanes,
             unsigned vectors) {
    Type *accumulator = build.accumulatorType(), *unit = build.unitType();
    Type *vector = DotBuilder::vectorOf(accumulator, lanes);
    auto cAt = [&](unsigned r, unsigned v) {
      Value *index = build.add(build.mul(build.add(row, build.i64(r)), c.rowStride),
                               build.add(column, build.i64(int64_t(v) * lanes)));
      return build.elementAt(accumulator, c.pointer, index);
    };
    DotBuilder::Carried sums;
    for (unsigned r = 0; r < height; ++r)
      for (unsigned v = 0; v < vectors; ++v)
        sums.push_back(build.load(vector, cAt(r, v), plan.unitBytes));
    if (correction) {
      // Once for each element of C: in the first piece of k.
      Value *first = b.CreateICmpEQ(k, build.i64(0));
      for (unsigned v = 0; v < vectors; ++v) {
        Value *at = build.elementAt(accumulator, correction,
                                    build.add(column, build.i64(int64_t(v) * lanes)));
        Value *value = build.load(vector, at, plan.unitBytes);
        value = b.CreateSelect(first, value, llvm::Constant::getNullValue(vector));
        for (unsigned r = 0; r < height; ++r)
          sums[r * vectors + v] = b.CreateSub(sums[r * vectors + v], value);
      }
    }

    Value *aRow = build.elementAt(
        unit, a.pointer, build.add(build.mul(row, a.rowStride), build.mul(k, a.columnStride)));
    Value *bRow =
        build.elementAt(unit, bMatrix.pointer, build.add(build.mul(k, bMatrix.rowStride), column));
    auto step = [&](Value *i, const DotBuilder::Carried &values) {
      DotBuilder::Carried results = values;
      llvm::SmallVector<Value *, 4> bVectors;
      Value *bStart = build.elementAt(unit, bRow, build.mul(i, bMatrix.rowStride));
      for (unsigned v = 0; v < vectors; ++v)
        bVectors.push_back(build.load(DotBuilder::vectorOf(unit, lanes),
                                      build.elementAt(unit, bStart, build.i64(int64_t(v) * lanes)),
                                      plan.unitBytes));
      Value *aStart = build.elementAt(unit, aRow, build.mul(i, a.columnStride));
      for (unsigned r = 0; r < height; ++r) {
        Value *at = build.elementAt(unit, aStart, build.mul(build.i64(r), a.rowStride));
        Value *scalar = build.load(unit, at, plan.unitBytes);
        Value *splat = lanes == 1 ? scalar : b.CreateVectorSplat(lanes, scalar);
        for (unsigned v = 0; v < vectors; ++v)
          results[r * vectors + v] =
              multiplyAdd(values[r * vectors + v], splat, bVectors[v], lanes);
      }
      return results;
    };
    constexpr int64_t unroll = 2;
    const int64_t whole = units / unroll * unroll;
    sums = build.loop(whole, unroll, sums, [&](Value *i, const DotBuilder::Carried &values) {
      DotBuilder::Carried results = values;
      for (int64_t u = 0; u < unroll; ++u)
        results = step(build.add(i, build.i64(u)), results);
      return results;
    });
    for (int64_t u = whole; u < units; ++u)
      sums = step(build.i64(u), sums);

    for (unsigned r = 0; r < height; ++r)
      for (unsigned v = 0; v < vectors; ++v)
        build.store(sums[r * vectors + v], cAt(r, v), plan.unitBytes);
  }

  Value *multiplyAdd(Value *sum, Value *x, Value *y, unsigned lanes) {
    return cpuMultiplyAdd(build, sum, x, y, lanes);
  }

public:
  static Value *cpuMultiplyAdd(DotBuilder &build, Value *sum, Value *x, Value *y, unsigned lanes) {
    llvm::IRBuilderBase &b = build.b;
    auto as = [&](Value *value, Type *element, unsigned count) {
      return b.CreateBitCast(value, DotBuilder::vectorOf(element, count));
    };
    const int size = lanes == 16 ? 2 : lanes == 8 ? 1 : 0;
    switch (build.plan.arithmetic) {
    case DotArithmetic::f32:
    case DotArithmetic::f64:
      if (build.plan.features.fma)
        return b.CreateIntrinsic(llvm::Intrinsic::fma, {sum->getType()}, {x, y, sum});
      return b.CreateFAdd(b.CreateFMul(x, y), sum);
    case DotArithmetic::bf16Pair: {
      const llvm::Intrinsic::ID ids[] = {llvm::Intrinsic::x86_avx512bf16_dpbf16ps_128,
                                         llvm::Intrinsic::x86_avx512bf16_dpbf16ps_256,
                                         llvm::Intrinsic::x86_avx512bf16_dpbf16ps_512};
      Type *bf16 = b.getBFloatTy();
      return b.CreateIntrinsic(ids[size], {},
                               {sum, as(x, bf16, 2 * lanes), as(y, bf16, 2 * lanes)});
    }
    case DotArithmetic::i8Quad: {
      const llvm::Intrinsic::ID ids[] = {llvm::Intrinsic::x86_avx512_vpdpbusd_128,
                                         llvm::Intrinsic::x86_avx512_vpdpbusd_256,
                                         llvm::Intrinsic::x86_avx512_vpdpbusd_512};
      Type *i8 = b.getInt8Ty();
      return b.CreateIntrinsic(ids[size], {}, {sum, as(x, i8, 4 * lanes), as(y, i8, 4 * lanes)});
    }
    case DotArithmetic::i16Pair: {
      const llvm::Intrinsic::ID ids[] = {llvm::Intrinsic::x86_sse2_pmadd_wd,
                                         llvm::Intrinsic::x86_avx2_pmadd_wd,
                                         llvm::Intrinsic::x86_avx512_pmaddw_d_512};
      Type *i16 = b.getInt16Ty();
      return b.CreateAdd(
          sum, b.CreateIntrinsic(ids[size], {}, {as(x, i16, 2 * lanes), as(y, i16, 2 * lanes)}));
    }
    case DotArithmetic::i32:
      return b.CreateAdd(sum, b.CreateMul(x, y));
    }
    llvm_unreachable("every arithmetic is handled");
  }

private:
  DotBuilder &build;
  const DotPlan &plan;
  llvm::IRBuilderBase &b;
  DotMatrix a, bMatrix, c;
  Value *correction;
};

/// 128 times the sum of each column of B: what an A shifted by 128 adds too much.
void emitCorrection(DotBuilder &build, const DotMatrix &units, Value *destination) {
  const DotPlan &plan = build.plan;
  llvm::IRBuilderBase &b = build.b;
  int64_t done = 0;
  for (unsigned lanes = plan.lanes; lanes >= 4; lanes /= 2) {
    const int64_t count = (plan.spec.n - done) / lanes * lanes;
    const int64_t start = done;
    build.loop(count, lanes, [&](Value *j) {
      Value *column = build.add(j, build.i64(start));
      Type *vector = DotBuilder::vectorOf(b.getInt32Ty(), lanes);
      DotBuilder::Carried sum = build.loop(
          plan.units, 1, {llvm::Constant::getNullValue(vector)},
          [&](Value *k, const DotBuilder::Carried &values) {
            Value *at = build.elementAt(b.getInt32Ty(), units.pointer,
                                        build.add(build.mul(k, units.rowStride), column));
            Value *shift = llvm::ConstantInt::get(vector, 0x80808080);
            return DotBuilder::Carried{
                Product::cpuMultiplyAdd(build, values[0], shift, build.load(vector, at, 4), lanes)};
          });
      build.store(sum[0], build.elementAt(b.getInt32Ty(), destination, column), 4);
    });
    done += count;
  }
}

/// Copies C between f16 and its f32 twin.
void convertC(DotBuilder &build, const DotMatrix &from, FloatFormat fromFormat, const DotMatrix &to,
              FloatFormat toFormat) {
  const DotPlan &plan = build.plan;
  llvm::IRBuilderBase &b = build.b;
  Type *source = storageType(b.getContext(), fromFormat);
  Type *target = storageType(b.getContext(), toFormat);
  build.loop(plan.spec.m, 1, [&](Value *row) {
    int64_t done = 0;
    for (unsigned lanes = plan.lanes; lanes >= 1; lanes /= 2) {
      const int64_t count = (plan.spec.n - done) / lanes * lanes;
      const int64_t start = done;
      build.loop(count, lanes, [&](Value *j) {
        Value *column = build.add(j, build.i64(start));
        auto at = [&](const DotMatrix &matrix, Type *element) {
          return build.elementAt(element, matrix.pointer,
                                 build.add(build.mul(row, matrix.rowStride), column));
        };
        Value *x = build.load(DotBuilder::vectorOf(source, lanes), at(from, source), 2);
        x = emitFloatConversion(b, x, fromFormat, toFormat, Rounding::toNearestEven, plan.features);
        build.store(x, at(to, target), 2);
      });
      done += count;
    }
  });
}

void emitBody(DotBuilder &build, DotOperand a, DotOperand b, DotOperand c, Value *workspace) {
  const DotPlan &plan = build.plan;
  llvm::IRBuilderBase &builder = build.b;
  auto at = [&](uint64_t bytes) {
    return builder.CreateConstGEP1_64(builder.getInt8Ty(), workspace, bytes);
  };
  auto one = [&](const DotOperand &operand, unsigned bytes, Value *index) {
    Value *pointer = operand.pointer;
    if (operand.batchStride)
      pointer = builder.CreateGEP(builder.getIntNTy(bytes * 8), pointer,
                                  build.mul(index, operand.batchStride));
    return DotMatrix{pointer, operand.rowStride, operand.columnStride};
  };
  auto bytesOf = [](DotElement element) {
    return element == DotElement::i32 ? 4u
           : isByte(element)          ? 1u
                                      : bitWidth(FloatFormat(element)) / 8;
  };
  const uint64_t startB = plan.readsInPlaceA(a.rowStride, a.columnStride) ? 0 : plan.bytesA();
  const uint64_t startCorrection =
      startB + (plan.readsInPlaceB(b.rowStride, b.columnStride) ? 0 : plan.bytesB());
  const uint64_t startC = startCorrection + plan.bytesCorrection();
  build.loop(plan.spec.batch, 1, [&](Value *index) {
    DotMatrix unitsA = build.packedA(one(a, bytesOf(plan.spec.a), index), at(0));
    DotMatrix unitsB = build.packedB(one(b, bytesOf(plan.spec.b), index), at(startB));
    DotMatrix cMatrix = one(c, bytesOf(plan.spec.c), index), sums = cMatrix;
    Value *correction = nullptr;
    if (plan.shiftA) {
      correction = at(startCorrection);
      emitCorrection(build, unitsB, correction);
    }
    if (plan.narrowC) {
      sums = {at(startC), build.i64(plan.spec.n), build.i64(1)};
      convertC(build, cMatrix, FloatFormat::f16, sums, FloatFormat::f32);
    }
    Product(build, unitsA, unitsB, sums, correction).emit();
    if (plan.narrowC)
      convertC(build, sums, FloatFormat::f32, cMatrix, FloatFormat::f16);
  });
}

} // namespace

uint64_t dotWorkspaceBytes(const DotSpec &spec, const DotOperand &a, const DotOperand &b,
                           const HostFeatures &features) {
  DotPlan plan(spec, features);
  return (plan.readsInPlaceA(a.rowStride, a.columnStride) ? 0 : plan.bytesA()) +
         (plan.readsInPlaceB(b.rowStride, b.columnStride) ? 0 : plan.bytesB()) +
         plan.bytesCorrection() + plan.bytesC();
}

void emitDot(llvm::IRBuilderBase &b, const DotSpec &spec, const DotOperand &a,
             const DotOperand &bOperand, const DotOperand &c, Value *workspace,
             const HostFeatures &features) {
  DotPlan plan(spec, features);
  // The function's name says all it was made for: shape, elements, and the strides that are
  // constant, which are not parameters but part of the code.
  std::string name = "tl.dot." + std::to_string(spec.batch) + "x" + std::to_string(spec.m) + "x" +
                     std::to_string(spec.n) + "x" + std::to_string(spec.k) + ".e" +
                     std::to_string(int(spec.a)) + "." + std::to_string(int(spec.b)) + "." +
                     std::to_string(int(spec.c));
  llvm::SmallVector<Value *> arguments;
  llvm::SmallVector<Value *> constants; // one for each argument: null where it is passed
  auto pass = [&](Value *value, bool fixed) {
    auto *constant = fixed && value ? llvm::dyn_cast<llvm::ConstantInt>(value) : nullptr;
    name += constant ? "_" + std::to_string(constant->getSExtValue()) : value ? "_v" : "_n";
    if (value && !constant)
      arguments.push_back(value);
    constants.push_back(constant);
  };
  const DotOperand *operands[] = {&a, &bOperand, &c};
  for (const DotOperand *operand : operands) {
    pass(operand->pointer, false);
    pass(operand->rowStride, true);
    pass(operand->columnStride, true);
    pass(spec.batch > 1 ? operand->batchStride : nullptr, true);
  }
  pass(workspace, false);

  llvm::Module &module = *b.GetInsertBlock()->getModule();
  llvm::Function *function = module.getFunction(name);
  if (!function) {
    llvm::SmallVector<Type *> types;
    for (Value *argument : arguments)
      types.push_back(argument->getType());
    function = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), types, false),
                                      llvm::GlobalValue::InternalLinkage, name, module);
    function->addFnAttr(llvm::Attribute::NoInline);
    function->setDoesNotThrow();
    setTargetAttributes(*function, features);
    llvm::IRBuilder<> inner(llvm::BasicBlock::Create(module.getContext(), "entry", function));
    unsigned next = 0, index = 0;
    auto take = [&](bool present) -> Value * {
      Value *constant = constants[index++];
      if (constant)
        return constant;
      return present ? function->getArg(next++) : nullptr;
    };
    DotOperand received[3];
    for (unsigned i = 0; i < 3; ++i) {
      received[i].pointer = take(true);
      received[i].rowStride = take(true);
      received[i].columnStride = take(true);
      received[i].batchStride = take(spec.batch > 1 && operands[i]->batchStride);
    }
    Value *space = take(true);
    DotBuilder build(inner, plan);
    emitBody(build, received[0], received[1], received[2], space);
    inner.CreateRetVoid();
  }
  b.CreateCall(function, arguments);
}

} // namespace tl::backend::cpu
