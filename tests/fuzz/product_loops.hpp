// SPDX-License-Identifier: MIT
//
// Writes random loops of products, for what GPUs do with them: buffers ahead of the products,
// producer warps, late products, groups of warps in turns, loops over tiles that go on without a
// pause. Blocks come by descriptors or by pointers, alone or widened on the way; loops have one
// product, or two of which the second needs the first, with branches, carried values, stores and
// atomic operations between them; they come one after the other and within loops over tiles, with
// any number of iterations, none included. All numbers are small integers, so that sums are exact
// in any order. Next: product_loops.cpp runs them.
#pragma once

#include "choices.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace fuzz {

/// What a launch needs to know beside the text: `rows` of k and v, and the iterations of both loops
/// of each tile.
struct product_launch {
  static constexpr int tiles = 4;
  int programs = 1, warps = 4, stages = 3, ctas = 1, rows = 1;
  std::array<int, 2 * tiles> counts{};
};

class product_loops {
public:
  static constexpr int tiles = product_launch::tiles; // of q
  static constexpr int blocks = 6;                    // of k and v
  static constexpr int longest = 128;                 // extent of a block
  static constexpr int input_elements = blocks * longest * longest;
  static constexpr int result_elements = tiles * longest * longest;

  explicit product_loops(choices chosen) : chosen_(std::move(chosen)) {}

  /// Parameters: q, k and v, `input_elements` of float16 each; `result_elements` of float; a number
  /// of int32 for each tile, which shows what its loops did; the numbers of iterations; and the
  /// rows.
  std::string kernel() {
    static const int shapes[][3] = {{64, 64, 64},  {128, 64, 64},   {128, 128, 128},
                                    {64, 32, 16},  {128, 128, 128}, {128, 64, 128},
                                    {64, 64, 128}, {128, 128, 64}};
    const int *chosen = shapes[below(8)];
    m_ = chosen[0], n_ = chosen[1], d_ = chosen[2];
    launch.warps = chance(70) ? 8 : chance(80) ? 4 : 16;
    launch.stages = 1 + below(4);
    launch.programs = 1 + below(3);
    launch.ctas = chance(10) ? 2 : 1;
    launch.rows = 1 + below(blocks * n_);
    for (int &count : launch.counts)
      count = chance(25) ? 0 : below(blocks + 1);
    is_chain_ = chance(70);
    by_descriptor_ = chance(85);
    is_widened_ = !is_chain_ && chance(25);
    is_narrow_ = !is_chain_ && n_ == d_ && chance(50);
    is_carried_ = is_chain_ && chance(30);
    header();
    if (chance(60)) {
      static const char *const kinds[] = {"", " {tt.flatten}", " {tt.warp_specialize}",
                                          " {tt.flatten, tt.warp_specialize}"};
      line("scf.for %tile = %pid to %tiles step %programs : i32 {");
      tile();
      line(std::string("}") + kinds[below(4)]);
    } else {
      launch.programs = tiles;
      line("%tile = arith.addi %pid, %c0 : i32");
      tile();
    }
    return "module {\n  tt.func public @loops(%q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, "
           "%k: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %v: !tt.ptr<f16> {tt.divisibility = 16 "
           ": i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %seen: !tt.ptr<i32>, %counts: "
           "!tt.ptr<i32>, %rows: i32) {\n" +
           body_ + "    tt.return\n  }\n}\n";
  }

  product_launch launch;

private:
  int below(int bound) { return chosen_.below(bound); }
  bool chance(int percent) { return below(100) < percent; }
  void line(const std::string &text) { body_ += "    " + text + "\n"; }
  std::string made(const std::string &operation) {
    std::string name = "%v" + std::to_string(next_++);
    line(name + " = " + operation);
    return name;
  }
  std::string block(int rows, int columns, const char *element) const {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "x" + element + ">";
  }
  std::string scores() const { return block(m_, n_, "f32"); }
  std::string results() const { return block(m_, d_, "f32"); }
  std::string number(int value) {
    return made("arith.constant " + std::to_string(value) + " : i32");
  }
  std::string dense(int value, const std::string &type) {
    return made("arith.constant dense<" + std::to_string(value) + ".0> : " + type);
  }

  void header() {
    line("%c0 = arith.constant 0 : i32");
    line("%c1 = arith.constant 1 : i32");
    line("%c2 = arith.constant 2 : i32");
    line("%one = arith.constant 1 : i64");
    line("%tiles = arith.constant " + std::to_string(tiles) + " : i32");
    line("%pid = tt.get_program_id x : i32");
    line("%programs = tt.get_num_programs x : i32");
    line("%bm = arith.constant " + std::to_string(m_) + " : i32");
    line("%bn = arith.constant " + std::to_string(n_) + " : i32");
    line("%width = arith.constant " + std::to_string(d_) + " : i32");
    line("%pitch = arith.constant " + std::to_string(d_) + " : i64");
    line("%all = arith.muli %tiles, %bm : i32");
    descriptor("%q", "%all", m_, "f16");
    descriptor("%k", "%rows", n_, "f16");
    descriptor("%v", "%rows", n_, "f16");
    descriptor("%out", "%all", m_, "f32");
    if (is_narrow_) {
      line("%bytes = arith.muli %width, %c2 : i32");
      line("%wide = arith.constant " + std::to_string(2 * d_) + " : i64");
      narrow_descriptor("%q", "%all", m_);
      narrow_descriptor("%k", "%rows", n_);
    }
  }
  /// Of the same memory as numbers of 8 bits: every second one is that of float16, the others are
  /// 0.
  void narrow_descriptor(const std::string &base, const char *rows, int block_rows) {
    line(base + "8 = tt.bitcast " + base + " : !tt.ptr<f16> -> !tt.ptr<f8E5M2>");
    line("%d" + base.substr(1) + "8 = tt.make_tensor_descriptor " + base + "8, [" + rows +
         ", %bytes], [%wide, %one] : <f8E5M2>, <" + std::to_string(block_rows) + "x" +
         std::to_string(d_) + "xf8E5M2>");
  }
  void descriptor(const std::string &base, const char *rows, int block_rows,
                  const std::string &element) {
    line("%d" + base.substr(1) + " = tt.make_tensor_descriptor " + base + ", [" + rows +
         ", %width], [%pitch, %one] : <" + element + ">, <" + std::to_string(block_rows) + "x" +
         std::to_string(d_) + "x" + element + ">");
  }

  /// <rows, d_> from a row on, zeros where there is none.
  std::string load(const std::string &base, const std::string &first, const char *end, int rows) {
    const std::string type = block(rows, d_, "f16");
    if (by_descriptor_)
      return made("tt.descriptor_load %d" + base.substr(1) + "[" + first +
                  ", %c0] : !tt.tensordesc<" + type.substr(7) + " -> " + type);
    const std::string places = block(rows, d_, "i32"), pointers = block(rows, d_, "!tt.ptr<f16>");
    const std::string row = along(rows, 1, rows, d_), column = along(d_, 0, rows, d_);
    std::string at = made("tt.splat " + first + " : i32 -> " + places);
    at = made("arith.addi " + at + ", " + row + " : " + places);
    std::string mask = made(std::string("tt.splat ") + end + " : i32 -> " + places);
    mask = made("arith.cmpi ult, " + at + ", " + mask + " : " + places);
    std::string stride = made("tt.splat %width : i32 -> " + places);
    at = made("arith.muli " + at + ", " + stride + " : " + places);
    at = made("arith.addi " + at + ", " + column + " : " + places);
    std::string pointer = made("tt.splat " + base + " : !tt.ptr<f16> -> " + pointers);
    pointer = made("tt.addptr " + pointer + ", " + at + " : " + pointers + ", " + places);
    return made("tt.load " + pointer + ", " + mask + ", " + dense(0, type) + " : " + pointers);
  }
  /// The coordinate along an axis of <rows, columns>; `other`: the axis that it is repeated along.
  std::string along(int extent, int other, int rows, int columns) {
    const std::string count = std::to_string(extent), flat = "tensor<" + count + "xi32>";
    std::string range =
        made("tt.make_range {end = " + count + " : i32, start = 0 : i32} : " + flat);
    const std::string thin = other ? block(extent, 1, "i32") : block(1, extent, "i32");
    range = made("tt.expand_dims " + range + " {axis = " + std::to_string(other) +
                 " : i32} : " + flat + " -> " + thin);
    return made("tt.broadcast " + range + " : " + thin + " -> " + block(rows, columns, "i32"));
  }

  void tile() {
    const std::string first = made("arith.muli %tile, %bm : i32");
    first_ = load("%q", first, "%all", m_);
    std::string sum = dense(chance(70) ? 0 : below(5) - 2, results());
    const int loops = 1 + chance(40);
    for (int i = 0; i < loops; ++i)
      sum = loop(sum, i);
    if (chance(40))
      line("tt.descriptor_store %dout[" + first + ", %c0], " + sum + " : !tt.tensordesc<" +
           results().substr(7) + ", " + results());
    else
      store(first, sum);
  }

  void store(const std::string &first, const std::string &sum) {
    const std::string places = block(m_, d_, "i32"), pointers = block(m_, d_, "!tt.ptr<f32>");
    std::string at = made("arith.muli " + along(m_, 1, m_, d_) + ", " +
                          made("tt.splat %width : i32 -> " + places) + " : " + places);
    at = made("arith.addi " + at + ", " + along(d_, 0, m_, d_) + " : " + places);
    std::string base = made("tt.addptr %out, " + made("arith.muli " + first + ", %width : i32") +
                            " : !tt.ptr<f32>, i32");
    base = made("tt.splat " + base + " : !tt.ptr<f32> -> " + pointers);
    base = made("tt.addptr " + base + ", " + at + " : " + pointers + ", " + places);
    line("tt.store " + base + ", " + sum + " : " + pointers);
  }

  /// A loop from anywhere in steps of one or more blocks, which are counted or of which the rows
  /// are.
  std::string loop(const std::string &start, int which) {
    std::string at = made("arith.muli %tile, %c2 : i32");
    at = made("arith.addi " + at + ", " + number(which) + " : i32");
    at = made("tt.addptr %counts, " + at + " : !tt.ptr<i32>, i32");
    const std::string count = made("tt.load " + at + " : !tt.ptr<i32>");
    const std::string unit = chance(50) ? "%bn" : "%c1";
    const bool is_plain = chance(50);
    const int steps = is_plain ? 1 : 1 + below(4);
    std::string step =
        steps == 1 ? unit : made("arith.muli " + unit + ", " + number(steps) + " : i32");
    if (!is_plain && chance(20)) // one that is not known before the kernel runs
      step = made("arith.maxsi " + step + ", %rows : i32");
    const std::string begin =
        is_plain ? "%c0" : made("arith.muli " + unit + ", " + number(below(6) - 3) + " : i32");
    std::string end = made("arith.muli " + count + ", " + step + " : i32");
    end = made("arith.addi " + begin + ", " + end + " : i32");
    // Where the loop has iterations there is memory behind it.
    const std::string is_empty = made("arith.cmpi eq, " + count + ", %c0 : i32");
    far_ = made("arith.select " + is_empty + ", " + number(100000000) + ", %tile : i32");

    const std::string name = "%v" + std::to_string(next_++), tag = name.substr(2);
    const std::string carried = "tensor<" + std::to_string(m_) + "xf32>";
    const std::string least = is_carried_ ? dense(-8, carried) : "";
    line(name + (is_carried_ ? ":2" : "") + " = scf.for %i" + tag + " = " + begin + " to " + end +
         " step " + step + " iter_args(%sum" + tag + " = " + start +
         (is_carried_ ? ", %most" + tag + " = " + least : "") + ") -> (" + results() +
         (is_carried_ ? ", " + carried : "") + ") : i32 {");
    const std::string i = "%i" + tag;
    row_ = unit == "%bn" ? i : made("arith.muli " + i + ", %bn : i32");
    step_ = unit == "%bn" ? made("arith.divsi " + i + ", %bn : i32") : i;
    std::string sum = "%sum" + tag, most = "%most" + tag;
    const bool sees_late = chance(15);
    if (chance(30) && !sees_late)
      effect();
    sum = is_chain_ ? chain(sum, most) : single(sum);
    if (sees_late)
      effect();
    line("scf.yield " + sum + (is_carried_ ? ", " + most : "") + " : " + results() +
         (is_carried_ ? ", " + carried : ""));
    std::string attributes =
        chance(30) ? "tt.num_stages = " + std::to_string(below(5)) + " : i32" : "";
    if (chance(15))
      attributes += std::string(attributes.empty() ? "" : ", ") + "tt.warp_specialize";
    if (chance(10))
      attributes += std::string(attributes.empty() ? "" : ", ") + "tt.disallow_acc_multi_buffer";
    line("}" + (attributes.empty() ? "" : " {" + attributes + "}"));
    if (!is_carried_)
      return name;
    return made("arith.addf " + name + "#0, " + repeated(name + "#1", results()) + " : " +
                results());
  }

  /// A number a row in all columns.
  std::string repeated(const std::string &rows, const std::string &type) {
    const std::string thin = block(m_, 1, "f32");
    const std::string column = made("tt.expand_dims " + rows + " {axis = 1 : i32} : tensor<" +
                                    std::to_string(m_) + "xf32> -> " + thin);
    return made("tt.broadcast " + column + " : " + thin + " -> " + type);
  }

  /// Whether the iteration is odd, or one of the first.
  std::string condition() {
    if (chance(50))
      return made("arith.cmpi slt, " + step_ + ", " + number(below(4)) + " : i32");
    return made("arith.cmpi eq, " + made("arith.andi " + step_ + ", %c1 : i32") + ", " +
                number(below(2)) + " : i32");
  }

  /// Something that memory shows afterwards, or that reads where a loop without iterations must
  /// not.
  void effect() {
    switch (below(7)) {
    case 0:
    case 1:
      return touch();
    case 2:
      line("scf.if " + condition() + " {");
      touch();
      return line("}");
    case 3:
      line("scf.if " + condition() + " {");
      if (chance(50))
        touch();
      line("} else {");
      touch();
      return line("}");
    case 4: { // a result beside the effect
      const std::string holds = condition(), name = "%v" + std::to_string(next_++);
      line(name + " = scf.if " + holds + " -> (i32) {");
      touch();
      line("scf.yield " + step_ + " : i32");
      line("} else {");
      touch();
      line("scf.yield " + load_number() + " : i32");
      line("}");
      step_ = made("arith.maxsi " + step_ + ", " + name + " : i32");
      step_ = made("arith.minsi " + step_ + ", " + number(20) + " : i32");
      return;
    }
    case 5: {
      const std::string name = "%j" + std::to_string(next_++);
      line("scf.for " + name + " = %c0 to %c2 step %c1 : i32 {");
      line("scf.if " + made("arith.cmpi eq, " + name + ", " + number(below(2)) + " : i32") + " {");
      touch();
      line("}");
      return line("}");
    }
    default:
      step_ = made("arith.xori " + step_ + ", " + load_number() + " : i32");
    }
  }
  void touch() {
    const std::string place = made("tt.addptr %seen, %tile : !tt.ptr<i32>, i32");
    if (chance(50))
      line("tt.store " + place + ", " + made("arith.addi " + step_ + ", %c1 : i32") +
           " : !tt.ptr<i32>");
    else {
      constexpr const char *orders[] = {"relaxed", "release", "acq_rel"};
      made(std::string("tt.atomic_rmw add, ") + orders[below(3)] + ", gpu, " + place +
           ", %c1 : (!tt.ptr<i32>, i32) -> i32");
    }
  }
  std::string load_number() {
    return made("tt.load " + made("tt.addptr %counts, " + far_ + " : !tt.ptr<i32>, i32") +
                " : !tt.ptr<i32>");
  }

  /// A tensor, changed in some way that keeps its numbers small.
  std::string changed(const std::string &value, const std::string &type, bool is_scores) {
    switch (below(is_scores ? 5 : 3)) {
    case 0: {
      std::string sign =
          made("arith.select " + condition() + ", " + made("arith.constant 1.0 : f32") + ", " +
               made("arith.constant -1.0 : f32") + " : f32");
      return made("arith.mulf " + value + ", " + made("tt.splat " + sign + " : f32 -> " + type) +
                  " : " + type);
    }
    case 1: {
      const std::string holds = condition(), name = "%v" + std::to_string(next_++);
      line(name + " = scf.if " + holds + " -> (" + type + ") {");
      std::string other = chance(50)
                              ? made("arith.negf " + value + " : " + type)
                              : made("arith.subf " + value + ", " + dense(1, type) + " : " + type);
      line("scf.yield " + other + " : " + type);
      line("} else {");
      line("scf.yield " + value + " : " + type);
      line("}");
      return name;
    }
    case 2:
      return made("arith.negf " + value + " : " + type);
    case 3:
      return made("arith.addf " + value + ", " + dense(below(5) - 2, type) + " : " + type);
    default: { // columns that there are
      const std::string places = block(m_, n_, "i32");
      std::string left = made("arith.subi %rows, " + row_ + " : i32");
      std::string mask = made("arith.cmpi slt, " + along(n_, 0, m_, n_) + ", " +
                              made("tt.splat " + left + " : i32 -> " + places) + " : " + places);
      return made("arith.select " + mask + ", " + value + ", " + dense(-3, type) + " : " +
                  block(m_, n_, "i1") + ", " + type);
    }
    }
  }

  /// Of scores, so that they are exact in float16 and their products with v are in sums.
  std::string bounded(const std::string &value) {
    std::string least =
        made("arith.maximumf " + value + ", " + dense(-8, scores()) + " : " + scores());
    return made("arith.minimumf " + least + ", " + dense(8, scores()) + " : " + scores());
  }

  std::string chain(std::string sum, std::string &most) {
    const std::string wide = block(n_, d_, "f16"), turned = block(d_, n_, "f16");
    std::string keys = load("%k", row_, "%rows", n_);
    keys = made("tt.trans " + keys + " {order = array<i32: 1, 0>} : " + wide + " -> " + turned);
    std::string s = made("tt.dot " + first_ + ", " + keys + ", " + dense(0, scores()) + " : " +
                         block(m_, d_, "f16") + " * " + turned + " -> " + scores());
    for (int i = below(3); i > 0; --i)
      s = changed(s, scores(), true);
    s = bounded(s);
    if (is_carried_) {
      const std::string rows = "tensor<" + std::to_string(m_) + "xf32>";
      std::string largest = "%v" + std::to_string(next_++);
      line(largest + " = \"tt.reduce\"(" + s + ") <{axis = 1 : i32}> ({");
      line("^bb0(%x" + largest.substr(1) + ": f32, %y" + largest.substr(1) + ": f32):");
      const std::string both =
          made("arith.maxnumf %x" + largest.substr(1) + ", %y" + largest.substr(1) + " : f32");
      line("tt.reduce.return " + both + " : f32");
      line("}) : (" + scores() + ") -> " + rows);
      most = made("arith.maxnumf " + largest + ", " + most + " : " + rows);
      s = made("arith.subf " + s + ", " + repeated(most, scores()) + " : " + scores());
    }
    std::string weights =
        made("arith.truncf " + s + " : " + scores() + " to " + block(m_, n_, "f16"));
    std::string values = load("%v", row_, "%rows", n_);
    if (chance(40))
      sum = changed(sum, results(), false);
    sum = made("tt.dot " + weights + ", " + values + ", " + sum + " : " + block(m_, n_, "f16") +
               " * " + wide + " -> " + results());
    return chance(15) ? changed(sum, results(), false) : sum;
  }

  /// q times the first rows of k, or their transpose, that there are for it.
  std::string single(std::string sum) {
    if (is_narrow_)
      return narrow(sum);
    std::string keys = load("%k", row_, "%rows", n_);
    const std::string wide = block(n_, d_, "f16");
    if (is_widened_) {
      keys = made("arith.fptosi " + keys + " : " + wide + " to " + block(n_, d_, "i8"));
      keys = made("arith.sitofp " + keys + " : " + block(n_, d_, "i8") + " to " + wide);
    }
    // <m, n>: of q its first columns, as far as there are that many.
    std::string weights;
    if (n_ == d_ && chance(60)) {
      weights = first_;
    } else {
      std::string s = made("tt.splat " + step_ + " : i32 -> " + block(m_, n_, "i32"));
      s = made("arith.andi " + s + ", " + along(n_, 0, m_, n_) + " : " + block(m_, n_, "i32"));
      weights =
          made("arith.sitofp " + s + " : " + block(m_, n_, "i32") + " to " + block(m_, n_, "f16"));
    }
    if (chance(30))
      sum = changed(sum, results(), false);
    return made("tt.dot " + weights + ", " + keys + ", " + sum + " : " + block(m_, n_, "f16") +
                " * " + wide + " -> " + results());
  }

  /// q times the transpose of k, of one half of their columns or of the other.
  std::string narrow(const std::string &sum) {
    const std::string half = made("arith.andi " + step_ + ", %c1 : i32"),
                      at = made("arith.muli " + half + ", %width : i32"),
                      left = block(m_, d_, "f8E5M2"), right = block(n_, d_, "f8E5M2");
    const std::string first = made("arith.muli %tile, %bm : i32");
    std::string a = made("tt.descriptor_load %dq8[" + first + ", " + at + "] : !tt.tensordesc<" +
                         left.substr(7) + " -> " + left);
    std::string b = made("tt.descriptor_load %dk8[" + row_ + ", " + at + "] : !tt.tensordesc<" +
                         right.substr(7) + " -> " + right);
    b = made("tt.trans " + b + " {order = array<i32: 1, 0>} : " + right + " -> " + right);
    return made("tt.dot " + a + ", " + b + ", " + sum +
                " {maxNumImpreciseAcc = " + std::to_string(chance(50) ? 1 << 30 : 32) +
                " : i32} : " + left + " * " + right + " -> " + results());
  }

  choices chosen_;
  std::string body_, first_, row_, step_, far_;
  int next_ = 0, m_ = 0, n_ = 0, d_ = 0;
  bool is_chain_ = false, by_descriptor_ = false, is_widened_ = false, is_narrow_ = false,
       is_carried_ = false;
};

} // namespace fuzz
