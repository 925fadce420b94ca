/* SPDX-License-Identifier: MIT */
/* Test data and its check, and summaries of bytes, for every recorder. */
#ifndef PATTERN_H
#define PATTERN_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Byte i of the pattern that a seed gives; "ok" or the place of the first wrong byte. */
unsigned char pattern_byte(unsigned seed, size_t i);
void pattern_fill(void *ptr, size_t size, unsigned seed);
const char *pattern_check(const void *ptr, size_t size, unsigned seed);

/* zero, all=xx or mixed */
const char *equal_bytes(const void *bytes, size_t count);
unsigned checksum(const void *bytes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
