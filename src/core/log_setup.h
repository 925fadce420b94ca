/* SPDX-License-Identifier: MIT */
/* The side of the log that the configuration uses; everybody else needs log.h alone. */
#ifndef CUP_CORE_LOG_SETUP_H
#define CUP_CORE_LOG_SETUP_H

#include "core/log.h"

#include <stdbool.h>
#include <stddef.h>

/* Is this a level's name? */
bool cup_log_level_parse(const char *word, size_t length, enum cup_log_level *level);

/* Sends the log to a file, which is appended to, or to stderr when path is NULL. An errno, or 0. */
int cup_log_open(enum cup_log_level level, const char *path);

#endif
