// SPDX-License-Identifier: MIT
#pragma once
// The benchmarks, in the order of the report. Each fills its own tables.

#include "report.hpp"

namespace bench {

void vector_add(report &r);
void softmax(report &r);
void layer_norm(report &r);
void matmul(report &r);
void launch(report &r);
void compile(report &r);
void cxx_time(report &r);

/// On a GPU: the kernels of cuda/kernel_list.hpp beside a device copy.
void gpu_kernels(report &r);

} // namespace bench
