// SPDX-License-Identifier: MIT
#pragma once
// Products of groups of warps run on while the threads compute, until they are waited for. Each is
// waited for right after it at first; here the waits move down to where the results are needed:
//
//     s = warp_group_dot q, k                 s = warp_group_dot q, k
//     s' = warp_group_dot_wait s              p = warp_group_dot d, v
//     p = warp_group_dot d, v                 s' = warp_group_dot_wait s {pendings = 1}
//     p' = warp_group_dot_wait p              w = exp s'
//     w = exp s'                              p' = warp_group_dot_wait p
//     ... w * p'                              ... w * p'
//
// Only products move that go on beside another one: by itself a product has nothing to hide, and
// for what a loop carries from one iteration to the next pipeline-loops knows more.
#include "dialect/Dialect.h"

namespace tl::ttg {

/// For the products of a block.
void delayProductWaits(mlir::Block &block);

} // namespace tl::ttg
