// SPDX-License-Identifier: MIT
//
// Inline PTX, statement by statement: what the lowering writes where LLVM has no right intrinsic,
// and simple instructions of users. A text is taken apart into
//
//     @$2 ld.global.v2.b32 {$0, $1}, [$3];      guard   instruction   operands
//
// and each statement becomes IR on the values of its registers, under its guard. Registers are the
// operands of the text ($0 and on, results first) and those that it declares.
#include "targets/simt/Translation.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <cstddef>
#include <map>
#include <optional>

namespace tl::backend::simt {

using llvm::Value;

namespace {

/// What stands between commas. One that is missing is an error of the text.
struct Operands : std::vector<std::string> {
  using std::vector<std::string>::vector;
  const std::string &operator[](size_t i) const {
    if (i >= size())
      throw Error(TL_UNSUPPORTED, "the emulator misses an operand in assembly");
    return std::vector<std::string>::operator[](i);
  }
};

struct Statement {
  std::string guard; // a register, or empty
  bool negated = false;
  std::string name;  // with its modifiers
  Operands operands; // "$0", "{$0, $1}", "[$2]", "[$1, {$3, $4}]", "1"
};

/// At commas that are in no brackets.
Operands splitOperands(llvm::StringRef text) {
  Operands parts;
  int depth = 0;
  std::string part;
  for (char c : text) {
    depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.push_back(llvm::StringRef(part).trim().str());
      part.clear();
    } else {
      part += c;
    }
  }
  if (!llvm::StringRef(part).trim().empty())
    parts.push_back(llvm::StringRef(part).trim().str());
  return parts;
}

/// "{$0, $1}" or "$0".
Operands elementsOf(llvm::StringRef operand) {
  if (operand.consume_front("{"))
    operand.consume_back("}");
  return splitOperands(operand);
}

std::string withoutComments(llvm::StringRef text) {
  std::string plain;
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  for (llvm::StringRef line : lines)
    plain += line.split("//").first.str() + "\n";
  return plain;
}

std::vector<Statement> parse(llvm::StringRef text) {
  const std::string plain = withoutComments(text);
  std::vector<Statement> statements;
  llvm::StringRef rest(plain);
  while (true) {
    rest = rest.ltrim();
    // Braces and labels stand between statements.
    if (rest.consume_front("{") || rest.consume_front("}"))
      continue;
    if (rest.empty())
      return statements;
    auto [one, after] = rest.split(';');
    rest = after;
    if (size_t colon = one.find(':');
        colon != one.npos &&
        llvm::all_of(one.take_front(colon), [](char c) { return llvm::isAlnum(c) || c == '_'; }))
      one = one.drop_front(colon + 1);
    one = one.trim();
    Statement statement;
    if (one.consume_front("@")) {
      statement.negated = one.consume_front("!");
      auto [guard, body] = one.split(' ');
      statement.guard = guard.str();
      one = body.trim();
    }
    size_t end = one.find_first_of(" \t\n");
    statement.name = one.take_front(end).str();
    if (end != one.npos)
      statement.operands = splitOperands(one.drop_front(end));
    if (!statement.name.empty())
      statements.push_back(std::move(statement));
  }
}

class PtxTranslator {
public:
  PtxTranslator(Translation &t, llvm::CallInst &call)
      : t(t), b(t.b), call(call), text(*llvm::cast<llvm::InlineAsm>(call.getCalledOperand())) {}

  bool run() {
    readOperands();
    for (const Statement &statement : parse(text.getAsmString()))
      if (!translateGuarded(statement))
        return false;
    finish();
    return true;
  }

private:
  // ---- Registers

  void readOperands() {
    unsigned argument = 0, number = 0;
    auto *type = call.getType();
    for (const llvm::InlineAsm::ConstraintInfo &info : text.ParseConstraints()) {
      if (info.Type == llvm::InlineAsm::isClobber)
        continue;
      const std::string name = "$" + std::to_string(number++);
      if (info.Type == llvm::InlineAsm::isOutput) {
        auto *record = llvm::dyn_cast<llvm::StructType>(type);
        llvm::Type *own = record ? record->getElementType(unsigned(outputs.size())) : type;
        outputs.push_back(name);
        registers[name] = llvm::Constant::getNullValue(own);
        types[name] = own;
        continue;
      }
      Value *value = call.getArgOperand(argument++);
      if (info.hasMatchingInput() || info.Codes.empty()) {
        registers[name] = value;
      } else if (unsigned tied = 0; !llvm::StringRef(info.Codes[0]).getAsInteger(10, tied)) {
        registers["$" + std::to_string(tied)] = value;
      } else {
        registers[name] = value;
      }
    }
  }

  void finish() {
    Value *result = nullptr;
    if (outputs.size() == 1 && !call.getType()->isStructTy())
      result = as(registers[outputs[0]], call.getType());
    else if (!outputs.empty()) {
      result = llvm::PoisonValue::get(call.getType());
      for (unsigned i = 0; i < outputs.size(); ++i)
        result = b.CreateInsertValue(result, as(registers[outputs[i]], types[outputs[i]]), i);
    }
    t.replace(call, result);
  }

  /// The bits of a register or constant as a value of the type.
  Value *as(Value *value, llvm::Type *type) {
    if (value->getType() == type)
      return value;
    if (value->getType()->isPointerTy())
      value = b.CreatePtrToInt(value, b.getInt64Ty());
    else if (!value->getType()->isIntegerTy())
      value =
          b.CreateBitCast(value, b.getIntNTy(unsigned(value->getType()->getPrimitiveSizeInBits())));
    if (type->isPointerTy())
      return b.CreateIntToPtr(b.CreateZExtOrTrunc(value, b.getInt64Ty()), type);
    if (type->isIntegerTy())
      return b.CreateZExtOrTrunc(value, type);
    value = b.CreateZExtOrTrunc(value, b.getIntNTy(unsigned(type->getPrimitiveSizeInBits())));
    return b.CreateBitCast(value, type);
  }
  Value *read(llvm::StringRef operand, llvm::Type *type) {
    int64_t number = 0;
    if (!operand.getAsInteger(0, number))
      return as(b.getInt64(uint64_t(number)), type);
    if (operand == "%globaltimer" || operand == "%clock64")
      return as(t.callWithThread("tl_simt_clock", b.getInt64Ty(), {}), type);
    if (operand == "%smid") // there is one multiprocessor
      return as(t.word(0), type);
    if (operand == "%tid.x")
      return as(t.threadWord(offsetof(ThreadWords, index), b.getInt32Ty()), type);
    auto found = registers.find(operand.str());
    if (found == registers.end())
      throw Error(TL_UNSUPPORTED,
                  "the emulator does not know the register '" + operand.str() + "' in assembly");
    return as(found->second, type);
  }
  Value *readWord(llvm::StringRef operand) { return read(operand, b.getInt32Ty()); }
  void write(llvm::StringRef operand, Value *value) {
    auto found = types.find(operand.str());
    registers[operand.str()] = found == types.end() ? value : as(value, found->second);
  }

  // ---- Statements

  bool translateGuarded(const Statement &statement) {
    // A loop that tries again until an mbarrier's phase is complete: trying waits.
    if (statement.name == "bra" && statement.negated)
      return true;
    if (statement.guard.empty())
      return translate(statement);
    Value *condition = read(statement.guard, b.getInt1Ty());
    if (statement.negated)
      condition = b.CreateNot(condition);
    auto *constant = llvm::dyn_cast<llvm::ConstantInt>(condition);
    if (constant && constant->isZero())
      return true;
    if (constant)
      return translate(statement);
    const std::map<std::string, Value *> before = registers;
    llvm::BasicBlock *from = call.getParent();
    llvm::Instruction *then = llvm::SplitBlockAndInsertIfThen(condition, call.getIterator(), false);
    const llvm::DebugLoc where = call.getDebugLoc();
    b.SetInsertPoint(then);
    b.SetCurrentDebugLocation(where);
    if (!translate(statement))
      return false;
    llvm::BasicBlock *last = b.GetInsertBlock();
    b.SetInsertPoint(&call);
    for (auto &[name, value] : registers) {
      auto old = before.find(name);
      if (old == before.end() || old->second == value)
        continue;
      auto *phi = llvm::PHINode::Create(value->getType(), 2, "", call.getParent()->begin());
      phi->addIncoming(value, last);
      phi->addIncoming(as(old->second, value->getType()), from);
      value = phi;
    }
    return true;
  }

  bool translate(const Statement &statement) {
    llvm::StringRef name = statement.name;
    if (name == ".reg")
      return true;
    llvm::SmallVector<llvm::StringRef> parts;
    name.split(parts, '.');
    const auto &operands = statement.operands;
    if (parts[0] == "ld" || parts[0] == "st")
      return translateAccess(parts, operands);
    if (parts[0] == "atom" || parts[0] == "red")
      return translateAtomic(parts, operands);
    if (parts[0] == "wgmma")
      return translateWarpGroup(parts, operands);
    if (parts[0] == "tensormap" || name.starts_with("fence.proxy.tensormap"))
      return translateMap(parts, operands);
    if (name.starts_with("cp.async.bulk.tensor."))
      return translateBoxLoad(parts, operands);
    if (name == "fence.mbarrier_init.release.cluster") // barriers are there at once
      return true;
    if (parts[0] == "fence") {
      const bool agents = name.starts_with("fence.proxy.async");
      t.callWithThread("tl_simt_fence", b.getVoidTy(),
                       {t.word(uint32_t(agents ? FenceKind::agents : FenceKind::memory))});
      return agents || name.starts_with("fence.acq_rel.");
    }
    if (name == "mbarrier.try_wait.parity.shared::cta.b64") {
      t.callWithThread("tl_simt_wait_at", b.getVoidTy(),
                       {shared(operands[1]), readWord(operands[2])});
      write(operands[0], b.getTrue());
      return true;
    }
    if (name == "barrier.cluster.arrive.release" || name == "barrier.cluster.wait.acquire") {
      t.callWithThread(parts[2] == "arrive" ? "tl_simt_arrive_at_cluster"
                                            : "tl_simt_wait_at_cluster",
                       b.getVoidTy(), {});
      return true;
    }
    if (name == "mapa.shared::cluster.u32") {
      Value *offset = b.CreateAnd(readWord(operands[1]), t.word((1u << clusterRankBit) - 1));
      Value *number = b.CreateAdd(readWord(operands[2]), t.word(1));
      write(operands[0], b.CreateOr(offset, b.CreateShl(number, uint64_t(clusterRankBit))));
      return true;
    }
    if (name == "mbarrier.arrive.shared::cluster.b64") {
      t.callWithThread("tl_simt_arrive_in_cluster", b.getVoidTy(),
                       {readWord(inBrackets(operands[1]))});
      return true;
    }
    if (name == "bar.warp.sync") {
      t.callWithThread("tl_simt_warp_barrier", b.getVoidTy(), {});
      return true;
    }
    if (name == "prefetch.tensormap" || name == "griddepcontrol.wait" ||
        name == "griddepcontrol.launch_dependents")
      return true;
    return translateArithmetic(name, operands);
  }

  bool translateArithmetic(llvm::StringRef name, const Operands &operands) {
    auto word = [&](unsigned i) { return readWord(operands[i]); };
    if (name == "mov.b32" || name == "mov.u32")
      move(operands, 32);
    else if (name == "mov.b64" || name == "mov.u64")
      move(operands, 64);
    else if (name == "cvt.u32.u16")
      write(operands[0], b.CreateZExt(read(operands[1], b.getInt16Ty()), b.getInt32Ty()));
    else if (name == "setp.eq.u32" || name == "setp.eq.b32")
      write(operands[0], b.CreateICmpEQ(word(1), word(2)));
    else if (name == "setp.ne.u32" || name == "setp.ne.b32")
      write(operands[0], b.CreateICmpNE(word(1), word(2)));
    else if (name == "mad.lo.u32" || name == "mad.lo.s32")
      write(operands[0], b.CreateAdd(b.CreateMul(word(1), word(2)), word(3)));
    else if (name == "add.s32" || name == "add.u32")
      write(operands[0], b.CreateAdd(word(1), word(2)));
    else if (name == "sub.s32" || name == "sub.u32")
      write(operands[0], b.CreateSub(word(1), word(2)));
    else if (name == "mul.lo.s32" || name == "mul.lo.u32")
      write(operands[0], b.CreateMul(word(1), word(2)));
    else if (name == "and.b32")
      write(operands[0], b.CreateAnd(word(1), word(2)));
    else if (name == "or.b32")
      write(operands[0], b.CreateOr(word(1), word(2)));
    else if (name == "xor.b32")
      write(operands[0], b.CreateXor(word(1), word(2)));
    else if (name == "not.b32")
      write(operands[0], b.CreateNot(word(1)));
    else if (name == "lop3.b32")
      return translateTable(operands);
    else if (name.starts_with("selp."))
      return translateSelection(name.drop_front(5), operands);
    else if (name.ends_with(".f32"))
      return translateFloats(name, operands);
    else
      return false;
    return true;
  }

  /// Of a register, or of parts side by side on either side: {low, high}.
  void move(const Operands &operands, unsigned bits) {
    llvm::Type *whole = b.getIntNTy(bits);
    auto partsOf = [](llvm::StringRef operand) {
      return operand.starts_with("{") ? elementsOf(operand) : Operands{operand.str()};
    };
    const Operands to = partsOf(operands[0]), from = partsOf(operands[1]);
    Value *value = llvm::ConstantInt::get(whole, 0);
    for (size_t i = 0; i < from.size(); ++i) {
      Value *part = read(from[i], b.getIntNTy(unsigned(bits / from.size())));
      value = b.CreateOr(value, b.CreateShl(b.CreateZExt(part, whole), i * bits / from.size()));
    }
    for (size_t i = 0; i < to.size(); ++i)
      write(to[i], b.CreateTrunc(b.CreateLShr(value, i * bits / to.size()),
                                 b.getIntNTy(unsigned(bits / to.size()))));
  }

  bool translateSelection(llvm::StringRef type, const Operands &operands) {
    const unsigned bits = bitsOf(type);
    const bool isFloat = type == "f32";
    if (operands.size() != 4 || (!isFloat && (type[0] == 'f' || bits < 16)))
      return false;
    auto value = [&](unsigned i) {
      return isFloat ? readFloat(operands[i]) : read(operands[i], b.getIntNTy(bits));
    };
    Value *first = value(1), *second = value(2);
    write(operands[0], b.CreateSelect(read(operands[3], b.getInt1Ty()), first, second));
    return true;
  }

  /// A register, or a number: 0f3F800000 or 1.0.
  Value *readFloat(llvm::StringRef operand) {
    llvm::Type *type = b.getFloatTy();
    if (registers.count(operand.str()))
      return read(operand, type);
    uint32_t bits = 0;
    if ((operand.starts_with("0f") || operand.starts_with("0F")) &&
        !operand.drop_front(2).getAsInteger(16, bits))
      return b.CreateBitCast(b.getInt32(bits), type);
    double number = 0;
    if (!operand.getAsDouble(number, /*AllowInexact=*/true))
      return llvm::ConstantFP::get(type, number);
    return read(operand, type);
  }

  /// What has a subnormal result, or operand, without .ftz is computed by way of normal numbers.
  Value *approximate(llvm::StringRef operation, Value *x, bool flushes) {
    llvm::Type *type = x->getType();
    auto call = [&](const char *function, Value *of) { return t.callPlain(function, type, {of}); };
    auto number = [&](double value) { return llvm::ConstantFP::get(type, value); };
    auto plain = [&](Value *value) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, value); };
    if (operation == "ex2") {
      Value *power = call("tl_simt_exp2", x);
      if (flushes)
        return power;
      Value *large = call("tl_simt_exp2", b.CreateFAdd(x, number(24)));
      return b.CreateSelect(b.CreateFCmpOLT(x, number(-126)), b.CreateFMul(large, number(0x1p-24)),
                            power);
    }
    if (operation == "lg2") {
      if (flushes)
        return call("tl_simt_log2", x);
      Value *isSmall = b.CreateFCmpOLT(x, number(0x1p-126));
      Value *large = b.CreateSelect(isSmall, b.CreateFMul(x, number(0x1p24)), x);
      Value *logarithm = call("tl_simt_log2", large);
      return b.CreateSelect(isSmall, b.CreateFSub(logarithm, number(24)), logarithm);
    }
    if (operation == "rcp")
      return flushes ? call("tl_simt_reciprocal", x) : b.CreateFDiv(number(1), x);
    if (operation == "rsqrt")
      return flushes ? call("tl_simt_reciprocal_root", x) : b.CreateFDiv(number(1), plain(x));
    if (operation == "sqrt")
      return flushes ? call("tl_simt_root", x) : plain(x);
    if (operation == "sin")
      return call("tl_simt_sin", x);
    if (operation == "cos")
      return call("tl_simt_cos", x);
    return operation == "tanh" ? call("tl_simt_tanh", x) : nullptr;
  }

  /// add.rn.f32, ex2.approx.ftz.f32, setp.gt.f32 and the like.
  bool translateFloats(llvm::StringRef name, const Operands &operands) {
    llvm::SmallVector<llvm::StringRef> parts;
    name.drop_back(4).split(parts, '.');
    const llvm::StringRef operation = parts[0];
    const bool flushes = llvm::is_contained(parts, "ftz"), rounds = llvm::is_contained(parts, "rn");
    const bool isApproximate = llvm::is_contained(parts, "approx");
    const size_t known = 1 + flushes + rounds + isApproximate;
    llvm::SmallVector<Value *, 3> v;
    for (size_t i = 1; i < operands.size(); ++i)
      v.push_back(readFloat(operands[i]));
    if (operation == "setp" && parts.size() == 2 && v.size() == 2) {
      auto predicate = llvm::StringSwitch<llvm::CmpInst::Predicate>(parts[1])
                           .Case("eq", llvm::CmpInst::FCMP_OEQ)
                           .Case("ne", llvm::CmpInst::FCMP_ONE)
                           .Case("lt", llvm::CmpInst::FCMP_OLT)
                           .Case("le", llvm::CmpInst::FCMP_OLE)
                           .Case("gt", llvm::CmpInst::FCMP_OGT)
                           .Case("ge", llvm::CmpInst::FCMP_OGE)
                           .Default(llvm::CmpInst::BAD_FCMP_PREDICATE);
      if (predicate == llvm::CmpInst::BAD_FCMP_PREDICATE)
        return false;
      write(operands[0], b.CreateFCmp(predicate, v[0], v[1]));
      return true;
    }
    Value *result = nullptr;
    if (parts.size() != known)
      return false;
    if (v.size() == 1 && isApproximate)
      result = approximate(operation, v[0], flushes);
    else if (flushes)
      return false;
    else if (v.size() == 1 && !isApproximate)
      result = operation == "mov"   ? v[0]
               : operation == "neg" ? b.CreateFNeg(v[0])
               : operation == "abs" ? b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v[0])
               : rounds && (operation == "rcp" || operation == "sqrt")
                   ? approximate(operation, v[0], false)
                   : nullptr;
    else if (v.size() == 2)
      result =
          operation == "add"   ? b.CreateFAdd(v[0], v[1])
          : operation == "sub" ? b.CreateFSub(v[0], v[1])
          : operation == "mul" ? b.CreateFMul(v[0], v[1])
          : operation == "div" ? b.CreateFDiv(v[0], v[1])
          : operation == "min" ? b.CreateBinaryIntrinsic(llvm::Intrinsic::minimumnum, v[0], v[1])
          : operation == "max" ? b.CreateBinaryIntrinsic(llvm::Intrinsic::maximumnum, v[0], v[1])
                               : nullptr;
    else if (v.size() == 3 && operation == "fma" && rounds)
      result = b.CreateIntrinsic(llvm::Intrinsic::fma, {v[0]->getType()}, v);
    if (!result)
      return false;
    write(operands[0], result);
    return true;
  }

  /// Three words, bit by bit through a table of eight.
  bool translateTable(const Operands &operands) {
    unsigned table = 0;
    if (llvm::StringRef(operands[4]).getAsInteger(0, table))
      return false;
    Value *result = t.word(0);
    for (unsigned row = 0; row < 8; ++row) {
      if (!(table >> row & 1))
        continue;
      Value *all = nullptr;
      for (unsigned i = 0; i < 3; ++i) {
        Value *bits = readWord(operands[1 + i]);
        if (!(row >> (2 - i) & 1))
          bits = b.CreateNot(bits);
        all = all ? b.CreateAnd(all, bits) : bits;
      }
      result = b.CreateOr(result, all);
    }
    write(operands[0], result);
    return true;
  }

  // ---- Memory

  static std::string inBrackets(llvm::StringRef operand) {
    operand.consume_front("[");
    operand.consume_back("]");
    return operand.trim().str();
  }
  Value *global(llvm::StringRef operand) { return read(inBrackets(operand), b.getInt64Ty()); }
  /// From an address of 32 bits.
  Value *shared(llvm::StringRef operand) {
    return b.CreatePtrToInt(t.sharedPointer(readWord(inBrackets(operand))), b.getInt64Ty());
  }

  static unsigned bitsOf(llvm::StringRef type) {
    unsigned bits = 0;
    return type.drop_front().getAsInteger(10, bits) ? 0 : bits;
  }

  /// ld.relaxed.gpu.global.v2.b32 and the like.
  bool translateAccess(llvm::ArrayRef<llvm::StringRef> parts, const Operands &operands) {
    const bool loads = parts[0] == "ld", isShared = llvm::is_contained(parts, "shared");
    if (!isShared && !llvm::is_contained(parts, "global"))
      return false;
    const unsigned bits = bitsOf(parts.back());
    const bool acquires = llvm::is_contained(parts, "acquire"),
               releases = llvm::is_contained(parts, "release"),
               strong = acquires || releases || llvm::is_contained(parts, "relaxed");
    const Operands values = elementsOf(operands[loads ? 0 : 1]);
    if (bits < 8 || values.empty())
      return false;
    const std::string &at = operands[loads ? 1 : 0];
    Value *address = isShared ? shared(at) : global(at);
    const uint64_t bytes = bits / 8;
    llvm::Type *type = b.getIntNTy(bits);
    if (strong) {
      if (values.size() != 1)
        return false;
      Value *value = loads ? b.getInt64(0) : read(values[0], b.getInt64Ty());
      Value *result = t.callWithThread(
          "tl_simt_atomic", b.getInt64Ty(),
          {address,
           t.word(atomicWord(loads ? AtomicOperation::load : AtomicOperation::store,
                             uint32_t(bytes), acquires, releases)),
           value, b.getInt64(0), t.nextAccess()});
      if (loads)
        write(values[0], b.CreateTrunc(result, type));
      return true;
    }
    t.noteAccess(address, bytes * values.size(), bytes * values.size(),
                 loads ? AccessKind::read : AccessKind::write);
    for (uint64_t i = 0; i < values.size(); ++i) {
      Value *place = b.CreateIntToPtr(b.CreateAdd(address, b.getInt64(i * bytes)), b.getPtrTy());
      if (loads)
        write(values[i], b.CreateAlignedLoad(type, place, llvm::Align(bytes)));
      else
        b.CreateAlignedStore(read(values[i], type), place, llvm::Align(bytes));
    }
    if (loads && llvm::is_contained(parts, "volatile"))
      t.callWithThread("tl_simt_poll", b.getVoidTy(), {});
    return true;
  }

  /// atom.acq_rel.gpu.global.add.noftz.v2.f16x2 and the like.
  bool translateAtomic(llvm::ArrayRef<llvm::StringRef> parts, const Operands &operands) {
    const bool answers = parts[0] == "atom", isShared = llvm::is_contained(parts, "shared");
    if (!isShared && !llvm::is_contained(parts, "global"))
      return false;
    llvm::StringRef type = parts.back();
    const unsigned packed = type.consume_back("x2") ? 2 : 1;
    const unsigned bits = type == "bf16" ? 16 : bitsOf(type);
    const bool isSigned = type.starts_with("s");
    auto isPart = [&](llvm::StringRef part) { return llvm::is_contained(parts, part); };
    AtomicOperation operation;
    if (isPart("add"))
      operation = type == "f16"    ? AtomicOperation::addF16
                  : type == "bf16" ? AtomicOperation::addBf16
                  : type == "f32"  ? AtomicOperation::addF32
                  : type == "f64"  ? AtomicOperation::addF64
                                   : AtomicOperation::add;
    else if (isPart("and"))
      operation = AtomicOperation::bitAnd;
    else if (isPart("or"))
      operation = AtomicOperation::bitOr;
    else if (isPart("xor"))
      operation = AtomicOperation::bitXor;
    else if (isPart("max"))
      operation = isSigned ? AtomicOperation::maxSigned : AtomicOperation::maxUnsigned;
    else if (isPart("min"))
      operation = isSigned ? AtomicOperation::minSigned : AtomicOperation::minUnsigned;
    else if (isPart("exch"))
      operation = AtomicOperation::exchange;
    else if (isPart("cas"))
      operation = AtomicOperation::compareExchange;
    else
      return false;
    const bool both = isPart("acq_rel");
    const uint32_t word =
        atomicWord(operation, bits / 8, both || isPart("acquire"), both || isPart("release"));
    unsigned next = answers ? 1 : 0;
    const std::string &at = operands[next++];
    Value *address = isShared ? shared(at) : global(at);
    std::vector<std::string> values = elementsOf(operands[next++]), results;
    if (answers)
      results = elementsOf(operands[0]);
    for (size_t i = 0; i < values.size(); ++i) {
      // A register of two numbers is two atomics, as the manual says.
      Value *all = read(values[i], b.getIntNTy(bits * packed));
      Value *old = llvm::ConstantInt::get(all->getType(), 0);
      for (unsigned part = 0; part < packed; ++part) {
        const uint64_t at = (i * packed + part) * (bits / 8);
        Value *value =
            b.CreateZExtOrTrunc(b.CreateLShr(all, uint64_t(part) * bits), b.getIntNTy(bits));
        Value *expected = b.getInt64(0), *made = b.CreateZExt(value, b.getInt64Ty());
        if (operation == AtomicOperation::compareExchange) {
          expected = made;
          made = read(operands[next], b.getInt64Ty());
        }
        Value *before = t.callWithThread(
            "tl_simt_atomic", b.getInt64Ty(),
            {b.CreateAdd(address, b.getInt64(at)), t.word(word), made, expected, t.nextAccess()});
        old = b.CreateOr(
            old, b.CreateShl(b.CreateZExtOrTrunc(before, all->getType()), uint64_t(part) * bits));
      }
      if (answers)
        write(results[i], old);
    }
    return true;
  }

  // ---- Warp groups

  static std::optional<Element> elementOf(llvm::StringRef name) {
    return llvm::StringSwitch<std::optional<Element>>(name)
        .Case("f16", Element::f16)
        .Case("bf16", Element::bf16)
        .Case("tf32", Element::tf32)
        .Case("s8", Element::s8)
        .Case("e4m3", Element::e4m3)
        .Case("e5m2", Element::e5m2)
        .Default(std::nullopt);
  }

  bool translateWarpGroup(llvm::ArrayRef<llvm::StringRef> parts, const Operands &operands) {
    llvm::Type *nothing = b.getVoidTy();
    if (parts[1] == "fence")
      return true;
    if (parts[1] == "commit_group") {
      t.callWithThread("tl_simt_commit_products", nothing, {});
      return true;
    }
    if (parts[1] == "wait_group") {
      t.callWithThread("tl_simt_wait_for_products", nothing, {readWord(operands[0])});
      return true;
    }
    // wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {sums}, a, b, added, 1, 1, 0, 0
    if (parts[1] != "mma_async" || parts.size() != 8)
      return false;
    MatrixShape shape;
    llvm::StringRef sizes = parts[4];
    if (!sizes.consume_front("m") || sizes.consumeInteger(10, shape.m) ||
        !sizes.consume_front("n") || sizes.consumeInteger(10, shape.n) ||
        !sizes.consume_front("k") || sizes.consumeInteger(10, shape.k))
      return false;
    auto a = elementOf(parts[6]), other = elementOf(parts[7]);
    if (!a || !other)
      return false;
    shape.a = *a;
    shape.b = *other;
    const Operands sums = elementsOf(operands[0]), words = elementsOf(operands[1]);
    shape.fromMemory = words.size() == 1;
    size_t next = 4 + (shape.a == Element::s8 ? 0 : 2);
    auto flag = [&] { return next < operands.size() && operands[next++] == "1"; };
    if (shape.a == Element::f16 || shape.a == Element::bf16) {
      shape.transposedA = shape.fromMemory && flag();
      shape.transposedB = flag();
    }
    llvm::Type *i32 = b.getInt32Ty();
    llvm::AllocaInst *space = t.stackWords(i32, sums.size() + 4);
    auto place = [&](uint64_t i) { return b.CreateConstGEP1_64(i32, space, i); };
    Value *added = read(operands[3], b.getInt1Ty());
    for (size_t i = 0; i < sums.size(); ++i)
      b.CreateStore(b.CreateSelect(added, readWord(sums[i]), t.word(0)), place(i));
    Value *descriptor = b.getInt64(0);
    if (shape.fromMemory)
      descriptor = read(words[0], b.getInt64Ty());
    else
      for (size_t i = 0; i < words.size(); ++i)
        b.CreateStore(readWord(words[i]), place(sums.size() + i));
    t.callWithThread(
        "tl_simt_multiply_group", nothing,
        {b.getInt64(shape.word()), space, descriptor, read(operands[2], b.getInt64Ty())});
    for (size_t i = 0; i < sums.size(); ++i)
      write(sums[i], b.CreateLoad(i32, place(i)));
    return true;
  }

  // ---- Tensor maps

  bool translateBoxLoad(llvm::ArrayRef<llvm::StringRef> parts, const Operands &operands) {
    // cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::... [to], [map, {at}], [barrier]
    unsigned rank = 0;
    llvm::StringRef digits = parts[4];
    const bool toBlocks = parts.back() == "multicast::cluster";
    if (digits.consumeInteger(10, rank) || parts[5] != "shared::cluster" ||
        operands.size() != (toBlocks ? 4 : 3))
      return false;
    const Operands source = splitOperands(inBrackets(operands[1]));
    const Operands at = elementsOf(source[1]);
    llvm::AllocaInst *coordinates = t.stackWords(b.getInt32Ty(), rank);
    for (unsigned i = 0; i < rank; ++i)
      b.CreateStore(readWord(at[i]), b.CreateConstGEP1_64(b.getInt32Ty(), coordinates, i));
    t.callWithThread("tl_simt_load_box", b.getVoidTy(),
                     {shared(operands[0]), read(source[0], b.getInt64Ty()), coordinates,
                      t.word(rank), shared(operands[2]),
                      toBlocks ? readWord(operands[3]) : t.word(0)});
    return true;
  }

  bool translateMap(llvm::ArrayRef<llvm::StringRef> parts, const Operands &operands) {
    if (parts[0] == "fence")
      return true;
    if (parts[1] == "cp_fenceproxy") {
      t.callWithThread("tl_simt_publish_map", b.getVoidTy(),
                       {global(operands[0]), shared(operands[1])});
      return true;
    }
    // tensormap.replace.tile.FIELD.shared::cta.b1024.b32 [map], axis, value
    if (parts[1] != "replace")
      return false;
    auto field = llvm::StringSwitch<int>(parts[3])
                     .Case("global_address", 0)
                     .Case("rank", 1)
                     .Case("box_dim", 2)
                     .Case("global_dim", 3)
                     .Case("element_stride", 4)
                     .Case("global_stride", 5)
                     .Case("elemtype", 6)
                     .Case("interleave_layout", 7)
                     .Case("swizzle_mode", 8)
                     .Case("fill_mode", 9)
                     .Default(-1);
    if (field < 0)
      return false;
    const bool hasAxis = operands.size() == 3;
    t.callWithThread("tl_simt_replace_field", b.getVoidTy(),
                     {shared(operands[0]), t.word(uint32_t(field)),
                      hasAxis ? readWord(operands[1]) : t.word(0),
                      read(operands.back(), b.getInt64Ty())});
    return true;
  }

  Translation &t;
  llvm::IRBuilder<> &b;
  llvm::CallInst &call;
  const llvm::InlineAsm &text;
  std::vector<std::string> outputs;
  std::map<std::string, Value *> registers;
  std::map<std::string, llvm::Type *> types; // of results
};

} // namespace

bool translatePtx(Translation &translation, llvm::CallInst &call) {
  return PtxTranslator(translation, call).run();
}

} // namespace tl::backend::simt
