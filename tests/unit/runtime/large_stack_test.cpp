// SPDX-License-Identifier: MIT
#include "support/LargeStack.h"

#include <csignal>
#include <doctest/doctest.h>
#include <pthread.h>
#include <stdexcept>

using tl::backend::onLargeStack;

namespace {

/// More than is left in any thread.
constexpr size_t many = size_t(64) << 20;

/// A call of `levels` levels, each with a kilobyte of its own.
int descend(int levels) {
  volatile char own[1024] = {};
  own[levels % 1024] = 1;
  return levels == 0 ? 0 : descend(levels - 1) + own[levels % 1024];
}

} // namespace

TEST_SUITE("LargeStack") {

  TEST_CASE("work may go deeper than a thread's stack allows") {
    int depth = 0;
    onLargeStack(size_t(40) << 20, [&] { depth = descend(20000); });
    CHECK(depth == 20000);
  }

  TEST_CASE("work begins in a thread of a small stack, too") {
    pthread_attr_t attributes;
    REQUIRE(pthread_attr_init(&attributes) == 0);
    REQUIRE(pthread_attr_setstacksize(&attributes, 256 * 1024) == 0);
    int depth = 0;
    pthread_t small;
    REQUIRE(pthread_create(
                &small, &attributes,
                [](void *result) -> void * {
                  onLargeStack(size_t(40) << 20,
                               [&] { *static_cast<int *>(result) = descend(20000); });
                  return nullptr;
                },
                &depth) == 0);
    pthread_join(small, nullptr);
    pthread_attr_destroy(&attributes);
    CHECK(depth == 20000);
  }

  TEST_CASE("work stays where it is if the stack suffices") {
    pthread_t here = pthread_self(), little = here, much = here;
    onLargeStack(1000, [&] { little = pthread_self(); });
    onLargeStack(many, [&] { much = pthread_self(); });
    CHECK(pthread_equal(here, little));
    CHECK_FALSE(pthread_equal(here, much));
  }

  TEST_CASE("exceptions of the work are thrown to its caller, who is waiting") {
    CHECK_THROWS_WITH_AS(onLargeStack(many, [] { throw std::invalid_argument("of the work"); }),
                         "of the work", std::invalid_argument);
  }

  TEST_CASE("the program's signals do not reach the thread, and the caller keeps its own mask") {
    sigset_t before, inside, after;
    pthread_sigmask(SIG_SETMASK, nullptr, &before);
    onLargeStack(many, [&] { pthread_sigmask(SIG_SETMASK, nullptr, &inside); });
    pthread_sigmask(SIG_SETMASK, nullptr, &after);
    CHECK(sigismember(&inside, SIGINT) == 1);
    CHECK(sigismember(&after, SIGINT) == sigismember(&before, SIGINT));
  }
}
