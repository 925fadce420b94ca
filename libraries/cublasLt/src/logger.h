/* SPDX-License-Identifier: MIT */
/* The library's log: a callback or a file, and which messages go there. */
#ifndef CUBLASLT_LOGGER_H
#define CUBLASLT_LOGGER_H

#include <cublasLt.h>

/* Bits of the mask, and levels: a level has all messages up to its own. */
enum logger_level {
    LOGGER_ERROR = 1,
    LOGGER_TRACE = 2,
    LOGGER_HINTS = 3,
    LOGGER_INFO = 4,
    LOGGER_API = 5,
};

/* Logs a call and returns its status: an error by its name, otherwise the call alone. */
cublasStatus_t logger_answer(const char *function, cublasStatus_t status);

#endif
