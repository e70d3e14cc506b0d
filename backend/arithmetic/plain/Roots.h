// SPDX-License-Identifier: MIT
//
// The lengths of vectors and their reciprocals, which neither overflow nor vanish on the way: what
// the C library has for two numbers only. This host uses them, too.
#pragma once

extern "C" {
float tl_rhypotf(float x, float y);
double tl_rhypot(double x, double y);
float tl_norm3df(float x, float y, float z);
double tl_norm3d(double x, double y, double z);
float tl_rnorm3df(float x, float y, float z);
double tl_rnorm3d(double x, double y, double z);
float tl_norm4df(float x, float y, float z, float w);
double tl_norm4d(double x, double y, double z, double w);
float tl_rnorm4df(float x, float y, float z, float w);
double tl_rnorm4d(double x, double y, double z, double w);
}
