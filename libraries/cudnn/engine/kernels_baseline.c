/* SPDX-License-Identifier: MIT */
/* The loops of kernels_body.h for every processor of the architecture. */
#define KERNELS dnn_kernels_baseline
#include "kernels_body.h"
