; A second library, which the first one calls.
define float @twice(float %x) {
  %y = fadd float %x, %x
  ret float %y
}
