// SPDX-License-Identifier: MIT
//
// The passes on TTGIR that GPU targets share. Their descriptions are in GpuPasses.td; GpuPipeline.h
// puts them in order.
#pragma once

#include "dialect/Dialect.h"
#include "dialect/GpuTarget.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tl::ttg {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/GpuPasses.h.inc"

} // namespace tl::ttg
