// SPDX-License-Identifier: MIT
#pragma once
// What is there on NVIDIA's GPUs beside the language? Where and when a program runs, and launches
// that begin before those ahead of them have ended (programmatic dependent launch). Each function
// has a meaning on the other devices, too, so that a kernel needs no copy for them. CUDA's
// mathematical library is in libdevice.hpp. Upstream: tl.extra.cuda.

#include "tl/ops/target_info.hpp"
#include "tl/tensor.hpp"

TL_IMPL_UNOPTIMIZED_BEGIN

namespace tl::cuda {

/// The number of warps of a program, a C++ number: num_warps of the launch on a GPU, elsewhere 1.
/// Throws tl::compile_error where the kernel is traced for no target. Upstream:
/// tl.extra.cuda.num_warps.
///
///     constexpr int rows = 64;
///     const int rows_per_warp = rows / tl::cuda::num_warps();
inline int num_warps(impl::location where = std::source_location::current()) {
  return target_info::is_cuda(where) ? impl::current_tracer()->environment.num_warps : 1;
}

/// The number of threads of a program: 32 for each of its warps, elsewhere than on a GPU 1.
/// Upstream: tl.extra.cuda.num_threads.
///
///     tl::static_print("threads", tl::cuda::num_threads());
inline int num_threads(impl::location where = std::source_location::current()) {
  return num_warps(where) * (target_info::is_cuda(where) ? 32 : 1);
}

/// Nanoseconds that count up, an int64 scalar, read where it is written: by a clock of the GPU that
/// all programs share, elsewhere one of the host. A GPU's may stand still for a microsecond.
/// Upstream: tl.extra.cuda.globaltimer.
///
///     tl::i64 begin = tl::cuda::globaltimer();
inline i64 globaltimer(impl::location where = std::source_location::current()) {
  return i64(impl::active(where, "tl::cuda::globaltimer")
                 .emit("tt.elementwise_inline_asm @ -> =", {}, impl::scalar_type<std::int64_t>,
                       where,
                       "\"mov.u64 $0, %globaltimer;\" {constraints = \"=l\", packed_element = 1 : "
                       "i32, pure = false}",
                       false));
}

/// The number of the multiprocessor that runs the program, an int32 scalar; elsewhere than on a GPU
/// 0. Upstream: tl.extra.cuda.smid.
///
///     tl::atomic_add(counts + tl::cuda::smid(), 1);
inline i32 smid(impl::location where = std::source_location::current()) {
  return i32(impl::active(where, "tl::cuda::smid")
                 .emit("tt.elementwise_inline_asm @ -> =", {}, impl::scalar_type<std::int32_t>,
                       where,
                       "\"mov.u32 $0, %smid;\" {constraints = \"=r\", packed_element = 1 : i32, "
                       "pure = true}"));
}

/// Waits until the kernel launched ahead of this one in its stream has ended, and sees what it has
/// written.
///
/// From sm_90 on, a kernel that calls this is launched so that it may begin when all programs of
/// the kernel ahead have called gdc_launch_dependents or ended: what comes before this call, such
/// as loads of weights, runs beside the other kernel, and must not touch what that writes. On other
/// devices kernels of a stream do not overlap, and it does nothing. Upstream:
/// tl.extra.cuda.gdc_wait.
///
///     tl::tensor w = tl::load(pointers);              // not written by the kernel ahead
///     tl::cuda::gdc_wait();
///     tl::tensor x = tl::load(scratch + offsets);     // written by it
inline void gdc_wait(impl::location where = std::source_location::current()) {
  impl::active(where, "tl::cuda::gdc_wait").emit_effect("tt.grid_dependency_wait", {}, where);
}

/// Lets the kernel that is launched next in the stream begin, if it calls gdc_wait, once all
/// programs have come here or ended. What this kernel writes it sees after its gdc_wait, also what
/// is written after this call. Upstream: tl.extra.cuda.gdc_launch_dependents.
///
///     tl::cuda::gdc_launch_dependents();
///     tl::store(scratch + offsets, x);
inline void gdc_launch_dependents(impl::location where = std::source_location::current()) {
  impl::active(where, "tl::cuda::gdc_launch_dependents")
      .emit_effect("tt.grid_dependency_launch_dependents", {}, where);
}

} // namespace tl::cuda

TL_IMPL_UNOPTIMIZED_END
