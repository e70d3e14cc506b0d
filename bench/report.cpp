// SPDX-License-Identifier: MIT
//
// Timing, tables and JSON of the benchmarks.

#include "report.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace bench {

namespace {

double seconds_of(const std::function<void()> &work, int repeats) {
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i)
    work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / repeats;
}

// Enough calls that one turn lasts about two milliseconds.
int repeats_for(const std::function<void()> &work) {
  work();
  double once = seconds_of(work, 1);
  return std::clamp(int(2e-3 / std::max(once, 1e-9)), 1, 100000);
}

double median(std::vector<double> values) {
  auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

constexpr auto pause = std::chrono::milliseconds(3);
constexpr double budget = 0.4; // seconds of measured time a case
constexpr int fewest_turns = 7;

} // namespace

medians in_turns(const std::function<void()> &ours, const std::function<void()> &peer) {
  const int ours_repeats = repeats_for(ours), peer_repeats = repeats_for(peer);
  std::vector<double> ours_times, peer_times;
  for (double spent = 0; spent < budget || int(ours_times.size()) < fewest_turns;) {
    std::this_thread::sleep_for(pause);
    ours(); // wakes this side's threads
    ours_times.push_back(seconds_of(ours, ours_repeats));
    std::this_thread::sleep_for(pause);
    peer();
    peer_times.push_back(seconds_of(peer, peer_repeats));
    spent += ours_times.back() * ours_repeats + peer_times.back() * peer_repeats;
  }
  return {median(ours_times), median(peer_times)};
}

double median_seconds(const std::function<void()> &work) {
  const int repeats = repeats_for(work);
  std::vector<double> times;
  for (double spent = 0; spent < budget / 2 || int(times.size()) < fewest_turns;) {
    times.push_back(seconds_of(work, repeats));
    spent += times.back() * repeats;
  }
  return median(times);
}

std::vector<float> random_values(std::size_t count, float low, float high) {
  static std::mt19937 engine(std::random_device{}());
  std::vector<float> values(count);
  for (float &value : values)
    value = low + (high - low) * float(engine() >> 8) * 0x1p-24f;
  return values;
}

double largest_difference(const std::vector<float> &a, const std::vector<float> &b) {
  if (a.size() != b.size())
    return INFINITY;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double difference = std::abs(double(a[i]) - b[i]);
    if (!(difference <= largest)) // also takes a NaN
      largest = difference;
  }
  return largest;
}

int threads() {
  if (const char *set = std::getenv("TL_NUM_THREADS"); set && std::atoi(set) > 0)
    return std::atoi(set);
  return int(std::max(1u, std::thread::hardware_concurrency()));
}

bool report::wants(const std::string &name) {
  return filter_.empty() || name.find(filter_) != std::string::npos;
}

void report::table(const std::string &title, const std::string &unit, const std::string &peer,
                   better way) {
  title_ = title;
  unit_ = unit;
  peer_ = peer;
  way_ = way;
  if (peer.empty())
    std::printf("\n%-28s %12s\n", (title + ", " + unit).c_str(), "tl");
  else
    std::printf("\n%-28s %12s %12s %8s\n", (title + ", " + unit).c_str(), "tl", peer.c_str(),
                "ratio");
}

void report::add(const row &r) {
  double ratio = 0;
  if (r.peer > 0)
    ratio = way_ == better::higher ? r.ours / r.peer : r.peer / r.ours;
  const bool wrong = r.largest > 0 && !(r.difference <= r.largest);
  right_ = right_ && !wrong;
  std::printf("%-28s %12.2f", ("  " + r.name).c_str(), r.ours);
  if (r.peer > 0)
    std::printf(" %12.2f %8.2f", r.peer, ratio);
  if (wrong)
    std::printf("  WRONG: results differ by %g, allowed %g", r.difference, r.largest);
  std::printf("\n");
  std::fflush(stdout);
  entries_.push_back({title_, unit_, peer_, r, ratio});
}

void report::write_json(const std::string &path, const std::string &machine) const {
  using json = nlohmann::ordered_json;
  json rows = json::array();
  for (const entry &e : entries_) {
    json row = {
        {"table", e.table}, {"case", e.figures.name}, {"unit", e.unit}, {"tl", e.figures.ours}};
    if (e.figures.peer > 0)
      row.update({{"peer", e.peer}, {"peer_value", e.figures.peer}, {"ratio", e.ratio}});
    rows.push_back(std::move(row));
  }
  std::ofstream out(path);
  out << json{{"machine", machine}, {"device", device.name()}, {"rows", rows}}.dump(2) << '\n';
  if (!out.flush())
    throw std::runtime_error("cannot write \"" + path + "\"");
}

} // namespace bench
