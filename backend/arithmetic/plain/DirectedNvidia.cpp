// SPDX-License-Identifier: MIT
//
// Arithmetic and conversions that are rounded to zero (rz), downwards (rd, NVIDIA's rm) and upwards
// (ru, its rp): instructions of NVIDIA's GPUs. What this host has for it is in Rounded.h.
#include "Numbers.h"

#define DIRECTED(end, mode)                                                                        \
  float tl_fadd_##end(float x, float y) { return __nvvm_add_##mode##_f(x, y); }                    \
  double tl_dadd_##end(double x, double y) { return __nvvm_add_##mode##_d(x, y); }                 \
  float tl_fsub_##end(float x, float y) { return __nvvm_add_##mode##_f(x, -y); }                   \
  double tl_dsub_##end(double x, double y) { return __nvvm_add_##mode##_d(x, -y); }                \
  float tl_fmul_##end(float x, float y) { return __nvvm_mul_##mode##_f(x, y); }                    \
  double tl_dmul_##end(double x, double y) { return __nvvm_mul_##mode##_d(x, y); }                 \
  float tl_fdiv_##end(float x, float y) { return __nvvm_div_##mode##_f(x, y); }                    \
  double tl_ddiv_##end(double x, double y) { return __nvvm_div_##mode##_d(x, y); }                 \
  float tl_frcp_##end(float x) { return __nvvm_rcp_##mode##_f(x); }                                \
  double tl_drcp_##end(double x) { return __nvvm_rcp_##mode##_d(x); }                              \
  float tl_fsqrt_##end(float x) { return __nvvm_sqrt_##mode##_f(x); }                              \
  double tl_dsqrt_##end(double x) { return __nvvm_sqrt_##mode##_d(x); }                            \
  float tl_fmaf_##end(float x, float y, float z) { return __nvvm_fma_##mode##_f(x, y, z); }        \
  double tl_fma_##end(double x, double y, double z) { return __nvvm_fma_##mode##_d(x, y, z); }     \
  float tl_double2float_##end(double x) { return __nvvm_d2f_##mode(x); }                           \
  float tl_int2float_##end(int32_t x) { return __nvvm_i2f_##mode(x); }                             \
  float tl_uint2float_##end(uint32_t x) { return __nvvm_ui2f_##mode(x); }                          \
  float tl_ll2float_##end(int64_t x) { return __nvvm_ll2f_##mode(x); }                             \
  float tl_ull2float_##end(uint64_t x) { return __nvvm_ull2f_##mode(x); }                          \
  double tl_ll2double_##end(int64_t x) { return __nvvm_ll2d_##mode(x); }                           \
  double tl_ull2double_##end(uint64_t x) { return __nvvm_ull2d_##mode(x); }

extern "C" {

DIRECTED(rz, rz)
DIRECTED(rd, rm)
DIRECTED(ru, rp)

double tl_rcp64h(double x) { return __nvvm_rcp_approx_ftz_d(x); }
}
