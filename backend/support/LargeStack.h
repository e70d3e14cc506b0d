// SPDX-License-Identifier: MIT
//
// A stack that suffices for the compiler, whatever the caller's is. LLVM, MLIR and the lowerings
// walk from a value to what it is computed from, a call for each step: a chain of 20000 operations
// takes some 40 MB, more than a thread has, and fibers may have as little as 64 KB. A kernel of
// ordinary size is compiled where the caller stands: a thread of its own costs little to make, but
// begins with memory of its own, which takes a tenth of the time of a small kernel's compilation.
#pragma once

#include <cstddef>
#include <functional>

namespace tl::backend {

/// Calls `work`: here if `bytes` bytes of the stack are left, else in a thread that has them, for
/// which it waits. Exceptions of the work are thrown here. Where the system gives no such thread,
/// nor one with a smaller stack, the work is called here in any case.
void onLargeStack(size_t bytes, const std::function<void()> &work);

} // namespace tl::backend
