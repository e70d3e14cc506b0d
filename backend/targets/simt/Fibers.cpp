// SPDX-License-Identifier: MIT
#include "targets/simt/Fibers.h"

#include <atomic>
#include <new>
#include <sys/mman.h>

// void tl_simt_switch(void **from, void *to): pushes what the caller wants to find again, leaves
// the stack pointer at `from`, and takes it all from `to`.
#if defined(__x86_64__)
asm(R"(
  .text
  .hidden tl_simt_switch
  .globl tl_simt_switch
  .type tl_simt_switch, @function
tl_simt_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size tl_simt_switch, .-tl_simt_switch
  .hidden tl_simt_begin
  .globl tl_simt_begin
  .type tl_simt_begin, @function
tl_simt_begin:
  movq %r13, %rdi
  callq *%r12
  ud2
  .size tl_simt_begin, .-tl_simt_begin
)");
#elif defined(__aarch64__)
asm(R"(
  .text
  .hidden tl_simt_switch
  .globl tl_simt_switch
  .type tl_simt_switch, %function
tl_simt_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
  .size tl_simt_switch, .-tl_simt_switch
  .hidden tl_simt_begin
  .globl tl_simt_begin
  .type tl_simt_begin, %function
tl_simt_begin:
  mov x0, x20
  blr x19
  brk #1
  .size tl_simt_begin, .-tl_simt_begin
)");
#else
#error "the emulator's fibers know x86-64 and aarch64"
#endif

extern "C" void tl_simt_switch(void **from, void *to);
extern "C" void tl_simt_begin();

namespace tl::backend::simt {

namespace {

/// Each closed stack costs two mappings; the rest are for whoever else is in the process.
constexpr unsigned mostClosed = 12288;
constinit std::atomic<unsigned> closedStacks = 0;

} // namespace

FiberStacks::FiberStacks(unsigned count) : count(count) {
  begin = mmap(nullptr, count * bytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED)
    throw std::bad_alloc();
  // Of each stack a page or two are used: 2 MiB for them would be wasted. Where there are no huge
  // pages, the advice fails, and is not needed.
  madvise(begin, count * bytes, MADV_NOHUGEPAGE);
  closed = closedStacks.fetch_add(count) + count <= mostClosed;
  if (!closed)
    closedStacks.fetch_sub(count);
  for (unsigned i = 0; i < (closed ? count : 1); ++i)
    mprotect((*this)[i], closedBytes, PROT_NONE);
}

FiberStacks::~FiberStacks() {
  munmap(begin, count * bytes);
  if (closed)
    closedStacks.fetch_sub(count);
}

void Fiber::prepare(Code code, void *argument) {
  auto *top = reinterpret_cast<uint64_t *>(stack + FiberStacks::bytes);
#if defined(__x86_64__)
  uint64_t *frame = top - 7; // r15 r14 r13 r12 rbx rbp return
  for (int i = 0; i < 7; ++i)
    frame[i] = 0;
  frame[2] = reinterpret_cast<uint64_t>(argument);
  frame[3] = reinterpret_cast<uint64_t>(code);
  frame[6] = reinterpret_cast<uint64_t>(&tl_simt_begin);
#else
  uint64_t *frame = top - 20;
  for (int i = 0; i < 20; ++i)
    frame[i] = 0;
  frame[0] = reinterpret_cast<uint64_t>(code);
  frame[1] = reinterpret_cast<uint64_t>(argument);
  frame[11] = reinterpret_cast<uint64_t>(&tl_simt_begin);
#endif
  own = frame;
}

void Fiber::resume() { tl_simt_switch(&resumer, own); }
void Fiber::leave() { tl_simt_switch(&own, resumer); }

} // namespace tl::backend::simt
