/* SPDX-License-Identifier: MIT */
/* Pointwise operations in f64. */
#define REAL double
#define M(function) function
#define LINE_OF dnn_pointwise_line_f64
#include "pointwise_body.h"
