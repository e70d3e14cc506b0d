// SPDX-License-Identifier: MIT
//
// All attributes of the `ttg` dialect, which have one parser.
include "GpuTarget.td"
include "Layouts.td"
