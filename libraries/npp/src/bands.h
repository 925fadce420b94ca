/* SPDX-License-Identifier: MIT */
/* Rows of an image on several processors. */
#ifndef NPP_BANDS_H
#define NPP_BANDS_H

#include <stddef.h>

/* Works on rows `first` to `last` - 1. */
typedef void npp_band_function(void *arguments, int first, int last);

/* Splits `rows` rows with `row_cost` elements each into bands, small images into one. */
void npp_bands(int rows, size_t row_cost, npp_band_function *band, void *arguments);

#endif
