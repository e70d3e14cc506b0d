// SPDX-License-Identifier: MIT
#include "runtime/ModuleCache.h"

#include "runtime/Registry.h"
#include "runtime/Reproducer.h"
#include "support/Environment.h"
#include "support/Fork.h"

#include <algorithm>

namespace tl::backend {
namespace {

/// All of the key but the text, which follows it. Fields end in '\0', which no name contains.
std::string keyPrefix(const OpenDevice &device, std::string_view entry,
                      const CompileOptions &options) {
  std::string key = tl_version();
  key += '\0';
  key += device.name;
  key += '\0';
  key += device.target;
  key += '\0';
  key += entry;
  key += '\0';
  // What the target does not follow makes no other kernel.
  const CompileOptionSet followed = device.device->target().followedOptions();
#define OPTION(name, member, ...)                                                                  \
  if (followed.has(CompileOption::member))                                                         \
    key += std::to_string(static_cast<int>(options.member)) + ' ';
  TL_IMPL_COMPILE_OPTIONS(OPTION, OPTION)
#undef OPTION
  const std::optional<bool> copies = environment().tensorCopies;
  key += std::to_string(copies ? static_cast<int>(*copies) : -1);
  key += '\0';
  return key;
}

/// The error for waiters when the compiling thread met something that is not an Error.
Error asError(std::exception_ptr failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error &known) {
    return known;
  } catch (const std::bad_alloc &) {
    return Error(TL_OUT_OF_RESOURCES, "the host ran out of memory while compiling");
  } catch (const std::exception &unexpected) {
    return Error(TL_INTERNAL_ERROR, unexpected.what());
  } catch (...) {
    return Error(TL_INTERNAL_ERROR, "an unknown exception left the compiler");
  }
}

} // namespace

ModuleCache &ModuleCache::instance() {
  static ModuleCache &cache = *[] {
    auto *made = new ModuleCache(
        [](KernelSource &source) { return Registry::instance().canonicalText(source); });
    onFork([](void *object) { static_cast<ModuleCache *>(object)->forgetCompilations(); }, made);
    return made;
  }();
  return cache;
}

void ModuleCache::forgetCompilations() {
  new (&mutex) std::mutex; // one who waited may have held it
  new (&changed) std::condition_variable;
  for (Entries *entries : {&byExactText, &byCanonicalText})
    std::erase_if(*entries,
                  [](const auto &pair) { return pair.second->state == Entry::Compiling; });
}

void ModuleCache::wait(const Entry &entry, std::unique_lock<std::mutex> &lock) {
  if (entry.state != Entry::Compiling)
    return;
  // Who compiles lets forks pass, and a fork waits for everybody who is inside: so not here.
  lock.unlock();
  {
    ForkPause pause;
    std::unique_lock own(mutex);
    changed.wait(own, [&] { return entry.state != Entry::Compiling; });
    own.unlock();
  }
  lock.lock();
}

std::shared_ptr<Kernel> ModuleCache::get(OpenDevice &device, std::string_view ttir,
                                         std::string_view entry, const CompileOptions &options) {
  const std::string prefix = keyPrefix(device, entry, options);
  std::string key = prefix;
  key += ttir;

  std::unique_lock lock(mutex);
  if (auto found = byExactText.find(key); found != byExactText.end()) {
    const std::shared_ptr<Entry> entry = found->second;
    wait(*entry, lock);
    if (entry->state == Entry::Failed)
      throw Error(entry->error);
    ++hits;
    return entry->kernel;
  }
  auto mine = std::make_shared<Entry>();
  byExactText.emplace(key, mine);
  lock.unlock();

  std::shared_ptr<Kernel> kernel;
  Error error;
  try {
    kernel = make(device, ttir, entry, options, prefix, mine);
  } catch (...) {
    error = asError(std::current_exception());
    // The kernel's own compilation has done that for its part, the canonical text has not.
    if (error.status == TL_INTERNAL_ERROR && error.help.empty())
      attachReproducer(error, ttir, entry, device.target, options);
  }

  lock.lock();
  if (kernel) {
    mine->kernel = kernel;
    mine->state = Entry::Ready;
  } else {
    mine->error = error;
    mine->state = Entry::Failed;
    // Unless clear() and another thread have put something else there meanwhile.
    if (auto found = byExactText.find(key); found != byExactText.end() && found->second == mine)
      byExactText.erase(found);
    std::erase_if(byCanonicalText, [&](const auto &pair) { return pair.second == mine; });
  }
  changed.notify_all();
  if (!kernel)
    throw error;
  return kernel;
}

std::shared_ptr<Kernel> ModuleCache::make(OpenDevice &device, std::string_view ttir,
                                          std::string_view entry, const CompileOptions &options,
                                          const std::string &prefix,
                                          const std::shared_ptr<Entry> &mine) {
  KernelSource source{ttir};
  if (!device.device->target().keepsLocations(options)) {
    std::string key = prefix + canonicalText(source);
    std::unique_lock lock(mutex);
    // The entry there belongs to a thread that waits for nobody, so that this wait ends.
    auto [found, isNew] = byCanonicalText.emplace(std::move(key), mine);
    if (!isNew) {
      std::shared_ptr<Entry> other = found->second;
      wait(*other, lock);
      if (other->state == Entry::Ready) {
        ++hits;
        return other->kernel;
      }
    }
    ++misses;
  } else {
    std::lock_guard lock(mutex);
    ++misses;
  }
  return std::make_shared<Kernel>(device, std::move(source), entry, options);
}

tl_cache_statistics ModuleCache::statistics() const {
  std::lock_guard lock(mutex);
  tl_cache_statistics result{};
  result.hits = hits;
  result.misses = misses;
  std::vector<const Kernel *> distinct;
  for (const auto &[key, entry] : byExactText)
    if (entry->state == Entry::Ready)
      distinct.push_back(entry->kernel.get());
  std::sort(distinct.begin(), distinct.end());
  result.entries = std::unique(distinct.begin(), distinct.end()) - distinct.begin();
  return result;
}

void ModuleCache::clear() {
  Entries exact, canonical; // destroyed without the lock: to unload code may take a while
  std::lock_guard lock(mutex);
  exact.swap(byExactText);
  canonical.swap(byCanonicalText);
}

} // namespace tl::backend
