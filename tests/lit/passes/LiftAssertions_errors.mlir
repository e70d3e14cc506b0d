// RUN: tl-opt --lift-assertions %s --verify-diagnostics
// An assertion of which only a branch knows whether it is made.

tt.func @branch(%x: tensor<64xi32>, %t: i1) -> i32 {
  %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    scf.if %t {
      // expected-error @below {{must not stand in a branch inside tt.reduce}}
      tt.assert %t, "negative" : i1
    }
    tt.reduce.return %a : i32
  }) : (tensor<64xi32>) -> i32
  tt.return %s : i32
}
