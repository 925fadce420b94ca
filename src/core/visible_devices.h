/* SPDX-License-Identifier: MIT */
/* CUDA_VISIBLE_DEVICES, with the rules of NVIDIA's driver. */
#ifndef CUP_CORE_VISIBLE_DEVICES_H
#define CUP_CORE_VISIBLE_DEVICES_H

#include "core/config.h"

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>

/* Fills the visible list of the configuration from the variable's value; NULL (unset) means all
 * devices. The number, order and UUID of the devices must be set already. NO_DEVICE: the list is
 * empty. INVALID_DEVICE: a device is named twice. */
CUresult cup_visible_parse(struct cup_config *config, const char *value);

/* Parses up to `size` bytes of hexadecimal digits; dashes are skipped. Stops at the first other
 * character or when the buffer is full. Returns the number of digits, and in *end where it
 * stopped. */
size_t cup_hex_parse(const char *text, unsigned char *bytes, size_t size, const char **end);

#endif
