// SPDX-License-Identifier: MIT
//
// Copies that go on while their thread does, and the barriers in shared memory that tell when they
// have ended. Here they end at once: that others must not rely on that is for Checks to find.
#include "targets/simt/BankConflicts.h"
#include "targets/simt/Cluster.h"
#include "targets/simt/Functions.h"
#include "targets/simt/TensorMap.h"

#include "tl/dtype.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace tl::backend::simt {

namespace {

void callCopy(Thread *thread, uint64_t shared, uint64_t global, uint32_t bytes, uint32_t read,
              uint32_t number) {
  const auto alignment = uint32_t(std::countr_zero(bytes));
  read = std::min(read, bytes);
  if (read)
    noteAccess(*thread, global, read, alignment, AccessKind::read, Agent::asyncCopies);
  noteAccess(*thread, shared, bytes, alignment, AccessKind::write, Agent::asyncCopies);
  countBanks(*thread, shared, bytes, AccessKind::write, number);
  auto *to = reinterpret_cast<char *>(shared);
  if (read)
    std::memcpy(to, reinterpret_cast<const void *>(global), read);
  std::memset(to + read, 0, bytes - read);
}

void callCommit(Thread *thread, uint32_t agent) {
  if (Checks *checks = thread->block->checks())
    checks->commit(*thread, Agent(agent));
}

void callWaitFor(Thread *thread, uint32_t agent, uint32_t pending, uint32_t onlyRead) {
  if (Checks *checks = thread->block->checks())
    checks->waitFor(*thread, Agent(agent), pending, onlyRead != 0);
}

// ---- Barriers in shared memory

void callInitBarrier(Thread *thread, uint64_t address, uint32_t count) {
  thread->block->initSharedBarrier(*thread, address, count);
}
void callDropBarrier(Thread *thread, uint64_t address) {
  thread->block->dropSharedBarrier(*thread, address);
}
void callArrive(Thread *thread, uint64_t address, uint32_t arrivals, uint32_t expects) {
  thread->block->arriveAtSharedBarrier(*thread, address, arrivals, expects);
}
void callWaitAt(Thread *thread, uint64_t address, uint32_t parity) {
  thread->block->waitAtSharedBarrier(*thread, address, parity);
}
/// In the shared memory of any block of the cluster.
void callArriveInCluster(Thread *thread, uint32_t address) {
  Cluster &cluster = thread->block->cluster();
  const uint64_t place = cluster.addressOf(*thread, address);
  cluster.ownerOf(place)->arriveAtSharedBarrier(*thread, place, 1, 0);
}
/// When the thread's copies so far have ended.
void callArriveWithCopies(Thread *thread, uint64_t address) {
  if (Checks *checks = thread->block->checks())
    checks->release(*thread, address, Agent::asyncCopies);
  thread->block->arriveAtSharedBarrier(*thread, address, 1, 0);
}

// ---- Boxes

/// Counts what a box costs in the banks: pieces of 16 bytes in order, as many together as fill all
/// banks.
class CountedPieces {
public:
  CountedPieces(Thread &thread, AccessKind kind)
      : banks(thread.block->bankConflicts()), thread(thread), kind(kind) {}
  ~CountedPieces() { count(); }

  void add(uint64_t address) {
    if (!banks)
      return;
    pieces[number++] = uint32_t(address);
    if (number == most)
      count();
  }

private:
  void count() {
    if (number)
      banks->count(thread.site, pieces, (uint64_t(1) << number) - 1, 16, kind);
    number = 0;
  }

  static constexpr unsigned most = 8;
  BankConflicts *banks;
  const Thread &thread;
  const AccessKind kind;
  std::array<uint32_t, 64> pieces{};
  unsigned number = 0;
};

uint64_t swizzled(uint64_t address, unsigned mode) {
  const unsigned mask = mode == 3 ? 7 : mode == 2 ? 3 : mode == 1 ? 1 : 0;
  return address ^ (address >> 7 & mask) << 4;
}

template <class T, class Convert>
void combineFloats(char *place, const char *value, ReduceKind kind, Convert &&toFloat) {
  T old, other;
  std::memcpy(&old, place, sizeof(T));
  std::memcpy(&other, value, sizeof(T));
  const auto x = toFloat(old), y = toFloat(other);
  T made = kind == ReduceKind::add   ? T(x + y)
           : kind == ReduceKind::min ? (y < x ? other : old)
                                     : (x < y ? other : old);
  std::memcpy(place, &made, sizeof(T));
}

template <class T> void combineIntegers(char *place, const char *value, ReduceKind kind) {
  using Wide = std::make_unsigned_t<T>;
  T old, other, made;
  std::memcpy(&old, place, sizeof(T));
  std::memcpy(&other, value, sizeof(T));
  switch (kind) {
  case ReduceKind::add:
    made = T(Wide(old) + Wide(other));
    break;
  case ReduceKind::min:
    made = std::min(old, other);
    break;
  case ReduceKind::max:
    made = std::max(old, other);
    break;
  case ReduceKind::bitAnd:
    made = T(old & other);
    break;
  case ReduceKind::bitOr:
    made = T(old | other);
    break;
  default:
    made = T(old ^ other);
    break;
  }
  std::memcpy(place, &made, sizeof(T));
}

void combine(char *place, const char *value, TensorElement element, ReduceKind kind) {
  auto same = [](auto x) { return x; };
  auto single = [](auto x) { return float(x); };
  switch (element) {
  case TensorElement::f16:
    return combineFloats<float16>(place, value, kind, single);
  case TensorElement::bf16:
    return combineFloats<bfloat16>(place, value, kind, single);
  case TensorElement::f32:
    return combineFloats<float>(place, value, kind, same);
  case TensorElement::f64:
    return combineFloats<double>(place, value, kind, same);
  case TensorElement::u8:
    return combineIntegers<uint8_t>(place, value, kind);
  case TensorElement::u16:
    return combineIntegers<uint16_t>(place, value, kind);
  case TensorElement::u32:
    return combineIntegers<uint32_t>(place, value, kind);
  case TensorElement::s32:
    return combineIntegers<int32_t>(place, value, kind);
  case TensorElement::u64:
    return combineIntegers<uint64_t>(place, value, kind);
  case TensorElement::s64:
    return combineIntegers<int64_t>(place, value, kind);
  }
}

/// What lies outside of the tensor.
void fillOutside(char *place, TensorElement element, bool withNan) {
  const unsigned bytes = bytesOf(element);
  std::memset(place, 0, bytes);
  if (!withNan)
    return;
  const uint64_t nan = element == TensorElement::f16    ? 0x7fff
                       : element == TensorElement::bf16 ? 0x7fff
                       : element == TensorElement::f32  ? 0x7fffffff
                       : element == TensorElement::f64  ? 0x7fffffffffffffff
                                                        : 0;
  std::memcpy(place, &nan, bytes);
}

enum class BoxWay { load, store };

/// Moves a box between global and shared memory; of axes, 0 is the one whose elements are
/// neighbours. Returns how many bytes of shared memory it has.
uint64_t moveBox(Thread &thread, const TensorMap &map, uint64_t shared, const int32_t *at,
                 uint32_t rank, BoxWay way, ReduceKind kind) {
  if (rank != map.rank + 1u)
    thread.block->fail(thread, Error(TL_RUNTIME_ERROR, "a box of " + std::to_string(rank) +
                                                           " axes is copied by a map "
                                                           "of " +
                                                           std::to_string(map.rank + 1) + " axes"));
  const auto element = TensorElement(map.element);
  const unsigned bytes = bytesOf(element);
  if (shared % (map.swizzle == 0 ? 128 : 128u << map.swizzle) % 128 != 0)
    thread.block->fail(thread, Error(TL_RUNTIME_ERROR, "a box is copied to or from an address in "
                                                       "shared memory that is no multiple of 128"));
  uint32_t extents[5] = {1, 1, 1, 1, 1}, box[5] = {1, 1, 1, 1, 1};
  for (unsigned axis = 0; axis < rank; ++axis) {
    extents[axis] = map.extents[axis];
    box[axis] = map.box[axis];
  }
  const bool loads = way == BoxWay::load;
  const uint64_t rowBytes = uint64_t(box[0]) * bytes;
  uint64_t row = 0;
  uint32_t index[5] = {};
  CountedPieces pieces(thread, loads ? AccessKind::write : AccessKind::read);
  for (index[4] = 0; index[4] < box[4]; ++index[4])
    for (index[3] = 0; index[3] < box[3]; ++index[3])
      for (index[2] = 0; index[2] < box[2]; ++index[2])
        for (index[1] = 0; index[1] < box[1]; ++index[1], ++row) {
          uint64_t begin = map.base;
          bool isInside = true;
          for (unsigned axis = 1; axis < rank; ++axis) {
            const int64_t place = int64_t(at[axis]) + index[axis];
            isInside &= place >= 0 && place < int64_t(extents[axis]);
            begin += uint64_t(place) * map.strides[axis - 1];
          }
          // The part of the row that lies in the tensor.
          const int64_t first = std::clamp<int64_t>(-int64_t(at[0]), 0, box[0]);
          int64_t last = std::clamp<int64_t>(int64_t(extents[0]) - at[0], 0, box[0]);
          if (!isInside || last < first)
            last = first;
          if (last > first)
            noteAccess(thread, begin + uint64_t(at[0] + first) * bytes,
                       uint32_t(last - first) * bytes, 0,
                       loads                      ? AccessKind::read
                       : kind == ReduceKind::none ? AccessKind::write
                                                  : AccessKind::atomic,
                       Agent::bulkCopies);
          const uint64_t line = shared + row * rowBytes;
          for (uint64_t done = 0; done < rowBytes; done += 16) {
            pieces.add(swizzled(line + done, map.swizzle));
            noteAccess(thread, swizzled(line + done, map.swizzle),
                       uint32_t(std::min<uint64_t>(16, rowBytes - done)), 0,
                       loads ? AccessKind::write : AccessKind::read, Agent::bulkCopies);
          }
          for (int64_t column = 0; column < int64_t(box[0]); ++column) {
            auto *near =
                reinterpret_cast<char *>(swizzled(line + uint64_t(column) * bytes, map.swizzle));
            auto *far = reinterpret_cast<char *>(begin + uint64_t(at[0] + column) * bytes);
            const bool isThere = column >= first && column < last;
            if (loads && isThere)
              std::memcpy(near, far, bytes);
            else if (loads)
              fillOutside(near, element, map.fillsWithNan);
            else if (isThere && kind == ReduceKind::none)
              std::memcpy(far, near, bytes);
            else if (isThere)
              combine(far, near, element, kind);
          }
        }
  return row * rowBytes;
}

/// `blocks`: to the same place in each block of the cluster that has a bit there, whose barrier at
/// the same place gets the bytes; 0: in this block alone.
void callLoadBox(Thread *thread, uint64_t shared, const TensorMap *map, const int32_t *at,
                 uint32_t rank, uint64_t barrier, uint32_t blocks) {
  auto loadTo = [&](Block &block, uint64_t to, uint64_t barrier) {
    const uint64_t bytes = moveBox(*thread, *map, to, at, rank, BoxWay::load, ReduceKind::none);
    block.completeBytes(*thread, barrier, bytes);
  };
  if (!blocks)
    return loadTo(*thread->block, shared, barrier);
  Cluster &cluster = thread->block->cluster();
  for (uint32_t each = 0; blocks >> each; ++each)
    if (blocks >> each & 1) {
      const uint32_t place = (each + 1) << clusterRankBit;
      const uint64_t to = cluster.addressOf(*thread, place | uint32_t(shared));
      loadTo(*cluster.ownerOf(to), to, cluster.addressOf(*thread, place | uint32_t(barrier)));
    }
}

void callStoreBox(Thread *thread, uint64_t shared, const TensorMap *map, const int32_t *at,
                  uint32_t rank, uint32_t kind) {
  moveBox(*thread, *map, shared, at, rank, BoxWay::store, ReduceKind(kind));
}

// ---- Maps that kernels make

void callReplaceField(Thread *thread, uint64_t address, uint32_t field, uint32_t axis,
                      uint64_t value) {
  noteAccess(*thread, address, 128, 7, AccessKind::write);
  auto &map = *reinterpret_cast<TensorMap *>(address);
  switch (field) {
  case 0:
    map.base = value;
    break;
  case 1:
    map.rank = uint8_t(value);
    break;
  case 2:
    map.box[axis] = uint16_t(value);
    break;
  case 3:
    map.extents[axis] = uint32_t(value);
    break;
  case 5:
    map.strides[axis] = value;
    break;
  case 6: // from 8 on instructions count with a form of f32 more
    map.element = uint8_t(value == 9    ? unsigned(TensorElement::f64)
                          : value == 10 ? unsigned(TensorElement::bf16)
                                        : unsigned(value));
    break;
  case 8:
    map.swizzle = uint8_t(value);
    break;
  case 9:
    map.fillsWithNan = uint8_t(value);
    break;
  default:
    break;
  }
}

struct Published {
  uint64_t global, shared;
};

void publish(Warp &warp) {
  const auto places = warp.operand<Published>(unsigned(std::countr_zero(warp.here)));
  Thread &thread = Block::running();
  noteAccess(thread, places.shared, 128, 7, AccessKind::read);
  noteAccess(thread, places.global, 128, 7, AccessKind::write);
  std::memcpy(reinterpret_cast<void *>(places.global), reinterpret_cast<void *>(places.shared),
              128);
}

/// All lanes copy the 128 bytes together.
void callPublishMap(Thread *thread, uint64_t global, uint64_t shared) {
  Published places{global, shared};
  thread->block->meet(*thread, &publish, &places);
}

} // namespace

void addCopyFunctions(SymbolList &list) {
  auto add = [&](const char *name, auto *function) {
    list.emplace_back(name, reinterpret_cast<void *>(function));
  };
  add("tl_simt_copy", &callCopy);
  add("tl_simt_commit", &callCommit);
  add("tl_simt_wait_for", &callWaitFor);
  add("tl_simt_init_barrier", &callInitBarrier);
  add("tl_simt_drop_barrier", &callDropBarrier);
  add("tl_simt_arrive", &callArrive);
  add("tl_simt_wait_at", &callWaitAt);
  add("tl_simt_arrive_in_cluster", &callArriveInCluster);
  add("tl_simt_arrive_with_copies", &callArriveWithCopies);
  add("tl_simt_load_box", &callLoadBox);
  add("tl_simt_store_box", &callStoreBox);
  add("tl_simt_replace_field", &callReplaceField);
  add("tl_simt_publish_map", &callPublishMap);
}

} // namespace tl::backend::simt
