/* SPDX-License-Identifier: MIT */
/* Magnitudes of complex images, which stand with the statistics or arithmetic of their library. */
#pragma once

#include "nppi_arithmetic_and_logical_operations.h"
