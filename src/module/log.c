/* SPDX-License-Identifier: MIT */
/* Lines for the log of a compile. Running out of memory shortens the log and nothing else. */
#include "module/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 512 };

void cup_module_log(struct ptx_log *log, const char *format, ...)
{
    char line[LINE_BYTES];
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    size_t used = strlen(line);
    line[used++] = '\n';
    if (log->length + used + 1 > log->capacity) {
        size_t capacity = 2 * (log->length + used + 1);
        char *text = realloc(log->text, capacity);
        if (!text)
            return;
        log->text = text;
        log->capacity = capacity;
    }
    memcpy(log->text + log->length, line, used);
    log->length += used;
    log->text[log->length] = 0;
    log->errors++;
}
