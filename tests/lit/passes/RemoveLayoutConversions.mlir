// RUN: tl-opt --remove-layout-conversions %s | FileCheck %s
// A store works where its value is, unless it would be scattered over memory.

#wide = #ttg.layout<blocked [64, 64], registers = [1, 4], lanes = [2, 16], warps = [1, 1], order = [1, 0]>
#single = #ttg.layout<blocked [64, 64], registers = [1, 1], lanes = [1, 32], warps = [1, 1], order = [1, 0]>
#down = #ttg.layout<blocked [64, 64], registers = [4, 1], lanes = [16, 2], warps = [1, 1], order = [0, 1]>
#down1 = #ttg.layout<blocked [64, 1], registers = [1, 1], lanes = [2, 16], warps = [1, 1], order = [1, 0]>
#across1 = #ttg.layout<blocked [1, 64], registers = [1, 4], lanes = [2, 16], warps = [1, 1], order = [1, 0]>
#few = #ttg.layout<blocked [8, 4], registers = [1, 1], lanes = [8, 4], warps = [1, 1], order = [0, 1]>
#rows = #ttg.layout<blocked [8, 4], registers = [1, 1], lanes = [8, 4], warps = [1, 1], order = [1, 0]>
module attributes {ttg.gpu = #ttg.gpu<warps = 1, lanes = 32, access_bytes = 16, sector_bytes = 32, shared_bytes = 232448, matrix_instructions = []>} {

// One element a lane along the rows touches as many sectors: the value stays, and the addresses are converted.
// CHECK-LABEL: @near
// CHECK: %[[P:.*]] = ttg.convert_layout %{{.*}} : tensor<64x64x!tt.ptr<f32>, {{.*}} registers = [1, 4]
// CHECK: %[[V:.*]] = tt.load
// CHECK: tt.store %[[P]], %[[V]] : tensor<64x64x!tt.ptr<f32>, #ttg.layout<blocked [64, 64], registers = [1, 1]
tt.func public @near(%x: tensor<64x64x!tt.ptr<f32>, #single>, %o: tensor<64x64x!tt.ptr<f32>, #wide>) {
  %v = tt.load %x : tensor<64x64x!tt.ptr<f32>, #single>
  %w = ttg.convert_layout %v : tensor<64x64xf32, #single> -> tensor<64x64xf32, #wide>
  tt.store %o, %w : tensor<64x64x!tt.ptr<f32>, #wide>
  tt.return
}

// Lanes that follow the columns would write into 16 rows at a time: the value moves.
// CHECK-LABEL: @far
// CHECK: %[[V:.*]] = tt.load
// CHECK: %[[W:.*]] = ttg.convert_layout %[[V]]
// CHECK: tt.store %{{.*}}, %[[W]] : tensor<64x64x!tt.ptr<f32>, #ttg.layout<blocked [64, 64], registers = [1, 1]
tt.func public @far(%x: tensor<64x64x!tt.ptr<f32>, #down>, %o: tensor<64x64x!tt.ptr<f32>, #single>) {
  %v = tt.load %x : tensor<64x64x!tt.ptr<f32>, #down>
  %w = ttg.convert_layout %v : tensor<64x64xf32, #down> -> tensor<64x64xf32, #single>
  tt.store %o, %w : tensor<64x64x!tt.ptr<f32>, #single>
  tt.return
}

// One element a thread is not worth moving.
// CHECK-LABEL: @few
// CHECK: %[[V:.*]] = tt.load
// CHECK: tt.store %{{.*}}, %[[V]]
tt.func public @few(%x: tensor<8x4x!tt.ptr<f32>, #few>, %o: tensor<8x4x!tt.ptr<f32>, #rows>) {
  %v = tt.load %x : tensor<8x4x!tt.ptr<f32>, #few>
  %w = ttg.convert_layout %v : tensor<8x4xf32, #few> -> tensor<8x4xf32, #rows>
  tt.store %o, %w : tensor<8x4x!tt.ptr<f32>, #rows>
  tt.return
}

// What can be computed in any layout is left to be computed where the store works.
// CHECK-LABEL: @cheap
// CHECK: %[[C:.*]] = ttg.convert_layout
// CHECK: tt.store %{{.*}}, %[[C]]
tt.func public @cheap(%o: tensor<64x64x!tt.ptr<i32>, #wide>) {
  %c = arith.constant dense<1> : tensor<64x64xi32, #single>
  %d = ttg.convert_layout %c : tensor<64x64xi32, #single> -> tensor<64x64xi32, #wide>
  tt.store %o, %d : tensor<64x64x!tt.ptr<i32>, #wide>
  tt.return
}

// What is computed of a row and a column is computed where it is needed, if for nobody else: they are converted.
// CHECK-LABEL: @row_and_column
// CHECK-DAG: ttg.convert_layout %{{.*}} : tensor<64x64xf32, {{.*}} registers = [1, 4]
// CHECK: %[[D:.*]] = arith.subf {{.*}} registers = [1, 1]
// CHECK: %[[E:.*]] = math.exp2 %[[D]] {{.*}} registers = [1, 1]
// CHECK: tt.store %{{.*}}, %[[E]]
tt.func public @row_and_column(%r: tensor<64x1xf32, #down1>, %c: tensor<1x64xf32, #across1>, %o: tensor<64x64x!tt.ptr<f32>, #single>) {
  %rows = tt.broadcast %r : tensor<64x1xf32, #down1> -> tensor<64x64xf32, #wide>
  %columns = tt.broadcast %c : tensor<1x64xf32, #across1> -> tensor<64x64xf32, #wide>
  %d = arith.subf %rows, %columns : tensor<64x64xf32, #wide>
  %e = math.exp2 %d : tensor<64x64xf32, #wide>
  %f = ttg.convert_layout %e : tensor<64x64xf32, #wide> -> tensor<64x64xf32, #single>
  tt.store %o, %f : tensor<64x64x!tt.ptr<f32>, #single>
  tt.return
}

// Others use it as it is, or all of it was loaded: its conversion stays.
// CHECK-LABEL: @used_twice
// CHECK: %[[E:.*]] = math.exp2 {{.*}} registers = [1, 4]
// CHECK: ttg.convert_layout %[[E]]
// CHECK-LABEL: @loaded
// CHECK: %[[E:.*]] = math.exp2 {{.*}} registers = [1, 4]
// CHECK: ttg.convert_layout %[[E]]
tt.func public @used_twice(%r: tensor<64x1xf32, #down1>, %o: tensor<64x64x!tt.ptr<f32>, #down>, %p: tensor<64x64x!tt.ptr<f32>, #wide>) {
  %rows = tt.broadcast %r : tensor<64x1xf32, #down1> -> tensor<64x64xf32, #wide>
  %e = math.exp2 %rows : tensor<64x64xf32, #wide>
  %f = ttg.convert_layout %e : tensor<64x64xf32, #wide> -> tensor<64x64xf32, #down>
  tt.store %o, %f : tensor<64x64x!tt.ptr<f32>, #down>
  tt.store %p, %e : tensor<64x64x!tt.ptr<f32>, #wide>
  tt.return
}
tt.func public @loaded(%x: tensor<64x64x!tt.ptr<f32>, #wide>, %o: tensor<64x64x!tt.ptr<f32>, #single>) {
  %v = tt.load %x : tensor<64x64x!tt.ptr<f32>, #wide>
  %e = math.exp2 %v : tensor<64x64xf32, #wide>
  %f = ttg.convert_layout %e : tensor<64x64xf32, #wide> -> tensor<64x64xf32, #down>
  %g = arith.negf %f : tensor<64x64xf32, #down>
  tt.return
}

}
