// RUN: %each_kernel %s --target sm_90a --emit ptx | FileCheck %s
// Functions of f32 are polynomials and the approximate instructions of the GPU, straight code
// without divisions, corrected where those alone miss the error that the language states.

// A power of 2 is one instruction; results that are no normal number become 0.
// CHECK-LABEL: .entry power_of_two(
// CHECK: ld.global
// CHECK-NEXT: ex2.approx.ftz.f32
// CHECK-NOT: f32
// CHECK: ret;
tt.func public @power_of_two(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %v = tt.load %x : !tt.ptr<f32>
  %o = math.exp2 %v : f32
  tt.store %y, %o : !tt.ptr<f32>
  tt.return
}

// So is a square root ...
// CHECK-LABEL: .entry root(
// CHECK: ld.global
// CHECK-NEXT: sqrt.approx.ftz.f32
// CHECK-NOT: f32
// CHECK: ret;
tt.func public @root(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %v = tt.load %x : !tt.ptr<f32>
  %o = math.sqrt %v : f32
  tt.store %y, %o : !tt.ptr<f32>
  tt.return
}

// ... unless it is to be rounded once.
// CHECK-LABEL: .entry precise_root(
// CHECK-NOT: approx
// CHECK: sqrt.rn.f32
// CHECK: ret;
tt.func public @precise_root(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %v = tt.load %x : !tt.ptr<f32>
  %o = tt.precise_sqrt %v : f32
  tt.store %y, %o : !tt.ptr<f32>
  tt.return
}

// The library's name for that.
// CHECK-LABEL: .entry precise_root_of_the_library(
// CHECK-NOT: approx
// CHECK: sqrt.rn.f32
// CHECK: ret;
tt.func public @precise_root_of_the_library(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %v = tt.load %x : !tt.ptr<f32>
  %o = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__nv_fsqrt_rn"} : (f32) -> f32
  tt.store %y, %o : !tt.ptr<f32>
  tt.return
}

// And a reciprocal root.
// CHECK-LABEL: .entry reciprocal_root(
// CHECK: ld.global
// CHECK-NEXT: rsqrt.approx.ftz.f32
// CHECK-NOT: f32
// CHECK: ret;
tt.func public @reciprocal_root(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %v = tt.load %x : !tt.ptr<f32>
  %o = math.rsqrt %v : f32
  tt.store %y, %o : !tt.ptr<f32>
  tt.return
}

// e^x is a power of 2, its correction, and the power itself where that has none.
// CHECK-LABEL: .entry exponential(
// CHECK: ld.global
// CHECK: mul.rz.f32
// CHECK-COUNT-2: fma.rn.f32
// CHECK: ex2.approx.ftz.f32
// CHECK: setp.lt.f32
// CHECK: fma.rn.f32
// CHECK: selp.f32
// CHECK-NOT: f32
// CHECK: ret;
tt.func public @exponential(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %v = tt.load %x : !tt.ptr<f32>
  %o = math.exp %v : f32
  tt.store %y, %o : !tt.ptr<f32>
  tt.return
}

// A logarithm scales denormal numbers and takes exponent and mantissa apart.
// CHECK-LABEL: .entry logarithm(
// CHECK: setp.lt.f32
// CHECK-NOT: lg2.approx
// CHECK: cvt.rn.f32.s32
// CHECK-NOT: {{call|bra}}
// CHECK: ret;
tt.func public @logarithm(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %v = tt.load %x : !tt.ptr<f32>
  %o = math.log %v : f32
  tt.store %y, %o : !tt.ptr<f32>
  tt.return
}

// tanh: one power, one reciprocal, one choice.
// CHECK-LABEL: .entry hyperbolic_tangent(
// CHECK-NOT: {{call|bra|div|tanh}}
// CHECK: ex2.approx.ftz.f32
// CHECK: rcp.approx.ftz.f32
// CHECK-NOT: {{call|bra|div}}
// CHECK: ret;
tt.func public @hyperbolic_tangent(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %v = tt.load %x : !tt.ptr<f32>
  %o = math.tanh %v : f32
  tt.store %y, %o : !tt.ptr<f32>
  tt.return
}

// erf: the coefficients are chosen, not the results of two polynomials.
// CHECK-LABEL: .entry error_function(
// CHECK-NOT: {{call|bra}}
// CHECK-COUNT-7: selp.f32 {{.*}}, 0f{{.*}}, 0f
// CHECK: ex2.approx.ftz.f32
// CHECK: ret;
tt.func public @error_function(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %v = tt.load %x : !tt.ptr<f32>
  %o = math.erf %v : f32
  tt.store %y, %o : !tt.ptr<f32>
  tt.return
}

// atan has no division.
// CHECK-LABEL: .entry arc_tangent(
// CHECK-NOT: {{call|bra|div}}
// CHECK: rcp.approx.ftz.f32
// CHECK-NOT: {{call|bra|div}}
// CHECK: ret;
tt.func public @arc_tangent(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %v = tt.load %x : !tt.ptr<f32>
  %o = math.atan %v : f32
  tt.store %y, %o : !tt.ptr<f32>
  tt.return
}

// A tangent is a polynomial or its reciprocal.
// CHECK-LABEL: .entry tangent(
// CHECK-NOT: div.
// CHECK: rcp.approx.ftz.f32
// CHECK-NOT: div.
// CHECK: ret;
tt.func public @tangent(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %v = tt.load %x : !tt.ptr<f32>
  %o = math.tan %v : f32
  tt.store %y, %o : !tt.ptr<f32>
  tt.return
}

// sin reduces in f32, and in integers where the argument is large.
// CHECK-LABEL: .entry sine(
// CHECK: @%p{{.*}} bra
// CHECK: ld.const.b32
// CHECK: shf.l.wrap.b32
tt.func public @sine(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %v = tt.load %x : !tt.ptr<f32>
  %o = math.sin %v : f32
  tt.store %y, %o : !tt.ptr<f32>
  tt.return
}

// pow has f32 alone, and no call.
// CHECK-LABEL: .entry power(
// CHECK-NOT: {{call|bra|f64}}
// CHECK: rcp.approx.ftz.f32
// CHECK: ex2.approx.ftz.f32
// CHECK-NOT: {{call|bra|f64}}
// CHECK: ret;
tt.func public @power(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %v = tt.load %x : !tt.ptr<f32>
  %w = tt.load %y : !tt.ptr<f32>
  %o = math.powf %v, %w : f32
  tt.store %y, %o : !tt.ptr<f32>
  tt.return
}

// Of 1 + e^-x, which is not below 1, the reciprocal takes no care of denormal numbers, but gives them.
// CHECK-LABEL: .entry logistic(
// CHECK: ex2.approx.ftz.f32
// CHECK-NOT: div.
// CHECK: rcp.approx.ftz.f32
// CHECK: ret;
tt.func public @logistic(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %v = tt.load %x : !tt.ptr<f32>
  %one = arith.constant 1.0 : f32
  %n = arith.negf %v : f32
  %e = math.exp %n : f32
  %d = arith.addf %e, %one : f32
  %o = arith.divf %one, %d : f32
  tt.store %y, %o : !tt.ptr<f32>
  tt.return
}

// With many elements a thread a long function is a routine, whether or not it has branches.
// CHECK-LABEL: .func {{.*}}tl_$_shared_$_sin
// CHECK: .entry many_sines(
// CHECK: call.uni
tt.func public @many_sines(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 32768 : i32, start = 0 : i32} : tensor<32768xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32768x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<32768x!tt.ptr<f32>>, tensor<32768xi32>
  %v = tt.load %xp : tensor<32768x!tt.ptr<f32>>
  %o = math.sin %v : tensor<32768xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<32768x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<32768x!tt.ptr<f32>>, tensor<32768xi32>
  tt.store %yp, %o : tensor<32768x!tt.ptr<f32>>
  tt.return
}

// A thread's number is below the number of threads: no mask is computed that changes nothing.
// CHECK-LABEL: .entry numbers(
// CHECK: mov.u32 [[TID:%r[0-9]+]], %tid.x;
// CHECK-NOT: and.b32
// CHECK: ret;
tt.func public @numbers(%y: !tt.ptr<i32>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %yp, %r : tensor<128x!tt.ptr<i32>>
  tt.return
}
