/* SPDX-License-Identifier: MIT */
/* cup_error() creates all errors that the library returns, so that the log of failed calls
 * (call_log.h) and CUPIPE_LOG=debug can show where and why. */
#ifndef CUP_CORE_ERROR_H
#define CUP_CORE_ERROR_H

#include "core/log.h"

#include <cuda.h>

/* Name and description of a result; NULL for a number that is not a result. */
const char *cup_result_name(CUresult result);
const char *cup_result_text(CUresult result);

/* Keeps the reason for the log of failed calls. */
CUresult cup_error_logged(CUresult result, const char *file, int line, const char *format, ...)
    CUP_PRINTF(4, 5);

/* The value is the first argument, not the function's return value: the compiler then knows that a
 * constant error is not CUDA_SUCCESS, and that outputs set only on success are not read. */
#define cup_error(result, ...)                                                                     \
    __extension__({                                                                                \
        CUresult cup_error_result = (result);                                                      \
        cup_error_logged(cup_error_result, __FILE__, __LINE__, __VA_ARGS__);                       \
        cup_error_result;                                                                          \
    })

#endif
