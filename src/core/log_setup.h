/* SPDX-License-Identifier: MIT */
/* The part of the log's interface that the configuration uses; all other code needs only log.h. */
#ifndef CUP_CORE_LOG_SETUP_H
#define CUP_CORE_LOG_SETUP_H

#include "core/log.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns false if the word is not the name of a level. */
bool cup_log_level_parse(const char *word, size_t length, enum cup_log_level *level);

/* Directs the log to a file (appending), or to stderr if path is NULL. Returns an errno, or 0. */
int cup_log_open(enum cup_log_level level, const char *path);

#endif
