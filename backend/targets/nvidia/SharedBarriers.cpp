// SPDX-License-Identifier: MIT
//
// mbarrier.
#include "targets/nvidia/InlinePtx.h"
#include "targets/nvidia/NvidiaGpu.h"

namespace tl::backend::nvidia {

using llvm::Value;

void SharedBarriers::init(GpuBuilder &b, Value *barrier, unsigned count) const {
  emitPtx(b, b.getVoidTy(),
          "mbarrier.init.shared::cta.b64 [$0], " + std::to_string(count) +
              ";\n\tfence.proxy.async.shared::cta;",
          "r", {sharedAddress(b, barrier)}, true);
}

void SharedBarriers::invalidate(GpuBuilder &b, Value *barrier) const {
  emitPtx(b, b.getVoidTy(), "mbarrier.inval.shared::cta.b64 [$0];", "r",
          {sharedAddress(b, barrier)}, true);
}

void SharedBarriers::expect(GpuBuilder &b, Value *barrier, unsigned bytes) const {
  emitPtx(b, b.getVoidTy(),
          "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], " + std::to_string(bytes) + ";", "r",
          {sharedAddress(b, barrier)}, true);
}

void SharedBarriers::arrive(GpuBuilder &b, Value *barrier, unsigned count) const {
  emitPtx(b, b.getVoidTy(),
          "mbarrier.arrive.shared::cta.b64 _, [$0], " + std::to_string(count) + ";", "r",
          {sharedAddress(b, barrier)}, true);
}

void SharedBarriers::wait(GpuBuilder &b, Value *barrier, Value *phase) const {
  emitPtx(b, b.getVoidTy(),
          "{\n\t.reg .pred done;\n"
          "wait:\n\tmbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;\n"
          "\t@!done bra wait;\n\t}",
          "r,r", {sharedAddress(b, barrier), phase}, true, /*convergent=*/true);
}

} // namespace tl::backend::nvidia
