/* SPDX-License-Identifier: MIT */
/* Values of variables: numbers, sizes, and the message about a wrong one. */
#ifndef CUP_CORE_CONFIG_VALUE_H
#define CUP_CORE_CONFIG_VALUE_H

#include "core/compiler.h"

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes a line about a wrong value to stderr, whatever the log level, and returns `result`. */
CUresult cup_config_report(CUresult result, const char *format, ...) CUP_PRINTF(2, 3);

/* Parses decimal digits, at least one, without overflow. `end` is set behind them. */
bool cup_parse_digits(const char *text, uint64_t *number, const char **end);

/* Parses a text that is a number from `low` to `high` and nothing else. */
bool cup_parse_number(const char *text, uint64_t low, uint64_t high, uint64_t *number);

/* Parses a number with an optional suffix K, M, G or T. */
bool cup_parse_bytes(const char *text, uint64_t *bytes);

/* Whether `length` bytes at `word` are the whole of `known`. */
bool cup_word_is(const char *known, const char *word, size_t length);

#endif
