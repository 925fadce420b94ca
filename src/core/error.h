/* SPDX-License-Identifier: MIT */
/* Every error the library answers is made here, so that CUPIPE_LOG=debug can say where and why. */
#ifndef CUP_CORE_ERROR_H
#define CUP_CORE_ERROR_H

#include "core/log.h"

#include <cuda.h>

/* Names and texts of results; NULL for a number that is no result. */
const char *cup_result_name(CUresult result);
const char *cup_result_text(CUresult result);

CUresult cup_error_logged(CUresult result, const char *file, int line, const char *format, ...)
    CUP_PRINTF(4, 5);

/* Its value is the first argument, and not what the function returns: so compilers see that a
 * constant error is no success, and that what only success sets is not read. */
#define cup_error(result, ...)                                                                     \
    __extension__({                                                                                \
        CUresult cup_error_result = (result);                                                      \
        if (cup_log_enabled(CUP_LOG_DEBUG))                                                        \
            cup_error_logged(cup_error_result, __FILE__, __LINE__, __VA_ARGS__);                   \
        cup_error_result;                                                                          \
    })

#endif
