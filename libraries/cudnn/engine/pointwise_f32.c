/* SPDX-License-Identifier: MIT */
/* Pointwise operations in f32. */
#define REAL float
#define M(function) function##f
#define LINE_OF dnn_pointwise_line_f32
#include "pointwise_body.h"
