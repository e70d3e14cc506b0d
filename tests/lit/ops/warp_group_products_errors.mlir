// RUN: tl-opt --split-input-file --verify-diagnostics %s
// What products of groups of warps refuse.

#a = #ttg.shared<hardware_swizzled [64, 64], bits = 16, bytes = 128, order = [1, 0]>
#d = #ttg.layout<wgmma [64, 64], n = 64, warps = [4, 1]>
#e = #ttg.layout<wgmma [64, 32], n = 32, warps = [4, 1]>
tt.func @extents(%a: !ttg.memdesc<64x64xf16, #a>, %c: tensor<64x32xf32, #e>) {
  // expected-error@+1 {{multiplies matrices whose extents agree, found '!ttg.memdesc<64x64xf16}}
  %d = ttg.warp_group_dot %a, %a, %c {instruction = array<i32: 64, 32, 16>, warps = array<i32: 4, 1>}
    : !ttg.memdesc<64x64xf16, #a>, !ttg.memdesc<64x64xf16, #a> -> tensor<64x32xf32, #e>
  tt.return
}

// -----

#a = #ttg.shared<hardware_swizzled [64, 64], bits = 16, bytes = 128, order = [1, 0]>
#d = #ttg.layout<wgmma [64, 64], n = 64, warps = [4, 1]>
tt.func @numbers(%a: !ttg.memdesc<64x64xf16, #a>, %c: tensor<64x64xf32, #d>) {
  // expected-error@+1 {{needs three extents of the instruction and two numbers of warps}}
  %d = ttg.warp_group_dot %a, %a, %c {instruction = array<i32: 64, 64>, warps = array<i32: 4, 1>}
    : !ttg.memdesc<64x64xf16, #a>, !ttg.memdesc<64x64xf16, #a> -> tensor<64x64xf32, #d>
  tt.return
}

// -----

#a = #ttg.shared<hardware_swizzled [64, 64], bits = 16, bytes = 128, order = [1, 0]>
#d = #ttg.layout<wgmma [64, 64], n = 64, warps = [4, 1]>
tt.func @columns(%a: !ttg.memdesc<64x64xf16, #a>, %c: tensor<64x64xf32, #d>) {
  // expected-error@+1 {{has no instruction of 64 x 12 x 16 for a product over 64}}
  %d = ttg.warp_group_dot %a, %a, %c {instruction = array<i32: 64, 12, 16>, warps = array<i32: 4, 1>}
    : !ttg.memdesc<64x64xf16, #a>, !ttg.memdesc<64x64xf16, #a> -> tensor<64x64xf32, #d>
  tt.return
}

// -----

#a = #ttg.shared<hardware_swizzled [64, 64], bits = 16, bytes = 128, order = [1, 0]>
#d = #ttg.layout<wgmma [64, 64], n = 64, warps = [4, 1]>
tt.func @depth(%a: !ttg.memdesc<64x64xf16, #a>, %c: tensor<64x64xf32, #d>) {
  // expected-error@+1 {{has no instruction of 64 x 64 x 24 for a product over 64}}
  %d = ttg.warp_group_dot %a, %a, %c {instruction = array<i32: 64, 64, 24>, warps = array<i32: 4, 1>}
    : !ttg.memdesc<64x64xf16, #a>, !ttg.memdesc<64x64xf16, #a> -> tensor<64x64xf32, #d>
  tt.return
}

// -----

#a = #ttg.shared<hardware_swizzled [64, 64], bits = 16, bytes = 128, order = [1, 0]>
#d = #ttg.layout<wgmma [64, 64], n = 64, warps = [4, 1]>
tt.func @warps(%a: !ttg.memdesc<64x64xf16, #a>, %c: tensor<64x64xf32, #d>) {
  // expected-error@+1 {{needs groups of four warps along the rows, found 2}}
  %d = ttg.warp_group_dot %a, %a, %c {instruction = array<i32: 64, 64, 16>, warps = array<i32: 2, 2>}
    : !ttg.memdesc<64x64xf16, #a>, !ttg.memdesc<64x64xf16, #a> -> tensor<64x64xf32, #d>
  tt.return
}

// -----

#d = #ttg.layout<wgmma [64, 64], n = 64, warps = [4, 1]>
tt.func @pendings(%c: tensor<64x64xf32, #d>) {
  // expected-error@+1 {{cannot leave -1 products going on}}
  %e = ttg.warp_group_dot_wait %c {pendings = -1 : i32} : tensor<64x64xf32, #d>
  tt.return
}
