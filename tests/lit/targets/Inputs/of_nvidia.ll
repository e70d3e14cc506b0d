; A library for another target than the CPU.
target triple = "nvptx64-nvidia-cuda"
define float @f(float %x) {
  ret float %x
}
