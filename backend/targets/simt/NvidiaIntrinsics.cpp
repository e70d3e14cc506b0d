// SPDX-License-Identifier: MIT
//
// NVIDIA's intrinsics as calls of functions.
#include "targets/simt/Translation.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

#include <cstddef>
#include <cstring>
#include <optional>

namespace tl::backend::simt {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

namespace {

/// llvm.nvvm.add.rz.f and the like.
bool translateRounded(Translation &t, llvm::CallInst &call, llvm::StringRef name) {
  auto [operation, rest] = name.split('.');
  auto [direction, type] = rest.split('.');
  const int which = llvm::StringSwitch<int>(operation)
                        .Case("add", 0)
                        .Case("mul", 1)
                        .Case("div", 2)
                        .Case("fma", 3)
                        .Case("sqrt", 4)
                        .Case("rcp", 5)
                        .Default(-1);
  const int how = llvm::StringSwitch<int>(direction)
                      .Case("rn", 0)
                      .Case("rz", 1)
                      .Case("rm", 2)
                      .Case("rp", 3)
                      .Default(-1);
  if (which < 0 || how < 0 || (type != "f" && type != "d"))
    return false;
  llvm::SmallVector<Value *> operands = {t.word(uint32_t(which)), t.word(uint32_t(how))};
  operands.append(call.arg_begin(), call.arg_end());
  while (operands.size() < 5)
    operands.push_back(llvm::ConstantFP::get(call.getType(), 0.0));
  t.replace(call, t.callPlain(type == "f" ? "tl_simt_rounded_f" : "tl_simt_rounded_d",
                              call.getType(), operands));
  return true;
}

/// llvm.nvvm.i2f.rz and the like: conversions of numbers to floats, rounded in a direction.
bool translateConversion(Translation &t, llvm::CallInst &call, llvm::StringRef name) {
  auto &b = t.b;
  auto [kinds, direction] = name.split('.');
  auto [from, to] = kinds.split('2');
  const int how = llvm::StringSwitch<int>(direction)
                      .Case("rn", 0)
                      .Case("rz", 1)
                      .Case("rm", 2)
                      .Case("rp", 3)
                      .Default(-1);
  if (how < 0 || (to != "f" && to != "d"))
    return false;
  const char *suffix = to == "f" ? "_f" : "_d";
  Value *operand = call.getArgOperand(0);
  if (from == "d") {
    t.replace(call,
              t.callPlain("tl_simt_narrowed", call.getType(), {t.word(uint32_t(how)), operand}));
    return true;
  }
  if (from != "i" && from != "ui" && from != "ll" && from != "ull")
    return false;
  const bool isSigned = !from.starts_with("u");
  operand =
      isSigned ? b.CreateSExt(operand, b.getInt64Ty()) : b.CreateZExt(operand, b.getInt64Ty());
  const std::string function =
      std::string(isSigned ? "tl_simt_of_signed" : "tl_simt_of_unsigned") + suffix;
  t.replace(call, t.callPlain(function, call.getType(), {t.word(uint32_t(how)), operand}));
  return true;
}

/// "m16n8k16" at the begin of the text.
std::optional<MatrixShape> parseShape(llvm::StringRef text) {
  MatrixShape shape;
  if (!text.consume_front("m") || text.consumeInteger(10, shape.m) || !text.consume_front("n") ||
      text.consumeInteger(10, shape.n) || !text.consume_front("k") ||
      text.consumeInteger(10, shape.k))
    return std::nullopt;
  return shape;
}

/// llvm.nvvm.mma.m16n8k16.row.col.f32.f32: one kind of element in words of 32 bits, or f64.
bool translateProduct(Translation &t, llvm::CallInst &call, llvm::StringRef name) {
  auto &b = t.b;
  std::optional<MatrixShape> shape = parseShape(name);
  llvm::StringRef kind = name.split(".row.col.").second;
  std::optional<Element> element = llvm::StringSwitch<std::optional<Element>>(kind)
                                       .Case("f32.f32", Element::f16)
                                       .Case("bf16", Element::bf16)
                                       .Case("tf32", Element::tf32)
                                       .Case("f64", Element::f64)
                                       .Case("s8", Element::s8)
                                       .Default(std::nullopt);
  if (!shape || !element)
    return false;
  shape->a = shape->b = *element;
  llvm::Type *word = *element == Element::f64 ? b.getInt64Ty() : b.getInt32Ty();
  llvm::AllocaInst *words = t.stackWords(word, call.arg_size());
  for (unsigned i = 0; i < call.arg_size(); ++i)
    b.CreateStore(call.getArgOperand(i), b.CreateConstGEP1_64(word, words, i));
  t.callWithThread("tl_simt_multiply", b.getVoidTy(), {b.getInt64(shape->word()), words});
  auto *type = llvm::cast<llvm::StructType>(call.getType());
  const unsigned results = type->getNumElements();
  Value *result = llvm::PoisonValue::get(type);
  for (unsigned i = 0; i < results; ++i) {
    Value *place = b.CreateConstGEP1_64(word, words, call.arg_size() - results + i);
    result = b.CreateInsertValue(result, b.CreateLoad(type->getElementType(i), place), i);
  }
  t.replace(call, result);
  return true;
}

/// llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16 and its counterpart.
bool translateMatrixAccess(Translation &t, llvm::CallInst &call, llvm::StringRef rest, bool loads) {
  auto &b = t.b;
  unsigned tiles = 0;
  if (!rest.consume_front("x") || rest.consumeInteger(10, tiles))
    return false;
  const bool transposed = rest.contains(".trans");
  if (!rest.contains(".b16"))
    return false;
  llvm::AllocaInst *words = t.stackWords(b.getInt32Ty(), tiles);
  Value *address = t.address(call.getArgOperand(0));
  auto place = [&](unsigned i) { return b.CreateConstGEP1_64(b.getInt32Ty(), words, i); };
  if (!loads)
    for (unsigned i = 0; i < tiles; ++i)
      b.CreateStore(call.getArgOperand(1 + i), place(i));
  t.callWithThread(loads ? "tl_simt_load_matrix" : "tl_simt_store_matrix", b.getVoidTy(),
                   {address, words, t.word(tiles), t.word(transposed)});
  Value *result = nullptr;
  if (loads && tiles == 1) {
    result = b.CreateLoad(b.getInt32Ty(), place(0));
  } else if (loads) {
    result = llvm::PoisonValue::get(call.getType());
    for (unsigned i = 0; i < tiles; ++i)
      result = b.CreateInsertValue(result, b.CreateLoad(b.getInt32Ty(), place(i)), i);
  }
  t.replace(call, result);
  return true;
}

/// Copies of boxes out of shared memory: pointer, map, coordinates, and two for the cache.
bool translateBoxStore(Translation &t, llvm::CallInst &call, llvm::StringRef rest) {
  auto &b = t.b;
  ReduceKind kind = ReduceKind::none;
  if (rest.consume_front("reduce.")) {
    auto [name, after] = rest.split('.');
    kind = llvm::StringSwitch<ReduceKind>(name)
               .Case("add", ReduceKind::add)
               .Case("min", ReduceKind::min)
               .Case("max", ReduceKind::max)
               .Case("and", ReduceKind::bitAnd)
               .Case("or", ReduceKind::bitOr)
               .Case("xor", ReduceKind::bitXor)
               .Default(ReduceKind::none);
    if (kind == ReduceKind::none)
      return false;
    rest = after;
  } else if (!rest.consume_front("s2g.")) {
    return false;
  }
  unsigned rank = 0;
  if (!rest.consume_front("tile.") || rest.consumeInteger(10, rank) || rest != "d")
    return false;
  llvm::AllocaInst *coordinates = t.stackWords(b.getInt32Ty(), rank);
  for (unsigned i = 0; i < rank; ++i)
    b.CreateStore(call.getArgOperand(2 + i), b.CreateConstGEP1_64(b.getInt32Ty(), coordinates, i));
  t.callWithThread("tl_simt_store_box", b.getVoidTy(),
                   {t.address(call.getArgOperand(0)), t.address(call.getArgOperand(1)), coordinates,
                    t.word(rank), t.word(uint32_t(kind))});
  t.replace(call, nullptr);
  return true;
}

} // namespace

bool translateNvidia(Translation &t, llvm::CallInst &call) {
  auto &b = t.b;
  if (llvm::isa<llvm::InlineAsm>(call.getCalledOperand()))
    return translatePtx(t, call);
  llvm::Type *i32 = b.getInt32Ty(), *nothing = b.getVoidTy();
  auto arg = [&](unsigned i) { return call.getArgOperand(i); };
  auto done = [&](Value *result = nullptr) {
    t.replace(call, result && result->getType()->isVoidTy() ? nullptr : result);
    return true;
  };
  auto own = [&](uint64_t offset) { return done(t.threadWord(offset, i32)); };
  /// A bit for each lane after this one.
  auto fromNext = [&] {
    Value *lane = b.CreateAnd(t.threadWord(offsetof(ThreadWords, index), i32), 31);
    return b.CreateShl(t.word(~1u), lane);
  };
  auto plain = [&](const char *name) {
    llvm::SmallVector<Value *> operands(call.args());
    return done(t.callPlain(name, call.getType(), operands));
  };
  auto shuffle = [&](ShuffleKind kind) {
    Value *value = b.CreateBitCast(arg(1), i32);
    Value *result =
        t.callWithThread("tl_simt_shuffle", i32, {t.word(uint32_t(kind)), value, arg(2), arg(3)});
    return done(b.CreateBitCast(result, call.getType()));
  };
  auto barrier = [&](Value *id, Value *count, bool waits, Value *value) {
    return t.callWithThread("tl_simt_barrier", i32, {id, count, t.word(waits), value});
  };
  /// Two floats in halves of a word, the first in the upper one.
  auto pair = [&](const char *name, Value *high, Value *low, llvm::Type *narrow) {
    Value *word = t.callPlain(name, i32, {high, low});
    return done(b.CreateBitCast(b.CreateTrunc(word, narrow), call.getType()));
  };
  auto copy = [&](unsigned bytes) {
    Value *read = call.arg_size() > 2 ? arg(2) : t.word(bytes);
    t.callWithThread("tl_simt_copy", nothing,
                     {t.address(arg(0)), t.address(arg(1)), t.word(bytes), read, t.nextAccess()});
    return done();
  };
  auto group = [&](const char *name, Agent agent, llvm::ArrayRef<Value *> more = {}) {
    llvm::SmallVector<Value *> operands = {t.word(uint32_t(agent))};
    operands.append(more.begin(), more.end());
    t.callWithThread(name, nothing, operands);
    return done();
  };

  switch (call.getCalledFunction()->getIntrinsicID()) {
  // ---- Who a thread is, and what time it is
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    return own(offsetof(ThreadWords, index));
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
    return own(offsetof(ThreadWords, program));
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
    return own(offsetof(ThreadWords, program) + 4);
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
    return own(offsetof(ThreadWords, program) + 8);
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
    return own(offsetof(ThreadWords, programs));
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
    return own(offsetof(ThreadWords, programs) + 4);
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
    return own(offsetof(ThreadWords, programs) + 8);
  case Intrinsic::nvvm_read_ptx_sreg_cluster_ctarank:
    return own(offsetof(ThreadWords, rank));
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_gt:
    return done(fromNext());
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_le:
    return done(b.CreateNot(fromNext()));
  case Intrinsic::nvvm_read_ptx_sreg_globaltimer:
    return done(t.callWithThread("tl_simt_clock", b.getInt64Ty(), {}));

  // ---- Lanes and threads
  case Intrinsic::nvvm_shfl_sync_bfly_i32:
    return shuffle(ShuffleKind::butterfly);
  case Intrinsic::nvvm_shfl_sync_idx_i32:
    return shuffle(ShuffleKind::index);
  case Intrinsic::nvvm_shfl_sync_up_i32:
    return shuffle(ShuffleKind::up);
  case Intrinsic::nvvm_shfl_sync_down_i32:
    return shuffle(ShuffleKind::down);
  case Intrinsic::nvvm_vote_ballot_sync: {
    Value *votes = t.callWithThread("tl_simt_ballot", b.getInt64Ty(), {b.CreateZExt(arg(1), i32)});
    return done(b.CreateTrunc(votes, i32));
  }
  // All lanes come to it. Hardware may elect any; not lane 0, so that nobody relies on that.
  case Intrinsic::nvvm_elect_sync: {
    Value *votes = t.callWithThread("tl_simt_ballot", b.getInt64Ty(), {t.word(1)});
    Value *above =
        b.CreateIntrinsic(Intrinsic::ctlz, {i32}, {b.CreateTrunc(votes, i32), b.getFalse()});
    Value *last = b.CreateSub(t.word(31), above);
    Value *lane = b.CreateAnd(t.threadWord(offsetof(ThreadWords, index), i32), 31);
    Value *both = b.CreateInsertValue(llvm::PoisonValue::get(call.getType()), last, 0);
    return done(b.CreateInsertValue(both, b.CreateICmpEQ(lane, last), 1));
  }
  case Intrinsic::nvvm_bar_warp_sync:
    t.callWithThread("tl_simt_warp_barrier", nothing, {});
    return done();
  case Intrinsic::nvvm_barrier_cta_sync_aligned_all:
    barrier(arg(0), t.word(0), true, t.word(0));
    return done();
  case Intrinsic::nvvm_barrier_cta_sync_aligned_count:
  case Intrinsic::nvvm_barrier_cta_sync_count:
    barrier(arg(0), arg(1), true, t.word(0));
    return done();
  case Intrinsic::nvvm_barrier_cta_arrive_aligned_count:
    barrier(arg(0), arg(1), false, t.word(0));
    return done();
  case Intrinsic::nvvm_barrier_cta_red_or_aligned_all:
    return done(
        b.CreateICmpNE(barrier(arg(0), t.word(0), true, b.CreateZExt(arg(1), i32)), t.word(0)));
  case Intrinsic::nvvm_setmaxnreg_dec_sync_aligned_u32:
  case Intrinsic::nvvm_setmaxnreg_inc_sync_aligned_u32:
    return done(); // there are always enough

  // ---- Mathematics and conversions
  case Intrinsic::nvvm_ex2_approx_ftz:
    return plain("tl_simt_exp2");
  case Intrinsic::nvvm_rcp_approx_ftz_f:
    return plain("tl_simt_reciprocal");
  case Intrinsic::nvvm_rsqrt_approx_ftz_f:
    return plain("tl_simt_reciprocal_root");
  case Intrinsic::nvvm_sqrt_approx_ftz_f:
    return plain("tl_simt_root");
  case Intrinsic::nvvm_mul_rz_f:
    return plain("tl_simt_multiply_down");
  case Intrinsic::nvvm_f2i_rn:
    return plain("tl_simt_to_integer");
  case Intrinsic::nvvm_prmt:
    return plain("tl_simt_permute");
  case Intrinsic::nvvm_div_approx_f:
  case Intrinsic::nvvm_div_full:
    return done(b.CreateFDiv(arg(0), arg(1)));
  case Intrinsic::nvvm_ff2bf16x2_rn:
    return pair("tl_simt_pair_bf16", arg(0), arg(1), i32);
  case Intrinsic::nvvm_ff_to_e4m3x2_rn:
    return pair("tl_simt_pair_e4m3", arg(0), arg(1), b.getInt16Ty());
  case Intrinsic::nvvm_ff_to_e5m2x2_rn:
    return pair("tl_simt_pair_e5m2", arg(0), arg(1), b.getInt16Ty());
  case Intrinsic::nvvm_f16x2_to_e4m3x2_rn:
  case Intrinsic::nvvm_f16x2_to_e5m2x2_rn: {
    const bool e4m3 = call.getIntrinsicID() == Intrinsic::nvvm_f16x2_to_e4m3x2_rn;
    auto part = [&](uint64_t i) {
      return b.CreateFPExt(b.CreateExtractElement(arg(0), i), b.getFloatTy());
    };
    return pair(e4m3 ? "tl_simt_pair_e4m3" : "tl_simt_pair_e5m2", part(1), part(0), b.getInt16Ty());
  }
  case Intrinsic::nvvm_e4m3x2_to_f16x2_rn:
  case Intrinsic::nvvm_e5m2x2_to_f16x2_rn: {
    const bool e4m3 = call.getIntrinsicID() == Intrinsic::nvvm_e4m3x2_to_f16x2_rn;
    Value *halves = t.callPlain(e4m3 ? "tl_simt_halves_of_e4m3" : "tl_simt_halves_of_e5m2", i32,
                                {b.CreateZExt(arg(0), i32)});
    return done(b.CreateBitCast(halves, call.getType()));
  }

  // ---- Copies that go on by themselves
  case Intrinsic::nvvm_cp_async_cg_shared_global_16:
  case Intrinsic::nvvm_cp_async_cg_shared_global_16_s:
    return copy(16);
  case Intrinsic::nvvm_cp_async_ca_shared_global_8:
  case Intrinsic::nvvm_cp_async_ca_shared_global_8_s:
    return copy(8);
  case Intrinsic::nvvm_cp_async_ca_shared_global_4:
  case Intrinsic::nvvm_cp_async_ca_shared_global_4_s:
    return copy(4);
  case Intrinsic::nvvm_cp_async_commit_group:
    return group("tl_simt_commit", Agent::asyncCopies);
  case Intrinsic::nvvm_cp_async_wait_group:
    return group("tl_simt_wait_for", Agent::asyncCopies, {arg(0), t.word(0)});
  case Intrinsic::nvvm_cp_async_bulk_commit_group:
    return group("tl_simt_commit", Agent::bulkCopies);
  case Intrinsic::nvvm_cp_async_bulk_wait_group:
    return group("tl_simt_wait_for", Agent::bulkCopies, {arg(0), t.word(0)});
  case Intrinsic::nvvm_cp_async_bulk_wait_group_read:
    return group("tl_simt_wait_for", Agent::bulkCopies, {arg(0), t.word(1)});
  case Intrinsic::nvvm_cp_async_mbarrier_arrive_noinc_shared:
    t.callWithThread("tl_simt_arrive_with_copies", nothing, {t.address(arg(0))});
    return done();
  case Intrinsic::nvvm_fence_proxy_async:
  case Intrinsic::nvvm_fence_proxy_async_shared_cta:
    t.callWithThread("tl_simt_fence", nothing, {t.word(uint32_t(FenceKind::agents))});
    return done();

  // ---- mbarriers
  case Intrinsic::nvvm_mbarrier_init_shared:
    t.callWithThread("tl_simt_init_barrier", nothing, {t.address(arg(0)), arg(1)});
    return done();
  case Intrinsic::nvvm_mbarrier_inval_shared:
    t.callWithThread("tl_simt_drop_barrier", nothing, {t.address(arg(0))});
    return done();
  case Intrinsic::nvvm_mbarrier_arrive_expect_tx_scope_cta_space_cta:
    t.callWithThread("tl_simt_arrive", nothing, {t.address(arg(0)), t.word(1), arg(1)});
    return done(llvm::PoisonValue::get(call.getType()));
  case Intrinsic::nvvm_mbarrier_arrive_scope_cta_space_cta:
    t.callWithThread("tl_simt_arrive", nothing, {t.address(arg(0)), arg(1), t.word(0)});
    return done(llvm::PoisonValue::get(call.getType()));
  default:
    break;
  }
  llvm::StringRef name = call.getCalledFunction()->getName();
  if (name == "llvm.nvvm.rcp.approx.ftz.d")
    return plain("tl_simt_reciprocal_upper");
  const llvm::StringRef suffix = name.drop_front(std::strlen("llvm.nvvm."));
  if (translateRounded(t, call, suffix) || translateConversion(t, call, suffix))
    return true;
  if (name.consume_front("llvm.nvvm.mma."))
    return translateProduct(t, call, name);
  if (name.consume_front("llvm.nvvm.ldmatrix.sync.aligned.m8n8."))
    return translateMatrixAccess(t, call, name, true);
  if (name.consume_front("llvm.nvvm.stmatrix.sync.aligned.m8n8."))
    return translateMatrixAccess(t, call, name, false);
  if (name.consume_front("llvm.nvvm.cp.async.bulk.tensor."))
    return translateBoxStore(t, call, name);
  return false;
}

} // namespace tl::backend::simt
