// RUN: tl-opt --split-input-file --verify-diagnostics %s
// What barriers in shared memory and copies of boxes refuse.

#b = #ttg.shared<rows [2], order = [0]>
tt.func @init_type(%b: !ttg.memdesc<2xi64, #b>) {
  // expected-error@+1 {{needs a barrier of type memdesc<1xi64>}}
  ttg.init_barrier %b, 1 : !ttg.memdesc<2xi64, #b>
  tt.return
}

// -----

#b = #ttg.shared<rows [1], order = [0]>
tt.func @init_count(%b: !ttg.memdesc<1xi64, #b>) {
  // expected-error@+1 {{the count of arrivals must be between 1 and 1048575, found 0}}
  ttg.init_barrier %b, 0 : !ttg.memdesc<1xi64, #b>
  tt.return
}

// -----

#b = #ttg.shared<rows [2], order = [0]>
tt.func @inval_type(%b: !ttg.memdesc<2xi64, #b>) {
  // expected-error@+1 {{needs a barrier of type memdesc<1xi64>}}
  ttg.inval_barrier %b : !ttg.memdesc<2xi64, #b>
  tt.return
}

// -----

#b = #ttg.shared<rows [2], order = [0]>
tt.func @wait_type(%b: !ttg.memdesc<2xi64, #b>, %p: i32) {
  // expected-error@+1 {{needs a barrier of type memdesc<1xi64>}}
  ttg.wait_barrier %b, %p : !ttg.memdesc<2xi64, #b>
  tt.return
}

// -----

#b = #ttg.shared<rows [2], order = [0]>
tt.func @expect_type(%b: !ttg.memdesc<2xi64, #b>) {
  // expected-error@+1 {{needs a barrier of type memdesc<1xi64>}}
  ttg.barrier_expect %b, 16 : !ttg.memdesc<2xi64, #b>
  tt.return
}

// -----

#b = #ttg.shared<rows [1], order = [0]>
tt.func @expect_bytes(%b: !ttg.memdesc<1xi64, #b>) {
  // expected-error@+1 {{the number of bytes must be between 1 and 1048575, found -16}}
  ttg.barrier_expect %b, -16 : !ttg.memdesc<1xi64, #b>
  tt.return
}

// -----

#b = #ttg.shared<rows [2], order = [0]>
tt.func @arrive_type(%b: !ttg.memdesc<2xi64, #b>) {
  // expected-error@+1 {{needs a barrier of type memdesc<1xi64>}}
  ttg.arrive_barrier %b, 1 : !ttg.memdesc<2xi64, #b>
  tt.return
}

// -----

#b = #ttg.shared<rows [1], order = [0]>
tt.func @arrive_count(%b: !ttg.memdesc<1xi64, #b>) {
  // expected-error@+1 {{the count of arrivals must be between 1 and 1048575, found 0}}
  ttg.arrive_barrier %b, 0 : !ttg.memdesc<1xi64, #b>
  tt.return
}

// -----

tt.func @map_rank(%map: !tt.ptr<i8>, %base: !tt.ptr<f16>, %n: i32, %s: i64) {
  // expected-error@+1 {{describes 1 to 5 axes, with an extent, a stride and a box extent each}}
  ttg.make_tensor_map %map, %base, [%n, %n], [%s] {box = array<i32: 32, 64>} : !tt.ptr<i8>, !tt.ptr<f16>
  tt.return
}

// -----

tt.func @map_box(%map: !tt.ptr<i8>, %base: !tt.ptr<f16>, %n: i32, %s: i64) {
  // expected-error@+1 {{needs boxes of 1 to 256 elements along an axis, found 512}}
  ttg.make_tensor_map %map, %base, [%n], [%s] {box = array<i32: 512>} : !tt.ptr<i8>, !tt.ptr<f16>
  tt.return
}

// -----

tt.func @map_row(%map: !tt.ptr<i8>, %base: !tt.ptr<f16>, %n: i32, %s: i64) {
  // expected-error@+1 {{needs boxes whose rows are multiples of 16 bytes}}
  ttg.make_tensor_map %map, %base, [%n], [%s] {box = array<i32: 4>} : !tt.ptr<i8>, !tt.ptr<f16>
  tt.return
}

// -----

#s = #ttg.shared<rows [32, 64], order = [1, 0]>
#b = #ttg.shared<rows [2], order = [0]>
tt.func @load_barrier(%map: !tt.ptr<i8>, %m: !ttg.memdesc<32x64xf16, #s>, %b: !ttg.memdesc<2xi64, #b>, %i: i32) {
  // expected-error@+1 {{needs a barrier of type memdesc<1xi64>}}
  ttg.tma_load %map[%i, %i], %m, %b : !tt.ptr<i8> -> !ttg.memdesc<32x64xf16, #s>, !ttg.memdesc<2xi64, #b>
  tt.return
}

// -----

#s = #ttg.shared<rows [32, 64], order = [1, 0]>
#b = #ttg.shared<rows [1], order = [0]>
tt.func @load_coordinates(%map: !tt.ptr<i8>, %m: !ttg.memdesc<32x64xf16, #s>, %b: !ttg.memdesc<1xi64, #b>, %i: i32) {
  // expected-error@+1 {{moves boxes of 1 to 5 axes with one coordinate each, found 2 axes and 1 coordinates}}
  ttg.tma_load %map[%i], %m, %b : !tt.ptr<i8> -> !ttg.memdesc<32x64xf16, #s>, !ttg.memdesc<1xi64, #b>
  tt.return
}

// -----

#s = #ttg.shared<rows [512, 64], order = [1, 0]>
tt.func @store_box(%map: !tt.ptr<i8>, %m: !ttg.memdesc<512x64xf16, #s>, %i: i32) {
  // expected-error@+1 {{moves at most 256 elements along an axis, found 512}}
  ttg.tma_store %m, %map[%i, %i] : !ttg.memdesc<512x64xf16, #s> -> !tt.ptr<i8>
  tt.return
}

// -----

#s = #ttg.shared<rows [64, 4], order = [1, 0]>
tt.func @store_row(%map: !tt.ptr<i8>, %m: !ttg.memdesc<64x4xf16, #s>, %i: i32) {
  // expected-error@+1 {{moves rows of multiples of 16 bytes, found 8}}
  ttg.tma_store %m, %map[%i, %i] : !ttg.memdesc<64x4xf16, #s> -> !tt.ptr<i8>
  tt.return
}

// -----

#s = #ttg.shared<rows [32, 64], order = [1, 0]>
tt.func @store_bits(%map: !tt.ptr<i8>, %m: !ttg.memdesc<32x64xi1, #s>, %i: i32) {
  // expected-error@+1 {{moves elements of at least 8 bits, found 'i1'}}
  ttg.tma_store %m, %map[%i, %i] : !ttg.memdesc<32x64xi1, #s> -> !tt.ptr<i8>
  tt.return
}

// -----

#s = #ttg.shared<rows [32, 64], order = [1, 0]>
tt.func @reduce_kind(%map: !tt.ptr<i8>, %m: !ttg.memdesc<32x64xi32, #s>, %i: i32) {
  // expected-error@+1 {{combines by add, min, max, and, or, xor}}
  ttg.tma_reduce inc, %m, %map[%i, %i] : !ttg.memdesc<32x64xi32, #s> -> !tt.ptr<i8>
  tt.return
}

// -----

tt.func @store_waiting() {
  // expected-error@+1 {{cannot leave -2 copies going on}}
  ttg.tma_store_wait {num = -2 : i32}
  tt.return
}
