// SPDX-License-Identifier: MIT
#pragma once
// The tile language for C++: everything that a program with kernels needs. tensor.hpp explains what
// a kernel is made of, ops/ has the functions by group, kernel.hpp and launch.hpp run it.

#include "tl/buffer.hpp"
#include "tl/device.hpp"
#include "tl/dtype.hpp"
#include "tl/error.hpp"
#include "tl/kernel.hpp"
#include "tl/launch.hpp"
#include "tl/ops/atomics.hpp"
#include "tl/ops/control_flow.hpp"
#include "tl/ops/creation.hpp"
#include "tl/ops/debug.hpp"
#include "tl/ops/descriptors.hpp"
#include "tl/ops/elementwise.hpp"
#include "tl/ops/external.hpp"
#include "tl/ops/linear_algebra.hpp"
#include "tl/ops/memory.hpp"
#include "tl/ops/random.hpp"
#include "tl/ops/reduction.hpp"
#include "tl/ops/shaping.hpp"
#include "tl/ops/sorting.hpp"
#include "tl/shape.hpp"
#include "tl/stream.hpp"
#include "tl/tensor.hpp"
