// SPDX-License-Identifier: MIT
#pragma once
// The module's C functions, which Python calls through ctypes (tl_module.py). Every function that
// returns an int returns a negative number if it failed; tlb_error then says why. One thread.

#include <cstdint>

#pragma GCC visibility push(default)
extern "C" {

/// Opens the device ("cuda:0") for launches on a stream of the caller (a CUstream; null is the
/// default stream). On the CPU and the interpreter the stream is not used.
int tlb_open(const char *device, void *native_stream, int multiprocessors);
const char *tlb_error();
const char *tlb_device_description();

/// The names of the kernel's configurations that fit these arguments, a line each.
const char *tlb_configurations(const char *kernel, const std::int64_t *values, int count);

/// Chooses the configuration, by name or, where that is "", by the kernel's table; launches once.
/// Returns a number for tlb_run.
int tlb_prepare(const char *kernel, const char *configuration, const std::int64_t *values,
                int count);
/// Launches again with the same arguments.
int tlb_run(int prepared);
/// The name of the chosen configuration.
const char *tlb_prepared_name(int prepared);
/// Registers of a thread (0), spilled bytes (1), shared bytes (2), threads (3).
std::int64_t tlb_prepared_property(int prepared, int property);
/// A stage of the compilation ("ttir", "ptx"), "" if the device has no such stage.
const char *tlb_prepared_text(int prepared, const char *stage);
/// Forgets what was prepared.
void tlb_forget();

/// Microseconds of a launch with five arguments, of many back to back: by cuLaunchKernel alone, by
/// tl_launch, and by kernel[grid](...). The kernel and its machine code are the same.
int tlb_launch_cost(int launches, double *microseconds);

/// Milliseconds to trace, compile, load and run "vector_add", "softmax" or "layer_norm" under a
/// name that no cache knows.
int tlb_compile_cost(const char *kernel, double *milliseconds);
}
#pragma GCC visibility pop
