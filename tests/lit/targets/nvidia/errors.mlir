// RUN: not %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// What the target refuses, each with the user's line and in one sentence.

// CHECK-LABEL: kernel too_many
// CHECK-NEXT: kernel.py:1:2: error: a tensor of 1048576 elements needs 2048 registers in each thread of 32 warps, the sm_90a target gives it at most 1024
// CHECK: help: use smaller blocks
tt.func public @too_many(%x: !tt.ptr<i64>) {
  %r = tt.make_range {end = 1048576 : i32, start = 0 : i32} : tensor<1048576xi32>
  %xs = tt.splat %x : !tt.ptr<i64> -> tensor<1048576x!tt.ptr<i64>>
  %p = tt.addptr %xs, %r : tensor<1048576x!tt.ptr<i64>>, tensor<1048576xi32>
  %v = tt.load %p : tensor<1048576x!tt.ptr<i64>> loc("kernel.py":1:2)
  tt.store %p, %v : tensor<1048576x!tt.ptr<i64>>
  tt.return
}

// What two loads of blocks have in common comes first, and has no line.
// CHECK-LABEL: kernel too_large
// CHECK-NEXT: kernel.py:3:4: error: a tensor of 1048576 elements needs
tt.func public @too_large(%x: !tt.ptr<f16>, %n: i32, %s: i64) {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %d = tt.make_tensor_descriptor %x, [%n, %n], [%s, %one] : <f16>, <1024x1024xf16>
  %v = tt.descriptor_load %d[%c0, %c0] : !tt.tensordesc<1024x1024xf16> -> tensor<1024x1024xf16> loc("kernel.py":3:4)
  %w = tt.descriptor_load %d[%n, %c0] : !tt.tensordesc<1024x1024xf16> -> tensor<1024x1024xf16>
  %a = arith.addf %v, %w : tensor<1024x1024xf16>
  tt.descriptor_store %d[%c0, %n], %a : !tt.tensordesc<1024x1024xf16>, tensor<1024x1024xf16>
  tt.return
}

// CHECK-LABEL: kernel too_much
// CHECK-NEXT: error: kernel 'too_much' needs {{[0-9]+}} bytes of shared memory in each program, the sm_90a target has 232448
// CHECK: help: use smaller blocks
tt.func public @too_much(%x: !tt.ptr<i32>) {
  %r = tt.make_range {end = 65536 : i32, start = 0 : i32} : tensor<65536xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<65536x!tt.ptr<i32>>
  %p = tt.addptr %xs, %r : tensor<65536x!tt.ptr<i32>>, tensor<65536xi32>
  %v = tt.load %p : tensor<65536x!tt.ptr<i32>>
  %g = tt.gather %v[%v] {axis = 0 : i32} : (tensor<65536xi32>, tensor<65536xi32>) -> tensor<65536xi32>
  tt.store %p, %g : tensor<65536x!tt.ptr<i32>>
  tt.return
}

// CHECK-LABEL: kernel no_lowering
// CHECK-NEXT: kernel.py:5:6: error: the sm_90a target has no lowering for 'math.ipowi'
tt.func public @no_lowering(%x: !tt.ptr<i32>, %n: i32) {
  %v = math.ipowi %n, %n : i32 loc("kernel.py":5:6)
  tt.store %x, %v : !tt.ptr<i32>
  tt.return
}

// CHECK-LABEL: kernel narrow_counts
// CHECK-NEXT: kernel.py:9:10: error: the sm_90a target counts into 32 and 64-bit integers only
tt.func public @narrow_counts(%x: !tt.ptr<i16>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %h = tt.histogram %r : tensor<128xi32> -> tensor<128xi16> loc("kernel.py":9:10)
  %xs = tt.splat %x : !tt.ptr<i16> -> tensor<128x!tt.ptr<i16>>
  %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<i16>>, tensor<128xi32>
  tt.store %p, %h : tensor<128x!tt.ptr<i16>>
  tt.return
}

// CHECK-LABEL: kernel unknown_function
// CHECK-NEXT: kernel.py:11:12: error: the sm_90a target does not know the external function 'my_function'
tt.func public @unknown_function(%x: !tt.ptr<f32>, %n: f32) {
  %v = tt.extern_elementwise %n {libname = "", libpath = "", pure = true, symbol = "my_function"} : (f32) -> f32 loc("kernel.py":11:12)
  tt.store %x, %v : !tt.ptr<f32>
  tt.return
}

// libdevice has no such function, or there is no libdevice.
// CHECK-LABEL: kernel unknown_library_function
// CHECK-NEXT: kernel.py:13:14: error: the sm_90a target does not have the function '__nv_no_such_thing': {{libdevice does not have it|it is a part of libdevice, which no CUDA Toolkit here provides}}
tt.func public @unknown_library_function(%x: !tt.ptr<f32>, %n: f32) {
  %v = tt.extern_elementwise %n {libname = "libdevice", libpath = "", pure = true, symbol = "__nv_no_such_thing"} : (f32) -> f32 loc("kernel.py":13:14)
  tt.store %x, %v : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: kernel two_kinds
// CHECK-NEXT: kernel.py:15:16: error: the sm_90a target cannot call the function '__nv_no_such_thing' with operands of two kinds
tt.func public @two_kinds(%x: !tt.ptr<f32>, %y: !tt.ptr<i32>, %n: f32, %i: i32) {
  %v = tt.extern_elementwise %n {libname = "libdevice", libpath = "", pure = true, symbol = "__nv_no_such_thing"} : (f32) -> f32
  %w = tt.extern_elementwise %i {libname = "libdevice", libpath = "", pure = true, symbol = "__nv_no_such_thing"} : (i32) -> i32 loc("kernel.py":15:16)
  tt.store %x, %v : !tt.ptr<f32>
  tt.store %y, %w : !tt.ptr<i32>
  tt.return
}

// CHECK-LABEL: kernel assembly_constraints
// CHECK-NEXT: kernel.py:17:18: error: the constraints '=r,r,r' of tl::inline_asm_elementwise do not fit its operands: number of input constraints does not match number of parameters
tt.func public @assembly_constraints(%x: !tt.ptr<i32>, %n: i32) {
  %v = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r,r", packed_element = 1 : i32, pure = true} %n : i32 -> i32 loc("kernel.py":17:18)
  tt.store %x, %v : !tt.ptr<i32>
  tt.return
}

// CHECK-LABEL: kernel assembly_operand
// CHECK-NEXT: kernel.py:19:20: error: the assembly of tl::inline_asm_elementwise is refused: {{.*}}'mov.b32 $0, $5;'
tt.func public @assembly_operand(%x: !tt.ptr<i32>, %n: i32) {
  %v = tt.elementwise_inline_asm "mov.b32 $0, $5;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %n : i32 -> i32 loc("kernel.py":19:20)
  tt.store %x, %v : !tt.ptr<i32>
  tt.return
}

// CHECK-LABEL: kernel assembly_register
// CHECK-NEXT: kernel.py:21:22: error: the assembly of tl::inline_asm_elementwise is refused: couldn't allocate output register for constraint 'z'
tt.func public @assembly_register(%x: !tt.ptr<i32>, %n: i32) {
  %v = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=z,r", packed_element = 1 : i32, pure = true} %n : i32 -> i32 loc("kernel.py":21:22)
  tt.store %x, %v : !tt.ptr<i32>
  tt.return
}

// A tensor of one thread's own numbers has no threads to lie in.
// CHECK-LABEL: kernel tensor_in_function
// CHECK-NEXT: kernel.py:23:24: error: the sm_90a target takes only scalars in the function of a reduction, a scan or tl::map_elementwise
tt.func public @tensor_in_function(%x: !tt.ptr<f32>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %p : tensor<128x!tt.ptr<f32>>
  %o = "tt.map_elementwise"(%v) <{pack = 1 : i32}> ({
  ^bb0(%e: f32):
    %s = tt.splat %e : f32 -> tensor<16xf32> loc("kernel.py":23:24)
    %q = "tt.reduce"(%s) <{axis = 0 : i32}> ({
    ^bb1(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<16xf32>) -> f32
    tt.map_elementwise.return %q : f32
  }) : (tensor<128xf32>) -> tensor<128xf32>
  tt.store %p, %o : tensor<128x!tt.ptr<f32>>
  tt.return
}

// A `$` that stands for nothing.
// CHECK-LABEL: kernel assembly_number
// CHECK-NEXT: kernel.py:41:1: error: the assembly of tl::inline_asm_elementwise is refused: Invalid $ operand number in inline asm string: 'mov.b32 $0, $9;'
tt.func public @assembly_number(%x: !tt.ptr<i32>, %n: i32) {
  %v = tt.elementwise_inline_asm "mov.b32 $0, $9;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %n : i32 -> i32 loc("kernel.py":41:1)
  tt.store %x, %v : !tt.ptr<i32>
  tt.return
}

// CHECK-LABEL: kernel assembly_lone_dollar
// CHECK-NEXT: kernel.py:42:1: error: the assembly of tl::inline_asm_elementwise is refused: Bad $ operand number in inline asm string: 'mov.b32 $0, $'
tt.func public @assembly_lone_dollar(%x: !tt.ptr<i32>, %n: i32) {
  %v = tt.elementwise_inline_asm "mov.b32 $0, $" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %n : i32 -> i32 loc("kernel.py":42:1)
  tt.store %x, %v : !tt.ptr<i32>
  tt.return
}

// CHECK-LABEL: kernel assembly_open_brace
// CHECK-NEXT: kernel.py:43:1: error: the assembly of tl::inline_asm_elementwise is refused: Bad ${} expression in inline asm string: 'mov.b32 $0, ${1'
tt.func public @assembly_open_brace(%x: !tt.ptr<i32>, %n: i32) {
  %v = tt.elementwise_inline_asm "mov.b32 $0, ${1" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %n : i32 -> i32 loc("kernel.py":43:1)
  tt.store %x, %v : !tt.ptr<i32>
  tt.return
}

// CHECK-LABEL: kernel narrow_elements
// CHECK-NEXT: kernel.py:44:1: error: the sm_90a target has no elements of type i4
tt.func public @narrow_elements(%x: !tt.ptr<i32>, %n: i32) {
  %v = arith.trunci %n : i32 to i4 loc("kernel.py":44:1)
  %w = arith.extsi %v : i4 to i32
  %u = arith.muli %w, %n : i32
  tt.store %x, %u : !tt.ptr<i32>
  tt.return
}
