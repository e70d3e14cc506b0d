// SPDX-License-Identifier: MIT
//
// What AxisInfo claims of a kernel's integers, against their values: random kernels are computed
// element by element for several arguments, and every claim must hold of every value. A claim that
// does not hold is a wrong vector access.
#include "analysis/AxisInfo.h"
#include "dialect/Context.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <doctest/doctest.h>

#include <map>
#include <random>

using namespace mlir;
using tl::backend::AxisInfo;
using tl::backend::AxisInfoAnalysis;

namespace {

/// All elements of a value, row by row, sign-extended. `wraps` if a run that counts on was broken
/// by the range of its type, of which nothing is promised, or if an element has no meaning.
struct Elements {
  std::vector<int64_t> values;
  bool wraps = false;
};

constexpr int64_t rows = 8, columns = 32;

class Kernel {
public:
  explicit Kernel(uint64_t seed) : random(seed) {
    text = "module {\n  tt.func public @k(%n: i32 {tt.divisibility = 16 : i32}, %m: i32, %pid: i32 "
           "{tt.divisibility = 8 : i32}) {\n";
    scalars = {"%n", "%m", "%pid"};
    emit("%axis = tt.get_program_id x : i32");
    scalars.push_back("%axis");
    tensors.push_back(define("tt.make_range {end = " + std::to_string(columns) +
                             " : i32, start = 0 : i32} : tensor<" + lineType()));
    tensors.push_back(
        define("tt.make_range {end = 96 : i32, start = 64 : i32} : tensor<" + lineType()));
    for (int i = 0; i < 24; ++i)
      addOperation();
    addPlane();
    for (int i = 0; i < 8; ++i)
      addOperation();
    text += "    tt.return\n  }\n}\n";
  }

  std::string text;

private:
  std::string lineType() { return isPlane ? "8x32xi32>" : "32xi32>"; }
  std::string type() { return "tensor<" + lineType(); }
  std::string flags() { return "tensor<" + std::string(isPlane ? "8x32xi1>" : "32xi1>"); }
  void emit(const std::string &line) { text += "    " + line + "\n"; }
  std::string define(const std::string &what) {
    std::string name = "%v" + std::to_string(count++);
    emit(name + " = " + what);
    return name;
  }
  const std::string &pick(const std::vector<std::string> &from) {
    return from[random() % from.size()];
  }
  std::string constant() {
    static const int64_t some[] = {0,  1,  2,  3,   4,   5,  7,  8,  12, 15, 16,  17,  24,  31,
                                   32, 48, 64, 100, 128, -1, -2, -4, -8, -5, -16, -31, -32, -3};
    int64_t value = some[random() % std::size(some)];
    return define("arith.constant dense<" + std::to_string(value) + "> : " + type());
  }
  std::string operand() {
    switch (random() % 4) {
    case 0:
      return constant();
    case 1:
      return define("tt.splat " + pick(scalars) + " : i32 -> " + type());
    default:
      return pick(tensors);
    }
  }

  void addOperation() {
    static const char *const binary[] = {"addi",  "addi",  "addi",  "subi",  "muli",  "divsi",
                                         "divui", "remsi", "remui", "shli",  "shrsi", "shrui",
                                         "andi",  "ori",   "xori",  "minsi", "maxsi", "minui"};
    static const char *const predicates[] = {"slt", "sle", "sgt", "sge", "ult",
                                             "ule", "ugt", "uge", "eq",  "ne"};
    std::string a = operand(), b = operand();
    switch (random() % 10) {
    case 0: {
      std::string wide = std::string(type()).replace(type().size() - 4, 3, "i64");
      std::string extended = define(std::string("arith.") + (random() % 2 ? "extui " : "extsi ") +
                                    a + " : " + type() + " to " + wide);
      tensors.push_back(define("arith.trunci " + extended + " : " + wide + " to " + type()));
      // The wide value itself is checked; its divisions too.
      std::string by = define("arith.constant dense<4> : " + wide);
      define("arith.divsi " + extended + ", " + by + " : " + wide);
      define("arith.remsi " + extended + ", " + by + " : " + wide);
      return;
    }
    case 1:
    case 2: {
      std::string flag =
          define(std::string("arith.cmpi ") + predicates[random() % std::size(predicates)] + ", " +
                 a + ", " + b + " : " + type());
      tensors.push_back(define("arith.select " + flag + ", " + operand() + ", " + operand() +
                               " : " + flags() + ", " + type()));
      define("arith.extui " + flag + " : " + flags() + " to " + type());
      return;
    }
    default:
      tensors.push_back(define(std::string("arith.") + binary[random() % std::size(binary)] + " " +
                               a + ", " + b + " : " + type()));
    }
  }

  /// From lines to planes: by rows, by columns, and their sum.
  void addPlane() {
    std::string across = define("tt.expand_dims " + pick(tensors) +
                                " {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>");
    across = define("tt.broadcast " + across + " : tensor<1x32xi32> -> tensor<8x32xi32>");
    std::string range = define("tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>");
    std::string down =
        define("tt.expand_dims " + range + " {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>");
    down = define("tt.broadcast " + down + " : tensor<8x1xi32> -> tensor<8x32xi32>");
    isPlane = true;
    tensors = {across, down};
  }

  std::mt19937_64 random;
  std::vector<std::string> scalars, tensors;
  unsigned count = 0;
  bool isPlane = false;
};

unsigned widthOf(Type type) { return getElementTypeOrSelf(type).getIntOrFloatBitWidth(); }

/// Computes all values of the function's body.
class Evaluation {
public:
  Evaluation(tl::tt::FuncOp function, ArrayRef<int64_t> arguments) {
    for (auto [argument, value] : llvm::zip(function.getArguments(), arguments))
      known[argument] = {{value}, false};
    for (Operation &op : function.getBody().front())
      if (op.getNumResults() == 1)
        known[op.getResult(0)] = compute(op);
  }

  llvm::DenseMap<Value, Elements> known;

private:
  Elements compute(Operation &op) {
    Type type = op.getResult(0).getType();
    auto shaped = dyn_cast<RankedTensorType>(type);
    size_t size = shaped ? size_t(shaped.getNumElements()) : 1;
    Elements result;
    for (Value operand : op.getOperands())
      result.wraps |= known[operand].wraps;
    if (isa<tl::tt::GetProgramIdOp>(op)) {
      result.values = {5};
    } else if (auto range = dyn_cast<tl::tt::MakeRangeOp>(op)) {
      for (size_t i = 0; i < size; ++i)
        result.values.push_back(int64_t(range.getStart()) + int64_t(i));
    } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto dense = cast<DenseIntElementsAttr>(constant.getValue());
      for (APInt value : dense.getValues<APInt>())
        result.values.push_back(value.getSExtValue());
    } else if (isa<tl::tt::SplatOp>(op)) {
      result.values.assign(size, known[op.getOperand(0)].values[0]);
    } else if (isa<tl::tt::ExpandDimsOp>(op)) {
      result.values = known[op.getOperand(0)].values;
    } else if (auto broadcast = dyn_cast<tl::tt::BroadcastOp>(op)) {
      bool oneRow = broadcast.getSrc().getType().getDimSize(0) == 1;
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column)
          result.values.push_back(known[broadcast.getSrc()].values[size_t(oneRow ? column : row)]);
    } else {
      for (size_t i = 0; i < size; ++i)
        result.values.push_back(element(op, i, result.wraps));
    }
    return result;
  }

  int64_t element(Operation &op, size_t i, bool &wraps) {
    auto in = [&](unsigned operand) { return known[op.getOperand(operand)].values[i]; };
    unsigned width = widthOf(op.getOperand(0).getType());
    unsigned outWidth = widthOf(op.getResult(0).getType());
    uint64_t mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
    int64_t a = in(0), b = op.getNumOperands() > 1 ? in(1) : 0;
    uint64_t ua = uint64_t(a) & mask, ub = uint64_t(b) & mask;
    // The result in many bits, and then in those of its type.
    auto fit = [&](__int128 exact) {
      int64_t value = llvm::SignExtend64(uint64_t(exact), outWidth);
      wraps |= outWidth > 1 && __int128(value) != exact;
      return value;
    };
    auto undefined = [&] {
      wraps = true;
      return int64_t(0);
    };
    if (isa<arith::AddIOp>(op))
      return fit(__int128(a) + b);
    if (isa<arith::SubIOp>(op))
      return fit(__int128(a) - b);
    if (isa<arith::MulIOp>(op))
      return fit(__int128(a) * b);
    if (isa<arith::DivSIOp>(op))
      return b == 0 ? undefined() : fit(__int128(a) / b);
    if (isa<arith::RemSIOp>(op))
      return b == 0 ? undefined() : fit(__int128(a) % b);
    // Unsigned results are only read as bits: what is above the signed range is below zero.
    if (isa<arith::DivUIOp>(op))
      return ub == 0 ? undefined() : llvm::SignExtend64(ua / ub, outWidth);
    if (isa<arith::RemUIOp>(op))
      return ub == 0 ? undefined() : llvm::SignExtend64(ua % ub, outWidth);
    if (isa<arith::ShLIOp>(op))
      return ub >= width ? undefined() : fit(__int128(a) << ub);
    if (isa<arith::ShRSIOp>(op))
      return ub >= width ? undefined() : a >> ub;
    if (isa<arith::ShRUIOp>(op))
      return ub >= width ? undefined() : llvm::SignExtend64(ua >> ub, outWidth);
    if (isa<arith::AndIOp>(op))
      return a & b;
    if (isa<arith::OrIOp>(op))
      return a | b;
    if (isa<arith::XOrIOp>(op))
      return a ^ b;
    if (isa<arith::MinSIOp>(op))
      return std::min(a, b);
    if (isa<arith::MaxSIOp>(op))
      return std::max(a, b);
    if (isa<arith::MinUIOp>(op))
      return ua < ub ? a : b;
    if (isa<arith::ExtUIOp>(op))
      return int64_t(ua);
    if (isa<arith::ExtSIOp>(op))
      return a;
    if (isa<arith::TruncIOp>(op))
      return fit(a);
    if (isa<arith::SelectOp>(op))
      return a ? in(1) : in(2);
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      return -int64_t(arith::applyCmpPredicate(compare.getPredicate(), APInt(64, uint64_t(a), true),
                                               APInt(64, uint64_t(b), true)));
    FAIL("an operation that the test does not know: ", op.getName().getStringRef().str());
    return 0;
  }
};

/// What is wrong with the claim, or "".
std::string error(const AxisInfo &info, const Elements &elements, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::vector<int64_t> shape =
      tensor ? std::vector<int64_t>(tensor.getShape()) : std::vector{int64_t(1)};
  int64_t size = int64_t(elements.values.size());
  if (info.constant)
    for (int64_t value : elements.values)
      if (value != *info.constant)
        return "constant";
  if (info.nonNegative)
    for (int64_t value : elements.values)
      if (value < 0)
        return "nonNegative";
  int64_t stride = size;
  for (unsigned axis = 0; axis < shape.size(); ++axis) {
    stride /= shape[axis];
    for (int64_t i = 0; i < size; ++i) {
      int64_t at = i / stride % shape[axis], value = elements.values[size_t(i)];
      auto before = [&] { return elements.values[size_t(i - stride)]; };
      if (at % info.contiguity[axis] == 0) {
        if (value % info.divisibility[axis] != 0)
          return "divisibility of axis " + std::to_string(axis);
      } else if (value != before() + 1) {
        return "contiguity of axis " + std::to_string(axis);
      }
      if (at % info.constancy[axis] != 0 && value != before())
        return "constancy of axis " + std::to_string(axis);
    }
  }
  return "";
}

} // namespace

TEST_CASE("no claim about a random kernel's integers is wrong") {
  auto context = tl::tt::makeContext();
  int informative = 0;
  for (uint64_t seed = 1; seed <= 600; ++seed) {
    Kernel kernel(seed);
    auto module = tl::tt::parse(kernel.text, *context);
    AxisInfoAnalysis analysis(*module);
    tl::tt::FuncOp function = *module->getOps<tl::tt::FuncOp>().begin();
    for (auto [n, m, pid] : {std::tuple<int64_t, int64_t, int64_t>{16, 1, 8},
                             {32, 7, 0},
                             {-16, -3, 24},
                             {-48, 2, -8},
                             {1024, -1, 40}}) {
      Evaluation evaluation(function, {n, m, pid});
      for (Operation &op : function.getBody().front()) {
        if (op.getNumResults() != 1)
          continue;
        Value value = op.getResult(0);
        const Elements &elements = evaluation.known[value];
        if (elements.wraps)
          continue;
        AxisInfo info = analysis.of(value);
        std::string wrong = error(info, elements, value.getType());
        if (!wrong.empty()) {
          std::string claim, line;
          llvm::raw_string_ostream claims(claim), lines(line);
          info.print(claims);
          value.print(lines);
          FAIL_CHECK(wrong, " is wrong: ", line, " claims ", claim, " for n = ", n, ", m = ", m,
                     ", pid = ", pid, " in\n", kernel.text);
          return;
        }
        for (int64_t run : info.contiguity)
          informative += run > 1;
      }
    }
  }
  CHECK(informative > 5000);
}
