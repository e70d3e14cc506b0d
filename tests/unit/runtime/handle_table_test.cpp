// SPDX-License-Identifier: MIT
#include "runtime/HandleTable.h"

#include <doctest/doctest.h>
#include <thread>

using namespace tl::backend;

TEST_SUITE("HandleTable") {

  TEST_CASE("a handle finds its object and only as its own kind") {
    HandleTable table;
    int object = 0;
    uintptr_t handle = table.insert(HandleKind::Stream, &object);
    CHECK(handle != 0);
    CHECK(table.find(HandleKind::Stream, handle) == &object);
    CHECK(table.find(HandleKind::Kernel, handle) == nullptr);
    CHECK(table.find(HandleKind::Device, handle) == nullptr);
  }

  TEST_CASE("an erased handle stays invalid after its slot is used again") {
    HandleTable table;
    int first = 0, second = 0;
    uintptr_t old = table.insert(HandleKind::Stream, &first);
    table.erase(old);
    CHECK(table.find(HandleKind::Stream, old) == nullptr);
    uintptr_t fresh = table.insert(HandleKind::Stream, &second);
    CHECK(static_cast<uint32_t>(fresh) == static_cast<uint32_t>(old));
    CHECK(table.find(HandleKind::Stream, old) == nullptr);
    CHECK(table.find(HandleKind::Stream, fresh) == &second);
  }

  TEST_CASE("numbers that are no handles find nothing") {
    HandleTable table;
    int object = 0;
    table.insert(HandleKind::Device, &object);
    for (uintptr_t garbage : {uintptr_t(0), uintptr_t(1), uintptr_t(&object), UINTPTR_MAX,
                              uintptr_t(0x11) << 32 | 0xffffffff, uintptr_t(0xdeadbeefdeadbeef)})
      for (HandleKind kind :
           {HandleKind::Device, HandleKind::Stream, HandleKind::Event, HandleKind::Kernel})
        CHECK(table.find(kind, garbage) == nullptr);
  }

  TEST_CASE("threads may make, find and erase handles at once") {
    HandleTable table;
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        std::vector<int> objects(300);
        std::vector<uintptr_t> handles;
        for (int iteration = 0; iteration < 20; ++iteration) {
          handles.clear();
          for (int &object : objects)
            handles.push_back(table.insert(HandleKind::Event, &object));
          for (size_t i = 0; i < objects.size(); ++i)
            wrong += table.find(HandleKind::Event, handles[i]) != &objects[i];
          for (uintptr_t handle : handles)
            table.erase(handle);
          for (uintptr_t handle : handles)
            wrong += table.find(HandleKind::Event, handle) != nullptr;
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    CHECK(wrong == 0);
  }

} // TEST_SUITE
