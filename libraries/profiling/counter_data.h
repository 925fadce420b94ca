/* SPDX-License-Identifier: MIT */
/* The images that programs carry between the functions of the profilers: which counters there are,
 * the metrics that are to be counted, and what was counted in each range. Their layout is cupipe's
 * own. */
#ifndef PROFILING_COUNTER_DATA_H
#define PROFILING_COUNTER_DATA_H

#include "profiling/metrics.h"

enum { RANGE_NAME_BYTES = 512, RANGE_LEVEL_SEPARATOR = '\x1f' };

struct counted_range {
    /* The names of its levels, each with a terminator; with separators between them while it is
     * counted. */
    char name[RANGE_NAME_BYTES];
    uint64_t levels;
    struct quantities counted;
};

size_t counter_data_bytes(size_t ranges);
/* Makes an image without ranges, with room for as many as fit. False: not even its head fits. */
bool counter_data_make(uint8_t *image, size_t bytes, unsigned multiprocessors);
bool counter_data_is_valid(const uint8_t *image, size_t bytes);
/* Of a valid image. */
size_t counter_data_count(const uint8_t *image);
unsigned counter_data_multiprocessors(const uint8_t *image);
void counter_data_set_multiprocessors(uint8_t *image, unsigned multiprocessors);
void counter_data_read(const uint8_t *image, size_t index, struct counted_range *range);
bool counter_data_add(uint8_t *image, const struct counted_range *range); /* false: it is full */

/* The names of a range's levels, in the image. NULL: it has not so many. */
const char *counter_data_level(const uint8_t *image, size_t index, size_t level);

enum { AVAILABILITY_BYTES = 16 };
void availability_make(uint8_t *image);
bool availability_is_valid(const uint8_t *image); /* of so many bytes */

/* The image of metrics: a head and the places of `count` metrics in the table. */
size_t config_image_bytes(size_t metrics);
void config_image_make(uint8_t *image, const uint32_t *metrics, size_t count);
/* Of an image whose end is not known. */
bool config_image_has_head(const uint8_t *image);
bool config_image_is_valid(const uint8_t *image, size_t bytes);

#endif
