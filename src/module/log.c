/* SPDX-License-Identifier: MIT */
/* Appends lines to the JIT log. If memory is out, the log is truncated. */
#include "module/log.h"

#include "ptx/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 512 };

static void add(struct ptx_log *log, char line[LINE_BYTES])
{
    size_t length = strlen(line);

    line[length++] = '\n';
    ptx_log_append(log, line, length);
    log->errors++;
}

void cup_module_log(struct ptx_log *log, const char *format, ...)
{
    char line[LINE_BYTES] = "";
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    add(log, line);
}

void cup_module_log_no_binary(struct ptx_log *log, const char *format, ...)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    char line[LINE_BYTES] = "";
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (!atomic_flag_test_and_set(&said))
        cup_log(CUP_LOG_ERROR, "CUDA_ERROR_NO_BINARY_FOR_GPU: %s", line);
    add(log, line);
}
