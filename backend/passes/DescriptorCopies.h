// SPDX-License-Identifier: MIT
#pragma once

namespace tl::tt {

/// Which tensor descriptors stay, for a copy unit to move their blocks: see RewriteDescriptors.
enum class DescriptorCopies {
  none,
  worthwhile, ///< where that is not slower than pointers
  possible    ///< wherever the unit can
};

} // namespace tl::tt
