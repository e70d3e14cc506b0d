// RUN: tl-opt --coalesce-accesses %s | FileCheck %s
// RUN: sed 's/, ttg.loads_in_registers//' %s | tl-opt --coalesce-accesses | FileCheck %s --check-prefix=COPIES
// RUN: sed 's/, ttg.loads_in_registers/&, ttg.column_reads/' %s | tl-opt --coalesce-accesses | FileCheck %s --check-prefix=COLUMNS
// What threads store to shared memory for a product whose k does not run along memory: a piece of a few rows and columns a
// thread, so that it stores neighbours along k together. Where reads of shared memory give threads columns, they need not.

module attributes {ttg.gpu = #ttg.gpu<warps = 4, lanes = 64, access_bytes = 16, sector_bytes = 64, shared_bytes = 65536, matrix_instructions = []>, ttg.loads_in_registers} {

// The first operand has k along memory, the second its columns: 4 x 8 of them go to a thread.
// CHECK-LABEL: @halves
// CHECK: tt.load %arg0 {ttg.anchor = #ttg.layout<blocked [128, 64], registers = [1, 8], lanes = [8, 8], warps = [4, 1], order = [1, 0]>}
// CHECK: tt.load %arg1 {ttg.anchor = #ttg.layout<blocked [64, 128], registers = [4, 8], lanes = [4, 16], warps = [4, 1], order = [1, 0]>}
// COPIES-LABEL: @halves
// COPIES: tt.load %arg1 {ttg.anchor = #ttg.layout<blocked [64, 128], registers = [1, 8], lanes = [4, 16], warps = [4, 1], order = [1, 0]>}
// COLUMNS-LABEL: @halves
// COLUMNS: tt.load %arg1 {ttg.anchor = #ttg.layout<blocked [64, 128], registers = [1, 8], lanes = [4, 16], warps = [4, 1], order = [1, 0]>}
tt.func public @halves(%p: tensor<128x64x!tt.ptr<f16>> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %q: tensor<64x128x!tt.ptr<f16>> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 128]> : tensor<2xi32>}) -> tensor<128x128xf32> {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %a = tt.load %p : tensor<128x64x!tt.ptr<f16>>
  %b = tt.load %q : tensor<64x128x!tt.ptr<f16>>
  %d = tt.dot %a, %b, %zero : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
  tt.return %d : tensor<128x128xf32>
}

// Bytes: 8 rows of k of 4 columns, rather than 2 of 16, so that a store has two words.
// CHECK-LABEL: @bytes
// CHECK: tt.load %arg1 {ttg.anchor = #ttg.layout<blocked [64, 128], registers = [8, 4], lanes = [2, 32], warps = [4, 1], order = [1, 0]>}
tt.func public @bytes(%p: tensor<128x64x!tt.ptr<i8>> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %q: tensor<64x128x!tt.ptr<i8>> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 128]> : tensor<2xi32>}) -> tensor<128x128xi32> {
  %zero = arith.constant dense<0> : tensor<128x128xi32>
  %a = tt.load %p : tensor<128x64x!tt.ptr<i8>>
  %b = tt.load %q : tensor<64x128x!tt.ptr<i8>>
  %d = tt.dot %a, %b, %zero : tensor<128x64xi8> * tensor<64x128xi8> -> tensor<128x128xi32>
  tt.return %d : tensor<128x128xi32>
}

}
