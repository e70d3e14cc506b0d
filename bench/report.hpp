// SPDX-License-Identifier: MIT
#pragma once
// How the benchmarks time and report: two pieces of work in turns, the median of many runs of each,
// and one row per case in a table and in a JSON file. main.cpp lists the benchmarks.

#include <tl/tl.hpp>

#include <functional>
#include <random>
#include <string>
#include <vector>

namespace bench {

/// One line of a table: our figure, and the peer's where there is one.
struct row {
  std::string name;      // "4096 x 1024"
  double ours = 0;       // in the table's unit
  double peer = 0;       // 0: no peer
  double largest = 0;    // largest acceptable difference between the two results, 0: not compared
  double difference = 0; // the difference found
};

/// Whether more is better decides the direction of the ratio, which is always "ours is N times as
/// good as the peer".
enum class better { higher, lower };

class report {
public:
  report(tl::device device, std::string filter) : device(device), filter_(std::move(filter)) {}

  const tl::device device;

  /// Whether the benchmark of this name was asked for; opens its table.
  bool wants(const std::string &name);

  /// Starts a table. `peer` names what stands in the second column, "" for none.
  void table(const std::string &title, const std::string &unit, const std::string &peer,
             better way);
  void add(const row &r);

  /// False once a result was off by more than its tolerance.
  bool right() const { return right_; }
  void write_json(const std::string &path, const std::string &machine) const;

private:
  struct entry {
    std::string table, unit, peer;
    row figures;
    double ratio;
  };

  std::string filter_, title_, unit_, peer_;
  better way_ = better::higher;
  std::vector<entry> entries_;
  bool right_ = true;
};

/// Median seconds of one call of each, run in turns. Between the turns both sides' threads get time
/// to fall asleep, so that neither spins beside the other.
struct medians {
  double ours = 0, peer = 0;
};
medians in_turns(const std::function<void()> &ours, const std::function<void()> &peer);
double median_seconds(const std::function<void()> &work);

/// Uniform values in [low, high) from a seed that main prints.
std::vector<float> random_values(std::size_t count, float low = -1, float high = 1);

double largest_difference(const std::vector<float> &a, const std::vector<float> &b);

/// Waits for what was launched on the device.
inline void wait(tl::device device) { tl::stream::default_of(device).synchronize(); }

/// The number of threads that both sides use.
int threads();

} // namespace bench
