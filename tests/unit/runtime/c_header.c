/* SPDX-License-Identifier: MIT
 *
 * tl.h is C: this file takes the address of each kind of thing that it declares.
 */
#include "tl/c/tl.h"

int tlHeaderIsC(void) {
  tl_compile_options options = {.size = sizeof(tl_compile_options), .num_warps = 4};
  tl_status (*open)(const char *, tl_device **) = tl_device_open;
  return options.num_warps == 4 && open != NULL && TL_OK == 0 && TL_KERNEL_THREADS == 3 &&
         tl_version() != NULL;
}
