// SPDX-License-Identifier: MIT
//
// How long the objects of libtl live. Kernels are compiled and launched by destructors of the
// program's statics and thread_locals too, and there LLVM's statics, which were made later, would
// have been destroyed before: a table that is read after its end. So the two functions by which the
// compiler arranges destruction are libtl's own here, for its own code and for all that is linked
// into it:
//
//  - objects of the process are never destroyed. What they hold is memory, which ends with it;
//  - objects of a thread are destroyed after the thread's own thread_locals, together with its
//    pthread keys, and in the last turn of these; those of the thread that ends the process, never.
//
// The linker prefers these definitions and hides them: no other library is affected. libtl is never
// unloaded either (-z nodelete): its threads and its signal handler stay.
#include <atomic>
#include <climits>
#include <cstdlib>
#include <pthread.h>

namespace {

struct Object {
  void (*destroy)(void *);
  void *object;
  Object *next;
};

/// Of one thread; the last made is destroyed first. Plain data, which needs no destructor itself.
struct ThreadObjects {
  Object *newest;
  int turns;
};
thread_local ThreadObjects mine;

void endThread(void *);

/// The key whose destructor ends a thread's objects; none if the system has no more.
const pthread_key_t *threadKey() {
  // Without a lock, which a forked child might find taken.
  static std::atomic<const pthread_key_t *> known{nullptr};
  if (const pthread_key_t *key = known.load(std::memory_order_acquire))
    return key;
  auto *key = static_cast<pthread_key_t *>(std::malloc(sizeof(pthread_key_t)));
  if (!key)
    return nullptr;
  if (pthread_key_create(key, endThread) != 0) {
    std::free(key);
    return nullptr;
  }
  const pthread_key_t *expected = nullptr;
  if (known.compare_exchange_strong(expected, key, std::memory_order_acq_rel))
    return key;
  pthread_key_delete(*key);
  std::free(key);
  return expected;
}

void endThread(void *) {
  // Other keys' destructors may still use libtl: they have their turn first.
  if (++mine.turns < PTHREAD_DESTRUCTOR_ITERATIONS - 1)
    if (pthread_setspecific(*threadKey(), &mine) == 0)
      return;
  while (Object *object = mine.newest) {
    mine.newest = object->next;
    object->destroy(object->object);
    std::free(object);
  }
}

} // namespace

extern "C" {

int __cxa_atexit(void (*)(void *), void *, void *) noexcept { return 0; }

int __cxa_thread_atexit(void (*destroy)(void *), void *object, void *) noexcept {
  const pthread_key_t *key = threadKey();
  auto *entry = static_cast<Object *>(std::malloc(sizeof(Object)));
  if (!key || !entry || pthread_setspecific(*key, &mine) != 0) {
    std::free(entry); // then it is never destroyed, as those of the process
    return 0;
  }
  *entry = {destroy, object, mine.newest};
  mine.newest = entry;
  return 0;
}

} // extern "C"
