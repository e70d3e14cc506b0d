; A library whose pointers have 32 bits.
target datalayout = "e-p:32:32"
define float @f(float %x) {
  ret float %x
}
