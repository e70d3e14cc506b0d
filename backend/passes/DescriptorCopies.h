// SPDX-License-Identifier: MIT
#pragma once

namespace tl::tt {

/// Which tensor descriptors stay, for a copy unit to move their blocks: see RewriteDescriptors.
enum class DescriptorCopies {
  none,
  worthwhile, ///< where that costs a hundredth of the speed of pointers at most
  possible    ///< wherever the unit can
};

} // namespace tl::tt
