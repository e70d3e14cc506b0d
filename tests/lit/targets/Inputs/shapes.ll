; A library of a user, for any target: a function of one number by a table and another function, one of
; integers, one of halves, one that calls what nobody has, and one of mathematics.
@table = constant [2 x float] [float 3.0, float 2.0]

define float @smooth_step(float %x) {
  %first = load float, ptr @table
  %at = getelementptr float, ptr @table, i64 1
  %second = load float, ptr %at
  %twice = fmul float %second, %x
  %slope = fsub float %first, %twice
  %square = call float @square(float %x)
  %y = fmul float %square, %slope
  ret float %y
}

define float @square(float %x) noinline optnone {
  %y = fmul float %x, %x
  ret float %y
}

define i32 @add(i32 %x, i64 %y) {
  %z = trunc i64 %y to i32
  %sum = add i32 %x, %z
  ret i32 %sum
}

define half @half_of(half %x) {
  %y = fmul half %x, 0.5
  ret half %y
}

define float @lost(float %x) {
  %y = call float @nobody_has_this(float %x)
  ret float %y
}
declare float @nobody_has_this(float)

define float @elsewhere(float %x) {
  %y = call float @twice(float %x)
  ret float %y
}
declare float @twice(float)

define float @wave(float %x) {
  %y = call float @sinf(float %x)
  ret float %y
}
declare float @sinf(float)
