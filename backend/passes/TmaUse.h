// SPDX-License-Identifier: MIT
#pragma once

namespace tl::tt {

/// Which tensor descriptors stay, for TMA to move their blocks: see RewriteDescriptors.
enum class TmaUse {
  none,
  worthwhile, ///< where that costs a hundredth of the speed of pointers at most
  possible    ///< wherever TMA can
};

} // namespace tl::tt
