/* SPDX-License-Identifier: MIT */
/* CUDA_VISIBLE_DEVICES, read as NVIDIA's driver reads it. */
#ifndef CUP_CORE_VISIBLE_DEVICES_H
#define CUP_CORE_VISIBLE_DEVICES_H

#include "core/config.h"

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>

/* Fills config's visible list from the variable's value; NULL means unset: all devices. The
 * devices' number and UUID must be there already. NO_DEVICE: the list is empty; INVALID_DEVICE: a
 * device is named twice. */
CUresult cup_visible_parse(struct cup_config *config, const char *value);

/* Up to `size` bytes out of hexadecimal digits; dashes are skipped. Stops before the first other
 * character, or when the bytes are full. Gives the number of digits and where it stopped. */
size_t cup_hex_parse(const char *text, unsigned char *bytes, size_t size, const char **end);

#endif
