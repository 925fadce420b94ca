/* SPDX-License-Identifier: MIT */
/* The parsers accept what they document and nothing around it: no sign, no blanks. */
#include "core/config_value.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

CUresult cup_config_report(CUresult result, const char *format, ...)
{
    char text[1024] = "cupipe: ";
    const size_t start = strlen(text);
    va_list arguments;
    size_t length;

    va_start(arguments, format);
    if (vsnprintf(text + start, sizeof(text) - start - 1, format, arguments) < 0)
        text[start] = '\0';
    va_end(arguments);
    length = strlen(text);
    text[length++] = '\n';
    while (write(STDERR_FILENO, text, length) < 0 && errno == EINTR)
        continue;
    return result;
}

bool cup_parse_digits(const char *text, uint64_t *number, const char **end)
{
    uint64_t value = 0;

    if (*text < '0' || *text > '9')
        return false;
    for (; *text >= '0' && *text <= '9'; text++) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
            return false;
    }
    *number = value;
    *end = text;
    return true;
}

bool cup_parse_number(const char *text, uint64_t low, uint64_t high, uint64_t *number)
{
    const char *end;

    return cup_parse_digits(text, number, &end) && *end == '\0' && *number >= low &&
           *number <= high;
}

bool cup_parse_bytes(const char *text, uint64_t *bytes)
{
    static const char suffixes[] = "KMGT";
    const char *end;
    const char *suffix;
    unsigned shift;

    if (!cup_parse_digits(text, bytes, &end))
        return false;
    if (*end == '\0')
        return true;
    suffix = strchr(suffixes, toupper((unsigned char)*end));
    if (!suffix || end[1] != '\0')
        return false;
    shift = 10 * (unsigned)(suffix - suffixes + 1);
    return !__builtin_mul_overflow(*bytes, UINT64_C(1) << shift, bytes);
}

bool cup_word_is(const char *known, const char *word, size_t length)
{
    return strlen(known) == length && memcmp(known, word, length) == 0;
}
