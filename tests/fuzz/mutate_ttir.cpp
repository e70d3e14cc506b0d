// SPDX-License-Identifier: MIT
//
// Does any TTIR text, however damaged, come back as a kernel or as an error? This program damages
// the given files at random and compiles them for all targets, for some seconds or a number of
// texts. A crash, a hang, an error without a message, and an internal error are failures; the text
// is kept.
//
//     mutate-ttir [--seconds N | --kernels N] [--seed N] [--keep FOLDER] FILE...
//
// The work is done by a child process, which leaves each text in shared memory before it compiles
// it, so that the parent knows what the child died of. Text number k is that of seed + k: several
// processes need seeds further apart than the texts that each of them tries.
#include "command_line.hpp"

#include <tl/c/tl.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cctype>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t longest_text = 1 << 20;
// More is a hang: of the processor's time, or by the clock, which a busy machine may hold up.
constexpr int cpu_seconds_per_text = 20, seconds_per_text = 1200;
constexpr const char *targets[] = {"cpu", "interpreter"};

/// What parent and child share.
struct shared_state {
  std::atomic<std::uint64_t> compiled, accepted, number;
  std::atomic<bool> wrong; // the child noticed a failure itself: `complaint` says which
  std::atomic<std::size_t> size;
  char complaint[4096];
  char text[longest_text];
};

using clock_type = std::chrono::steady_clock;

class mutator {
public:
  mutator(std::vector<std::string> corpus, std::uint64_t seed)
      : corpus_(std::move(corpus)), engine_(seed) {
    for (const std::string &text : corpus_)
      for (std::string_view token : tokens(text))
        vocabulary_.emplace_back(token);
  }

  std::string next() {
    std::string text = corpus_[below(corpus_.size())];
    for (std::size_t damages = 1 + below(4); damages > 0 && !text.empty(); --damages)
      damage(text);
    text.resize(std::min(text.size(), longest_text));
    return text;
  }

private:
  std::size_t below(std::size_t bound) { return engine_() % bound; }

  // Words, numbers and single signs.
  static std::vector<std::string_view> tokens(std::string_view text) {
    std::vector<std::string_view> found;
    auto is_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '%' || c == '!' ||
             c == '@' || c == '#' || c == '.';
    };
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at + 1;
      if (is_word(text[at]))
        while (end < text.size() && is_word(text[end]))
          ++end;
      if (!std::isspace(static_cast<unsigned char>(text[at])))
        found.push_back(text.substr(at, end - at));
      at = end;
    }
    return found;
  }

  static std::vector<std::pair<std::size_t, std::size_t>> lines(const std::string &text) {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      found.emplace_back(at, end - at);
      at = end;
    }
    return found;
  }

  void damage(std::string &text) {
    static constexpr const char *numbers[] = {"0",
                                              "1",
                                              "-1",
                                              "2",
                                              "3",
                                              "16",
                                              "1024",
                                              "1048576",
                                              "2097152",
                                              "2147483647",
                                              "2147483648",
                                              "-2147483649",
                                              "9223372036854775807",
                                              "18446744073709551616",
                                              "0xFFFFFFFF",
                                              "1.5"};
    static constexpr const char *types[] = {
        "i1",  "i8",   "i16",          "i32",           "i64",          "f16",
        "f32", "bf16", "f8E4M3FN",     "f8E5M2",        "f64",          "index",
        "i4",  "i128", "!tt.ptr<f32>", "tensor<4xf32>", "vector<4xf32>"};
    const std::size_t kind = below(8);
    if (kind <= 3) { // a token
      const auto all = tokens(text);
      if (all.empty())
        return;
      const std::string_view token = all[below(all.size())];
      const std::size_t at = std::size_t(token.data() - text.data()), size = token.size();
      const bool is_number = std::isdigit(static_cast<unsigned char>(token[0]));
      const bool is_type = token[0] == 'f' || token[0] == 'i' || token[0] == 'b';
      std::string other = vocabulary_[below(vocabulary_.size())];
      if (kind == 0)
        other.clear();
      else if (is_number && kind <= 2)
        other = numbers[below(std::size(numbers))];
      else if (is_type && kind <= 2)
        other = types[below(std::size(types))];
      text.replace(at, size, other);
    } else if (kind <= 6) { // a line: delete, repeat, move
      const auto all = lines(text);
      const auto [at, size] = all[below(all.size())];
      const std::string line = text.substr(at, size);
      if (kind != 5)
        text.erase(at, size);
      if (kind >= 5 && !text.empty()) {
        const auto rest = lines(text);
        text.insert(rest[below(rest.size())].first, line);
      }
    } else if (below(2) == 0) { // a byte
      text[below(text.size())] = static_cast<char>(engine_());
    } else {
      text.resize(below(text.size() + 1));
    }
  }

  std::vector<std::string> corpus_;
  std::vector<std::string> vocabulary_;
  std::mt19937_64 engine_;
};

void complain(shared_state &state, const std::string &complaint) {
  std::snprintf(state.complaint, sizeof state.complaint, "%s", complaint.c_str());
  state.wrong = true;
}

/// Compiles as many damaged texts as were asked for; leaves at the first failure.
void work(shared_state &state, mutator &source, const fuzz::command_line &given) {
  while (!given.is_over(state.number)) {
    const std::string text = source.next();
    std::memcpy(state.text, text.data(), text.size());
    state.size = text.size();
    ++state.number;
    for (const char *target : targets) {
      tl_kernel *kernel = nullptr;
      const tl_status status =
          tl_compile_for(target, text.data(), text.size(), nullptr, nullptr, &kernel);
      ++state.compiled;
      if (status == TL_OK) {
        ++state.accepted;
        tl_kernel_destroy(kernel);
        continue;
      }
      const tl_diagnostic *diagnostic = tl_last_diagnostic();
      if (!diagnostic || !*diagnostic->message)
        return complain(state, std::string(target) + ": an error without a message");
      if (status == TL_INTERNAL_ERROR)
        return complain(state, std::string(target) + ": internal error: " + diagnostic->message);
    }
  }
}

double cpu_seconds(pid_t process) {
  clockid_t clock;
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0)
    return 0;
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

/// Watches the child; the reason of its death, or "" if it finished.
std::string watch(pid_t child, const shared_state &state) {
  std::uint64_t number = 0;
  auto since = clock_type::now();
  double cpu_before = 0;
  for (;;) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) {
      if (state.wrong)
        return state.complaint;
      if (WIFSIGNALED(status))
        return std::string("died of signal ") + strsignal(WTERMSIG(status));
      return WEXITSTATUS(status) == 0 ? ""
                                      : "left with status " + std::to_string(WEXITSTATUS(status));
    }
    const double cpu_now = cpu_seconds(child);
    const auto spent = clock_type::now() - since;
    if (state.number != number) {
      number = state.number;
      since = clock_type::now();
      cpu_before = cpu_now;
    } else if (cpu_now - cpu_before > cpu_seconds_per_text ||
               spent > std::chrono::seconds(seconds_per_text)) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return "took " +
             std::to_string(std::chrono::duration_cast<std::chrono::seconds>(spent).count()) +
             " s and did not finish";
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

} // namespace

int main(int argc, char **argv) {
  const fuzz::command_line given(argc, argv, [](std::string_view, const char *) { return false; });
  std::vector<std::string> corpus;
  for (const std::string &file : given.files) {
    std::ifstream in(file);
    corpus.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    if (corpus.back().empty())
      corpus.pop_back();
  }
  if (corpus.empty()) {
    std::fprintf(stderr,
                 "usage: %s [--seconds N | --kernels N] [--seed N] [--keep FOLDER] FILE...\n",
                 argv[0]);
    return 2;
  }
  std::printf("%zu files, seed %llu\n", corpus.size(), (unsigned long long)given.seed);
  std::fflush(stdout);
  setenv("TL_REPRODUCER_DIR", given.keep.empty() ? "." : given.keep.c_str(), 0);

  void *memory = mmap(nullptr, sizeof(shared_state), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return 2;
  auto &state = *new (memory) shared_state{};

  int failures = 0;
  constexpr int most_failures = 5;
  for (int iteration = 0; !given.is_over(state.number) && failures < most_failures; ++iteration) {
    state.wrong = false;
    const pid_t child = fork();
    if (child == 0) {
      mutator source(corpus, given.seed + std::uint64_t(iteration));
      work(state, source, given);
      _exit(0);
    }
    const std::string reason = watch(child, state);
    if (reason.empty())
      continue;
    ++failures;
    const std::string file = given.kept_file("fuzz-" + std::to_string(given.seed) + "-" +
                                             std::to_string(iteration) + ".ttir");
    std::ofstream(file).write(state.text, std::ptrdiff_t(state.size.load()));
    std::printf("FAIL %s: %s\n", file.c_str(), reason.c_str());
  }
  std::printf("compiled %llu damaged texts, of which %llu were accepted\n",
              (unsigned long long)state.compiled, (unsigned long long)state.accepted);
  std::printf("%d passed, %d failed\n", failures == 0, failures);
  return failures != 0;
}
