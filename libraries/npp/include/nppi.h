/* SPDX-License-Identifier: MIT */
/* Functions for images. */
#ifndef NPPI_H
#define NPPI_H

#include "nppi_arithmetic_and_logical_operations.h"
#include "nppi_color_conversion.h"
#include "nppi_data_exchange_and_initialization.h"
#include "nppi_filtering_functions.h"
#include "nppi_geometry_transforms.h"
#include "nppi_morphological_operations.h"
#include "nppi_statistics_functions.h"
#include "nppi_support_functions.h"
#include "nppi_threshold_and_compare_operations.h"

#endif
