// RUN: tl-opt --check-sizes %s --split-input-file --verify-diagnostics
// A kernel that calls make too large is refused before it grows.

tt.func private @one(%x: !tt.ptr<i32>, %n: i32) {
  tt.store %x, %n : !tt.ptr<i32>
  tt.store %x, %n : !tt.ptr<i32>
  tt.store %x, %n : !tt.ptr<i32>
  tt.store %x, %n : !tt.ptr<i32>
  tt.return
}
tt.func private @eight(%x: !tt.ptr<i32>, %n: i32) {
  tt.call @one(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @one(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @one(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @one(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @one(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @one(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @one(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @one(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.return
}
tt.func private @many(%x: !tt.ptr<i32>, %n: i32) {
  tt.call @eight(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @eight(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @eight(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @eight(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @eight(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @eight(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @eight(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @eight(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.return
}
tt.func private @more(%x: !tt.ptr<i32>, %n: i32) {
  tt.call @many(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @many(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @many(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @many(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @many(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @many(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @many(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @many(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.return
}
// 4096 stores.
tt.func @large(%x: !tt.ptr<i32>, %n: i32) {
  tt.call @more(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @more(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.return
}
// expected-error @below {{kernel 'too_large' grows to more than 20000 operations when its calls are inlined}}
tt.func @too_large(%x: !tt.ptr<i32>, %n: i32) {
  tt.call @more(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @more(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @more(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @more(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @more(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @more(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @more(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @more(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.return
}
tt.func @stays(%x: !tt.ptr<i32>, %n: i32) attributes {noinline = true} {
  tt.call @more(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @more(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @more(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.return
}
tt.func @calls_stay(%x: !tt.ptr<i32>, %n: i32) {
  tt.call @stays(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @stays(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.return
}

// -----

// Functions that call each other have no size; the targets refuse them.
tt.func @even(%x: !tt.ptr<i32>, %n: i32) {
  tt.call @odd(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @odd(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.return
}
tt.func @odd(%x: !tt.ptr<i32>, %n: i32) {
  tt.call @even(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @even(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.call @odd(%x, %n) : (!tt.ptr<i32>, i32) -> ()
  tt.return
}
