// RUN: tl-opt --lift-assertions %s --verify-diagnostics
// A loop that goes on for as long as a condition holds, which does not say what its iterations have asserted.

tt.func @while_loop(%x: tensor<64xi32>) -> i32 {
  %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %r = scf.while (%c = %a) : (i32) -> i32 {
      %t = arith.cmpi slt, %c, %b : i32
      scf.condition(%t) %c : i32
    } do {
    ^bb0(%c: i32):
      %t = arith.cmpi sgt, %c, %a : i32
      // expected-error @below {{must not stand in scf.while inside tt.reduce}}
      tt.assert %t, "negative" : i1
      %d = arith.addi %c, %b : i32
      scf.yield %d : i32
    }
    tt.reduce.return %r : i32
  }) : (tensor<64xi32>) -> i32
  tt.return %s : i32
}
