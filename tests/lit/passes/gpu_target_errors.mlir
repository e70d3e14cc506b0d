// RUN: not tl-opt --coalesce-accesses %s 2>&1 | FileCheck %s
// RUN: not tl-opt --select-matrix-instructions %s 2>&1 | FileCheck %s
// RUN: not tl-opt --propagate-layouts %s 2>&1 | FileCheck %s
// RUN: not tl-opt --remove-layout-conversions %s 2>&1 | FileCheck %s
// A module that does not say what it is compiled for is not compiled for some other GPU.

// CHECK: error: the module does not say by ttg.gpu what it is compiled for
tt.func public @kernel() {
  tt.return
}
