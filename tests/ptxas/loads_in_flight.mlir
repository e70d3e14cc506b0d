// Sixteen numbers of a row that begins anywhere and ends anywhere are loaded by each thread, one by
// one: they are on their way together before the first is used.
tt.func public @ragged_row(%y: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %x: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %shifts: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %labels: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %weights: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %scale: f32, %squares: f32, %none: i64, %n: i32, %stride: i32) {
  %row = tt.get_program_id x : i32
  %block = tt.get_program_id y : i32
  %c4096 = arith.constant 4096 : i32
  %other = arith.constant dense<0xFF80> : tensor<4096xbf16>
  %one = arith.constant dense<1.0> : tensor<4096xf32>
  %zero = arith.constant 0.0 : f32
  %label_at = tt.addptr %labels, %row : !tt.ptr<i64>, i32
  %label = tt.load %label_at : !tt.ptr<i64>
  %counts = arith.cmpi ne, %label, %none : i64
  %weight = scf.if %counts -> f32 {
    %weight_at = tt.addptr %weights, %row : !tt.ptr<f32>, i32
    %own = tt.load %weight_at : !tt.ptr<f32>
    scf.yield %own : f32
  } else {
    scf.yield %zero : f32
  }
  %row64 = arith.extsi %row : i32 to i64
  %stride64 = arith.extsi %stride : i32 to i64
  %base = arith.muli %row64, %stride64 : i64
  %from = tt.addptr %x, %base : !tt.ptr<bf16>, i64
  %to = tt.addptr %y, %base : !tt.ptr<bf16>, i64
  %first = arith.muli %block, %c4096 : i32
  %range = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32>
  %firsts = tt.splat %first : i32 -> tensor<4096xi32>
  %columns = arith.addi %firsts, %range : tensor<4096xi32>
  %ends = tt.splat %n : i32 -> tensor<4096xi32>
  %mask = arith.cmpi slt, %columns, %ends : tensor<4096xi32>
  %sources = tt.splat %from : !tt.ptr<bf16> -> tensor<4096x!tt.ptr<bf16>>
  %source = tt.addptr %sources, %columns : tensor<4096x!tt.ptr<bf16>>, tensor<4096xi32>
  %loaded = tt.load %source, %mask, %other : tensor<4096x!tt.ptr<bf16>>
  %wide = arith.extf %loaded : tensor<4096xbf16> to tensor<4096xf32>
  %scales = tt.splat %scale : f32 -> tensor<4096xf32>
  %scaled = arith.mulf %wide, %scales : tensor<4096xf32>
  %place = tt.addptr %shifts, %row : !tt.ptr<f32>, i32
  %shift = tt.load %place : !tt.ptr<f32>
  %all = tt.splat %shift : f32 -> tensor<4096xf32>
  %shifted = arith.subf %scaled, %all : tensor<4096xf32>
  %e = math.exp %shifted : tensor<4096xf32>
  %factor = arith.mulf %squares, %shift : f32
  %factor_of_all = tt.splat %factor : f32 -> tensor<4096xf32>
  %more = arith.mulf %factor_of_all, %e : tensor<4096xf32>
  %sum = arith.addf %e, %more : tensor<4096xf32>
  %less = arith.subf %sum, %one : tensor<4096xf32>
  %numbers = arith.extsi %columns : tensor<4096xi32> to tensor<4096xi64>
  %label_of_all = tt.splat %label : i64 -> tensor<4096xi64>
  %is = arith.cmpi eq, %numbers, %label_of_all : tensor<4096xi64>
  %chosen = arith.select %is, %less, %sum : tensor<4096xi1>, tensor<4096xf32>
  %weight_of_all = tt.splat %weight : f32 -> tensor<4096xf32>
  %result = arith.mulf %chosen, %weight_of_all : tensor<4096xf32>
  %narrow = arith.truncf %result : tensor<4096xf32> to tensor<4096xbf16>
  %targets = tt.splat %to : !tt.ptr<bf16> -> tensor<4096x!tt.ptr<bf16>>
  %target = tt.addptr %targets, %columns : tensor<4096x!tt.ptr<bf16>>, tensor<4096xi32>
  tt.store %target, %narrow, %mask : tensor<4096x!tt.ptr<bf16>>
  tt.return
}
