// SPDX-License-Identifier: MIT
#include "layout/LayoutForms.h"
